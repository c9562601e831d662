"""torchair inside torch_npu: of the Python that has it, and not of another one."""

from __future__ import annotations

PACKAGES = "# /opt/venv/bin/python3 3.11.9\ntorch==2.9.0\ntorch_npu==2.9.0\n# /usr/bin/python3 3.9.9\n"
SITE = "/opt/venv/lib/python3.11/site-packages"
LISTED = "__init__.py\nconfigs\ncore\n"


def ls(site: str) -> str:
    return f"ls {site}/torch_npu/dynamo/torchair"


def pythons(host, commands):
    return host(commands=commands, packages=PACKAGES).python.interpreters.value


def test_the_folder_belongs_to_the_python_whose_site_it_is_in(host):
    mine, other = pythons(host, {ls(SITE): LISTED})

    assert mine.torchair.value == f"{SITE}/torch_npu/dynamo/torchair"
    assert not other.torchair.known


def test_its_own_site_comes_before_that_of_the_user(host):
    home = "/home/a/.local/lib/python3.11/site-packages"
    mine, _other = pythons(host, {ls(home): "empty\n", ls(SITE): LISTED})

    assert mine.torchair.value.startswith(SITE)
    assert pythons(host, {ls(home): LISTED})[0].torchair.value.startswith(home)


def test_a_folder_without_a_module_is_no_torchair(host):
    assert pythons(host, {ls(SITE): "\n"})[0].torchair.absent


def test_where_nobody_looked_it_is_not_known(host):
    fact = pythons(host, {})[0].torchair
    assert (fact.known, fact.absent) == (False, False)
