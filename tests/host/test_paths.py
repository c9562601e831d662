from npudoctor.host.paths import read_paths

LISTED = "ls -ld /usr/local/Ascend /usr/local/dcmi"
TEXT = """drwxr-xr-x 6 root root 4096 Mar  3 09:12 /usr/local/Ascend
ls: cannot access '/usr/local/dcmi': No such file or directory
"""


def test_a_listed_path_is_known_with_its_line(host):
    paths = read_paths(host(commands={LISTED: TEXT}).snapshot)

    ascend = paths.of("/usr/local/Ascend")
    assert (ascend.value.owner, ascend.value.mode) == ("root", 0o755)
    assert ascend.evidence[0].text.endswith("/usr/local/Ascend")


def test_a_path_that_ls_did_not_find_is_absent(host):
    assert read_paths(host(commands={LISTED: TEXT}).snapshot).of("/usr/local/dcmi").absent


def test_a_path_that_nobody_listed_is_not_collected(host):
    fact = read_paths(host(commands={LISTED: TEXT}).snapshot).of("/etc/hccn.conf")

    assert not fact.known
    assert not fact.absent


def test_text_that_is_no_listing_makes_nothing_known(host):
    paths = read_paths(host(commands={LISTED: "usage: ls [-l]"}).snapshot)

    assert not paths.of("/usr/local/Ascend").known


def test_two_listings_are_read_as_one(host):
    other = "-rw-r--r-- 1 root root 300 Mar  3 09:12 /etc/ascend_install.info\n"
    paths = read_paths(host(commands={LISTED: TEXT, "ls -ld /etc/ascend_install.info": other}).snapshot)

    assert paths.of("/etc/ascend_install.info").value.kind == "file"
    assert paths.of("/usr/local/Ascend").known
