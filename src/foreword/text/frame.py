"""Memory is data: text made safe to stand inside a client's context. Pure; hot.

`quote` is for one line of a foreword: nothing in it can open or close a tag, start a new line or
carry a control character. `defuse` is for whole memories: code stays readable, only control
characters and the tags that frames and clients are made of are taken apart.
"""

import re

# C0 and C1 controls but tab and newline, bidirectional controls, zero-width characters, soft hyphen,
# line separators, tag characters, interlinear marks, BOM: invisible, so they can only mislead.
_UNSEEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
_ANSI = "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\-_])"
_ANGLES = str.maketrans("<>＜＞﹤﹥〈〉⟨⟩", "‹›‹›‹›‹›‹›")
_TAG = (
    "(?i)[<＜﹤〈⟨‹]"
    r"(\s*/?\s*(?:foreword|system|user|assistant|human|command-|local-command|hook_|function|tool_|"
    r"antml|task-notification|persisted-output|private)[\w:-]*)"
)


def plain(text):
    """Without ANSI sequences and characters that cannot be seen; CRLF becomes LF."""
    if text.isascii() and text.isprintable():
        return text  # nothing to take out: most lines, and the large pattern stays uncompiled
    if "\x1b" in text:
        text = re.sub(_ANSI, "", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(_UNSEEN, "", text)


def quote(text):
    """One line: white space collapsed, every angle bracket and look-alike turned into ‹ or ›."""
    return " ".join(plain(" ".join(text.split())).split()).translate(_ANGLES)


def defuse(text):
    """Text as it is, but no tag of a frame or a client can be read in it."""
    return re.sub(_TAG, r"‹\1", plain(text))
