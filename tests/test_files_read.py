"""Reading a file never waits, whatever stands in its place."""

import os

import pytest

from foreword import files


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders here")
def test_a_pipe_in_a_files_place_is_read_as_empty_and_waited_for_by_nobody(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert files.read(str(tmp_path / "pipe")) == b""
    writer = os.open(tmp_path / "pipe", os.O_RDWR | os.O_NONBLOCK)
    assert files.read(str(tmp_path / "pipe"), 10) == b""
    os.close(writer)
