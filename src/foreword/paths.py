"""Where things are: the home of the store and its folders. Hot: strings and `os` only.

Nothing here touches the disk except `home()`'s look at the environment.
"""

import os

join = os.path.join


def user_home():
    """The user's home folder; "" when it cannot be told (no account, or a HOME that is no absolute
    path: what is relative to the current folder would end up in the user's repository)."""
    if os.environ.get("HOME") == "":
        return ""
    path = os.path.expanduser("~")
    return path if os.path.isabs(path) else ""


def home():
    """The store's folder: `FOREWORD_HOME`, else `~/.foreword`; "" when neither can be told."""
    chosen = os.environ.get("FOREWORD_HOME")
    if chosen:
        chosen = os.path.expanduser(chosen)
        # A relative one would be another store in every folder, some of them inside repositories.
        return os.path.normpath(chosen) if os.path.isabs(chosen) else ""
    user = user_home()
    return join(user, ".foreword") if user else ""


def project_folder(home, name):
    return join(home, "projects", name)


def project_label(name):
    """A project's name for people: that of its folder without the digits of its identity."""
    return name.rpartition("-")[0] or name


def everywhere(home):
    """Where the facts for every project are."""
    return join(home, "global")


def fired(home, client, event):
    """A file whose time tells when a client last ran a hook; empty."""
    return join(home, "state", "fired", client + "." + event)


def hook_log(home):
    return join(home, "log", "hook.log")


def by_path(home, key):
    return join(home, "state", "by-path", key + ".json")


def session_folder(home, key):
    """What one client session has waiting and has been shown; `key` is already a safe name."""
    return join(home, "state", "sessions", key)


def tombstones(home):
    return join(home, "state", "tombstones")
