"""The endpoint that Prometheus scrapes."""

from collections.abc import Callable, Iterable

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector


class _Collector(Collector):
    """Collects the present metrics at each scrape."""

    def __init__(self, collect: Callable[[], Iterable[Metric]]) -> None:
        self._collect = collect

    def collect(self) -> Iterable[Metric]:
        """Return every metric."""
        return self._collect()

    def describe(self) -> Iterable[Metric]:
        """Return nothing: metrics are not known in advance."""
        return ()


def metrics_router(collect: Callable[[], Iterable[Metric]]) -> APIRouter:
    """Serve what `collect` returns, and metrics of the dashboard's own process, at /metrics."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    registry.register(_Collector(collect))
    router = APIRouter()

    @router.get("/metrics", tags=["look"], response_class=Response)
    def metrics(request: Request) -> Response:
        """Metrics for Prometheus, in its text format or as OpenMetrics."""
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        headers = {"Content-Type": media_type, "Cache-Control": "no-store"}
        return Response(encode(registry), headers=headers)

    return router
