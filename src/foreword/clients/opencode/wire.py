"""What our plugin in opencode sends, heard and answered. Hot.

opencode runs no commands at its events; `foreword.js`, which install puts there, starts this for each and
says what it knows in the shape of the other clients' payloads. Seen in runs of 1.18.33 (2026-11-30): the id
of the user's message is the turn, which the assistant's messages name as their parent. A session's
messages stand in a database, and nothing of it is read here: the plugin sends along what is needed.
"""

import os

from foreword import paths
from foreword.clients import heard
from foreword.clients.heard import LONGEST_PATH, installed_skill, text

# (UTF-16 units, UTF-8 bytes) of one context. The client sets no limit on a message's part; this is what the
# plugin takes, and far over any recall.
ROOM = (100_000, 400_000)
RECALL_WITH_PROMPT = False
MOST_FILES = 20
say = heard.say  # its notice: nothing shows it, for a plugin has no line of the terminal to itself


def hear(event, payload):
    """The payload (a dict of anything) as Heard; None when it is not this event at all."""
    found = heard.hear(event, payload, "turn_id")
    if found is not None:
        found.transcript, found.files = "", _files(payload)
    return found


def is_headless(heard, environ):
    """Never: what this client (1.18.33) tells its hooks is the same in a headless run."""
    return False


def skill(name):
    """How this client session is asked for a skill of ours: "/dream", "/foreword-dream" where `dream` is the
    user's own; "" where none is installed in a folder that opencode reads."""
    home = paths.user_home()
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    folders = (os.path.join(home, ".claude"), os.path.join(home, ".agents"), os.path.join(config, "opencode"))
    for folder in folders:
        if called := installed_skill(os.path.join(folder, "skills"), name):
            return "/" + called
    return ""


def question(transcript, turn):
    """ "": the plugin sends the prompt, and there is no transcript."""
    return ""


def answer(transcript, turn):
    """ "": the plugin sends the answer, and there is no transcript."""
    return ""


def touched(transcript):
    """[]: the plugin sends the files along."""
    return []


def _files(payload):
    """Absolute paths of the files that a client session has read or edited, the latest first."""
    given = payload.get("files")
    given = given[:MOST_FILES] if isinstance(given, list) else ()
    paths_of = (text({"": path}, "", LONGEST_PATH) for path in given)
    return [path for path in paths_of if os.path.isabs(path)]
