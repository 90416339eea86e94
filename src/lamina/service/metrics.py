"""Metrics for Prometheus, in their own registry."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest

_BUCKETS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60)


class Metrics:
    """What one application counts."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route")
        self._requests = Counter("lamina_requests", "Requests answered.", (*labels, "status"), registry=self._registry)
        self._seconds = Histogram(
            "lamina_request_seconds", "How long requests took.", labels, buckets=_BUCKETS, registry=self._registry
        )

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        # Methods and paths are the caller's: what is not known is counted as one.
        method = method if method in ("GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS", "PATCH") else "other"
        self._requests.labels(method, route or "unknown", str(status)).inc()
        self._seconds.labels(method, route or "unknown").observe(seconds)

    def text(self) -> bytes:
        found: bytes = generate_latest(self._registry)
        return found
