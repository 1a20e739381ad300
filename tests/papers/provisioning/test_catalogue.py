"""A catalogue lists machine types; the error for a bad one names what is wrong."""

from pathlib import Path

import pytest
from eyewall_papers.provisioning.catalogue import (
    CatalogueError,
    list_shipped,
    read_catalogue,
    read_shipped,
)

HEAD = 'currency = "€"\nunit = "cores"\n'
SMALL = '[[types]]\nname = "small"\ncpu = 2\ncard_gbit = 8\nprice = 70\n'


def test_table_1_of_paper_003_has_25_types_from_7548_to_18846_dollars() -> None:
    catalogue = read_shipped("dell-2008")
    assert (catalogue.currency, catalogue.unit, len(catalogue.types)) == ("$", "GHz", 25)
    prices = [it.price for it in catalogue.types]
    # 7,548 + 5,299 for 46.88 GHz + 5,999 for 20 Gbit/s
    assert (min(prices), max(prices)) == (7548, 18846)
    best = next(it for it in catalogue.types if it.price == 18846)
    # 20 Gbit/s are 2.5 GB/s
    assert (best.cpu, best.card) == (46.88, 2.5e9)


@pytest.mark.parametrize("name", list_shipped())
def test_every_catalogue_that_is_shipped_can_be_read(name: str) -> None:
    assert read_shipped(name).types


def test_units_are_converted_and_what_is_not_given_has_no_limit(tmp_path: Path) -> None:
    file = tmp_path / "types.toml"
    file.write_text(f"{HEAD}{SMALL}memory_gb = 4\ncount = 3\n{SMALL.replace('small', 'other')}")
    small, other = read_catalogue(file).types
    # 8 Gbit/s = 1e9 bytes/s
    assert (small.card, small.memory, small.count) == (1e9, 4e9, 3)
    assert (other.memory, other.count) == (float("inf"), float("inf"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            f"{HEAD}{SMALL}count = {10**400}\n",
            "0: input should be less than or equal to 1000000000000000",
        ),
        (HEAD + SMALL.replace("price = 70\n", ""), "machine type small: price is missing"),
        (HEAD + SMALL + SMALL, "machine type small is listed more than once; ids must be unique"),
        (HEAD + SMALL.replace("price", "prise"), "machine type small: no key prise; keys there"),
        (HEAD + "types = []", "types is empty; at least one machine type must be there"),
        (HEAD + SMALL.replace("70", "-70"), "machine type small: price is -70: input should be"),
        (HEAD + SMALL.replace("70", "1e300"), "machine type small: price is 1e+300; it must be"),
        (HEAD + "types = [3]", "machine type 1 must be a table"),
        (SMALL, "currency is missing"),
        ("types = 3 3", "Expected newline"),
    ],
    ids=lambda it: it[-40:],
)
def test_a_bad_catalogue_is_refused_with_offender_value_and_what_is_allowed(
    text: str, complaint: str, tmp_path: Path
) -> None:
    file = tmp_path / "types.toml"
    file.write_text(text)
    with pytest.raises(CatalogueError) as refused:
        read_catalogue(file)
    assert complaint in str(refused.value)
    assert str(file) in str(refused.value)


def test_a_catalogue_that_is_not_shipped_is_named_with_those_that_are() -> None:
    with pytest.raises(CatalogueError, match="no catalogue dell; catalogues are dell-2008, made"):
        read_shipped("dell")
