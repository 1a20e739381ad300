"""Build every image by buildah, start what is in it, and ask each for its health.

Started as docker-compose.yml says, and the agents as deploy/kubernetes says. As root, with buildah
and debootstrap installed; some GB of disk, a quarter of an hour. The base images are stand-ins
(roots.py). Of the six supervisor hosts one is started, and asked whether it is ready for moves
without a gap; Storm UI is not.

    make images-check                  everything
    make images-check ARGS=sidecar     one image, and the services of it
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from image_check import building, overlap, roots, running
from image_check.compose import Service, services
from image_check.kubernetes import agents

STORES = ("zookeeper", "redis")
STARTED = (*STORES, "sidecar", "nimbus", running.HOST, "rates", "dashboard")


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="image_check", description=__doc__)
    parser.add_argument("images", nargs="*", help="folders of deploy/images; all of them if none")
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/eyewall/images").expanduser())
    parser.add_argument("--only-run", action="store_true", help="what was built before")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if missing := [name for name in ("buildah", "debootstrap") if shutil.which(name) is None]:
        sys.exit(
            f"no {' and no '.join(missing)} on PATH; on Debian: apt-get install buildah debootstrap"
        )
    if os.geteuid() != 0:
        sys.exit("chroot and mounts need root")
    if given.alone:
        return _run(frozenset(given.images), given.cache / "logs")
    if not given.only_run:
        bases = building.import_bases(roots.roots(given.cache))
        for built in building.build_all(bases, frozenset(given.images)):
            print(
                f"built {built.name}: {built.megabytes:.0f} MB, {built.seconds:.0f} s", flush=True
            )
    return running.again_alone(["--alone", "--cache", str(given.cache), *given.images])


def _run(images: frozenset[str], logs: Path) -> int:
    running.set_up_network()
    outcomes: list[running.Outcome] = []

    def report(it: running.Outcome) -> None:
        outcomes.append(it)
        state = "healthy" if it.healthy else "NOT HEALTHY"
        print(f"{it.service}: {state} after {it.seconds:.0f} s  {it.said}", flush=True)

    for together in started(images):
        running.run(together, logs, report)
    print(f"what they said: {logs}")
    return 0 if all(it.healthy for it in outcomes) else 1


def started(images: frozenset[str]) -> list[list[Service]]:
    """What is started together; all of it, or what needs one of the images and comes before that.

    A node's agents and a host's listen on the same ports.
    """
    composed = services()
    node = {name: composed[name] for name in STORES} | agents()
    hosts = {name: it for name, it in composed.items() if name in STARTED}
    hosts[running.HOST] = overlap.with_question(hosts[running.HOST])
    return [_with_what_they_need(it, images) for it in (node, hosts)]


def _with_what_they_need(known: dict[str, Service], images: frozenset[str]) -> list[Service]:
    wanted = {name for name, it in known.items() if not images or it.containerfile in images}
    for name in reversed(known):
        if name in wanted:
            wanted.update(known[name].after)
    return [it for name, it in known.items() if name in wanted]


if __name__ == "__main__":
    sys.exit(main())
