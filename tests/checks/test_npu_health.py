from pathlib import Path

import pytest

from npudoctor.checks import npu_health

CASES = Path(__file__).parents[1] / "parse" / "cases"
LSPCI = "c1:00.0 Processing accelerators [1200]: Huawei Technologies Co., Ltd. Device [19e5:d802] (rev 20)\n"
CHECKS = (
    npu_health.health, npu_health.ecc, npu_health.temperature, npu_health.fault_events,
    npu_health.faulty_chips, npu_health.lost,
)  # fmt: skip


def text(kind, name):
    return (CASES / kind / f"{name}.txt").read_text(encoding="utf-8")


HEALTHY = text("npu-smi-info", "910b-with-processes").replace("Warning", "OK     ")


@pytest.fixture
def a2(host):
    """Two healthy 910B3."""

    def make(**changes):
        commands = {"npu-smi info": HEALTHY, "lspci -nn": LSPCI, "dmesg": "[    1.0] booted\n"}
        return host(commands={**commands, **changes})

    return make


@pytest.mark.parametrize("check", CHECKS)
def test_a_machine_without_npus_is_skipped(check, host, judge):
    bare = host(
        commands={"lspci -nn": "00:00.0 Host bridge [0600]: Intel [8086:09a2]\n", "ls -l /dev": "total 0\n"}
    )

    assert judge(check, bare).status == "skip"


@pytest.mark.parametrize("check", [check for check in CHECKS if check is not npu_health.fault_events])
def test_an_empty_bundle_is_unknown(check, host, judge):
    assert judge(check, host()).status == "unknown"


class TestHealth:
    def test_all_ok_passes(self, a2, judge):
        assert judge(npu_health.health, a2()).status == "pass"

    @pytest.mark.parametrize(
        ("word", "status"), [("Alarm", "fail"), ("Critical", "fail"), ("Warning", "warn")]
    )
    def test_the_drivers_word_decides_and_the_chip_is_named(self, a2, judge, word, status):
        sick = HEALTHY.replace("| OK            | 97.2", f"| {word:13} | 97.2")

        finding = judge(npu_health.health, a2(**{"npu-smi info": sick}))

        assert (finding.status, finding.actual) == (status, f"NPU 1: {word}")
        assert finding.evidence[0].text.startswith(f"| 1 910B3 | {word}")

    @pytest.mark.parametrize("word", ["UNKNOWN", "0K", ""])
    def test_a_word_that_says_nothing_is_unknown(self, a2, judge, word):
        odd = HEALTHY.replace("| OK            | 97.2", f"| {word:13} | 97.2")

        assert judge(npu_health.health, a2(**{"npu-smi info": odd})).status == "unknown"

    def test_the_second_die_of_an_a3_module_counts(self, a2, judge):
        finding = judge(npu_health.health, a2(**{"npu-smi info": text("npu-smi-info", "a3-two-dies")}))

        assert (finding.status, finding.actual) == ("fail", "NPU 1 chip 1: Alarm")

    def test_codes_are_shown_where_they_were_asked_for(self, a2, judge):
        asked = text("npu-smi-health", "alarm-with-three-messages")

        finding = judge(npu_health.health, a2(**{"npu-smi info -t health -i 1": asked}))

        assert finding.status == "fail"
        assert "A4025021" in finding.actual

    def test_ok_chips_of_a_cut_off_table_are_not_a_pass(self, a2, judge):
        cut = HEALTHY[: HEALTHY.index("| 1     910B3")]
        cut = cut[: cut.rindex("+==")]

        assert judge(npu_health.health, a2(**{"npu-smi info": cut})).status == "unknown"


def ecc_of_both(answer):
    return {f"npu-smi info -t ecc -i {npu}": answer for npu in (0, 1)}


class TestEcc:
    def test_no_double_bit_error_passes(self, a2, judge):
        clean = text("npu-smi-ecc", "950")

        assert judge(npu_health.ecc, a2(**ecc_of_both(clean))).status == "pass"

    def test_an_npu_that_nobody_asked_is_not_clean(self, a2, judge):
        clean = text("npu-smi-ecc", "950")

        assert judge(npu_health.ecc, a2(**{"npu-smi info -t ecc -i 0": clean})).status == "unknown"

    def test_a_count_without_digits_is_not_zero(self, a2, judge):
        damaged = text("npu-smi-ecc", "910b").replace("Count               : 1", "Count               : ?")

        assert judge(npu_health.ecc, a2(**ecc_of_both(damaged))).status == "unknown"

    def test_a_double_bit_error_since_the_start_fails(self, a2, judge):
        finding = judge(npu_health.ecc, a2(**{"npu-smi info -t ecc -i 1": text("npu-smi-ecc", "910b")}))

        assert finding.status == "fail"
        assert finding.evidence[0].text == "HBM Double Bit Error Count : 1"

    def test_an_old_double_bit_error_warns(self, a2, judge):
        old = text("npu-smi-ecc", "910b").replace("HBM Double Bit Error Count               : 1", "X : 1")

        assert judge(npu_health.ecc, a2(**{"npu-smi info -t ecc -i 1": old})).status == "warn"

    def test_an_answer_that_is_no_count_is_unknown(self, a2, judge):
        assert judge(npu_health.ecc, a2(**{"npu-smi info -t ecc -i 1": "hello\n"})).status == "unknown"

    def test_a_chip_that_does_not_report_them_is_skipped(self, a2, judge):
        refused = "This device does not support querying ecc.\n"

        assert judge(npu_health.ecc, a2(**ecc_of_both(refused))).status == "skip"


class TestTemperature:
    def test_cool_chips_pass_and_the_highest_is_told(self, a2, judge):
        finding = judge(npu_health.temperature, a2())

        assert (finding.status, finding.actual) == ("pass", "at most 44 C")

    @pytest.mark.parametrize(("degrees", "expected"), [("81", "< 80 C"), ("93", "< 90 C")])
    def test_a_hot_chip_warns_with_the_limit_that_it_broke(self, a2, judge, degrees, expected):
        hot = HEALTHY.replace("97.2        44", f"97.2        {degrees}")

        finding = judge(npu_health.temperature, a2(**{"npu-smi info": hot}))

        assert (finding.status, finding.expected) == ("warn", expected)
        assert finding.actual == f"NPU 1: {degrees} C"

    def test_a_chip_at_80_degrees_is_not_too_hot(self, a2, judge):
        warm = HEALTHY.replace("97.2        44", "97.2        80")

        assert judge(npu_health.temperature, a2(**{"npu-smi info": warm})).status == "pass"

    def test_chips_that_measure_nothing_are_unknown(self, a2, judge):
        blind = HEALTHY.replace("93.7        41", "93.7        NA").replace(
            "97.2        44", "97.2        0 "
        )

        assert judge(npu_health.temperature, a2(**{"npu-smi info": blind})).status == "unknown"


class TestFaultEvents:
    ASK = "npu-smi info -t current-fault-event -i 0"

    def test_no_event_passes(self, a2, judge):
        none = text("npu-smi-current-fault-event", "none")

        assert judge(npu_health.fault_events, a2(**{self.ASK: none})).status == "pass"

    @pytest.mark.parametrize(("severity", "status"), [("1", "pass"), ("2", "warn"), ("3", "fail")])
    def test_the_severity_decides(self, a2, judge, severity, status):
        event = text("npu-smi-current-fault-event", "one-event").replace("severity=2", f"severity={severity}")

        assert judge(npu_health.fault_events, a2(**{self.ASK: event})).status == status

    def test_a_driver_without_that_question_is_skipped(self, a2, judge):
        assert judge(npu_health.fault_events, a2()).status == "skip"


class TestFaultyChips:
    DUO = text("npu-smi-info", "310p-duo")

    def test_a_counted_chip_fails(self, a2, judge):
        board = text("npu-smi-board", "310p-duo-with-a-faulty-chip")

        finding = judge(
            npu_health.faulty_chips, a2(**{"npu-smi info": self.DUO, "npu-smi info -t board -i 2944": board})
        )

        assert (finding.status, finding.actual) == ("fail", "NPU 2944: 1")

    def test_zero_passes(self, a2, judge):
        board = text("npu-smi-board", "310p-duo-with-a-faulty-chip").replace(
            "Fault                     : 1", "Fault : 0"
        )
        duo = a2(**{"npu-smi info": self.DUO, "npu-smi info -t board -i 2944": board})

        assert judge(npu_health.faulty_chips, duo).status == "pass"

    def test_cards_of_one_chip_are_skipped(self, a2, judge):
        assert judge(npu_health.faulty_chips, a2()).status == "skip"


class TestLost:
    def test_npus_that_answer_pass(self, a2, judge):
        assert judge(npu_health.lost, a2()).status == "pass"

    def test_a_device_that_reads_as_ones_fails(self, a2, judge):
        finding = judge(npu_health.lost, a2(**{"lspci -nn": LSPCI.replace("rev 20", "rev ff")}))

        assert finding.status == "fail"
        assert finding.action == "reseat"

    def test_an_invalid_card_id_fails(self, a2, judge):
        gone = text("npu-smi-board", "card-gone")

        finding = judge(npu_health.lost, a2(**{"npu-smi info -t board -i 0": gone}))

        assert (finding.status, finding.actual) == ("fail", "Invalid card id.")

    def test_an_abnormal_device_in_the_kernel_log_fails_once_a_device(self, a2, judge):
        line = "[  456.3] [ascend] [drv_pcie] [devdrv_sync 1239] <k:1> Device is abnormal. (dev_id=5; x=3)\n"

        finding = judge(npu_health.lost, a2(dmesg=line + line))

        assert finding.status == "fail"
        assert len(finding.evidence) == 1

    def test_without_lspci_it_is_unknown(self, host, judge):
        assert judge(npu_health.lost, host(commands={"npu-smi info": HEALTHY})).status == "unknown"
