"""`foreword completion`, and the answers to a shell that asks what a word could become.

The scripts and the way of asking are click's. What click cannot know stands in two tables here: which verbs
take ids of memories, and which words of the help mean a path. An answer comes while somebody types: it is
read from the index as it stands, writes nothing, and is empty rather than an error.
"""

import os
import sys
from itertools import pairwise

import click
from click.shell_completion import CompletionItem, get_completion_class

from foreword import paths
from foreword.cli import COMPLETE
from foreword.cli.output import put, say, seen
from foreword.errors import DONE
from foreword.memory import ids

SHELLS = ("bash", "zsh", "fish")
MOST = 100  # ids that are offered at once: more than a screen holds is no choice
HELP = 100  # letters of a verb's sentence; click's own 45 end in the middle of most

# Which memories a verb is about, by whether they are archived.
IDS = {
    "show": (False, True), "edit": (False,), "pin": (False,), "reject": (False,), "archive": (False,),
    "restore": (True,), "delete": (False, True),
}  # fmt: skip
# What the help calls a path, and what the shell looks for then.
PATHS = {"PATH": "dir", "DIR": "dir", "FILE": "file", "PATH|found": "file"}

# fish 3.6: click 8.5 cuts each answer at every comma and keeps the first piece, of a title too.
_CUT, _CUT_ONCE = 'string split "," $completion', 'string split -m 1 "," $completion'


@click.command("completion")
@click.argument("shell", required=False, type=click.Choice(SHELLS), metavar="[bash|zsh|fish]")
def command(shell):
    """Print the script that completes verbs, options, clients and ids in a shell.

    Without a name: for the shell of $SHELL. The script asks foreword itself at each TAB, so that it need not
    be made anew when Foreword is updated. zsh and fish show titles beside the ids.

    \b
    bash, 4.4 or newer, at the end of ~/.bashrc:
      eval "$(foreword completion bash)"
    zsh, in ~/.zshrc after compinit:
      eval "$(foreword completion zsh)"
    fish, once:
      mkdir -p ~/.config/fish/completions
      foreword completion fish > ~/.config/fish/completions/foreword.fish
    """
    shell = shell or _of_environment()
    put(script(shell).rstrip("\n"))
    if sys.stdout.isatty():
        say(f"hint: foreword completion {shell} --help   (says where to put it)")


def _of_environment():
    name = os.path.basename(os.environ.get("SHELL") or "")
    if name not in SHELLS:
        told = f"no completion for the shell {name}" if name else "SHELL is not set"
        raise click.UsageError(f"{told}; name one of: {', '.join(SHELLS)}", click.get_current_context())
    return name


def script(shell):
    """The script of one of SHELLS, as text."""
    return _made(shell).source().replace(_CUT, _CUT_ONCE)


def answer(asked):
    """Print what a shell's script asks for (`zsh_complete`, say; also click's own `zsh_source`); the exit
    code. Whatever goes wrong, nothing is printed: it would stand in the middle of a command line."""
    shell, _, wanted = asked.partition("_")
    try:
        if shell in SHELLS and wanted == "source":
            put(script(shell).rstrip("\n"))
        elif shell in SHELLS and wanted == "complete":
            made = _made(shell)
            items = completions(made, *made.get_completion_args())
            lines = [made.format_completion(item) for item in items]
            click.echo("\n".join(lines).encode("utf-8", "backslashreplace"))
    except Exception:  # noqa: BLE001  see above: a shell shows no traceback between two words
        pass
    return DONE


def _made(shell):
    from foreword.cli import root  # it knows every verb, and each of their modules when it is asked for

    kind = get_completion_class(shell)
    assert kind is not None  # click has those of SHELLS
    return kind(root.cli, {}, "foreword", COMPLETE)


def completions(made, args, incomplete):
    """What the word `incomplete` after the words `args` could become: click's items, and ours."""
    verb, chosen, left = _command(made.cli, args)
    found = made.get_completions(args, incomplete)
    if isinstance(chosen, click.Group):  # words that are left name no verb of it
        return [] if left else [_told(chosen, item) for item in found]
    option = _open_option(chosen, args)
    if option or incomplete.startswith("-"):
        return found or _paths(option, incomplete)
    if verb in IDS:
        found = _ids(verb, args, incomplete)
    elif not found:
        found = _paths(next((p for p in chosen.params if isinstance(p, click.Argument)), None), incomplete)
    return [item for item in found if item.value not in args[1:]]


def _command(cli, args):
    """(name, command, words after it) that the words lead to: a group where none of its own is named."""
    context = click.Context(cli, resilient_parsing=True)
    verb, chosen, left = "", cli, list(args)
    while left and isinstance(chosen, click.Group):
        inner = chosen.get_command(context, left[0])
        if inner is None:
            break
        verb, chosen = left.pop(0), inner
    return verb, chosen, left


def _told(group, item):
    """An item of a group with the whole first sentence of that verb's help; options have theirs."""
    found = group.get_command(click.Context(group, resilient_parsing=True), item.value)
    if found is None:
        return item
    return CompletionItem(item.value, item.type, found.get_short_help_str(HELP))


def _open_option(chosen, args):
    """The option whose value the word is; None when it is no option's."""
    for option in chosen.params if args else ():
        if isinstance(option, click.Option) and args[-1] in option.opts:
            return None if option.is_flag or option.count else option
    return None


def _paths(param, incomplete):
    """The shell's own look for files or folders, where a parameter takes such."""
    kind = PATHS.get(param.metavar or "") if param else None
    return [CompletionItem(incomplete, type=kind)] if kind else []


def _ids(verb, args, incomplete):
    home = paths.home()
    named = [value for name, value in pairwise(args) if name == "--project"]
    folder = os.path.abspath(os.path.expanduser(named[-1]) if named else os.getcwd())
    if not home or not os.path.isdir(home) or not os.path.isdir(folder):
        return []
    found = ids.begun(folder, home, IDS[verb], incomplete, MOST)
    return [CompletionItem(memory_id, help=seen(f"{kind}: {title}")) for memory_id, kind, title in found]
