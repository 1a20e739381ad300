"""The ablation's variants replace what the exact engines have."""

from pkgutil import resolve_name

import pytest

from benchmarks.exact.ablation import BASELINE, VARIANTS


@pytest.mark.parametrize("mechanism", sorted(VARIANTS.keys() - {BASELINE}))
def test_what_a_variant_replaces_is_there(mechanism: str) -> None:
    assert VARIANTS[mechanism]
    for name in VARIANTS[mechanism]:
        assert callable(resolve_name(name))
