"""Settings of a host, each with its place, and what was there before the first change of ours.

A *place* is somewhere on the host where one text stands (a line of a file, a word of the kernel's command line, a
file under /sys). It has

```
read()        the text that counts there now; None where nothing is set
own()         the text in what we may edit: what is remembered, and put back
write(text)   make it so; None takes it away
settle()      after all writes: what makes them count (reload, generate)
pending()     why what is written does not count yet; empty where it does
obstacle()    what keeps a change from counting: see `component.blocker`; None
```

What was there before is kept in `originals/<component>.json` of the state, written before the first change. Switched
off, or undone, a setting goes back to it, unless somebody else has changed it since.
"""

from __future__ import annotations

import os

from ansible_collections.npudoctor.ascend.plugins.module_utils.component import Component, Done, Failure, difference
from ansible_collections.npudoctor.ascend.plugins.module_utils.state import read_json, write_json

NOTHING = "(not set)"


class Place:
    """Somewhere on the host where one text stands."""

    def read(self):
        """The text that counts now; None where nothing is set."""
        raise NotImplementedError

    def own(self):
        """The text in what we may edit."""
        return self.read()

    def write(self, text) -> None:
        """Make it so; None takes it away."""
        raise NotImplementedError

    def settle(self) -> None:
        """Make what was written count."""

    def pending(self) -> str:
        """Why what is written does not count yet."""
        return ""

    def obstacle(self):
        """What keeps a change from counting; None where nothing does."""


class Setting:
    """One thing that a component sets.

    Attributes:
        key: Its name, within the component.
        place: Where it stands.
        wanted: The text that it shall have.
        why: One sentence.
        enough: Whether a text will do as well; by default only the wanted one does.
    """

    def __init__(self, key: str, place: Place, wanted: str, why: str, enough=None) -> None:
        self.key = key
        self.place = place
        self.wanted = wanted
        self.why = why
        self.enough = enough or (lambda text: text == wanted)

    def right(self) -> bool:
        """Whether it is as it shall be, and counts."""
        text = self.place.read()
        return text is not None and self.enough(text) and not self.place.pending()


class Originals:
    """What stood in each place before the first change of ours, and what we wrote there."""

    def __init__(self, state, component: str) -> None:
        self.path = os.path.join(state.home, "originals", component + ".json")
        self.state = state
        self.rows = read_json(self.path)

    def remember(self, key: str, before, wrote: str) -> None:
        """Before a change: what is there, once; what will be there, each time."""
        row = self.rows.get(key, {"before": before})
        self._keep(dict(self.rows, **{key: dict(row, wrote=wrote)}))

    def note(self, key: str, **more: object) -> None:
        """Something else to know of a setting that was remembered."""
        self._keep(dict(self.rows, **{key: dict(self.rows[key], **more)}))

    def forget(self, key: str) -> None:
        """After it was put back."""
        self._keep({name: row for name, row in self.rows.items() if name != key})

    def _keep(self, rows: dict) -> None:
        if rows == self.rows:
            return
        self.state.folder("originals")
        write_json(self.path, rows)
        self.rows = rows


class SettingsComponent(Component):
    """A component that is made of settings. A subclass says which it wants and which it can ever have."""

    def __init__(self, module) -> None:
        super().__init__(module)
        self.originals = Originals(self.state, self.name)

    def settings(self) -> list:
        """What is wanted here."""
        raise NotImplementedError

    def place(self, key: str):
        """The place of a setting that was made before and is not wanted any more; None where it is gone."""
        raise NotImplementedError

    def left_alone(self, key: str) -> bool:
        """Whether a setting is neither made nor put back in this call."""
        return False

    def look(self) -> dict:
        """Each wanted setting as it is."""
        return {setting.key: _shown(setting.place.read()) for setting in self.settings()}

    def differences(self, now: dict, back: bool) -> list:
        """What is not as wanted, or not as it was before."""
        wanted = [] if back else self.settings()
        found = [self._difference(setting) for setting in wanted if not setting.right()]
        return found + self._to_put_back({setting.key for setting in wanted})

    def blockers(self, now: dict, back: bool) -> list:
        """What keeps a wanted setting from counting."""
        if back:
            return []
        found = [setting.place.obstacle() for setting in self.settings() if not setting.right()]
        return [each for each in found if each]

    def unless_to_come(self, found: dict) -> list:
        """A blocker that an earlier step of the same play takes away; check mode, where none ran, only names it."""
        if not self.module.check_mode:
            return [found]
        self.module.warn(found["message"])
        return []

    def change(self, now: dict, differences: list, back: bool) -> Done:
        """Write what differs, then make it count."""
        names = {each["what"].split(".", 1)[1] for each in differences}
        wanted = {} if back else {setting.key: setting for setting in self.settings() if setting.key in names}
        places = [self._write(wanted.get(name), name) for name in sorted(names, key=_running_last)]
        for place in places:
            place.settle()
        for name in names - set(wanted):
            self.originals.forget(name)
        return Done()

    def _write(self, setting, key: str) -> Place:
        place = setting.place if setting else self.place(key)
        try:
            if setting is None:
                place.write(self.originals.rows[key]["before"])
            elif place.read() is None or not setting.enough(place.read()):
                self.originals.remember(key, place.own(), setting.wanted)
                place.write(setting.wanted)
        except OSError as error:
            raise Failure("not-writable", "{0}.{1}: {2}".format(self.name, key, error), "") from error
        return place

    def _difference(self, setting: Setting) -> dict:
        before = ", ".join(filter(None, (_shown(setting.place.read()), setting.place.pending())))
        return difference("{0}.{1}".format(self.name, setting.key), before, setting.wanted, setting.why)

    def _to_put_back(self, wanted: set) -> list:
        found = []
        for key, row in sorted(self.originals.rows.items()):
            place = None if key in wanted or self.left_alone(key) else self.place(key)
            if place is None or row["wrote"] == row["before"]:
                continue
            what = "{0}.{1}".format(self.name, key)
            if place.own() == row["wrote"] or (place.own() == row["before"] and place.pending()):
                found.append(difference(what, row["wrote"], _shown(row["before"]), "as it was before"))
            elif place.own() != row["before"]:
                self.module.warn("{0} is {1}: somebody else set it, so it stays".format(what, _shown(place.own())))
        return found


def _shown(text) -> str:
    return NOTHING if text is None else text


def _running_last(key: str) -> tuple:
    """What lasts is written before what runs now: a power loss between the two leaves no setting without a trace."""
    return (not key.endswith("_at_boot"), key)
