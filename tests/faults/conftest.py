"""The modules beside the tests import each other from tests/; a small repository to work in."""

import os
import sys

import pytest

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hook import events


@pytest.fixture
def repo(tmp_path):
    """A repository with one commit and a few files; the path as a str."""
    top = tmp_path / "app"
    (top / "src").mkdir(parents=True)
    (top / "src" / "app.py").write_text("RETRIES = 3\n")
    (top / "src" / "db.py").write_text("POOL = 5\n")
    (top / "README.md").write_text("# App\n")
    return events.commit(str(top))
