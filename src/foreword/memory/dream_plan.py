"""The plan that comes back from a dream: its shape, before anything is looked up. Pure.

Whoever wrote it (a model, mostly) is told every fault at once, each with the action it stands in.
"""

from foreword.digest import of_answer
from foreword.store import layout
from foreword.text.budget import cut
from foreword.text.unkept import kept

# What an action may hold beside `do`: the keys it needs, then those it may have. `why` is for its reader.
SHAPES = {
    "archive": (("ids",), ("why",)),
    "merge": (("ids", "title", "body"), ("type", "tags", "global", "why")),
    "update": (("ids", "body"), ("title", "tags", "why")),
    "keep": (("ids",), ("why",)),
}
TITLE = 200  # characters; as memory.save cuts it


class Action:
    """One thing to do, checked: do, ids, and for a merge or an update title, body, digest (of the body as it
    will be saved), type ("" for that of the first), tags (None for those of the old ones), everywhere (None
    where the plan does not say)."""

    __slots__ = ("body", "digest", "do", "everywhere", "ids", "tags", "title", "type")

    def __init__(self, do, ids):
        self.do, self.ids = do, ids
        self.title = self.body = self.digest = self.type = ""
        self.tags: list[str] | None = None
        self.everywhere: bool | None = None


def read(plan):
    """(run id, [Action], [faults, a phrase each]) of what JSON gave."""
    if not isinstance(plan, dict):
        return "", [], ["a plan is an object with `run` and `actions`"]
    faults = [f"`{cut(str(key), 40)}` is no part of a plan" for key in plan if key not in ("run", "actions")]
    run, listed = plan.get("run"), plan.get("actions")
    if not layout.is_id(run):
        faults.append("`run` is missing" if run is None else "`run` is no run's id")
        run = ""
    if not isinstance(listed, list) or not listed:
        nothing = "is missing" if listed is None else "is empty" if listed == [] else "is no list"
        faults.append("`actions` " + nothing)
        listed = []
    actions, seen = [], {}
    for number, given in enumerate(listed, 1):
        where = f"action {number}"
        action, wrong = _action(given)
        faults += [f"{where}: {told}" for told in wrong]
        if action is None:
            continue
        actions.append(action)
        for memory_id in action.ids:
            if memory_id in seen:
                faults.append(f"{where}: {memory_id} stands in {seen[memory_id]} already")
            seen[memory_id] = where
    return run, actions, faults


def _action(given):
    """(Action or None, [faults]) of one action."""
    if not isinstance(given, dict):
        return None, ["it is no object"]
    do = given.get("do")
    if not isinstance(do, str) or do not in SHAPES:
        return None, ["`do` is one of " + ", ".join(SHAPES)]
    needed, more = SHAPES[do]
    given = {("ids" if key == "id" else key): value for key, value in given.items()}
    wrong = [f"{do} has no `{cut(str(key), 40)}`" for key in given if key not in ("do", *needed, *more)]
    wrong += [f"`{key}` is missing" for key in needed if given.get(key) is None]
    ids, told = _ids(given.get("ids"), do)
    wrong += told
    action = Action(do, ids)
    for key in ("title", "body", "type", "why"):
        value = given.get(key)
        if isinstance(value, str) and key != "why":
            setattr(action, key, value)
        elif value is not None and not isinstance(value, str):
            wrong.append(f"`{key}` is a string")
    everywhere = given.get("global")
    if everywhere is None or isinstance(everywhere, bool):
        action.everywhere = everywhere
    else:
        wrong.append("`global` is true or false")
    empty = _text(action)
    wrong += [told for told in empty if isinstance(given.get(told.split("`")[1]), str)]
    if action.type not in ("", "fact", "session"):
        wrong.append("`type` is fact or session")
    tags = given.get("tags")
    if isinstance(tags, str):
        tags = [tag.strip() for tag in tags.split(",") if tag.strip()]
    if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags):
        action.tags = tags
    elif tags is not None:
        wrong.append("`tags` is a list of strings")
    return action, wrong


def _ids(value, do):
    """(ids, [faults]); one id may come without a list."""
    ids = [value] if isinstance(value, str) else value
    if ids is None:
        return [], []
    if not isinstance(ids, list) or not ids:
        return [], ["`ids` is a list of ids"]
    wrong = [f"{cut(repr(one), 40)} is no id" for one in ids if not layout.is_id(one)]
    known = list(dict.fromkeys(one for one in ids if layout.is_id(one)))
    if do == "update" and len(known) > 1:
        wrong.append("an update is of one memory; merge puts several together")
    if do == "merge" and len(known) == 1:
        wrong.append("a merge is of two memories or more; update changes one")
    return known, wrong


def _text(action):
    """Sets the title and the digest as they will be saved; what keeps the text from being saved."""
    action.title = cut(" ".join(action.title.split()), TITLE)
    if action.do not in ("merge", "update"):
        return []
    wrong = []
    body = action.body.replace("\r\n", "\n").encode("utf-8", "replace").decode().strip("\n")
    body = kept(body, layout.ANSWER_LIMIT)
    action.digest = of_answer(body)
    if not body.strip():
        wrong.append("`body` is empty")
    if action.do == "merge" and not action.title:
        wrong.append("`title` is empty")
    if len(body) > layout.ANSWER_LIMIT:
        told = "`body` has %d characters, a memory holds %d"
        wrong.append(told % (len(body), layout.ANSWER_LIMIT))
    return wrong
