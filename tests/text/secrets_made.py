"""Values that look like credentials, made for the tests: none was ever anybody's. Put together from parts, so
that no scanner takes this file for a leak."""

import random
import string

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = LOWER + UPPER + DIGITS
WORD = ALNUM + "_-"
HEX = DIGITS + "abcdef"


def some(dice, letters, count):
    """Random letters among which there are a digit and, where they may be, both cases."""
    while True:
        made = "".join(dice.choice(letters) for _ in range(count))
        if any(c.isdigit() for c in made) and len(set(made)) > min(8, count // 2):
            return made


# kind -> parts: a str stands for itself, (letters, count) for so many random ones.
SHAPES = {
    "aws-access-key": ["AK" + "IA", (UPPER[:26] + "234567", 16)],
    "google-api-key": ["AI" + "za", (ALNUM, 35)],
    "google-oauth-token": ["ya" + "29.", (WORD, 60)],
    "google-client-secret": ["GOC" + "SPX-", (ALNUM, 28)],
    "github-token": ["gh" + "p_", (ALNUM, 36)],
    "github-fine": ["github" + "_pat_", (ALNUM, 22), "_", (ALNUM, 59)],
    "github-app": ["gh" + "s_", (ALNUM, 36)],
    "gitlab-token": ["gl" + "pat-", (ALNUM, 20)],
    "bitbucket-password": ["AT" + "BB", (ALNUM, 32)],
    "atlassian-token": ["ATA" + "TT3", (ALNUM, 180), "=", (UPPER + DIGITS, 8)],
    "slack-token": ["xo" + "xb-", (DIGITS, 12), "-", (DIGITS, 12), "-", (ALNUM, 24)],
    "slack-app": ["xa" + "pp-1-", (UPPER + DIGITS, 11), "-", (DIGITS, 13), "-", (HEX, 64)],
    "slack-webhook": ["https://hooks.sl" + "ack.com/services/T", (UPPER + DIGITS, 8), "/B",
    (UPPER + DIGITS, 8), "/", (ALNUM, 24)],
    "discord-webhook": ["https://discord.com/api/web" + "hooks/", (DIGITS, 18), "/", (ALNUM, 68)],
    "telegram-token": [(DIGITS, 10), ":A" + "A", (WORD, 32), "x"],
    "twilio-key": ["S" + "K", (HEX, 32)],
    "sendgrid-key": ["S" + "G.", (ALNUM, 22), ".", (ALNUM, 43)],
    "mailgun-key": ["ke" + "y-", (HEX, 32)],
    "mailchimp-key": [(HEX, 32), "-u" + "s14"],
    "stripe-key": ["sk_" + "live_", (ALNUM, 24)],
    "stripe-restricted": ["rk_" + "test_", (ALNUM, 24)],
    "stripe-webhook-secret": ["wh" + "sec_", (ALNUM, 32)],
    "square-token": ["sq" + "0atp-", (ALNUM, 22)],
    "braintree-token": ["access_" + "token$production$", (LOWER + DIGITS, 16), "$", (HEX, 32)],
    "shopify-token": ["shp" + "at_", (HEX, 32)],
    "anthropic-key": ["sk-" + "ant-api03-", (ALNUM, 93), "AA"],
    "openai-key": ["sk-" + "proj-", (ALNUM, 74), "T3Blbk", (ALNUM, 74)],
    "openai-old": ["sk" + "-", (ALNUM, 48)],
    "huggingface-token": ["h" + "f_", (ALNUM, 34)],
    "replicate-token": ["r" + "8_", (ALNUM, 37)],
    "groq-key": ["gs" + "k_", (ALNUM, 52)],
    "xai-key": ["xa" + "i-", (ALNUM, 80)],
    "perplexity-key": ["pp" + "lx-", (ALNUM, 48)],
    "npm-token": ["np" + "m_", (ALNUM, 36)],
    "pypi-token": ["py" + "pi-AgEIcHlwaS5vcmc", (ALNUM, 130)],
    "rubygems-key": ["ruby" + "gems_", (HEX, 48)],
    "docker-token": ["dck" + "r_pat_", (ALNUM, 27)],
    "nuget-key": ["oy" + "2", (LOWER + DIGITS, 43)],
    "digitalocean-token": ["do" + "p_v1_", (HEX, 64)],
    "heroku-key": ["HR" + "KU-", (HEX, 36)],
    "netlify-token": ["nf" + "p_", (ALNUM, 40)],
    "cloudflare-key": ["v1" + ".0-", (HEX, 24), "-", (HEX, 146)],
    "fly-token": ["Fly" + "V1 fm2_", (ALNUM, 120)],
    "supabase-key": ["sb" + "p_", (HEX, 40)],
    "planetscale-token": ["pscale" + "_tkn_", (ALNUM, 43)],
    "databricks-token": ["da" + "pi", (HEX, 32)],
    "newrelic-key": ["NR" + "AK-", (UPPER + DIGITS, 27)],
    "grafana-token": ["gl" + "sa_", (ALNUM, 32), "_", (HEX, 8)],
    "sentry-token": ["sn" + "trys_", (ALNUM, 120)],
    "linear-key": ["lin" + "_api_", (ALNUM, 40)],
    "notion-token": ["nt" + "n_", (ALNUM, 46)],
    "airtable-token": ["pa" + "t", (ALNUM, 14), ".", (HEX, 64)],
    "figma-token": ["fi" + "gd_", (ALNUM, 40)],
    "postman-key": ["PM" + "AK-", (HEX, 24), "-", (HEX, 34)],
    "doppler-token": ["dp" + ".pt.", (ALNUM, 43)],
    "vault-token": ["hv" + "s.", (ALNUM, 90)],
    "terraform-token": [(ALNUM, 14), ".atlas" + "v1.", (ALNUM, 67)],
    "age-key": ["AGE-SECRET" + "-KEY-1", (UPPER + DIGITS, 58)],
    "jwt": ["ey" + "JhbGciOi", (ALNUM, 30), ".ey" + "J", (ALNUM, 80), ".", (WORD, 43)],
    "vercel-token": ["vercel_blob" + "_rw_", (ALNUM, 48)],
}  # fmt: skip


def made(name, seed):
    """One value of a shape."""
    dice = random.Random(f"{name} {seed}")
    return "".join(part if isinstance(part, str) else some(dice, *part) for part in SHAPES[name])


def secret(seed, count=32):
    """A value without a prefix of its own."""
    return some(random.Random(f"plain {seed}"), ALNUM, count)


def password(seed):
    dice = random.Random(f"password {seed}")
    return some(dice, ALNUM, 5) + dice.choice("!#%*+-_.") + some(dice, ALNUM, 6)


def private_key(seed, kind="RSA ", lines=12):
    dice = random.Random(f"key {seed}")
    body = "\n".join(some(dice, ALNUM + "+/", 64) for _ in range(lines))
    return f"-----BEGIN {kind}PRIV" + f"ATE KEY-----\n{body}\n-----END {kind}PRIV" + "ATE KEY-----"


# Where a value with a prefix of its own may stand.
AROUND = (
    "{}", "The token is {} and it works.", "`{}`", '{{"k": "{}"}}', "k: {}\n", "K={}\n", "export K='{}'",
    "k = \"{}\";", "curl -H 'X: {}' https://example.invalid", "+    k = '{}'", "https://example.invalid/?k={}&b=1",
    "トークンは{}です。", "({})", "a\r\n{}\r\nb", "**{}**", "<k>{}</k>", "|{}|", "k={},b=2",
)  # fmt: skip
# Where a value is one because of what stands before it.
PLACES = (
    'api_key = "{}"', "API_KEY={}", "apiKey: '{}'", '"client_secret": "{}"', "secret_key: {}",
    "export TOKEN={}",
    "auth_token := \"{}\"", "'access_key' => '{}'", "--token {}", "--api-key={}", "ACCESS_TOKEN: \"{}\"",
    "const authToken = '{}';", "os.environ['API_TOKEN'] = '{}'", "<token>{}</token>",
    "Authorization: Bearer {}",
    "-H 'Authorization: token {}'", "\"Authorization\": \"Basic {}\"", "Cookie: sessionid={}",
    "signing_key = '{}'",
    "DJANGO_SECRET_KEY='{}'", "+SECRET={}", "トークン token: {} を使う",
)  # fmt: skip
PASSWORDS = (
    'password = "{}"', "DB_PASSWORD={}", "password: {}", "PASSWORD='{}'", '"password": "{}"', "passwd={}",
    "postgres://app:{}@db.example.invalid:5432/app", "--password {}", "--password={}", "Password={};Server=x",
    "curl -u dev:{} https://example.invalid", "export PGPASSWORD={}", "pwd: '{}'", "<password>{}</password>",
    "The password is password: {}", "self.password = '{}'", "redis://:{}@cache:6379/0",
)  # fmt: skip
