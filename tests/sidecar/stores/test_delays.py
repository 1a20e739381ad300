import json
import os
from pathlib import Path

import pytest
from eyewall_sidecar.stores import DelayFile, NoDelays

GOOD = {
    "version": 1,
    "unit": "s",
    "kind": "one_way",
    "source": "cluster file three-sites",
    "as_of": 1000.0,
    "hosts": ["a", "b", "c"],
    "delay": [[0.0, 0.002, None], [0.003, 0.0, None], [0.004, None, 0.0]],
    "deviation": [[0.0] * 3] * 3,
    "bandwidth": [[None] * 3] * 3,
}


def write(path: Path, **changes: object) -> None:
    replacement = path.with_suffix(".new")
    replacement.write_text(json.dumps(GOOD | changes))
    replacement.replace(path)


def test_delays_come_with_their_age(tmp_path: Path) -> None:
    write(tmp_path / "d.json")
    table = DelayFile(tmp_path / "d.json", lambda: 1010.0).read()
    assert table.seconds_between("a", "b") == 0.002
    assert table.age == 10.0
    assert table.remark == ""


def test_an_age_is_worth_a_word_from_a_day_on(tmp_path: Path) -> None:
    write(tmp_path / "d.json")  # as of 1,000 s
    now = 1000.0 + 86_399.0
    store = DelayFile(tmp_path / "d.json", lambda: now)
    assert store.read().doubt() == ""
    now = 1000.0 + 3.9 * 86_400
    assert store.read().doubt() == "delays 3 d old"
    (tmp_path / "d.json").unlink()
    assert store.read().doubt() == (
        f"delay file {tmp_path}/d.json: No such file or directory; going on with the last good "
        "one; delays 3 d old"
    )


def test_tables_with_the_same_delays_are_equal_whatever_their_age(tmp_path: Path) -> None:
    write(tmp_path / "d.json")
    young = DelayFile(tmp_path / "d.json", lambda: 1000.0).read()
    old = DelayFile(tmp_path / "d.json", lambda: 9000.0).read()
    assert young == old
    write(tmp_path / "d.json", delay=[[0.0, 0.09, 0.1], [0.1, 0.0, 0.1], [0.1, 0.1, 0.0]])
    assert DelayFile(tmp_path / "d.json", lambda: 1000.0).read() != young


def test_each_direction_has_its_own_delay(tmp_path: Path) -> None:
    write(tmp_path / "d.json")
    assert DelayFile(tmp_path / "d.json", lambda: 0.0).read().seconds_between("b", "a") == 0.003


def test_a_delay_that_is_not_in_the_file_is_unknown_never_zero(tmp_path: Path) -> None:
    write(tmp_path / "d.json")
    table = DelayFile(tmp_path / "d.json", lambda: 0.0).read()
    assert table.seconds_between("a", "c") is None
    assert table.seconds_between("a", "z") is None
    assert table.seconds_between("z", "a") is None
    assert NoDelays().read().seconds_between("a", "b") is None


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    write(tmp_path / "d.json")
    store = DelayFile(tmp_path / "d.json", lambda: 0.0)
    store.read()
    write(tmp_path / "d.json", delay=[[0.0, 0.09, 0.1], [0.1, 0.0, 0.1], [0.1, 0.1, 0.0]])
    assert store.read().seconds_between("a", "b") == 0.09


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    write(path)
    store = DelayFile(path, lambda: 0.0)
    store.read()
    before = path.stat()
    path.write_text("x" * before.st_size)  # same inode, size and time: nobody looks inside
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert store.read().remark == ""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"delay": [[0.0, -0.1, 0], [0, 0, 0], [0, 0, 0]]}, "delay.0.1"),
        ({"delay": [[0.0, float("nan"), 0], [0, 0, 0], [0, 0, 0]]}, ""),
        ({"delay": [[0.0, 1e300, 0], [0, 0, 0], [0, 0, 0]]}, "less than or equal to 86400"),
        ({"delay": [[0.0]]}, "3 rows of 3"),
        ({"hosts": ["a", "a", "b"]}, "listed twice"),
        ({"unit": "ms"}, "unit"),
        ({"kind": "rtt"}, "kind"),
        ({"version": 2}, "version 2 is newer than 1"),
        ({"version": 0}, "version 0 is not known"),
    ],
)
def test_a_broken_file_leaves_the_last_good_delays_with_their_age_and_says_why(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    write(tmp_path / "d.json")
    store = DelayFile(tmp_path / "d.json", lambda: 1125.0)
    store.read()
    write(tmp_path / "d.json", **changes)
    for _ in range(2):  # also when it is looked at again
        table = store.read()
        assert table.seconds_between("a", "b") == 0.002
        assert table.age == 125.0
        assert said in table.remark
        assert table.remark.endswith("going on with the last good one")
    write(tmp_path / "d.json")
    assert store.read().remark == ""


def test_half_a_file_or_none_is_a_remark_and_every_delay_is_unknown(tmp_path: Path) -> None:
    store = DelayFile(tmp_path / "d.json", lambda: 0.0)
    assert "No such file" in store.read().remark
    (tmp_path / "d.json").write_text('{"version": 1, "unit"')
    assert "JSON" in store.read().remark
    assert store.read().seconds_between("a", "b") is None


def test_a_file_that_vanished_leaves_the_last_good_delays(tmp_path: Path) -> None:
    write(tmp_path / "d.json")
    store = DelayFile(tmp_path / "d.json", lambda: 0.0)
    store.read()
    (tmp_path / "d.json").unlink()
    table = store.read()
    assert table.seconds_between("a", "b") == 0.002
    assert "No such file" in table.remark


def test_a_path_that_no_file_can_have_is_a_remark() -> None:
    table = DelayFile(Path("a\0b"), lambda: 0.0).read()
    assert table.seconds_between("a", "b") is None
    assert table.remark.endswith(": embedded null byte")
