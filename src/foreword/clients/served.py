"""The health of a client that has our server, and maybe a text or skills, but no hooks. Cold.

Findings are as `clients.proof` describes them. Reads, starts the server once, and changes nothing.
"""

from foreword.clients import parts, proof
from foreword.clients.proof import FAILURE, OK
from foreword.edit import jsonc, plan
from foreword.errors import ForewordError


class Health:
    """What a health.py offers, for a client whose install.py is `install`."""

    def __init__(self, install):
        self.install, self.hint = install, "foreword install " + install.NAME

    def is_wired(self, home, folder=""):
        """Whether anything of ours is in the client, or an install is on record."""
        if plan.is_installed(home, self.install.NAME):
            return True
        for part in self._parts({}):
            try:
                if part.holds_ours(parts.text_of(part.path)):
                    return True
            except jsonc.MalformedError:
                pass  # ours is in no file that cannot be read
        return False

    def findings(self, home, folder="", is_empty=False):
        """Findings for a client that is wired, or was."""
        for part in self._parts(plan.records(home, self.install.NAME)):
            try:
                text = parts.text_of(part.path)
                yield from self._about(part, text)
            except jsonc.MalformedError as error:
                where = f"{part.path}:{error.line}:{error.column}"
                yield FAILURE, f"{where} cannot be read: {error.what}", "mend that line"
            except ForewordError as error:
                yield proof.refused(error)
        yield from proof.skills(self.install, home, self.hint)
        yield from proof.beside(self.install.NAME)

    def plugins(self):
        """[] : no client without hooks has a plugin of ours."""
        return []

    def wants_skills(self, home):
        """Whether wiring the client again should bring the skills too."""
        return proof.wants_skills(self.install, home)

    def _parts(self, records):
        made = self.install.parts(parts.Options(records=records))
        return [part for part in made if not part.is_skill]

    def _about(self, part, text):
        """Findings about one file that holds something of ours, or should."""
        if part.starts:
            yield from proof.entry_in(part, text, self.hint)
            return
        if not part.holds_ours(text):
            if part.with_ours(text) != text:
                yield FAILURE, f"{part.what} is not in {part.path}", self.hint
            return
        warned = part.warning(text)
        if warned:
            is_mended = part.with_ours(text) != text  # by an install: a second entry, say
            yield FAILURE, warned, self.hint if is_mended else "edit that file"
        elif part.with_ours(text) != text:
            yield FAILURE, f"{part.what} in {part.path} is not as this version writes it", self.hint
        else:
            yield OK, f"{part.what}: {part.path}", ""
