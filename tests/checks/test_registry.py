"""The list of all checks."""

import pytest

from npudoctor.checks import registry
from npudoctor.checks.registry import all_checks, check

MUST_EXIST = (
    "driver.cann_pairing", "driver.firmware_pairing", "torch.torch_npu_pairing", "torch.cann_pairing",
    "torch.python_pairing", "limits.stack", "pcie.aspm", "memory.pool_size", "env.launch_blocking",
    "npu.health", "npu.visible", "container.devices", "container.host_driver_pairing", "fleet.version_drift",
)  # fmt: skip


@pytest.mark.parametrize("id", MUST_EXIST)
def test_the_ids_that_other_programs_rely_on_exist(id):
    assert id in {check.id for check in all_checks()}


def test_every_id_is_an_area_and_a_name_in_snake_case():
    for one in all_checks():
        area, _, name = one.id.partition(".")
        assert area in registry.AREAS
        assert name.isidentifier()
        assert name == name.lower()


def test_two_checks_cannot_have_one_id():
    with pytest.raises(ValueError, match=r"two checks have the id limits\.stack"):
        check("limits.stack", title="Again", sources=("a source",), dated="2026-08")(lambda host: None)


def test_a_check_of_no_known_area_is_refused():
    with pytest.raises(ValueError, match="the area must be one of"):
        check("weather.rain", title="It rains", sources=("a source",), dated="2026-08")(lambda host: None)
