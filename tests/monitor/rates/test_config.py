from __future__ import annotations

from pathlib import Path

import pytest
from eyewall_contracts.config_file import ConfigError
from eyewall_monitor.rates.config import RatesConfig, read_config

EXAMPLE = Path(__file__).parents[3] / "monitor" / "examples" / "rates.toml"


def test_the_example_has_every_key_with_its_default() -> None:
    found = read_config(EXAMPLE)
    assert found == RatesConfig()
    for name, section in type(found).model_fields.items():
        assert section.annotation is not None
        written = getattr(found, name).model_fields_set
        assert written == set(section.annotation.model_fields), name


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "[windows]\nslide_seconds = 7.0",
            "[windows]: seconds is 60.0, no multiple of slide_seconds",
        ),
        ("[windows]\nseconds = -1.0", "[windows] seconds is -1.0: it must be greater than 0"),
        ("[redis]\nurl = 'u:secret@r:6379'", "[redis] url: it must be redis://HOST:PORT/DB"),
        ("[spark]\nmemory = 'lots'", "[spark] memory is 'lots'"),
        ("[spark]\nmemory = '384m'", "memory is '384m': it must be at least 512m"),
    ],
)
def test_what_cannot_be_is_named(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "rates.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        read_config(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert complaint in str(refused.value)
    assert "secret" not in str(refused.value)
