"""`foreword check`."""

import click

from foreword import memory
from foreword.cli.output import counted, json_option, opened, project_option, put, put_json
from foreword.errors import DAMAGED, DONE


@click.command("check")
@project_option
@json_option
def command(path, as_json):
    """Read every memory and the index; report what is wrong.

    Nothing is changed. Exit code 5 when something is damaged.
    """
    found = memory.check(opened(path))
    if as_json:
        put_json(found)
    else:
        for finding in found["findings"]:
            put("{}: {}".format(finding["where"], finding["what"]))
            if finding["hint"]:
                put("    hint: " + finding["hint"])
        read, findings = counted(found["memories"], "memory"), counted(len(found["findings"]), "finding")
        put(f"{read} read, {findings}")
    return DAMAGED if found["findings"] else DONE
