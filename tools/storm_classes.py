"""Write the list of classes that Storm's processes load, for their class archives.

    JDK_JAVA_OPTIONS=-Xlog:class+load:file=/tmp/loaded/%p.log:none eyewall-deploy up …
    JDK_JAVA_OPTIONS=… eyewall-deploy submit word_count
    python tools/storm_classes.py /tmp/loaded/*.log

Needed again for another version of Storm: classes that are not in the list are loaded as usual.
"""

import re
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "deploy/src/eyewall_deploy/storm/storm-classes.txt"
LOADED = re.compile(r"(?P<name>\S+) source: (?P<source>\S+)")
MADE_AT_RUN_TIME = re.compile(r"/0x|\$\$|LambdaForm|\$Proxy|Generated(Method|Constructor)|Lambda\$")
OURS = "io.eyewall."


def class_names(log: str) -> set[str]:
    """Return the classes of a log of `-Xlog:class+load` that an archive can hold."""
    loaded = (match for line in log.splitlines() if (match := LOADED.match(line)))
    return {
        match["name"].replace(".", "/")
        for match in loaded
        if not match["source"].startswith(("__", "instance"))
        and not MADE_AT_RUN_TIME.search(match["name"])
        and not match["name"].startswith(OURS)
    }


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(__doc__)
    names: set[str] = set()
    for file in sys.argv[1:]:
        names |= class_names(Path(file).read_text(errors="replace"))
    if not names:
        sys.exit("no loaded class in these files; the list stays as it is")
    TARGET.write_text("".join(f"{name}\n" for name in sorted(names)))
    print(f"{TARGET}: {len(names)} classes")
