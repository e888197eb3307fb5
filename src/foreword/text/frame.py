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

_TAG = (
    f"[{_OPENING}](?=([\\s/\\\\\uff0f\u2044\u2215\u29f8]*)([^\\W_][\\w:\uff1a\uff0d\u0300-\u036f-]{{0,60}}))"
)
# Tags that forewords, clients (Claude Code 2.1.197, Gemini CLI 0.61.0, opencode 1.18.33) and models' own
# formats are made of. A name that ends in `-` stands for all that begin so; `_` and `:` count as `-`.
_NAMES = (
    "foreword", "system-", "user-prompt-", "user-memory-", "user-query", "assistant-", "human-", "command-",
    "local-command-", "hook-", "function-call", "function-result", "tool-use", "tool-result", "tool-call",
    "antml", "task-notification", "persisted-output", "bash-", "ide-", "new-diagnostics",
    "untrusted-context", "session-context", "loaded-context", "project-context", "global-context",
    "extension-context", "state-snapshot", "activated-skill", "mcp-instructions", "skill-content",
)  # fmt: skip
# Who speaks, as transcripts and models' formats say it at the start of a line; code is `user:` or indented.
_ROLE = (
    r"(?m)^([ \t>*_]{0,3}(?:#{1,6} )?\**(?:Human|Assistant|System|User|Developer|Tool|Instruction|Response"
    r"|HUMAN|ASSISTANT|SYSTEM|USER)s?\**) ?[:\uff1a](?=\s|$|\*)"
)
# Marks of models' formats: <|im_start|>, [INST], <<SYS>>.
_MARKS = (
    r"<\|(?=[\w .-]{1,40}\|>)|<<(?=/?SYS>>)"
    r"|\[(?=/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\])"
)
# Letters of other alphabets that are drawn like those of the names.
_ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u0442\u043c\u043a\u043d\u0432\u0433\u03bf\u03b1"
    "\u03b5\u03c1\u03bd\u03b9\u03ba\u03c4\u03c5\u03c9\u0261\u026a\u1d0f\u1d1b\u1d0d\u0131\ua730\u0280\u1d07\u1d21\u1d05\ua731\u028f",
    "aeopcyxijsdqwtmkhbroaepviktuwgiotmifrewdsy",
)

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
    text = _unspoken(redact(" ".join(plain(" ".join(text.split())).split())))
    if "&" in text:
        text = re.sub(_REFERENCE, _quoted, text)
    return text.translate(_ANGLES)


def defuse(text):
    """Text as it is, but no tag of a frame or a client can be read in it."""
    text = _unspoken(redact(plain(text)))
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


def _unspoken(text):
    """A text in which nobody else speaks: the colon of a line that begins like a speaker's becomes U+2236,
    and models' own marks lose their bracket."""
    if ":" in text or "\uff1a" in text:
        text = re.sub(_ROLE, "\\1\u2236", text)
    if "|" in text or "INST" in text or "SYS" in text or "TOOL" in text:
        text = re.sub(_MARKS, _unmarked, text)
    return text


def _unmarked(found):
    return {"<|": "\u2039|", "[": "\u27e6", "<<": "\u2039\u2039"}[found.group()]


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

        name = unicodedata.normalize("NFKD", name).casefold().translate(_ALIKE)
        name = "".join(letter for letter in name if not unicodedata.combining(letter))
    name = name.casefold().replace("_", "-").replace(":", "-")
    if name.startswith(_NAMES):
        return "‹"
    before = found.string[max(0, found.start() - 1) : found.start()]
    # `Promise<User>` is code; `<User>` and `</User>` may pass as a speaker.
    is_generic = before.isalpha() and not between and found.group(2).istitle()
    return "‹" if name in _WORDS and not is_generic else found.group()
