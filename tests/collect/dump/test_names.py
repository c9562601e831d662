from __future__ import annotations

import pytest

from npudoctor.collect.dump.names import is_source


@pytest.mark.parametrize(
    "name",
    [
        "train.py",
        "a/rt_error.h",
        "changelog.Debian.gz",
        "NEWS",
        "README.md",
        "x/METADATA",
        "nfs_prot.x",
        "cann/error_code.json",
        "node1.tar.gz/bundle/files/var/lib/npudoctor/steps/driver.json",
    ],
)
def test_code_and_documentation_is_known_by_its_name(name: str) -> None:
    assert is_source(name)


@pytest.mark.parametrize(
    "name",
    ["/usr/share/doc/gdb/check.log.gz", "usr/include/a", "x/site-packages/torch/a.txt", ".git/logs/HEAD"],
)
def test_folders_of_programs_are_known_by_their_names(name: str) -> None:
    assert is_source(name)


@pytest.mark.parametrize(
    "name",
    [
        "plog-1_20260102030405000.log",
        "dmesg",
        "device-0_20260102.log.gz",
        "npu-smi.txt",
        "news-server.log",
        "slog.2",
        "messages.1.old",
        "pod.yaml",
        "events.json",
        "rank_0",
        "stderr",
        "share/logs/doc.log",
        "doc/plog-1.log",
    ],
)
def test_whatever_may_be_a_log_is_read(name: str) -> None:
    assert not is_source(name)


@pytest.mark.parametrize("name", ["syslog.1", "messages.3", "kern.log.1", "a.log.5.gz"])
def test_a_log_that_was_rotated_is_read(name: str) -> None:
    assert not is_source(name)
