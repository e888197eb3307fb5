"""server.json, by which the MCP registry lists the server, against what it is said about: package and CLI."""

import json
import os
import re
import subprocess
import sys
import tomllib

from foreword import __version__
from foreword.graph import place

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


def described():
    return json.loads(read("server.json"))


def test_the_versions_are_the_packages():
    entry = described()
    assert [entry["version"], *(package["version"] for package in entry["packages"])] == [__version__] * 2


def test_the_package_is_this_one_started_by_uvx_over_stdio():
    project = tomllib.loads(read("pyproject.toml"))["project"]
    [package] = described()["packages"]
    assert package["registryType"] == "pypi"
    assert package["identifier"] == project["name"]
    assert package["identifier"] in project["scripts"]  # uvx runs the script that is named like the package
    assert (package["runtimeHint"], package["transport"]) == ("uvx", {"type": "stdio"})


def test_the_arguments_start_the_server():
    told = described()["packages"][0]["packageArguments"]
    assert {each["type"] for each in told} == {"positional"}
    command = [sys.executable, "-I", "-m", "foreword.cli", *(each["value"] for each in told)]
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    done = subprocess.run(command, input=ping, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_every_variable_is_one_that_the_server_reads_with_its_default():
    told = {each["name"]: each for each in described()["packages"][0]["environmentVariables"]}
    assert set(told) == {"FOREWORD_HOME", place.VARIABLE, place.STRICT, *(row[0] for row in place.NUMBERS)}
    for variable, _, default, _ in place.NUMBERS:
        assert told[variable]["default"] == str(default), variable
    assert all(each["description"].endswith(".") for each in told.values())
    assert not any(each.get("isRequired") or each.get("isSecret") for each in told.values())


def test_the_readme_proves_to_the_registry_whose_the_package_is():
    # The registry looks for this line in the README that came with the package.
    assert re.findall(r"mcp-name: (\S+)", read("README.md")) == [described()["name"]]


def test_the_name_and_the_description_fit_the_registrys_limits():
    entry = described()
    assert re.fullmatch(r"[A-Za-z0-9.-]+/[A-Za-z0-9._-]+", entry["name"])
    assert entry["name"].split("/")[1] == "foreword"
    assert 0 < len(entry["description"]) <= 100
