"""sha256 without OpenSSL. Hot.

`import hashlib` loads libcrypto (2 ms here, a tenth of a hook). The interpreter's own C module does
the same sums; where it is not to be had (it is private to CPython) hashlib is.
"""

try:
    from _sha256 import sha256  # pyright: ignore  (CPython 3.11)
except ImportError:
    try:
        from _sha2 import sha256  # pyright: ignore  (CPython 3.12 and newer)
    except ImportError:
        from hashlib import sha256

__all__ = ["of_answer", "of_text", "sha256"]


def of_text(text):
    """The sha256 of a text, in hexadecimal."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def of_answer(text):
    """The same answer, white space aside, has the same digest (64 hexadecimal characters)."""
    return of_text(" ".join(text.split()))
