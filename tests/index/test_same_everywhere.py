"""Rows of features are the same in every process: Python orders sets of words anew in each."""

import os
import subprocess
import sys

CODE = """
import os
from foreword.index import build, schema, search
from foreword.text.question import Question
schema.create(os.getcwd())
db = schema.open_writing(os.getcwd())
for n in range(30):
    memory = {"id": str(n), "type": "note", "title": f"walrus {n}", "created": float(n)}
    memory.update(turn="", session="")
    memory["files"] = [["src/a_b.py", ""]]
    memory["question"] = f"Why does walrus_{n % 7} leave the colony of herring {n}, and when?"
    memory["body"] = f"It follows the cold current {n % 5} to the bay, said src/a_b.py and keeper {n}."
    build.add(db, memory, f"notes/{n}.md", 0, 0)
text = "Why do walrus_3 and the herring colony leave the bay for `src/a_b.py`, said keeper 7?"
print([hit.row for hit in search.candidates(db, Question(text))[0]])
"""


def test_rows_do_not_depend_on_the_order_of_sets(tmp_path):
    told = set()
    for seed in ("1", "2", "3", "4", "5"):
        folder = tmp_path / seed
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-c", CODE],
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        told.add(done.stdout)
    assert len(told) == 1
