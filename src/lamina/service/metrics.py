"""Metrics for Prometheus, in their own registry: what is counted, and figures that are looked up when they are asked
for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_BUCKETS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60)


class Figure(NamedTuple):
    """Something that is as large as it is now."""

    name: str
    about: str
    value: float


class Metrics:
    """What one application counts."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, sources: Sequence[Callable[[], Iterable[Figure]]] = ()) -> None:
        """Figures come from the sources whenever the text is asked for."""
        self._registry = CollectorRegistry()
        labels = ("method", "route")
        self._requests = Counter("lamina_requests", "Requests answered.", (*labels, "status"), registry=self._registry)
        self._seconds = Histogram(
            "lamina_request_seconds", "How long requests took.", labels, buckets=_BUCKETS, registry=self._registry
        )
        self._rejected = Counter(
            "lamina_rejected_requests",
            "Requests rejected, by the type of the error: also documents that cannot be rendered.",
            ("kind",),
            registry=self._registry,
        )
        self._registry.register(_Figures(sources))

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        # Methods and paths are the caller's: what is not known is counted as one.
        method = method if method in ("GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS", "PATCH") else "other"
        self._requests.labels(method, route or "unknown", str(status)).inc()
        self._seconds.labels(method, route or "unknown").observe(seconds)

    def count_rejected(self, kind: str) -> None:
        self._rejected.labels(kind).inc()

    def text(self) -> bytes:
        found: bytes = generate_latest(self._registry)
        return found


class _Figures(Collector):
    """Looks figures up."""

    def __init__(self, sources: Sequence[Callable[[], Iterable[Figure]]]) -> None:
        self._sources = sources

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Nothing: the registry would look everything up to learn the names."""
        return iter(())

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for source in self._sources:
            for figure in source():
                yield GaugeMetricFamily(figure.name, figure.about, figure.value)
