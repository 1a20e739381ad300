from pathlib import Path

import pytest
from eyewall_contracts.config_file import ConfigError
from eyewall_sidecar.config import SidecarConfig, read_config, service_settings
from eyewall_sidecar.policies import policy_catalogue
from eyewall_sidecar.storm import TopologySettings

EXAMPLE = Path(__file__).parents[2] / "sidecar" / "examples" / "sidecar.toml"


def configured(tmp_path: Path, text: str) -> SidecarConfig:
    path = tmp_path / "sidecar.toml"
    path.write_text(text)
    return read_config(path)


def test_every_key_is_optional(tmp_path: Path) -> None:
    assert configured(tmp_path, "") == read_config(None) == SidecarConfig()
    assert service_settings(SidecarConfig(), policy_catalogue()).defaults == TopologySettings()


def test_the_shipped_example_names_every_key_with_its_default() -> None:
    shipped = read_config(EXAMPLE)
    nowhere = {"delays": SidecarConfig().delays, "zookeeper": SidecarConfig().zookeeper}
    assert shipped.zookeeper.model_copy(update={"servers": None}) == SidecarConfig().zookeeper
    assert shipped.model_copy(update=nowhere) == SidecarConfig()
    for section in ("", "delays", "zookeeper", "metrics", "defaults", "solver", "replacement"):
        model = getattr(shipped, section) if section else shipped
        for key, field in type(model).model_fields.items():
            # A key without a default is a comment; of the two sources of delays, one is.
            is_commented = field.default is None and key not in ("redis", "servers")
            assert (key not in model.model_fields_set) == is_commented, key
            assert not is_commented or f"# {key} = " in EXAMPLE.read_text()
    sources = {"file": None, "redis": None}
    assert shipped.delays.model_copy(update=sources) == SidecarConfig().delays


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("listn = 'a:1'", ["no key listn", "listen, delays"]),
        (
            "[solver]\nimprovement_seconds = -1",
            ["[solver] improvement_", "-1", "greater than 0"],
        ),
        (
            "[replacement]\nminimum_gain = 2",
            ["[replacement] minimum_gain", "2", "equal to 1"],
        ),
        ("[replacement]\nworkers_per_round = -1", ["workers_per_round is -1", "equal to 0"]),
        ("[replacement]\nworkers_per_hour = 1.5", ["workers_per_hour is 1.5", "integer"]),
        ("[replacement]\nhorizon_seconds = -1", ["horizon_seconds is -1", "equal to 0"]),
        ("[replacement]\nfrozen = 'yes'", ["[replacement] frozen", "'yes'", "boolean"]),
        (
            "[defaults]\nexecutors_per_slot = 0",
            ["executors_per_slot", "0", "equal to 1"],
        ),
        ("listen = 'here'", ["listen", "'here'"]),
        ("[delays]\nfile = ''", ["[delays] file is '': it must name a file"]),
        ('[delays]\nfile = "a\\u0000b"', ["[delays] file is 'a\\x00b': it must name a file"]),
        ("[zookeeper]\nservers = 'here'", ["[zookeeper] servers is 'here'", "HOST:PORT"]),
        ("[metrics]\nminimum_confidence = 2", ["[metrics] minimum_confidence is 2", "equal to 1"]),
        (
            "[delays]\nfile = 'd.json'\nredis = 'redis://r'",
            ["[delays]: file and redis are both set"],
        ),
        (
            "[delays]\nredis = 'u:secret@r:6379'",
            ["[delays] redis: it must be redis://HOST:PORT/DB"],
        ),
        ("[delays]\nprefix = 'a b'", ["[delays] prefix is 'a b': it must be like eyewall or"]),
        (
            "[delays]\nminimum_confidence = 1.1",
            ["[delays] minimum_confidence is 1.1", "equal to 1"],
        ),
        ("[delays]\nminimum_confidence = nan", ["[delays] minimum_confidence is nan"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_key_or_value_is_named_with_what_is_allowed(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    with pytest.raises(ConfigError) as refused:
        configured(tmp_path, text)
    assert [word for word in words if word not in str(refused.value)] == []
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1:99999",
        "127.0.0.1:65536",
        "ü..x:7077",
        "a..b:7077",
        "a\\u0000b:7077",
        "a b:7077",
        "a\\nb:7077",
        "::1:7077",
        ":7077",
        "a" * 64 + ":7077",
        "127.0.0.1:٧٠٧٧",
    ],
)
def test_what_cannot_be_listened_on_is_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(ConfigError) as refused:
        configured(tmp_path, f'listen = "{address}"')
    assert "listen is '" in str(refused.value)
    assert str(refused.value).endswith(
        ": it must be HOST:PORT, with a name or address ([…] around IPv6) in ASCII and a port "
        "from 1 to 65535 (0: any that is free)"
    )


@pytest.mark.parametrize(
    "address", ["0.0.0.0:7077", "nimbus-1.example.org:1", "[::1]:65535", "[fe80::1%eth0]:7077"]
)
def test_names_and_addresses_can_be_listened_on(tmp_path: Path, address: str) -> None:
    assert configured(tmp_path, f'listen = "{address}"').listen == address


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("mode", "fast", '[defaults] mode is "fast"; it must be auto or observe or off'),
        ("policy", "magic", '[defaults] policy is "magic"; it must be '),
        ("policy", "xu", "[defaults] policy is xu, which optimises T alone; the objective is L=1"),
        ("objective", "R=2", "[defaults] objective: "),
    ],
)
def test_a_bad_default_is_named(tmp_path: Path, key: str, value: str, said: str) -> None:
    config = configured(tmp_path, f'[defaults]\n{key} = "{value}"')
    with pytest.raises(ConfigError) as refused:
        service_settings(config, policy_catalogue(), tmp_path / "sidecar.toml")
    assert str(refused.value).startswith(f"{tmp_path / 'sidecar.toml'}: {said}")


def test_a_default_policy_that_knows_no_load_gets_an_objective_that_it_takes() -> None:
    config = SidecarConfig.model_validate({"defaults": {"policy": "greedy"}})
    assert str(service_settings(config, policy_catalogue()).defaults.objective) == "R=1"
    config = SidecarConfig.model_validate({"defaults": {"policy": "greedy", "objective": "L=1"}})
    with pytest.raises(ConfigError, match="greedy"):
        service_settings(config, policy_catalogue())
