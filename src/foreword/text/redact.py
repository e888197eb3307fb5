"""What looks like a credential, taken out of a text before it is written or handed over. Pure; hot.

Literals first: a text that holds none of the triggers is done after a look at each, and no pattern is
compiled for it. `secrets` has the patterns, and is loaded for the first text that holds a trigger.
"""

OPEN, CLOSE = "[redacted:", "]"

# What a text must hold, as it is, for a kind of `secrets.TOKENS` to be looked for.
TRIGGERS = (
    "AKIA", "ASIA", "ABIA", "ACCA", "AIza", "ya29.", "GOCSPX-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_",
    "github_pat_", "glpat-", "gldt-", "glptt-", "glrt-", "glsoat-", "glcbt-", "glimt-", "glagent-", "gloas-",
    "glft-", "ATBB", "ATCTT3", "ATATT3", "xox", "xapp-", "hooks.slack.com", "/api/webhooks/", ":AA", "SG.",
    "key-", "-us", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "sq0", "EAAA", "access_token$",
    "shpat_", "shpca_", "shppa_", "shpss_", "sk-", "hf_", "r8_", "gsk_", "xai-", "pplx-", "npm_", "pypi-",
    "rubygems_", "dckr_", "oy2", "dop_v1_", "doo_v1_", "dor_v1_", "HRKU-", "nfp_", "v1.0-", "FlyV1", "sbp_",
    "sb_secret_", "pscale_", "dapi", "NRAK-", "glsa_", "glc_", "sntrys_", "sntryu_", "lin_api_", "lin_oauth_",
    "ntn_", "secret_", "pat", "figd_", "figo_", "figu_", "PMAK-", "dp.", "hvs.", "hvb.", "hvr.", "atlasv1.",
    "AGE-SECRET-KEY-", "eyJ", "PRIVATE KEY", "AccountKey=", "sig=", "://", "SK", "vercel_blob_rw_", "AC",
)  # fmt: skip
# The same in any case: the names that a secret is given, and what stands before one.
NAMES = (
    "passw", "passphrase", "pwd", "secret", "token", "api", "key", "credential", "authorization", "bearer",
    "cookie", "curl",
)  # fmt: skip
# Longer texts are never kept whole: see `window`.
_WINDOW = 20_000


def redact(text):
    """The text with `[redacted:<kind>]` in the place of each value; the very same object where there is
    none."""
    spans = found(text)
    if not spans:
        return text
    pieces, at = [], 0
    for kind, start, end in spans:
        pieces += text[at:start], OPEN, kind, CLOSE
        at = end
    return "".join([*pieces, text[at:]])


def found(text):
    """[(kind, start, end)] of the values in a text, in order, none within another."""
    if len(text) < 6:
        return []
    held = [trigger for trigger in TRIGGERS if trigger in text]
    lower = text.lower()
    named = [name for name in NAMES if name in lower] if len(lower) == len(text) else list(NAMES)
    if not held and not named:
        return []
    from foreword.text import secrets

    return secrets.found(text, held, named)


def kinds(text):
    """The kinds of what `redact` left out of a text, each once, in order."""
    seen, at = {}, text.find(OPEN)
    while at >= 0:
        end = text.find(CLOSE, at)
        kind = text[at + len(OPEN) : end]
        if end > 0 and len(kind) < 40 and kind.replace("-", "").isalnum():
            seen[kind] = None
        at = text.find(OPEN, at + 1)
    return list(seen)


def window(text, limit):
    """A text of which `limit` characters are kept, head and tail, with enough around the cut that no secret
    is cut before it is known."""
    most = limit + _WINDOW
    return text if len(text) <= 2 * most else text[:most] + "\n" + text[-most:]
