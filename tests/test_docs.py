"""The pages say what is so: every verb, option and file they name; nothing that is private."""

import importlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import click
import pytest

from foreword import skills
from foreword.cli import VERBS
from foreword.clients import CLIENTS, HOOKED, about, loaded, places
from foreword.clients.parts import Options

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GENERATE = os.path.join(TOP, "docs", "generate.py")
CLI_PAGE = os.path.join(TOP, "docs", "reference", "cli.md")
REQUIRED = (
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs/format.md", "docs/architecture.md",
    "docs/threat-model.md", "docs/reference/cli.md", "docs/reference/mcp-tools.md",
)  # fmt: skip

# What a page may name as a path: a word in backquotes that begins with a folder of the checkout.
FOLDERS = ("src/", "docs/", "tests/", "bench/", "demo/", ".ci/", ".github/")

# Put together from pieces, so that this file does not hold what it looks for.
FORBIDDEN = {
    "a path of one machine": r"(?<![\w.~*-])/(?:ro" r"ot|wo" r"rk|Us" r"ers)/(?!me\b)[\w.]{2}",
    "a home of one machine": r"(?<![\w.~*-])/ho" r"me/(?!dev\b|user\b|me\b|you\b)[a-z]\w+",
    "a home of Windows": r"[A-Za-z]:\\{1,2}Us" r"ers\\{1,2}(?!dev\b|user\b|me\b|you\b)\w{2}",
    "a registry": r"py" r"pi\.org|python" r"hosted\.|npm" r"js\.(?:org|com)|yarn" r"pkg\.|artifac" r"tory",
    "a private key": r"-----BEGIN [A-Z ]*PRIV" r"ATE KEY",
    "a key of a service": r"(?<![\w-])(?:sk-(?!ant-dummy-)[a-z]+\d*-|gh[pousr]_|github_"
    r"pat_|xox[bp]-|AK"
    r"IA)[\w-]{16,}",
    "letters and digits that may be a secret": r"(?=[\w+-]*\d)(?=[\w+-]*[A-Za-z])[A-Za-z0-9+_-]{80,}",
}
BINARY = (".png", ".gif", ".ico", ".gz", ".sqlite", ".whl")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as f:
        return f.read()


def tracked():
    """The files of the checkout that git keeps or would keep; all but ignored ones where git is not there."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP, capture_output=True
    )
    if done.returncode:
        pytest.skip("no git checkout")
    names = [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]
    return [name for name in names if os.path.isfile(os.path.join(TOP, name))]


def pages():
    return [name for name in tracked() if name.endswith(".md")]


def commands():
    """{verb: command}, a group followed by its own: `graph`, then `graph on`."""
    found = {}
    for verb, module in VERBS.items():
        found[verb] = importlib.import_module(module).command
        for own, command in getattr(found[verb], "commands", {}).items():
            found[f"{verb} {own}"] = command
    return found


def chapters(text):
    """{verb: its chapter} of the CLI page."""
    parts = re.split(r"^## `foreword ([\w -]+)`$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_page_that_people_expect_is_there():
    assert [name for name in REQUIRED if not os.path.isfile(os.path.join(TOP, name))] == []


def test_the_readme_names_the_commands_that_start_everything():
    text = read("README.md")
    for command in ("make demo", "make test", "foreword install", "foreword uninstall", "foreword doctor"):
        assert command in text, command


def test_every_verb_and_every_option_is_in_the_reference():
    found = chapters(read(CLI_PAGE))
    assert list(found) == list(commands())
    for verb, command in commands().items():
        assert len(found[verb].split("```")[2].strip()) > 10, f"{verb}: no word of what it does"
        for option in (p for p in command.params if isinstance(p, click.Option)):
            for name in option.opts:
                assert re.search(rf"^\|[^|]*`{re.escape(name)}[ `]", found[verb], re.MULTILINE), (verb, name)


def test_every_option_says_what_it_does():
    silent = [
        (verb, p.name) for verb, c in commands().items() for p in c.params
        if isinstance(p, click.Option) and not (p.help or "").strip()
    ]  # fmt: skip
    assert silent == []


def test_the_generated_page_is_current():
    done = subprocess.run([sys.executable, GENERATE, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_page_that_is_not_current_is_found_and_mended(tmp_path):
    (tmp_path / "reference").mkdir()
    script = shutil.copy(GENERATE, tmp_path)
    page = tmp_path / "reference" / "cli.md"
    page.write_text(read(CLI_PAGE).replace("--archived", "--old"), encoding="utf-8")
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "make docs" in done.stderr
    subprocess.run([sys.executable, script], check=True)
    assert page.read_text(encoding="utf-8") == read(CLI_PAGE)


@pytest.fixture(scope="module")
def generated():
    """docs/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("generate", GENERATE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_page_of_a_client_that_is_not_current_is_found_and_mended(tmp_path):
    script, folder = shutil.copy(GENERATE, tmp_path), tmp_path / "clients"
    subprocess.run([sys.executable, script], check=True)
    whole = (folder / "zed.md").read_text(encoding="utf-8")
    assert whole == read("docs/clients/zed.md")
    (folder / "zed.md").write_text(whole.replace("context_servers", "servers"), encoding="utf-8")
    (folder / "gone.md").write_text("# Gone\n")
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "docs/clients/zed.md is not what the code says: make docs",
        "docs/clients/gone.md is the page of no client: remove it",
    ]
    subprocess.run([sys.executable, script], capture_output=True, check=True)
    assert (folder / "zed.md").read_text(encoding="utf-8") == whole


def test_every_client_has_a_row_and_a_page_with_what_is_known_of_it():
    table = read("docs/clients/README.md")
    for name in CLIENTS:
        told, page = loaded.install(name).ABOUT, read(f"docs/clients/{name}.md")
        [row] = re.findall(rf"^\| \[[^]]+\]\({name}\.md\) \|.*$", table, re.MULTILINE)
        cells = [cell for cell in (told.server, told.forewords, told.instructions) if cell]
        assert len(re.findall(r"\(\*(?:run|documented only)\*\)", row)) == len(cells)
        assert all(cell.what.replace("|", "\\|") in row for cell in cells)
        for known in (
            f"foreword install {name}",
            f"foreword uninstall {name}",
            told.checked,
            *told.docs,
            *told.notes,
        ):
            assert known in page, (name, known)


def test_a_cell_says_run_only_where_a_version_was_run():
    for name in CLIENTS:
        told = loaded.install(name).ABOUT
        seen = {cell.seen for cell in (told.server, told.forewords, told.instructions) if cell}
        assert (about.RUN in seen) == bool(told.version), name
        assert told.forewords is None or told.forewords.seen == about.RUN, name


def test_a_page_shows_the_entry_that_an_install_writes(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/path/to/python")
    for name in ("zed", "jetbrains", "claude-desktop", "mimo"):
        page = read(f"docs/clients/{name}.md")
        for part in loaded.install(name).parts(Options(graph=False)):
            text = part.with_ours("")
            if part.is_skill:
                assert os.path.basename(os.path.dirname(part.path)) in page
            elif part.path.endswith(".md"):
                assert skills.protocol("notes", hooked=False).strip("\n") in text
            else:
                assert text in page


def test_pages_of_clients_are_the_same_on_every_machine(generated, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "moved"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("MIMOCODE_HOME", str(tmp_path / "mimo"))
    (tmp_path / "codex").mkdir()
    hook = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n'
    (tmp_path / "codex" / "config.toml").write_text(hook)  # ours would go beside it
    before = dict(os.environ), sys.executable
    for name in ("codex", "zed", "mimo"):
        assert generated.client_page(name) == read(f"docs/clients/{name}.md")
    assert (dict(os.environ), sys.executable) == before


@pytest.mark.parametrize(("name", "hooked"), [("zed", False), ("gemini", True), ("cursor", False)])
def test_the_text_that_a_page_points_to_is_the_one_that_the_client_gets(name, hooked):
    [anchor] = set(re.findall(r"README\.md#([\w-]+)", read(f"docs/clients/{name}.md")))
    table = read("docs/clients/README.md")
    heads = {slug(head): head for head in re.findall(r"^## +(.+)$", table, re.MULTILINE)}
    below = table.partition(f"\n## {heads[anchor]}\n")[2]
    assert below.partition("```markdown\n")[2].startswith(skills.rules(hooked, False).strip("\n") + "\n```")
    install, options = loaded.install(name), Options(graph=False)
    texts = [part.with_ours("") for part in install.parts(options)] + [
        t for _, t in install.to_paste(options)
    ]
    assert any(skills.rules(hooked, False).strip("\n") in text for text in texts)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_page_leads_from_the_install_to_a_sign_that_it_works_and_back(name):
    page = read(f"docs/clients/{name}.md")
    heads = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert heads[:4] == ["Set it up", "See it work", "What is written where", "Undo"]
    see = page.partition("## See it work")[2].partition("\n## ")[0]
    assert "foreword save " in see and "make db" in see.partition("ask: ")[2]
    assert ("last recall" in see) == (name in HOOKED)
    for block in re.findall(r"### .*?(?=\n##)", page, re.DOTALL):
        held = block.partition("stands for the interpreter")
        assert not held[1] or held[0].count("/path/to/python") > 1  # in the entry, and in the sentence
    for _, text in loaded.install(name).to_paste(Options(graph=False)):
        assert text.startswith("{") or f"foreword protocol --client {name}\n" in page


def test_the_page_of_codex_has_the_trust_before_the_sign_that_it_works():
    before = read("docs/clients/codex.md").partition("## See it work")[0]
    assert "Trust all and continue" in before and "foreword install codex --trust" in before
    assert "switched" not in before


@pytest.mark.parametrize("name", CLIENTS)
def test_what_an_install_tells_next_fits_a_terminal_and_ends_its_sentences(name):
    install = loaded.install(name)
    for lines, most in ((install.once_installed(Options(graph=False)), 76), (install.once_removed(), 64)):
        assert [line for line in lines if len(line) > most] == []
        prose = [line for line in lines if not line.startswith("    ")]
        assert prose and prose[-1][-1] in ".:"
        assert all(
            re.match("[A-Z]|opencode ", line)
            for line, before in zip(prose[1:], prose, strict=False)
            if before[-1] == "."
        )


@pytest.mark.parametrize("name", CLIENTS)
def test_a_variable_that_a_page_names_moves_a_file_of_the_client(name):
    told = re.search(
        r"^A variable moves these, when it is set: (.+)\.$", read(f"docs/clients/{name}.md"), re.M
    )
    named = dict(re.findall(r"`(\w+)`( \(on Linux\))?", told[1])) if told else {}
    for variable in {"XDG_CONFIG_HOME", *(folder[0] for folder in places.FOLDERS.values())} - {
        "LOCALAPPDATA"
    }:
        for system in places.SYSTEMS:
            shown = [
                what
                for what, row in places.PLACES[name].items()
                if all(row) and not re.search(r"skills.|packages|sessions|older|oldest|programs", what + " ")
            ]
            moved = any(
                places.path(name, what, system, {variable: "/moved"}, "/h")
                != places.path(name, what, system, {}, "/h")
                for what in shown
            )
            is_told = variable in named and (system == places.LINUX or not named[variable])
            assert moved == is_told, (variable, system)


def test_told_lines_are_sentences_and_commands(generated):
    lines = [
        "Start it again. To check",
        "the rest, type:",
        "    /hooks",
        "    /mcp",
        "Or in a shell:",
        "    x mcp list",
    ]
    assert generated.told_lines(lines) == [
        "- Start it again. To check the rest, type:", "", "```text", "/hooks", "/mcp", "```", "",
        "- Or in a shell:", "", "```sh", "x mcp list", "```",
    ]  # fmt: skip


def test_the_readme_and_the_page_on_installing_say_what_each_client_gets():
    for page, column in (("README.md", 0), ("docs/install.md", 0)):
        table = [line for line in read(page).splitlines() if line.startswith("| ")]
        for name in CLIENTS:
            install = loaded.install(name)
            called = {"vscode": "VS Code", "jetbrains": "JetBrains", "windsurf": "Windsurf"}
            rows = [
                row for row in table if called.get(name, install.ABOUT.called) in row.split(" | ")[column]
            ]
            rows = [row for row in rows if re.search(r"hook|plugin|skill|block|paste", row)]
            assert rows, (page, name)
            told = " ".join(rows)
            assert bool(install.to_paste(Options(graph=False))) == ("paste" in told), (page, name)
            assert any(part.is_skill for part in install.parts(Options(graph=False))) == ("skills" in told)
            assert (name in HOOKED) == bool(re.search("hooks|a plugin", told)), (page, name)


MOVED = {
    "CLAUDE_CONFIG_DIR": "c", "CODEX_HOME": "x", "GEMINI_CLI_HOME": "g", "XDG_CONFIG_HOME": "d",
}  # fmt: skip


@pytest.mark.parametrize("moved", [{}, MOVED], ids=["usual folders", "moved by variables"])
@pytest.mark.parametrize("shell", ["bash", "zsh", "sh"])
def test_the_check_of_an_uninstall_that_does_without_foreword(tmp_path, shell, moved):
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    [check] = re.findall(r"```sh\n(claude=.*?)```", read("docs/install.md"), re.DOTALL)
    env = {name: str(tmp_path / "moved" / below) for name, below in moved.items()}
    home = tmp_path / "user"
    (home / ".foreword").mkdir(parents=True)
    env.update(HOME=str(home), PATH="/usr/bin:/bin", FOREWORD_HOME=str(home / ".foreword"))

    def foreword(*words):
        subprocess.run(
            [sys.executable, "-m", "foreword.cli", *words], env=env, check=True, capture_output=True, cwd=home
        )

    def left():
        return subprocess.run(
            [shell, "-c", check], env=env, capture_output=True, text=True
        ).stdout.splitlines()

    assert left() == ["gone"]
    foreword("install", *HOOKED, "--anyway")
    state = (tmp_path / "moved" / "c" if moved else home) / ".claude.json"
    state.write_text(json.dumps({"mcpServers": {"foreword": {"args": ["-m", "foreword.cli", "serve"]}}}))
    found = left()
    assert "gone" not in found
    for name in HOOKED:
        expected = {
            place
            for place in places.PLACES[name]
            if not re.search("older|oldest|. skills|packages|sessions", place)
        }
        for what in expected:
            at = places.path(name, what, environ=env, home=str(home))
            covered = any(path == at or path.startswith(at + os.sep) for path in found)
            # opencode reads the skills of Claude Code, so it has none of its own unless these are moved.
            assert covered or (name == "opencode" and what == "skills"), at
    state.unlink()
    foreword("uninstall")
    assert left() == ["gone"]


def named_files(page, text):
    """The paths that a page names, relative to the checkout: targets of links, and paths in backquotes."""
    for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
        if "://" not in target and not target.startswith("mailto:"):
            yield os.path.normpath(os.path.join(os.path.dirname(page), target))
    for word in re.findall(r"`([^`\s]+)`", text):
        word = word.split(":")[0]
        if word.startswith(FOLDERS) and not set(word) & set("*<>{}$…"):
            yield os.path.normpath(word)


def test_every_file_that_a_page_names_exists():
    # The reference of formats shows paths of users' repositories: examples, not files of ours.
    examples = re.compile(r"^src/(?!foreword)")
    missing = [
        (page, path)
        for page in pages()
        for path in named_files(page, read(page))
        if not examples.match(path) and not os.path.exists(os.path.join(TOP, path))
    ]
    assert missing == []


def test_a_name_that_leads_nowhere_would_be_found():
    text = (
        "See [a](format.md#x), [b](https://example.org/c), `docs/gone.md:3`, `tests/<room>/`, `src/foreword`."
    )
    assert list(named_files("docs/page.md", text)) == [
        os.path.join("docs", "format.md"), os.path.join("docs", "gone.md"), os.path.join("src", "foreword"),
    ]  # fmt: skip


def test_every_link_inside_a_page_leads_to_a_heading():
    for page in pages():
        text = read(page)
        heads = {slug(head) for head in re.findall(r"^#+ +(.+)$", text, re.MULTILINE)}
        assert {a for a in re.findall(r"\]\(#([^)]+)\)", text) if a not in heads} == set(), page


def slug(heading):
    """The anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def unfit(name, text):
    """(what, line number) of each line that should not be public."""
    for number, line in enumerate(text.splitlines(), 1):
        if name.endswith("package-lock.json") and '"integrity": "sha512-' in line:
            continue
        for what, pattern in FORBIDDEN.items():
            if re.search(pattern, line):
                yield what, number


def test_no_file_holds_a_path_of_a_machine_a_registry_or_a_secret():
    found = []
    for name in tracked():
        if name.endswith(BINARY):
            continue
        with open(os.path.join(TOP, name), "rb") as f:
            text = f.read().decode("utf-8", "replace")
        found += [(name, *told) for told in unfit(name, text)]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "open('/ro" "ot/x1')", "cd /wo" "rk/main", "/Us" "ers/ada/src", "/ho" "me/ada/x", "C:\\Us" "ers\\ada",
        "https://registry.npm" "js.org/x", "https://py" "pi.org/simple", "-----BEGIN RSA PRIV" "ATE KEY-----",
        "key = 'sk-" + "ant-api03-0123456789abcdef'", "gh" "p_0123456789abcdef0123", "x1" * 40,
    ],
)  # fmt: skip
def test_what_should_not_be_public_is_found(line):
    assert [number for _, number in unfit("a.md", "fine\n" + line)] == [2]


@pytest.mark.parametrize(
    "line", ["/home/dev/app", "~/.foreword", "the root/leaf", "work/main", "x1" * 39, "=" * 90]
)
def test_what_is_harmless_is_left_alone(line):
    assert list(unfit("a.md", line)) == []
