"""What the dashboard's API answers of the parts of the recorded cluster."""

from __future__ import annotations

from eyewall_monitor.dashboard.views.health import HealthView, PartView
from recorded_views import FRESH, GONE, HOSTS, LATE


def health() -> HealthView:
    """Two parts are not well."""
    parts = [
        PartView(name="nimbus", signal=FRESH, detail="its last round took 4 ms"),
        PartView(name="sidecar", signal=FRESH, detail="run 5f1c1a0e"),
        PartView(name="zookeeper", signal=FRESH),
        PartView(name="redis", signal=FRESH),
        PartView(name="rates job", signal=FRESH, lag=3.2, detail="3 rows late, 0 lost"),
        *(
            PartView(name="latency agent", host=host, signal=GONE if host == "cloud-2" else FRESH)
            for host in HOSTS
        ),
        *(
            PartView(
                name="monitor agent",
                host=host,
                signal=LATE if host == "fog-2" else FRESH,
                lag=43.0 if host == "fog-2" else 0.0,
            )
            for host in HOSTS
        ),
    ]
    return HealthView(revision=41, well=False, parts=tuple(parts))
