from __future__ import annotations

from pathlib import Path

import pytest
from eyewall_monitor.rates.config import Config, ConfigError, read_config

EXAMPLE = Path(__file__).parents[3] / "monitor" / "examples" / "rates.toml"


def test_the_example_has_every_key_with_its_default() -> None:
    found = read_config(EXAMPLE)
    assert found == Config()
    for name, section in type(found).model_fields.items():
        assert section.annotation is not None
        written = getattr(found, name).model_fields_set
        assert written == set(section.annotation.model_fields), name


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[windows]\nslide_seconds = 7.0", "seconds must be a multiple of slide_seconds"),
        ("[windows]\nseconds = -1.0", "[windows] seconds is -1.0: input should be greater than 0"),
        ("[redis]\nurl = 'x'", "[redis] url is 'x'"),
        ("[redis]\nprefix = 'a b'", "[redis] prefix is 'a b': redis prefix 'a b': it must be like"),
        ("[zookeeper]\nroot = 'x'", "[zookeeper] root is 'x'"),
        ("[spark]\nmemory = 'lots'", "[spark] memory is 'lots'"),
        ("[spark]\nmemory = '384m'", "memory is '384m': spark needs 512m at least"),
        ("[nothing]\nx = 1", "no key nothing"),
        ("= 1", "Invalid statement"),
    ],
)
def test_what_cannot_be_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "rates.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        read_config(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert complaint in str(refused.value)


def test_without_a_file_every_key_has_its_default(tmp_path: Path) -> None:
    assert read_config(None) == Config()
    with pytest.raises(ConfigError, match="No such file"):
        read_config(tmp_path / "none.toml")
