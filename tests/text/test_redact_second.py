"""A second opinion: what detect-secrets finds in our corpus, redact has left out."""

import pytest

from foreword.text import redact

from .secrets_made import AROUND, PASSWORDS, PLACES, SHAPES, made, password, secret

scan = pytest.importorskip("detect_secrets.core.scan")
settings = pytest.importorskip("detect_secrets.settings")

# Its plugins without those that go by entropy alone.
PLUGINS = (
    "AWSKey Artifactory AzureStorageKey BasicAuth Cloudant DiscordBotToken GitHubToken GitLabToken"
    " IbmCloudIam JwtToken Keyword Mailchimp Npm OpenAI PrivateKey PypiToken SendGrid Slack"
    " Softlayer SquareOAuth Stripe TelegramBotToken TwilioKey".split()
)


def lines():
    for name in SHAPES:
        for around in AROUND:
            yield " ".join(around.format(made(name, 1)).split())
    for places, make in ((PLACES, secret), (PASSWORDS, password)):
        for place in places:
            for seed in range(5):
                yield place.format(make(seed))


def test_what_another_scanner_finds_is_left_out():
    chosen = {"plugins_used": [{"name": name + "Detector"} for name in PLUGINS]}
    found, kept = 0, []
    with settings.transient_settings(chosen):
        for line in lines():
            if any(True for _ in scan.scan_line(line)):
                found += 1
                if redact.redact(line) is line:
                    kept.append(line)
    assert kept == []
    assert found > 200
