import tomllib
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from eyewall_contracts.config_file import ConfigError
from eyewall_contracts.redis_url import server_of
from eyewall_latency.config import LatencyConfig, read_config

EXAMPLE = Path(__file__).parents[2] / "latency-estimator" / "examples" / "latency.toml"


def configured(tmp_path: Path, text: str) -> LatencyConfig:
    path = tmp_path / "latency.toml"
    path.write_text(text)
    return read_config(path)


def test_every_key_is_optional(tmp_path: Path) -> None:
    assert configured(tmp_path, "") == read_config(None) == LatencyConfig()


def test_the_shipped_example_names_every_key_with_its_default() -> None:
    assert read_config(EXAMPLE) == LatencyConfig()
    content = tomllib.loads(EXAMPLE.read_text())
    for known in fields(LatencyConfig):
        default = getattr(LatencyConfig(), known.name)
        if is_dataclass(default):
            assert set(content[known.name]) == {it.name for it in fields(default)}
        else:
            assert known.name in content


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hst = 'a'", ["no key hst", "host, redis", "did you mean host?"]),
        ("host = 'a b'", ["host is 'a b'", "letters"]),
        ("host = 3", ["latency.toml: host is 3: it must be a text"]),
        ("[peers]\nkep = 3", ["no key [peers] kep", "keep_fresh_seconds"]),
        ("peers = 3", ["[peers] must be a table"]),
        ("[pace]\ninterval_seconds = 0", ["[pace] interval_seconds is 0", "0.05 to 3600"]),
        ("[pace]\ninterval_seconds = nan", ["[pace] interval_seconds is nan", "0.05 to 3600"]),
        ("[pace]\njitter = 1", ["[pace] jitter is 1", "0 to 0.9"]),
        ("[pace]\njitter = true", ["[pace] jitter is True", "0 to 0.9"]),
        ("[space]\ndimensions = 2.5", ["[space] dimensions is 2.5", "1 to 16"]),
        ("[space]\nalgorithm = 'spring'", ["'spring'", "springs or paper"]),
        ("[space]\nheight = 1", ["[space] height is 1", "true or false"]),
        ("[probe]\nmethod = 'udp'", ["[probe] method is 'udp'", "auto or icmp or tcp"]),
        ("[probe]\nlisten = 'here'", ["[probe] listen is 'here'", "HOST:PORT"]),
        ("[probe]\naddress = 'edge-1'", ["[probe] address is 'edge-1'", "IP address"]),
        ("[probe]\nnetworks = ['10.0.0.1/8']", ["[probe] networks is '10.0.0.1/8'"]),
        ("[probe]\nnetworks = '10.0.0.0/8'", ["a list of texts"]),
        ("[redis]\nurl = 'redis://u:pw@r:99999'", ["[redis] url: it must be redis://HOST:PORT/DB"]),
        ("[redis]\nurl = 'r:6379'", ["[redis] url: it must be redis://HOST:PORT/DB"]),
        ("[redis]\nurl = 'unix:///r.sock'", ["unix socket", "[probe] address is needed"]),
        ("[redis]\nprefix = 'a b'", ["[redis] prefix is 'a b'", "storm-1:eyewall"]),
        ("[redis]\nprefix = ':a'", ["[redis] prefix is ':a'"]),
        ("[redis]\nprefix = ''", ["[redis] prefix is ''"]),
        ("[redis]\naddress = 'r:1'", ["no key [redis] address", "url, prefix, expiry_seconds"]),
        ("[redis]\nexpiry_seconds = 1", ["[redis] expiry_seconds is 1", "at least 3 times [pace]"]),
        ("[fading]\nforget_seconds = 10", ["[fading] forget_seconds is 10", "half_life_seconds"]),
        ("[paper]\nkeep = 20", ["[paper] keep is 20", "from 0 to [paper] peers, 10"]),
        ("[pace", ["latency.toml"]),
        (f"host = {'[' * 3000 + ']' * 3000}", ["latency.toml"]),
        (f"[space]\ndimensions = 1{'0' * 5000}", ["latency.toml", "4300"]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_bad_key_or_value_is_named_with_what_is_allowed(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    text = text.replace("[redis]\nexpiry", "[pace]\ninterval_seconds = 1.0\n[redis]\nexpiry")
    with pytest.raises(ConfigError) as raised:
        configured(tmp_path, text)
    assert "\n" not in str(raised.value)
    for word in words:
        assert word in str(raised.value)


def test_a_password_in_the_url_is_never_printed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        configured(tmp_path, "[redis]\nurl = 'redis://user:secret@r:99999'")
    assert "secret" not in str(raised.value)
    with pytest.raises(ConfigError, match="with %2F for / and %40 for @ in a password") as raised:
        configured(tmp_path, "[redis]\nurl = 'redis://:/secret@r:6379/0'")
    assert "secret" not in str(raised.value)
    good = configured(tmp_path, "[redis]\nurl = 'rediss://user:secret@r:7/2?ssl_ca_certs=x'")
    assert server_of(good.redis.url) == "rediss://r:7/2"


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        read_config(tmp_path / "none.toml")
