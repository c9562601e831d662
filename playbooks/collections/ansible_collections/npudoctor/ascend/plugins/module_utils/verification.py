"""What is verified of a whole host, after all components: each check passes, fails, or says what it lacked."""

from __future__ import annotations

import os

from ansible_collections.npudoctor.ascend.plugins.module_utils import atb, cann, npus
from ansible_collections.npudoctor.ascend.plugins.module_utils.npu_trial import attempt
from ansible_collections.npudoctor.ascend.plugins.module_utils.operators import family, operators
from ansible_collections.npudoctor.ascend.plugins.module_utils.rebooting import on_disk
from ansible_collections.npudoctor.ascend.plugins.module_utils.shell_environment import after_sourcing
from ansible_collections.npudoctor.ascend.plugins.module_utils.tools import Tools
from ansible_collections.npudoctor.ascend.plugins.module_utils.venv import Venv

PASS, FAIL, UNVERIFIED = "pass", "fail", "unverified"
_FIELDS = {"driver": "Software Version", "firmware": "Firmware Version"}


class Check:
    """One check: `what` was looked at, its `status`, and the words for it."""

    def __init__(self, what: str, status: str, text: str) -> None:
        self.what = what
        self.status = status
        self.text = text

    def row(self) -> dict:
        """As modules answer it."""
        return {"what": self.what, "status": self.status, "text": self.text}


class Verification:
    """The checks of one host. `versions` are those wanted, by key of the stack; `trying`: whether NPUs may be used."""

    def __init__(self, state, params: dict, trying: bool) -> None:
        self.state = state
        self.versions = {key: str(value) for key, value in params["versions"].items()}
        self.params = params
        self.trying = trying
        self.ascend = state.host(params["install_path"])
        self.tree = cann.current(cann.trees(self.ascend))
        self.npus = npus.Npus()
        self.chips = npus.table()[0]

    def all(self) -> list:
        """Every check, in the order of what builds on what."""
        return [
            *(check for name in _FIELDS for check in self._hdk(name)),
            self._cann(),
            self._operators(),
            self._nnal(),
            *self._python(),
            *self._present(),
            *self._trials(),
        ]

    # Versions

    def _hdk(self, name: str) -> list:
        disk = self._version(name + " on disk", name, on_disk(self.state, name))
        running = self.npus.field(_FIELDS[name])
        if name in self.versions and not running:
            text = "npu-smi names no {0}: {1}".format(name, self.npus.said or "it is not there")
            return [disk, Check(name + " running", FAIL, text)]
        return [disk, self._version(name + " running", name, running)]

    def _cann(self) -> Check:
        if self.tree and self.tree.missing:
            return Check("CANN", FAIL, "{0} is missing".format(self.tree.missing[0]))
        return self._version("CANN", "cann", self.tree.version if self.tree else "")

    def _operators(self) -> Check:
        chip = family(self.params["chip"])
        if not chip:
            return Check("operators", UNVERIFIED, "operators: the stack names no chip")
        rows = operators(self.tree.folder) if self.tree else []
        row = next((each for each in rows if each.chip == chip), None)
        if row and row.missing:
            return Check("operators", FAIL, "operators for {0}: {1} is missing".format(chip, row.missing[0]))
        return self._version("operators for {0}".format(chip), "cann", row.version if row else "")

    def _nnal(self) -> Check:
        abi = self.versions.get("nnal_abi", "")
        if not abi:
            return Check("NNAL", UNVERIFIED, "NNAL: the stack names none")
        now = next((each for each in atb.versions(self.ascend) if each.in_use), None)
        if now and abi not in now.abis:
            return Check("NNAL", FAIL, "NNAL {0} has no build for C++ ABI {1}".format(now.version, abi))
        return self._version("NNAL", "cann", now.version if now else "")

    def _python(self) -> list:
        packages = Venv(os.path.dirname(os.path.dirname(self.params["python"]))).packages()
        keys = (("torch", "torch"), ("torch_npu", "torch-npu"))
        return [
            self._version(key, key, _plain(packages.get(project, ""), self.versions.get(key, "")))
            for key, project in keys
        ]

    def _version(self, what: str, key: str, found: str) -> Check:
        wanted = self.versions.get(key)
        if not wanted:
            return Check(what, UNVERIFIED, "{0}: the stack names no version".format(what))
        if found == wanted:
            return Check(what, PASS, "{0} is {1}".format(what, found))
        return Check(what, FAIL, "{0} is {1}, wanted {2}".format(what, found or "absent", wanted))

    # NPUs

    def _present(self) -> list:
        on_pci, chips = npus.pci_count(), len(self.chips)
        if not on_pci:
            return [Check("NPUs", UNVERIFIED, "NPUs: lspci shows none on this host")]
        status = PASS if chips == on_pci else FAIL
        sick = ["NPU {0} is {1}".format(*chip) for chip in self.chips if chip[1] != "OK"]
        return [
            Check("NPUs", status, "{0} of {1} on PCI are up".format(chips, on_pci)),
            Check("health", FAIL if sick else PASS, ", ".join(sick) or "all NPUs are OK"),
        ]

    def _trials(self) -> list:
        parts = ("import acl", "a tensor on every NPU", "HCCL all-reduce")
        why = self._why_not()
        if why:
            return [Check(part, UNVERIFIED, "{0}: {1}".format(part, why)) for part in parts]
        return [check for trial in (self._acl, self._tensors, self._reduce) for check in [trial()]]

    def _why_not(self) -> str:
        """Why nothing is tried on the NPUs; empty where it is."""
        if not self.trying:
            return "nothing is run on the NPUs in check mode, nor in an image"
        if not self.tree:
            return "there is no CANN"
        users = npus.users(self.state)
        return "NPUs are in use by {0}".format(", ".join(users)) if users else ""

    def _acl(self) -> Check:
        trial = self._attempt("acl")
        if not trial.answer:
            return Check("import acl", FAIL, "import acl: {0}".format(trial.said))
        text = "acl {version} from {file}, acl.init answers {init}".format(**trial.answer)
        inside = trial.answer["file"].startswith(os.path.realpath(self.tree.folder) + os.sep)
        if not inside:
            return Check("import acl", FAIL, text + ": that is not the CANN in use")
        if trial.answer["init"] and not self.chips:
            return Check("import acl", UNVERIFIED, text + ": no NPU is up")
        return Check("import acl", FAIL if trial.answer["init"] else PASS, text)

    def _tensors(self) -> Check:
        what = "a tensor on every NPU"
        why = self._without_torch() or ("" if self.chips else "no NPU is up")
        if why:
            return Check(what, UNVERIFIED, "{0}: {1}".format(what, why))
        trial = self._attempt("tensors")
        if not trial.answer:
            return Check(what, FAIL, "{0}: {1}".format(what, trial.said))
        found = trial.answer["npus"]
        wrong = ["NPU {0}: {1}".format(number, said) for number, said in enumerate(found) if said]
        if len(found) != len(self.chips):
            wrong.append("torch_npu sees {0} NPUs, npu-smi {1}".format(len(found), len(self.chips)))
        return Check(what, FAIL if wrong else PASS, "; ".join(wrong) or "{0}: {1} added up".format(what, len(found)))

    def _reduce(self) -> Check:
        what = "HCCL all-reduce"
        why = self._without_torch() or (
            "" if len(self.chips) > 1 else "it takes two NPUs, {0} is up".format(len(self.chips))
        )
        if why:
            return Check(what, UNVERIFIED, "{0}: {1}".format(what, why))
        trial = self._attempt("all_reduce")
        if not trial.answer:
            return Check(what, FAIL, "{0}: {1}".format(what, trial.said))
        ranks = trial.answer["ranks"]
        wrong = ["rank {0}: {1}".format(number, said) for number, said in enumerate(ranks) if said]
        return Check(what, FAIL if wrong else PASS, "; ".join(wrong) or "{0}: {1} ranks agree".format(what, len(ranks)))

    def _without_torch(self) -> str:
        if "torch_npu" in self.versions or os.access(self.params["python"], os.X_OK):
            return ""
        return "{0} is not there, and the stack names no torch_npu".format(self.params["python"])

    def _attempt(self, part: str):
        python = self.params["python"] if os.access(self.params["python"], os.X_OK) else "python3"
        environment = after_sourcing(Tools(self.state), cann.set_env(self.ascend, self.tree))
        return attempt(part, python, environment, self.params["seconds"])


def _plain(found: str, wanted: str) -> str:
    """A version without a build label (`+cpu`) that nobody asked for."""
    return found if "+" in wanted else found.partition("+")[0]
