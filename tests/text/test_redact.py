"""What looks like a credential is left out; what only looks a little like one stays."""

import itertools
import random
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.text import redact, secrets

from .secrets_made import (
    ALNUM,
    AROUND,
    HEX,
    PASSWORDS,
    PLACES,
    SHAPES,
    made,
    password,
    private_key,
    secret,
    some,
)

SEEDS = 5


def left(text, value):
    """Whether a value, or most of it, is still in the redacted text."""
    out = redact.redact(text)
    return value in out or value[len(value) // 2 :] in out


@pytest.mark.parametrize("name", SHAPES)
def test_a_providers_token_is_left_out_wherever_it_stands(name):
    for seed in range(SEEDS):
        value = made(name, seed)
        for around in AROUND:
            text = around.format(value)
            assert not left(text, value[-12:]), text
            assert redact.kinds(redact.redact(text)), text


def test_of_values_in_a_secrets_place_nearly_all_are_left_out():
    missed, count = [], 0
    for places, make in ((PLACES, secret), (PASSWORDS, password)):
        for place in places:
            for seed in range(20):
                count += 1
                text = place.format(make(seed))
                if left(text, make(seed)):
                    missed.append(text)
    assert len(missed) <= 0.02 * count, missed[:20]


def test_a_private_key_goes_whole_and_what_stands_around_it_stays():
    for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "):
        key = private_key(1, kind)
        assert redact.redact(f"before\n{key}\nafter") == "before\n[redacted:private-key]\nafter"
        escaped = key.replace("\n", "\\n")
        out = redact.redact('{"private_key": "%s\\n", "type": "x"}' % escaped)
        assert out.startswith('{"private_key": "[redacted:private-key]') and out.endswith('"type": "x"}')
        assert not left(f"> {key}".replace("\n", "\n> "), key.split("\n")[5])


def test_a_key_that_was_cut_goes_as_far_as_it_is_there():
    key = private_key(2).split("\n")
    out = redact.redact("see\n" + "\n".join(key[:8]))
    assert out == "see\n[redacted:private-key]"
    out = redact.redact("\n".join(key[8:]) + "\nsee")
    assert out == "[redacted:private-key]\nsee"


@pytest.mark.parametrize(
    "text",
    [
        "The password is stored in the vault, never in the repository.",
        "password: str", "password: string;", "password = None", "token = get_token()",
        'password = "password"',
        "token = os.environ['API_TOKEN']", "apiKey: process.env.API_KEY",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "PASSWORD=$DB_PASSWORD", "API_KEY=<your key>", "API_KEY=YOUR_API_KEY", "token=xxxxxxxxxxxxxxxx",
        "secret: changeme", "password=********", "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY", "max_tokens=4096",
        "token_count = 123456789012", "sort(key=lambda row: row[1])", "def refresh_token(session):",
        "the key: `user.profile.settings.v2`", "if password != confirm_password:",
        "SECRET_KEY = config.secret_key",
        "postgres://user:password@localhost/app", "https://user:${PASSWORD}@host/", "http://[::1]:8080/a@b",
        "mailto:dev@example.invalid", "git@github.com:org/repo.git", "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN", "bearer of bad news about the token", "primary key (id, name)",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3Vt9sample0Key1Of2Nobody3At4All5Abc dev@example.invalid",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0B\n-----END CERTIFICATE-----",
        "-----BEGIN PRIV" "ATE KEY-----\n...\n-----END PRIV" "ATE KEY-----",
        "integrity sha512-Qa1b2C3d4E5f6G7h8I9j0KlMnOpQrStUvWxYz0123456789ABCDEFabcdef==",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
        "password_hash = '5f4dcc3b5aa765d61d8327deb882cf99'", "token_type: bearer",
        "secret_name = 'prod/db-1/app2'",
        "The tokens of line 42 are `foo2bar` and `baz`.", "api_key_id: 'a1b2c3d4e5f6g7h8'",
        "csrf_token: csrf_value",
        "the token endpoint is https://example.invalid/oauth2/v2/token1", "Cookie: theme=dark; lang=en",
        "curl -u $USER:$PASS https://example.invalid", "[redacted:github-token]",
        "password: [redacted:password]",
        "gh" + "p_short", "sk-learn and sk-image are libraries", "AKIA is how they begin",
        "eyJ is `{\"` in base64",
    ],
)  # fmt: skip
def test_what_is_no_secret_stays_to_the_byte(text):
    assert redact.redact(text) is text


def test_hashes_ids_and_checksums_stay():
    dice = random.Random(7)
    for _ in range(200):
        sha1, sha256 = (some(dice, HEX, n) for n in (40, 64))
        for text in (
            f"commit {sha1}", f"fixed in {sha1[:8]}.", f"sha256: {sha256}", f'"resolved": "x#{sha1}"',
            f"id: {uuid.UUID(int=dice.getrandbits(128))}", f"checksum={sha256}", f"etag \"{sha1}\"",
            f"{sha256}  dist/app.tar.gz", f"--hash=sha256:{sha256}", f"key {some(dice, ALNUM, 3)}",
        ):  # fmt: skip
            assert redact.redact(text) is text, text


def test_a_text_without_a_trigger_is_the_very_same_and_no_pattern_is_loaded():
    text = "The importer retries three times.\n" * 50
    assert redact.redact(text) is text


def test_the_rest_of_a_line_stays_readable():
    value = made("github-token", 1)
    told = redact.redact(f"git clone https://dev:{value}@example.invalid/app.git  # clones")
    assert told == "git clone https://dev:[redacted:github-token]@example.invalid/app.git  # clones"
    assert redact.kinds(told) == ["github-token"]


def test_every_kind_has_its_literal_among_the_triggers():
    for kind, triggers, pattern in secrets.TOKENS:
        assert set(triggers) <= set(redact.TRIGGERS), kind
        assert all(trigger in pattern or "[" in pattern or "(" in pattern for trigger in triggers)
    assert len({kind for kind, _, _ in secrets.TOKENS}) >= 50


ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
PARTS = st.lists(
    st.sampled_from(
        ["password", "=", ": ", '"', "'", " ", "\n", "token", "api_key", "sk-", "://", "@",
         "a1B2c3D4e5F6g7H8", "Bearer ",
         "-----BEGIN RSA PRIV" "ATE KEY-----", "-----END RSA PRIV" "ATE KEY-----", "AK" "IA",
         "ABCDEFGHIJKLMNOP", "[redacted:", "]", "İ", "eyJ", "."]
    ), max_size=25,
).map("".join)  # fmt: skip


@given(ANY | PARTS)
def test_redacting_any_text_keeps_the_rest_and_is_done_once(text):
    spans = redact.found(text)
    assert spans == sorted(spans, key=lambda span: span[1])
    assert all(a[2] <= b[1] for a, b in itertools.pairwise(spans))
    out = redact.redact(text)
    at, rest = 0, []
    for _, start, end in spans:
        assert start < end
        rest.append(text[at:start])
        at = end
    rest.append(text[at:])
    for part in rest:
        assert part in out
    assert redact.redact(out) == out


@given(st.sampled_from(sorted(SHAPES)), st.integers(0, 50), ANY, ANY)
def test_a_token_is_found_in_any_text_that_does_not_touch_it(name, seed, before, behind):
    value = made(name, seed)
    assert not left(f"{before} {value} {behind}", value[-12:])


def test_a_window_keeps_what_stands_around_the_cut():
    text = "a" * 50_000 + "b" * 50_000
    kept = redact.window(text, 4_000)
    assert kept.startswith("a" * 24_000) and kept.endswith("b" * 24_000)
    assert redact.window("short", 4_000) == "short"
