"""Generate the shim's list of settings from eyewall_contracts.setting_keys.

python tools/shim_keys.py        write SettingKeys.java
"""

from pathlib import Path
from typing import Final

from eyewall_contracts.setting_keys import (
    MODE,
    MOST_MILLISECONDS,
    MOVES,
    SHIM_KEYS,
    TOPOLOGY_KEYS,
    SettingKey,
)

FILE: Final = (
    Path(__file__).parents[1] / "storm-scheduler/src/main/java/io/eyewall/storm/SettingKeys.java"
)
HEAD: Final = """\
package io.eyewall.storm;

import java.util.Set;

/**
 * The {@code eyewall.*} keys.
 *
 * <p>Generated from contracts/src/eyewall_contracts/setting_keys.py by {@code make settings}.
 */
final class SettingKeys {

    private SettingKeys() {}
"""


def java_source() -> str:
    """Return the class."""
    return "".join(
        (
            HEAD,
            *map(_constant, (*SHIM_KEYS.values(), MODE, MOVES)),
            "\n    /** The longest time that a setting of the shim may be. */\n",
            f"    static final long MOST_MILLISECONDS = {MOST_MILLISECONDS:_};\n",
            _key_set("SHIM", "Keys that the shim reads", SHIM_KEYS),
            _key_set("TOPOLOGY", "Keys of a topology, which the sidecar reads", TOPOLOGY_KEYS),
            "}\n",
        )
    )


def _constant(key: SettingKey) -> str:
    name = key.name.removeprefix("eyewall.").replace(".", "_").upper()
    return f'\n    /** {key.meaning} */\n    static final String {name} = "{key.name}";\n'


def _key_set(name: str, meaning: str, keys: dict[str, SettingKey]) -> str:
    listed = ",\n".join(f'                    "{it}"' for it in keys)
    return (
        f"\n    /** {meaning}. */\n"
        f"    static final Set<String> {name} =\n            Set.of(\n{listed});\n"
    )


if __name__ == "__main__":
    FILE.write_text(java_source(), encoding="utf-8")
