"""What Prometheus asks for, in the format that it takes."""

from collections.abc import Callable, Iterable

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector


class _Families(Collector):
    """Tells what there is when it is asked."""

    def __init__(self, collect: Callable[[], Iterable[Metric]]) -> None:
        self._collect = collect

    def collect(self) -> Iterable[Metric]:
        """Every metric, now."""
        return self._collect()

    def describe(self) -> Iterable[Metric]:
        """Nothing beforehand."""
        return ()


def scraped(collect: Callable[[], Iterable[Metric]]) -> APIRouter:
    """Serve what `collect` returns, and how the dashboard's own process is, under /metrics."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    registry.register(_Families(collect))
    router = APIRouter()

    @router.get("/metrics", tags=["look"], response_class=Response)
    def metrics(request: Request) -> Response:
        """Prometheus's metrics, in its text format or OpenMetrics."""
        encode, kind = choose_encoder(request.headers.get("accept", ""))
        headers = {"Content-Type": kind, "Cache-Control": "no-store"}
        return Response(encode(registry), headers=headers)

    return router
