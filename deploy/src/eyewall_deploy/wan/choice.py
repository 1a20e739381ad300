"""Which of the two networks to use: the user-space router, or the kernel's netem."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eyewall_deploy.host import linux
from eyewall_deploy.wan import namespaces, netem
from eyewall_deploy.wan.kind import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


@dataclass(frozen=True, slots=True)
class Choice:
    """The kind of network, and why, in words for people."""

    kind: Kind
    why: str

    @property
    def module(self) -> str:
        """Module of the program that serves it: python -m MODULE --delay-file F --ready-file R."""
        return f"eyewall_deploy.wan.{self.kind}"


def choose(asked: Kind | None) -> Choice:
    """Take the kind that is asked for; if none is, or netem does not work here, the best there is.

    Netem comes first: the kernel delays packets without waking a program for each.
    """
    if asked == Kind.ROUTER:
        return Choice(Kind.ROUTER, "user-space router: asked for")
    why_not = _why_no_netem()
    if why_not is None:
        return Choice(Kind.NETEM, "netem: tried, and this kernel has all it needs")
    return Choice(Kind.ROUTER, f"user-space router: {why_not}")


def build(kind: Kind, address_of: Mapping[str, str], leased: Collection[str] = ()) -> None:
    """Make all namespaces and interfaces; the kind's program gives them their delays.

    `leased` are the hosts with dedicated links, which the user-space router alone has.
    """
    namespaces.make_namespaces(list(address_of))
    if kind == Kind.NETEM:
        netem.add_interfaces(address_of)
    else:
        namespaces.add_interfaces(address_of, leased)


def _why_no_netem() -> str | None:
    command = (sys.executable, "-m", __name__)
    trial = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if trial.returncode == 0:
        return None
    lines = (trial.stdout + trial.stderr).strip().splitlines()
    return lines[-1] if lines else f"the trial ended with {trial.returncode}"


def _trial() -> int:
    """Try netem in a network namespace that ends with this process."""
    try:
        linux.unshare(linux.CLONE_NEWNET)
        why_not = netem.netem_works()
    except OSError as error:
        why_not = error.strerror or str(error)
    if why_not is not None:
        print(why_not, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_trial())
