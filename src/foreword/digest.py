"""sha256 without OpenSSL. Hot.

`import hashlib` loads libcrypto (2 ms here, a tenth of a hook). The interpreter's own C module does
the same sums; where it is not to be had (it is private to CPython) hashlib is.
"""


def _quickest():
    for name in ("_sha256", "_sha2", "hashlib"):  # CPython 3.11; 3.12 and newer; any other
        try:
            return __import__(name).sha256
        except (ImportError, AttributeError):
            continue
    raise ImportError("no sha256")


sha256 = _quickest()

__all__ = ["of_answer", "of_text", "sha256"]


def of_text(text):
    """The sha256 of a text, in hexadecimal."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def of_answer(text):
    """The same answer, white space aside, has the same digest (64 hexadecimal characters)."""
    return of_text(" ".join(text.split()))
