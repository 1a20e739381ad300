from __future__ import annotations

import pytest
from eyewall_contracts import znodes
from eyewall_contracts.switches import Switches, decode_switches
from eyewall_contracts.znodes import NewerVersionError, ZnodeError, Znodes
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize("host", ["", ".", "..", "a/b", "a b", "\0", "é", "a\n"])
def test_a_host_that_would_be_another_path_has_none(host: str) -> None:
    with pytest.raises(ZnodeError, match="no name for a znode"):
        Znodes().sample(host)


@pytest.mark.parametrize("topology", ["", ".", "..", "a/b", "a b", "\0", "a\n", "a" * 300])
def test_a_topology_that_would_be_another_path_has_none(topology: str) -> None:
    with pytest.raises(ZnodeError, match="no name for a znode"):
        Znodes().rates(topology)


@pytest.mark.parametrize("root", ["", "/", "eyewall", "/eyewall/", "/a//b", "/../x", "/a b"])
def test_a_root_that_is_no_path_is_refused(root: str) -> None:
    with pytest.raises(ZnodeError, match="it must be like /eyewall"):
        Znodes(root)


def test_two_clusters_in_one_zookeeper_have_paths_of_their_own() -> None:
    assert Znodes("/storm-1/eyewall").sample("a") == "/storm-1/eyewall/v1/samples/a"


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "version None; this reader knows 1"),
        (b'{"version":true}', "version True; this reader knows 1"),
        (b'{"version":1,"frozen":1}', "frozen is 1; it must be true or false"),
        (b'{"version":1,"frozen_topologies":[1]}', "must be a list of topology ids"),
    ],
)
def test_what_are_no_switches_is_named(data: bytes, complaint: str) -> None:
    with pytest.raises(ZnodeError) as refused:
        decode_switches(data)
    assert complaint in str(refused.value)


def test_a_document_of_a_later_version_is_told_from_a_wrong_one() -> None:
    with pytest.raises(NewerVersionError, match="version 2; this reader knows 1"):
        decode_switches(b'{"version":2}')


def test_switches_that_nobody_set_are_off() -> None:
    assert decode_switches(b'{"version":1}') == Switches()


def test_a_document_too_large_for_a_znode_is_neither_written_nor_read() -> None:
    with pytest.raises(ZnodeError, match="at most 524288"):
        znodes.encode_document({"text": "x" * 600_000})
    with pytest.raises(ZnodeError, match="at most 524288"):
        znodes.decode_document(b" " * 600_000)


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none()))
def test_a_document_gives_back_what_it_was_made_of(content: dict[str, object]) -> None:
    content.pop("version", None)
    assert znodes.decode_document(znodes.encode_document(content)) == content
