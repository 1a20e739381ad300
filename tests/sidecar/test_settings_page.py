"""docs/user/settings.md names every key that is read."""

import re
from pathlib import Path

from eyewall_deploy.doctor.storm_yaml import TOPOLOGY_KEYS
from eyewall_sidecar.storm.settings import KEYS

ROOT = Path(__file__).parents[2]
SHIM = ROOT / "storm-scheduler/src/main/java/io/eyewall/storm/ShimSettings.java"
SHIPPED = ROOT / "deploy/src/eyewall_deploy/storm/storm.yaml"


def documented() -> set[str]:
    page = (ROOT / "docs/user/settings.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `(eyewall\.[a-z.]+)` \|", page, re.MULTILINE))


def test_every_key_of_a_topology_and_of_the_shim_is_on_the_page_and_no_other() -> None:
    shim = re.findall(r'"(eyewall\.[a-z.]*[a-z])"', SHIM.read_text(encoding="utf-8"))
    assert documented() == {*shim, *KEYS}


def test_shim_and_doctor_know_the_same_keys_of_a_topology_as_the_sidecar() -> None:
    shim = SHIM.read_text(encoding="utf-8")
    inherited = re.search(r"TOPOLOGY_KEYS =\s+Set\.of\((.*?)\)", shim, re.DOTALL)
    assert inherited
    assert set(re.findall(r'"([^"]+)"', inherited[1])) == set(KEYS)
    assert set(KEYS) == TOPOLOGY_KEYS


def test_every_key_of_the_shipped_storm_yaml_is_on_the_page() -> None:
    shipped = re.findall(r"^(eyewall\.[a-z.]+):", SHIPPED.read_text(encoding="utf-8"), re.MULTILINE)
    assert shipped
    assert set(shipped) <= documented()
