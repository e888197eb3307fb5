"""The harness itself: what the other tests rely on to notice a failure."""

import json
import os
import shlex
import sys

import pytest

from e2e.claude import hook_problems
from e2e.home import tree_hash
from e2e.model import Model, Request

BAD_HOOK = "import sys; sys.stdin.read(); sys.stderr.write('It broke.'); sys.exit(1)"


@pytest.mark.e2e
def test_a_hook_that_fails_is_noticed(claude, model):
    command = shlex.join([sys.executable, "-I", "-c", BAD_HOOK])
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}]}
    model.script("Hello.")

    run = claude.run("Good morning", "--settings", json.dumps({"hooks": hooks}))
    claude.runs.clear()  # the fixture would rightly complain

    assert run.answer == "Hello."
    [hook] = run.hooks
    assert (hook["exit_code"], hook["stderr"], hook["outcome"]) == (1, "It broke.", "error")
    assert len(hook_problems(run.debug)) == 1


def test_a_turn_that_fails_fails_the_test():
    with pytest.raises(ZeroDivisionError), Model() as model:
        model.script(lambda request: 1 / 0)
        model.answer(Request({"tools": [{"name": "Read"}], "messages": []}))


def test_a_frame_is_found_whatever_the_role_of_its_message():
    prompt = {"role": "user", "content": "Why?"}
    hook = {"role": "system", "content": "hook: <foreword>\nold\n</foreword>"}
    said = {"role": "assistant", "content": [{"type": "text", "text": "So."}]}
    block = {"type": "text", "text": "<system-reminder><foreword>\nnew\n</foreword>"}
    request = Request({"messages": [prompt, hook, said, {"role": "user", "content": [block]}]})

    assert request.frames == ["<foreword>\nold\n</foreword>", "<foreword>\nnew\n</foreword>"]
    assert request.new_frames == ["<foreword>\nnew\n</foreword>"]


def test_a_tree_hash_notices_a_byte_a_name_and_a_mode(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"one")
    hashes = [tree_hash(tmp_path)]
    file.write_bytes(b"two")
    hashes.append(tree_hash(tmp_path))
    os.chmod(file, 0o755)
    hashes.append(tree_hash(tmp_path))
    file.rename(tmp_path / "b")
    hashes.append(tree_hash(tmp_path))
    (tmp_path / "folder").mkdir()
    hashes.append(tree_hash(tmp_path))

    assert len(set(hashes)) == len(hashes)
