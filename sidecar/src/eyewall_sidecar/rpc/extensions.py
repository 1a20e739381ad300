"""gRPC services of other distributions, in the sidecar's server.

An entry point of the group `eyewall.services` names a function `(context, server) -> name` that
adds a servicer to `server` and returns the service's full name. It is called once, before the
server starts. `error_status.answering` turns the errors of `ServiceContext` into gRPC statuses.
"""

import grpc

from eyewall_sidecar.plugins import FaultKind, PluginError, PluginFault, described, find_plugins
from eyewall_sidecar.service.planner import ServiceContext

GROUP = "eyewall.services"


def add_services(
    context: ServiceContext, server: grpc.Server
) -> tuple[tuple[str, ...], tuple[PluginFault, ...]]:
    """Add the services of the installed distributions; return their names, and what failed."""
    plugins = find_plugins(GROUP)
    names: list[str] = []
    faults = list(plugins.faults)
    for plugin in plugins.usable.values():
        try:
            add = plugin.load()
            names.append(str(add(context, server)))
        except PluginError as error:
            faults.append(error.fault)
        except Exception as error:  # noqa: BLE001 - another distribution's code
            detail = f"{plugin.entry_point.value} failed: {described(error)}"
            faults.append(plugin.fault(FaultKind.CONTENT, detail))
    return tuple(names), tuple(faults)
