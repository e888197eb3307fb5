"""The kinds of credentials, and how each is known. Pure; hot, but loaded only for a text that holds a trigger
of `redact`.

The formats are the providers' own, as they and scanners of repositories describe them (seen 2026-11-30). What
has no prefix of its own counts only in a secret's place: behind a name like `password` or `api_key`, or in a
header. Patterns are matched where a literal stands, never searched for, and every one is bounded: a text that
somebody made to be slow costs no more than its length. They are strings, compiled when first used.
"""

import re

_B = r"(?<![A-Za-z0-9_])"  # nothing of a word before
_E = r"(?![A-Za-z0-9_])"
MOST = 5_000  # values of one text

# (kind, literals of redact.TRIGGERS, pattern of the value, or with a group `s` that is the value).
TOKENS = (
    ("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), _B + r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}" + _E),
    ("google-api-key", ("AIza",), _B + r"AIza[\w-]{35}(?![\w-])"),
    ("google-oauth-token", ("ya29.",), _B + r"ya29\.[\w-]{20,1000}"),
    ("google-client-secret", ("GOCSPX-",), _B + r"GOCSPX-[\w-]{24,40}"),
    ("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _B + r"gh[pousr]_[A-Za-z0-9]{36,255}" + _E),
    ("github-token", ("github_pat_",), _B + r"github_pat_[A-Za-z0-9_]{22,255}"),
    (
        "gitlab-token",
        ("glpat-", "gldt-", "glptt-", "glrt-", "glsoat-", "glcbt-", "glimt-", "glagent-", "gloas-", "glft-"),
        _B + r"gl(?:pat|dt|ptt|rt|soat|cbt|imt|agent|oas|ft)-[\w.-]{20,300}",
    ),
    ("bitbucket-password", ("ATBB",), _B + r"ATBB[A-Za-z0-9]{24,40}" + _E),
    ("atlassian-token", ("ATCTT3", "ATATT3"), _B + r"AT(?:CTT|ATT)3[\w=.-]{60,400}"),
    ("slack-token", ("xox",), _B + r"xox[abeoprs](?:-|\.xox[bp]-)[\w-]{10,300}"),
    ("slack-token", ("xapp-",), _B + r"xapp-\d-[\w-]{20,300}"),
    (
        "slack-webhook",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[A-Za-z0-9]{6,20}/[A-Za-z0-9/]{16,120})",
    ),
    ("discord-webhook", ("/api/webhooks/",), r"/api/webhooks/\d{15,22}/(?P<s>[\w-]{50,90})"),
    ("telegram-token", (":AA",), r"(?<![\w-])\d{8,10}:AA[\w-]{33}(?![\w-])"),
    ("twilio-key", ("SK", "AC"), _B + r"SK[0-9a-f]{32}" + _E),
    ("sendgrid-key", ("SG.",), _B + r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    ("mailgun-key", ("key-",), _B + r"key-[0-9a-f]{32}" + _E),
    ("mailchimp-key", ("-us",), _B + r"[0-9a-f]{32}-us\d{1,2}" + _E),
    (
        "stripe-key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_"),
        _B + r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,250}" + _E,
    ),
    ("stripe-webhook-secret", ("whsec_",), _B + r"whsec_[A-Za-z0-9+/=]{20,100}"),
    ("square-token", ("sq0",), _B + r"sq0(?:atp|csp|idp)-[\w-]{22,60}"),
    ("square-token", ("EAAA",), _B + r"EAAA[\w-]{58,64}(?![\w-])"),
    ("braintree-token", ("access_token$",), _B + r"access_token\$\w{1,20}\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    (
        "shopify-token",
        ("shpat_", "shpca_", "shppa_", "shpss_"),
        _B + r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}" + _E,
    ),
    ("anthropic-key", ("sk-",), _B + r"sk-ant-[\w-]{20,200}"),
    ("openai-key", ("sk-",), _B + r"sk-(?:proj|svcacct|admin|None)-[\w-]{20,250}"),
    (
        "api-key",
        ("sk-",),
        _B + r"sk-(?:or-v1-|lf-)?(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Za-z])[A-Za-z0-9]{20,250}" + _E,
    ),
    ("huggingface-token", ("hf_",), _B + r"hf_[A-Za-z0-9]{30,45}" + _E),
    ("replicate-token", ("r8_",), _B + r"r8_[A-Za-z0-9]{37}" + _E),
    ("groq-key", ("gsk_",), _B + r"gsk_[A-Za-z0-9]{40,80}" + _E),
    ("xai-key", ("xai-",), _B + r"xai-[A-Za-z0-9]{60,120}" + _E),
    ("perplexity-key", ("pplx-",), _B + r"pplx-[A-Za-z0-9]{40,80}" + _E),
    ("npm-token", ("npm_",), _B + r"npm_[A-Za-z0-9]{36}" + _E),
    ("pypi-token", ("pypi-",), _B + r"pypi-AgE[\w-]{50,1000}"),
    ("rubygems-key", ("rubygems_",), _B + r"rubygems_[0-9a-f]{48}" + _E),
    ("docker-token", ("dckr_",), _B + r"dckr_[op]at_[\w-]{20,100}"),
    ("nuget-key", ("oy2",), _B + r"oy2[a-z0-9]{43}" + _E),
    ("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), _B + r"do[por]_v1_[0-9a-f]{64}" + _E),
    ("heroku-key", ("HRKU-",), _B + r"HRKU-[\w-]{30,80}"),
    ("netlify-token", ("nfp_",), _B + r"nfp_[A-Za-z0-9]{36,60}" + _E),
    ("cloudflare-key", ("v1.0-",), _B + r"v1\.0-[0-9a-f]{24}-[0-9a-f]{140,150}" + _E),
    ("fly-token", ("FlyV1",), r"FlyV1 fm\d[\w+/=,-]{60,2000}"),
    ("supabase-key", ("sbp_", "sb_secret_"), _B + r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,60})" + _E),
    ("planetscale-token", ("pscale_",), _B + r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,70}"),
    ("databricks-token", ("dapi",), _B + r"dapi[0-9a-f]{32}(?:-\d)?" + _E),
    ("newrelic-key", ("NRAK-",), _B + r"NRAK-[A-Z0-9]{27}" + _E),
    (
        "grafana-token",
        ("glsa_", "glc_"),
        _B + r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})",
    ),
    ("sentry-token", ("sntrys_", "sntryu_"), _B + r"(?:sntrys_[\w+/=-]{40,400}|sntryu_[0-9a-f]{64})"),
    ("linear-key", ("lin_api_", "lin_oauth_"), _B + r"lin_(?:api|oauth)_[A-Za-z0-9]{32,80}" + _E),
    ("notion-token", ("ntn_", "secret_"), _B + r"(?:ntn|secret)_[A-Za-z0-9]{40,50}" + _E),
    ("airtable-token", ("pat",), _B + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}" + _E),
    ("figma-token", ("figd_", "figo_", "figu_"), _B + r"fig[dou]_[\w-]{36,60}"),
    ("postman-key", ("PMAK-",), _B + r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}" + _E),
    ("doppler-token", ("dp.",), _B + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{38,100}"),
    ("vault-token", ("hvs.", "hvb.", "hvr."), _B + r"hv[sbr]\.[\w-]{24,300}"),
    ("terraform-token", ("atlasv1.",), _B + r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}"),
    ("vercel-token", ("vercel_blob_rw_",), _B + r"vercel_blob_rw_[A-Za-z0-9_]{20,80}"),
    ("age-key", ("AGE-SECRET-KEY-",), _B + r"AGE-SECRET-KEY-1[0-9A-Z]{58}" + _E),
    ("jwt", ("eyJ",), _B + r"eyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{10,2000}"),
    ("azure-storage-key", ("AccountKey=",), r"AccountKey=(?P<s>[A-Za-z0-9+/]{40,90}={0,2})"),
    ("azure-sas", ("sig=",), r"[?&;]sig=(?P<s>[A-Za-z0-9%+/]{30,120}(?:=|%3[dD])?)(?=[&\s\"'`)>]|$)"),
    ("url-password", ("://",), r"://[^\s/:@\"'`<>()]{0,80}:(?P<s>[^\s/@\"'`<>]{1,120})@(?=[\w\[])"),
)  # fmt: skip

# A key's lines; in JSON its line ends are written as \n.
_KEY_BEGIN = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_KEY_END = r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_KEY_BODY = (
    r"(?:(?!-----END)(?:[A-Za-z0-9+/=]|\\[nr]|[\s>|#*\"',+-]|[A-Za-z-]{3,20}: [^\n]{1,80}\n)){0,20000}"
)

# Characters of a value before its trigger.
_BEFORE = {"-us": 33, ":AA": 11, "atlasv1.": 16, "sig=": 1}

# What a value is given to: the word that names it, and the kind it makes it.
_WORDS = {
    "passw": "password",
    "passphrase": "password",
    "pwd": "password",
    "secret": "secret",
    "token": "token",
    "credential": "secret",
    "key": "api-key",
}
_KEY_OF = (
    r"(?i)(?:api|access|auth|account|encryption|signing|private|master|shared|service|license|storage)"
    r"[_. -]?\Z"
)
_NAME = r"(?i:passw(?:or)?d|passphrase|pwd|secret|token|credential|key)(?P<behind>[A-Za-z0-9_-]{0,30})"
_GIVEN = (
    r"(?P<given>[\"'`\]]{0,3}[ \t]{0,8}(?:=>|:=|={1,3}|:)[ \t]{0,8}|[\"'] ?, ?(?=[\"'])|>(?=[^<>\s]{1,120}</)"
    r"|[ \t]{1,3}(?=[^\s=:]{6}))"
)
_VALUE = (
    r"(?P<mark>(?:[bBrRfFuU]{1,2}(?=[\"']))?[\"'`]{0,3})"
    r"(?P<value>(?<=[\"'])[^\"'\n]{1,200}(?=[\"'])|[^\s\"'`]{1,400})"
)
_BEFORE_NAME = r"[A-Za-z0-9_.-]{0,40}\Z"
_OTHER_BEFORE = ("public", "max", "min", "num", "csrf", "total", "page", "by", "per", "no", "foreign", "sort")
_OTHER_BEHIND = frozenset(
    "hash sha sha1 sha256 sha512 digest checksum id ids count len length type types name names url uri"
    " path file files field fields label regex pattern prefix suffix expiry expires expiration ttl at"
    " size limit hint policy mode env var header param params placeholder input class kind index version"
    " status required enabled s ize izer ized less title text message error list map reset strength"
    " format algorithm usage budget endpoint provider store manager service generator validator request"
    " response scope scopes dir folder location arn ref reference generated set info data object cls"
    " func word words spec usage pair ring space board".split()
)
_PLACEHOLDERS = tuple(
    "your my the some this our insert replace enter put example sample test dummy fake mock change"
    " placeholder xxx *** ... none null nil true false undefined todo tbd redacted hidden masked secret"
    " password passwd token key default env string str bytes int any value foo bar baz abc 123 demo user"
    " admin root guest postgres mysql minio redis rabbit correct wrong invalid bad old new empty"
    " optional required process. os. self. config. settings. args. options. request. this. ctx."
    " context.".split()
)
_CALLED = frozenset("([{<$%@&#*~/\\|^…;,!?+=>:")
_HEX = r"[0-9a-fA-F]{8,}\Z"

# (word, kind, pattern that begins with it)
_PLACES = (
    (
        "authorization",
        "authorization",
        r"(?i:authorization[\"'`]?\]?[ \t]{0,4}[:=,][ \t]{0,4}[\"'`]{0,2}"
        r"(?:bearer|basic|token|apikey|digest|negotiate)[ \t]{1,4})(?P<s>[A-Za-z0-9+/_.~=-]{8,4000})",
    ),
    (
        "bearer",
        "bearer",
        r"(?i:bearer[ \t]{1,4})(?P<s>(?=[A-Za-z_.~+/-]{0,60}\d)[A-Za-z0-9_.~+/-]{16,4000}={0,2})",
    ),
    (
        "cookie",
        "cookie",
        r"(?i:cookie[\"'`]?[ \t]{0,4}:[^\n]{0,200}?\b[\w.-]{0,30}(?:sess|sid|auth|token)[\w.-]{0,20}=)"
        r"(?P<s>[^\s;\"'`]{12,2000})",
    ),
    (
        "curl",
        "password",
        r"(?i:curl\b[^\n]{0,200}?[ \t](?:-u|--user)[ \t=]{1,4})[\"']?[^\s:\"']{1,60}:(?P<s>[^\s\"'`]{3,120})",
    ),
)


def found(text, held, named):
    """[(kind, start, end)] as `redact.found` has it; held, named: the triggers that the text holds."""
    spans = _keys(text) if "PRIVATE KEY" in held else []
    for kind, triggers, pattern in TOKENS:
        for trigger in triggers:
            if trigger in held:
                spans += _tokens(text, kind, trigger, pattern)
    lower = text.lower()
    if len(lower) != len(text):  # a letter that has two in lower case: then only what is ASCII is lowered
        lower = text.translate({code: code + 32 for code in range(65, 91)})
    for word, kind, pattern in _PLACES:
        if word in named:
            for match in _matches(text, lower, word, pattern):
                start, end = match.span("s")
                if (
                    text[start] not in _CALLED
                    and not _is_placeholder(text[start:end])
                    and re.search(r"\d|[A-Z]", text[start:end])
                ):
                    spans.append((kind, start, end))
    for word, kind in _WORDS.items():
        if word in named:
            spans += _given(text, lower, word, kind)
    return _apart(spans)


def _matches(text, where, literal, pattern, before=0):
    """The matches of a pattern at each place of a literal in `where`, which is the text or its lower case."""
    compiled = re.compile(pattern, re.ASCII)  # what stands in other scripts is no part of a token
    at = where.find(literal)
    for _ in range(MOST):
        if at < 0:
            return
        look = compiled.search if before else compiled.match
        match = look(text, max(0, at - before), at + 300 if before else len(text))
        if match:
            yield match
        at = where.find(literal, max(at + len(literal), match.end() if match else 0))


def _tokens(text, kind, trigger, pattern):
    group = "s" if "(?P<s>" in pattern else 0
    for match in _matches(text, text, trigger, pattern, _BEFORE.get(trigger, 0)):
        start, end = match.span(group)
        if not _is_sample(text[start:end], kind):
            yield kind, start, end


def _apart(spans):
    """Spans in order, none within another: the one that begins first, of those the longest."""
    kept = []
    for kind, start, end in sorted(set(spans), key=lambda span: (span[1], -span[2], span[0])):
        if not kept or start >= kept[-1][2]:
            kept.append((kind, start, end))
        elif end > kept[-1][2]:
            kept[-1] = (kept[-1][0], kept[-1][1], end)
    return kept


def _keys(text):
    """Private keys: from their first line to their last, or as far as their lines go where that is
    missing."""
    spans, at = [], 0
    begin, body, close = re.compile(_KEY_BEGIN), re.compile(_KEY_BODY), re.compile(_KEY_END)
    while begun := begin.search(text, at):
        lines = body.match(text, begun.end())
        end = lines.end() if lines else begun.end()
        closed = close.match(text, end)
        end = closed.end() if closed else begun.end() + len(text[begun.end() : end].rstrip())
        # Documents show such lines with dots between them.
        if sum(map(str.isalnum, text[begun.end() : end])) > 60:
            spans.append(("private-key", begun.start(), end))
        at = max(end, begun.end())
    for ended in close.finditer(text):
        if any(start < ended.end() <= stop for _, start, stop in spans):
            continue
        start = _back(text, ended.start())  # its beginning was cut off
        if ended.start() - start > 60:
            spans.append(("private-key", start, ended.end()))
    return spans


def _back(text, end):
    """Where the lines of a key begin that end somewhere."""
    start = end
    while start > 0 and end - start < 20_000:
        line = text.rfind("\n", 0, start - 1) + 1
        if not re.fullmatch(r"[\s>|#*\"'+]{0,12}[A-Za-z0-9+/=]{16,100}[\\nr\s\"',]{0,6}", text[line:start]):
            break
        start = line
    return start


def _given(text, lower, word, kind):
    """Values that something with a secret's name is given."""
    for match in _matches(text, lower, word, _NAME + _GIVEN + _VALUE):
        at = match.start()
        before = re.search(_BEFORE_NAME, text[max(0, at - 40) : at])
        before = before.group() if before else ""
        if word == "key" and not re.search(
            _KEY_OF, before + text[max(0, at - 1) : at].strip("_.-" + before[-1:])
        ):
            continue
        given = match.group("given")
        is_flag = not given.strip()
        if is_flag and not re.search(r"(?:^|\s)--[\w-]*\Z", text[max(0, at - 24) : at]):
            continue
        name = match.group()[: match.start("given") - at]
        if _is_other(before, match.group("behind")):
            continue
        start, end = match.span("value")
        value = text[start:end]
        quoted = bool(match.group("mark").strip("bBrRfFuU")) or given.startswith(">") or is_flag
        if not quoted:
            value = re.split(r"[,;)\]}]", value)[0].rstrip(".:")
        is_setting = (before + name).isupper() and "=" in given and given == given.strip()
        if value and not _is_placeholder(value) and _is_value(value, kind == "password", is_setting, quoted):
            yield kind, start, start + len(value)


def _is_other(before, behind):
    """Whether a name is not a secret's own, but that of something about one."""
    parts = [part for part in re.split(r"[_.-]|(?<=[a-z])(?=[A-Z])", behind) if part]
    if parts and (parts[-1].lower() in _OTHER_BEHIND or (behind[0].islower() and behind != "s")):
        return True
    first = re.split(r"[_.-]|(?<=[a-z])(?=[A-Z])", before.rstrip("_.-"))[-1].lower()
    return first in _OTHER_BEFORE


def _is_value(value, is_password, is_setting, quoted):
    """Whether a text in a secret's place is one: letters and digits mixed as no word or name has them."""
    if len(value) < 6 or " " in value or (value[0] in _CALLED and not (quoted and is_password)):
        return False
    if re.search(r"[({]|\w\[\w|://|<[a-z]|\.\.\.|%s|\\u|\[redacted|::|->", value) or re.match(
        r"\$\w|%\w+%\Z", value
    ):
        return False
    digits, letters = sum(map(str.isdigit, value)), sum(map(str.isalpha, value))
    if is_setting:
        return bool(digits and letters) or (letters >= 8 and len(set(value)) >= 8 and not value.islower())
    if is_password:
        return _is_password(value, digits, letters, quoted)
    if len(value) < 12 or digits < 2 or not letters:
        return False
    if re.fullmatch(r"[A-Za-z_]\w*(?:[.:/-]+\w+)+", value) and not re.search(r"\d\w*\d\w*\d", value):
        return False  # a path of names: `settings.auth.v2`
    return _is_random(value)


def _is_password(value, digits, letters, quoted):
    others = len(value) - digits - letters
    if not quoted and re.fullmatch(r"[A-Za-z_][\w.]*", value) and (digits < 2 or "." in value):
        return False  # a name
    if digits and letters:
        return bool(quoted or others or not re.fullmatch(r"[a-z]+_?\d{1,2}", value))
    return bool(quoted and others and letters >= 4 and not re.fullmatch(r"[\w.:/ -]+", value))


def _is_random(value):
    """Whether a text is none that people made of words: many changes between kinds of letters, for its
    length."""
    if re.match(_HEX, value):
        return len(value) >= 16 and len(set(value)) >= 8 and bool(re.search(r"\d", value))
    kinds = "".join(
        "d" if c.isdigit() else "u" if c.isupper() else "l" if c.islower() else "o" for c in value
    )
    changes = sum(kinds[at] != kinds[at - 1] for at in range(1, len(kinds)))
    return len(set(value)) >= 8 and changes >= max(4, len(value) // 5) and kinds.count("d") >= 2


def _is_placeholder(value):
    bare = value.strip("\"'`<>[]{}()*.,;:").lower()
    if len(set(bare)) < 3 or "redacted" in bare or "example" in bare:
        return True
    start = next((word for word in _PLACEHOLDERS if bare.startswith(word)), None)
    if start is None:
        return False
    # "test1234" stands for a secret, "testKq9x7Lm2" is one.
    return (
        re.fullmatch(r"(?:[\W_]*[a-z]*)*?\d{0,4}\W?", bare[len(start) :]) is not None
        if len(bare) < 60
        else False
    )


def _is_sample(value, kind):
    """Whether a value is one that documentation shows, or that stands for one."""
    if "EXAMPLE" in value or "[redacted" in value:
        return True
    if kind == "url-password":
        return value.lower() in _WEAK or bool(
            re.fullmatch(r"\*+|[xX]+|\$\{?\w+\}?|%\w+%|\{+[^{}]*\}+|%s|\[.*|\.+|:.*|\$.*|\d{1,5}", value)
        )
    bare = re.sub(r"^[A-Za-z]{2,12}[-_.]", "", value)
    return len(set(bare)) < 6 or bool(re.search(r"x{8}|X{8}|0{10}|1234567890abcdef|abcdefghijkl", bare))


# Passwords of examples: `user:pass@host`.
_WEAK = frozenset(
    "pass password passwd pwd secret token user postgres root admin test example guest mysecretpassword"
    " changeme pw p b your_password foo bar dbpass dbpassword username key".split()
)
