"""`npudoctor facts`: what was understood, without a judgement."""

import json


def test_a_fact_is_its_value_and_its_source(npudoctor):
    done = npudoctor("facts", "--sample", "a2-healthy", "--area", "driver")
    document = json.loads(done.stdout)
    assert document["schema"] == "npudoctor.facts/1"
    assert document["hosts"][0]["driver"]["version"]["value"] == "25.5.0"
    assert document["hosts"][0]["driver"]["version"]["source"]


def test_a_fact_that_could_not_be_read_says_why(npudoctor, tmp_path):
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "environment").write_text("A=1\n")
    done = npudoctor("facts", "--from", "bundle", "--area", "driver")
    assert json.loads(done.stdout)["hosts"][0]["driver"]["version"].keys() == {"unavailable"}


def test_all_areas_of_a_sample_can_be_shown(npudoctor):
    (host,) = json.loads(npudoctor("facts", "--sample", "a3-sick-die").stdout)["hosts"]
    assert {"npus", "driver", "cann", "environment", "network"} <= set(host)


def test_a_mistyped_area_is_named(npudoctor):
    done = npudoctor("facts", "--sample", "a2-healthy", "--area", "drivr")
    assert (done.returncode, done.stderr) == (2, "npudoctor: there is no area drivr; did you mean driver?\n")


def test_a_secret_of_the_environment_is_not_printed(npudoctor, tmp_path):
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "environment").write_text("DB_PASSWORD=pl01 with blanks\nA=b\n")
    done = npudoctor("facts", "--from", "bundle", "--area", "environment")
    assert '"DB_PASSWORD": "<redacted:token>"' in done.stdout
    assert "pl01" not in done.stdout
