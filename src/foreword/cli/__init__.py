"""The command line: click, one file a verb, text or --json. A face: calls `memory`, prints, exits.

The table names a module for each verb, so that only the one that runs is imported.
"""

import os
import sys

VERBS = {
    "install": "foreword.cli.cmd_install",
    "uninstall": "foreword.cli.cmd_uninstall",
    "status": "foreword.cli.cmd_status",
    "why": "foreword.cli.cmd_why",
    "doctor": "foreword.cli.cmd_doctor",
    "switch": "foreword.cli.cmd_switch",
    "report": "foreword.cli.cmd_report",
    "view": "foreword.cli.cmd_view",
    "search": "foreword.cli.cmd_search",
    "list": "foreword.cli.cmd_list",
    "show": "foreword.cli.cmd_show",
    "recall": "foreword.cli.cmd_recall",
    "save": "foreword.cli.cmd_save",
    "edit": "foreword.cli.cmd_edit",
    "pin": "foreword.cli.cmd_pin",
    "reject": "foreword.cli.cmd_reject",
    "archive": "foreword.cli.cmd_archive",
    "restore": "foreword.cli.cmd_restore",
    "delete": "foreword.cli.cmd_delete",
    "stale": "foreword.cli.cmd_stale",
    "dream": "foreword.cli.cmd_dream",
    "check": "foreword.cli.cmd_check",
    "quarantine": "foreword.cli.cmd_quarantine",
    "retention": "foreword.cli.cmd_retention",
    "redact": "foreword.cli.cmd_redact",
    "reindex": "foreword.cli.cmd_reindex",
    "graph": "foreword.cli.cmd_graph",
    "protocol": "foreword.cli.cmd_protocol",
    "skill": "foreword.cli.cmd_skill",
    "plugin": "foreword.cli.cmd_plugin",
    "serve": "foreword.cli.cmd_serve",
    "completion": "foreword.cli.cmd_completion",
}

# The same verbs as `foreword --help` lists them.
GROUPS = {
    "Everyday": ("search", "list", "show", "recall", "save", "status", "why", "switch", "report", "view"),
    "Memories": ("edit", "pin", "reject", "archive", "restore", "delete", "quarantine"),
    "Knowledge graph": ("graph",),
    "Upkeep": ("stale", "dream", "retention", "check", "redact", "reindex", "doctor", "completion"),
    "Clients": ("install", "uninstall", "protocol", "skill", "plugin", "serve"),
}

COMPLETE = "_FOREWORD_COMPLETE"  # set by click's completion scripts when they ask; never by a person


def main(arguments=None):
    """Run one command and end the process with its exit code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if asked := os.environ.get(COMPLETE):  # a shell: what could this word become?
        from foreword.cli import cmd_completion

        sys.exit(cmd_completion.answer(asked))
    if arguments[:1] == ["serve"] and not {"--help", "-h"} & set(arguments):
        # A client starts one server per session: click's 30 ms are kept out of it.
        from foreword.cli.cmd_serve import serve

        sys.exit(serve(arguments[1:]))
    from foreword.cli import root

    sys.exit(root.run(arguments))
