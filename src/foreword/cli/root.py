"""The root command: finds the verb, turns errors into one line, a hint and an exit code."""

import importlib
import io
import os
import sys
import traceback

import click

from foreword import __version__
from foreword.cli import GROUPS, VERBS
from foreword.errors import BUG, DONE, USAGE, ForewordError

STOPPED = 130  # what shells report for a program that Ctrl-C ended


class Verbs(click.Group):
    """Loads a verb's module only when it is asked for."""

    def list_commands(self, ctx):
        return list(VERBS)

    def get_command(self, ctx, cmd_name):
        module = VERBS.get(cmd_name)
        return importlib.import_module(module).command if module else None

    def format_commands(self, ctx, formatter):
        """The verbs by group, each with the whole first sentence of its help, in one column."""
        wide = max(map(len, VERBS))
        for heading, verbs in GROUPS.items():
            with formatter.section(heading):
                told = [(verb.ljust(wide), _sentence(self.get_command(ctx, verb))) for verb in verbs]
                formatter.write_dl(told)

    def resolve_command(self, ctx, args):
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], VERBS, n=1) if args else []
            if near:
                raise click.UsageError(f"{error.message} Did you mean {near[0]}?", ctx) from error
            raise


def _sentence(command):
    first = " ".join((command.help or "").split("\n\n")[0].split())
    return first.partition(". ")[0].rstrip(".") + "."


@click.command(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="foreword")
def cli():
    """A memory for coding agents that lasts between sessions.

    What one session found out, the next one is offered before it starts: plain files in
    ~/.foreword, no daemon, no model call, no network.

    Start with: foreword install
    """


def run(arguments):
    """Run a command line; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None when the caller closed it
            stream.reconfigure(errors="backslashreplace")  # no letter may end a command
    try:
        return cli.main(args=arguments, prog_name="foreword", standalone_mode=False) or DONE
    except ForewordError as error:
        _tell(error.message, error.hint)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return USAGE
    except click.Abort:
        click.echo("stopped, nothing more was done", err=True)
        return STOPPED
    except SystemExit:  # click's answer to a reader that left (`| head`), which is no error
        _silence()
        return DONE
    except OSError as error:  # a full or read-only disk, a file of somebody else: no bug of ours
        where = f"{error.filename}: " if error.filename else ""
        _tell(f"{where}{error.strerror or error}", "foreword doctor")
        return USAGE
    except Exception:  # noqa: BLE001  our bug: show it whole, end with its own exit code
        traceback.print_exc()
        click.echo(f"error: this is a bug in Foreword {__version__}", err=True)
        return BUG
    finally:
        _flush()


def _tell(message, hint):
    click.echo("error: " + message, err=True)
    if hint:
        click.echo("hint: " + hint, err=True)


def _flush():
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _silence()


def _silence():
    """What is still to be printed goes nowhere: the interpreter flushes once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
