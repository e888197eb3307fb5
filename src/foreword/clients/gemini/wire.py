"""Gemini CLI's hook payloads, heard and answered, and what its transcript says of files. Hot.

Seen in runs of 0.61.0 (2026-11-30): no event names a turn; AfterAgent carries the prompt beside all that
the agent said in the turn; subagents fire neither event. Output is JSON and nothing else. What hooks say
reaches the model as `<hook_context>...</hook_context>`, with each < and > of it escaped and no &, which
is why text.frame takes a memory's `&lt;` for a <; with `gemini -p` the text of SessionStart stands before
the prompt, in what the client hands to the next hooks too.
"""

import json
import os

from foreword.clients import heard, tail
from foreword.clients.heard import LONGEST_PATH, current_folder, text

# (UTF-16 units, UTF-8 bytes) of one hook's context. The client has no limit (200,000 characters came
# through whole); this is far over any recall.
ROOM = (100_000, 400_000)
# After /clear what SessionStart says does not reach the model, and with `gemini -p` it is put before the
# prompt, which is then missing from the conversation when that is resumed (0.61.0).
RECALL_WITH_PROMPT = True
EVENTS = {"prompt": "BeforeAgent", "stop": "AfterAgent", "session-start": "SessionStart"}
# With the trigger "manual" when the user types /compress: no SessionStart follows it.
COMPRESSED = "PreCompress"

_OPENS, _CLOSES = "<hook_context>", "</hook_context>\n\n"
# What the client puts behind a prompt that names files with @.
_FILES, _FILES_END = "\n--- Content from referenced files ---\n", "\n--- End of content ---"

# What reads or edits one file, as a transcript has it: a tool's name, then its arguments. Within a JSON
# string every quote has a backslash before it, so that no file's content is taken for a call.
_TOOLS = tuple(b'"name":"' + tool + b'",' for tool in (b"read_file", b"write_file", b"replace"))
_ARGUMENTS = b'"args":'


def hear(event, payload):
    """The payload (a dict of anything) as Heard; None when it is not this event at all."""
    if event == "session-start" and payload.get("hook_event_name") == COMPRESSED:
        if payload.get("trigger") != "manual":
            return None  # with every request to the model; whether anything is compressed it does not say
        payload = {**payload, "hook_event_name": EVENTS[event], "source": "compact"}
    # `turn`: a name that no event has, so that what the hooks go by is the answer.
    found = heard.hear(event, payload, "", answer="prompt_response", events=EVENTS)
    if found is not None:
        found.turn = ""
        found.prompt = typed(found.prompt)
    return found


def typed(prompt):
    """What the user typed of a prompt: without what a hook of SessionStart put before it, and without the
    files that the client put behind it."""
    return _without_files(_without_context(prompt))


def _without_context(prompt):
    """Only a leading block that a hook made is taken out: the client escapes < and > in it and nothing
    else, so there is an escaped one in it, for a foreword begins with one, and no bare one. A text of the
    user's own with such tags has bare ones, or none at all.

    What another tool says without any bracket, where we say nothing beside it, looks like such a text, in
    payload, transcript and environment alike (0.61.0), so it is left here. It does no harm: what is kept and
    looked for goes without any such pair of tags, whoever wrote it (text.unkept).
    """
    if not prompt.startswith(_OPENS):
        return prompt
    inside, closes, rest = prompt[len(_OPENS) :].partition(_CLOSES)
    if not closes or "<" in inside or ">" in inside or not ("&lt;" in inside or "&gt;" in inside):
        return prompt
    return rest


def _without_files(prompt):
    asked, opens, files = prompt.partition(_FILES)
    return asked if opens and ("\n" + files).rstrip().endswith(_FILES_END) else prompt


def say(event, said, notice=""):
    """The answer that hands `said` to the model, and `notice`, one line, to the user: the terminal shows
    `<notice> [foreword]`, `gemini -p` writes it to stderr. Bytes.

    ASCII: the client decodes what it reads piece by piece, and a letter may lie across two.
    """
    output = {"hookSpecificOutput": {"hookEventName": EVENTS[event], "additionalContext": said}}
    if notice:
        output = {"systemMessage": notice, **output}
    return json.dumps(output).encode()


def is_headless(heard, environ):
    """Never: what this client (0.61.0) tells its hooks is the same in a headless run."""
    return False


def skill(name):
    """ "": what people call in this client is not ours; GEMINI.md says what the tools are for."""
    return ""


def question(transcript, turn):
    """ "": AfterAgent carries the prompt."""
    return ""


def answer(transcript, turn):
    """ "": AfterAgent carries the answer."""
    return ""


def touched(transcript):
    """Absolute paths of the files that a client session has read or edited, the latest first: see
    tail.named. Never waits; [] when nothing can be read. What subagents did stands in files of their own.
    """
    return tail.named(transcript, _ARGUMENTS, _paths)


def _paths(record):
    """Absolute paths of the files that the calls in a line name, the last first."""
    if b'"toolCalls":[' not in record:
        return
    folder = current_folder()  # hooks are started in the client's; the model names files relative to it
    at = len(record)
    for _ in range(tail.NAMED_TRIES):
        at = record.rfind(_ARGUMENTS, 0, at)
        if at < 0:
            return
        if not record.endswith(_TOOLS, 0, at):
            continue
        try:
            arguments = record[at + len(_ARGUMENTS) :].decode("utf-8", "replace")
            given, _ = json.JSONDecoder().raw_decode(arguments)
        except (ValueError, RecursionError):
            continue
        path = text(given, "file_path", LONGEST_PATH) if isinstance(given, dict) else ""
        path = os.path.normpath(os.path.join(folder, path)) if path else ""
        if os.path.isabs(path):
            yield path
