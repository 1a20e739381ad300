"""Sentences by number: the same number and length give the same sentence, on every host."""

import random

SUBJECTS = tuple(
    """
    camera sensor turbine vessel tram bridge harbour pump meter gateway
    router beacon tractor freezer lift boiler antenna crane valve scanner
    drone buoy kiln battery
    """.split()  # noqa: SIM905 - a word list reads better
)
VERBS = tuple(
    """
    reports sees loses measures counts sends delays repeats forgets
    confirms
    """.split()  # noqa: SIM905 - a word list reads better
)
OBJECTS = tuple(
    """
    traffic pressure smoke rain speed noise frost current heat load
    vibration fog salinity voltage torque wind ozone radiation drift level
    """.split()  # noqa: SIM905 - a word list reads better
)


def sentence(number: int, length: int) -> str:
    """Compose the sentence with this number, of exactly `length` ASCII characters."""
    draw = random.Random(number)
    clauses: list[str] = []
    size = 0
    while size < length:
        clause = f"{draw.choice(SUBJECTS)} {draw.choice(VERBS)} {draw.choice(OBJECTS)} "
        clauses.append(clause)
        size += len(clause)
    return "".join(clauses)[:length]


def tokens(text: str) -> list[str]:
    """Words of a sentence in lower case."""
    return text.lower().split()


def tag_of(words: list[str]) -> str:
    """Tag of a sentence: its first subject, or `other`."""
    return next((word for word in words if word in _SUBJECTS), "other")


_SUBJECTS = frozenset(SUBJECTS)
