"""Build every image by buildah, start what docker-compose.yml says, and ask each for its health.

As root, with buildah and debootstrap installed; some GB of disk, a quarter of an hour. The base
images are stand-ins (roots.py). Of the six supervisor hosts one is started; Storm UI is not.

    make images-check                  everything
    make images-check ARGS=sidecar     one image, and the services of it
"""

import argparse
import os
import shutil
import sys
from pathlib import Path

from image_check import building, roots, running
from image_check.compose import services

STARTED = ("zookeeper", "redis", "sidecar", "nimbus", running.HOST, "rates", "dashboard")


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
    known = services()
    wanted = {n for n in STARTED if not images or known[n].containerfile in images}
    for name in reversed(known):
        if name in wanted:
            wanted.update(known[name].after)
    outcomes = running.run(frozenset(wanted), logs)
    for it in outcomes:
        state = "healthy" if it.healthy else "NOT HEALTHY"
        print(f"{it.service}: {state} after {it.seconds:.0f} s  {it.said}", flush=True)
    print(f"what they said: {logs}")
    return 0 if all(it.healthy for it in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
