VERSION = "/usr/local/Ascend/driver/version.info"
FIRMWARE = "/usr/local/Ascend/firmware/version.info"
INSTALL = "/etc/ascend_install.info"
BOARD = """        NPU ID                         : 0
        Product Name                   : IT21X
        Software Version               : 24.1.0
        Firmware Version               : 7.5.0.3.220
        Compatibility                  : OK
"""
TITLE = "| npu-smi 24.1.0                   Version: 24.1.0                                       |\n"


def test_the_driver_on_disk_is_read_with_the_line_that_names_it(host):
    driver = host(files={VERSION: "Innerversion=V100R001C20\nVersion=24.1.0\n"}).driver

    assert driver.on_disk.value.version == "24.1.0"
    assert driver.on_disk.evidence[0].text == "Version=24.1.0"


def test_the_running_driver_counts_before_the_one_on_disk(host):
    driver = host(files={VERSION: "Version=25.0.rc1\n"}, commands={"npu-smi info": TITLE}).driver

    assert driver.version.value == "24.1.0"
    assert driver.running.evidence[0].source == "npu-smi info"


def test_a_masked_version_in_the_title_is_no_version(host):
    masked = TITLE.replace("24.1.0", "x.x.x")

    driver = host(files={VERSION: "Version=24.1.0\n"}, commands={"npu-smi info": masked}).driver

    assert not driver.running.known
    assert driver.version.value == "24.1.0"


def test_a_board_names_the_running_driver_where_the_table_does_not(host):
    driver = host(commands={"npu-smi info -t board -i 0": BOARD}).driver

    assert driver.running.value == "24.1.0"
    assert driver.running.evidence[0].source == "npu-smi info -t board -i 0"


def test_the_firmware_in_flash_counts_before_the_one_on_disk(host):
    commands = {"npu-smi info -t board -i 0": BOARD}

    driver = host(files={FIRMWARE: "Version=7.7.0.1.231\n"}, commands=commands).driver

    assert driver.firmware.value == "7.5.0.3.220"
    assert "Firmware Version" in driver.firmware.evidence[0].text


def test_without_a_board_the_firmware_on_disk_counts(host):
    assert host(files={FIRMWARE: "Version=7.7.0.1.231\n"}).driver.firmware.value == "7.7.0.1.231"


def test_a_driver_at_another_path_is_found_through_the_install_record(host):
    record = "UserName=npu\nUserGroup=npu\nDriver_Install_Path_Param=/opt/Ascend\n"

    driver = host(files={INSTALL: record, "/opt/Ascend/driver/version.info": "Version=24.1.0\n"}).driver

    assert driver.on_disk.value.version == "24.1.0"
    assert driver.recorded.value.version == "24.1.0"
    assert driver.install.evidence[0].text == "Driver_Install_Path_Param=/opt/Ascend"


def test_a_driver_that_was_looked_for_in_vain_is_absent(host):
    assert host(absent=[VERSION]).driver.on_disk.absent


def test_nothing_collected_is_unknown_and_not_absent(host):
    driver = host().driver

    for fact in (driver.version, driver.firmware, driver.on_disk, driver.modules, driver.messages):
        assert not fact.known
        assert not fact.absent


def test_the_warning_of_an_incomplete_driver_is_found_in_an_output_without_a_table(host):
    text = "[WARNING]The driver package may not be completely installed, which may cause function abnormal.\n"

    driver = host(commands={"npu-smi info": text}).driver

    assert driver.incomplete_warning.value is True
    assert driver.incomplete_warning.evidence[0].text.startswith("[WARNING]")


def test_modules_come_from_lsmod_or_from_proc(host):
    lsmod = host(commands={"lsmod": "Module Size Used by\ndrv_pcie_host 438272 2 drv_devmng_host\n"})
    proc = host(files={"/proc/modules": "drv_pcie_host 438272 2 - Live 0x0\n"})

    assert lsmod.driver.modules.value == proc.driver.modules.value == {"drv_pcie_host"}


def test_comments_in_the_list_of_library_folders_are_no_folders(host):
    text = "# written by the installer\n/usr/local/Ascend/driver/lib64/driver/\n"

    driver = host(files={"/etc/ld.so.conf.d/ascend_driver_so.conf": text}).driver

    assert driver.library_folders.value == ("/usr/local/Ascend/driver/lib64/driver",)
