"""What is installed, by the names that the matrix asks for."""

from pathlib import Path

from npudoctor.host.installed import chip_of, installed_of

CASES = Path(__file__).parents[1] / "parse" / "cases" / "npu-smi-info"


def test_the_stack_of_a_machine_is_what_could_be_read_of_it(host):
    machine = host(
        files={"/usr/local/Ascend/driver/version.info": "Version=25.5.0\n"},
        commands={"uname -a": "Linux node1 5.10.0 #1 SMP Mon Mar 4 10:00:00 UTC 2024 aarch64 GNU/Linux\n"},
        packages="# /opt/venv/bin/python3 3.11.9\ntorch==2.8.0\nnumpy==1.26.4\n",
    )

    installed = installed_of(machine)

    assert installed == {"driver": "25.5.0", "torch": "2.8.0", "python": "3.11.9", "arch": "aarch64"}


def test_a_family_without_a_chip_name_is_asked_for_by_a_name_that_stands_for_it(host):
    machine = host(
        commands={"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802]\n"}
    )

    assert chip_of(machine) == "910B1"


def test_a_910b_without_a_digit_is_of_the_first_generation(host):
    table = (CASES / "910-first-generation.txt").read_text(encoding="utf-8").replace("910A", "910B")
    machine = host(commands={"npu-smi info": table})

    assert chip_of(machine) == "Ascend910B"
