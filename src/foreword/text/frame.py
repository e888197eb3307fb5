"""Memory is data: text made safe to stand inside a client's context. Pure; hot.

`quote` is for one line of a foreword: nothing in it can open or close a tag, start a new line or
carry a control character. `defuse` is for whole memories: code stays readable, only control
characters and the tags that frames and clients are made of are taken apart. Both redact what looks like a
credential: files are written by hand and by older versions, too.

A bracket that is written as a character reference (`&lt;`, `&#60;`) counts as the bracket. Gemini CLI
(0.61.0) escapes the < and > of what hooks say and no &: a model reads `&lt;/foreword&gt;` where our frame
ends, and would read the same where a memory says so.
"""

import re

from foreword.text.redact import redact

# C0 and C1 controls but tab and newline, bidirectional controls, zero-width and other characters that
# are drawn as nothing (soft hyphen, fillers, variation selectors, tag characters), line separators,
# interlinear marks, BOM, half surrogate pairs: invisible, so they can only mislead.
_UNSEEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
_ANSI = "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\?)?|[@-Z\\\\-_])"

# What is drawn like < and >: full-width and small forms, CJK and mathematical brackets, ornaments,
# modifier letters, Canadian syllables, and letters and signs that come apart into one.
_OPENING = "<\u02c2\u1438\u2329\u276c\u276e\u2770\u27e8\u29fc\u3008\ufe3f\ufe64\uff1c"
_CLOSING = ">\u02c3\u1433\u232a\u276d\u276f\u2771\u27e9\u29fd\u3009\ufe40\ufe65\uff1e"
_ANGLES = str.maketrans(_OPENING + _CLOSING + "\u226e\u226f", "\u2039" * 13 + "\u203a" * 13 + "\u2039\u203a")

_TAG = f"[{_OPENING}](?=([\\s/\\\\\uff0f\u2044\u2215\u29f8]*)([^\\W_][\\w:\uff1a\uff0d-]{{0,60}}))"
# Tags that forewords, clients (Claude Code 2.1.197, Gemini CLI 0.61.0, opencode 1.18.33) and models' own
# formats are made of. A name that ends in `-` stands for all that begin so; `_` and `:` count as `-`.
_NAMES = (
    "foreword", "system-", "user-prompt-", "user-memory-", "user-query", "assistant-", "human-", "command-",
    "local-command-", "hook-", "function-call", "function-result", "tool-use", "tool-result", "tool-call",
    "antml", "task-notification", "persisted-output", "bash-", "ide-", "new-diagnostics",
    "untrusted-context", "session-context", "loaded-context", "project-context", "global-context",
    "extension-context", "state-snapshot", "activated-skill", "mcp-instructions", "skill-content",
)  # fmt: skip
_WORDS = ("system", "user", "assistant", "human", "function", "functions", "private", "invoke")

# What a tag is made of, as HTML names it, whatever the case; the first two need no `;`.
_NAMED = {
    "lt": "<", "gt": ">", "nvlt": "<", "nvgt": ">", "lang": "\u27e8", "rang": "\u27e9", "langle": "\u27e8",
    "rangle": "\u27e9", "leftanglebracket": "\u27e8", "rightanglebracket": "\u27e9", "nlt": "\u226e",
    "nless": "\u226e", "notless": "\u226e", "ngt": "\u226f", "ngtr": "\u226f", "notgreater": "\u226f",
    "sol": "/", "bsol": "\\", "nbsp": " ", "tab": " ", "newline": " ", "colon": ":", "lowbar": "_",
    "underbar": "_", "hyphen": "-", "dash": "-", "shy": "", "zerowidthspace": "",
}  # fmt: skip
# A reference whose & was escaped again, however often, counts as well. No flag and no list of names in it:
# it is compiled (0.2 ms) for the first text with a & in it.
_REFERENCE = (
    "&(?:(?:amp|AMP|#0*38|#[xX]0*26);)*"
    "(?:([lLgG][tT]);?|([A-Za-z]{3,17});|#(?:[xX]0*([0-9A-Fa-f]{1,6})|0*([0-9]{1,7}));?)"
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
    text = redact(" ".join(plain(" ".join(text.split())).split()))
    if "&" in text:
        text = re.sub(_REFERENCE, _quoted, text)
    return text.translate(_ANGLES)


def defuse(text):
    """Text as it is, but no tag of a frame or a client can be read in it."""
    text = redact(plain(text))
    if "&" not in text:
        return re.sub(_TAG, _defused, text)
    spelled = [(found, _letter(found)) for found in re.finditer(_REFERENCE, text)]
    meant = _replaced(text, [(found.span(), letter) for found, letter in spelled])
    left = re.sub(_TAG, _defused, meant)  # letter for letter: only brackets became others
    if left == meant:
        return text
    back, grown = [], 0
    for found, letter in spelled:
        start = found.start() + grown
        end = start + len(letter)
        grown += len(letter) - len(found.group())
        back.append(((start, end), found.group() if left[start:end] == letter else left[start:end]))
    return _replaced(left, back)


def _replaced(text, spans):
    """The text with other ones at [((start, end), text)], which are in order."""
    pieces, at = [], 0
    for (start, end), other in spans:
        pieces += text[at:start], other
        at = end
    return "".join([*pieces, text[at:]])


def _letter(found):
    """What a reference stands for, "" where that cannot be seen; itself where it is of no matter here."""
    short, name, sixteen, ten = found.groups()
    named = (short or name or "").lower()
    if named:
        return _NAMED[named] if named in _NAMED else found.group()
    number = int(sixteen, 16) if sixteen else int(ten)
    return plain(chr(number)) if number < 0x110000 else found.group()


def _quoted(found):
    angle = _letter(found).translate(_ANGLES)
    return angle if angle in ("‹", "›") else found.group()


def _defused(found):
    between, name = found.groups()
    if not name.isascii():
        import unicodedata  # a C module; only for full-width letters and their like

        name = unicodedata.normalize("NFKC", name)
    name = name.casefold().replace("_", "-").replace(":", "-")
    if name.startswith(_NAMES):
        return "‹"
    before = found.string[max(0, found.start() - 1) : found.start()]
    # `Promise<User>` is code; `<User>` and `</User>` may pass as a speaker.
    is_generic = before.isalpha() and not between and found.group(2).istitle()
    return "‹" if name in _WORDS and not is_generic else found.group()
