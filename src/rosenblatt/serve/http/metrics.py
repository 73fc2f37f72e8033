"""The numbers of the service as Prometheus reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rosenblatt.serve.learning.served_model import ServedModel
from rosenblatt.serve.service import Service

_METRICS: tuple[tuple[str, str, str, Callable[[ServedModel], float | None]], ...] = (
    ("version", "gauge", "Examples that the model has learned since it was uploaded.", lambda m: m.live.version),
    ("learned_total", "counter", "Examples learned since the start.", lambda m: m.learned),
    ("duplicates_total", "counter", "Examples whose id was learned before.", lambda m: m.duplicates),
    ("refused_total", "counter", "Requests to learn that were refused.", lambda m: m.refused),
    ("predicted_total", "counter", "Predictions since the start.", lambda m: m.predicted),
    ("waiting", "gauge", "Requests waiting to be learned.", lambda m: m.waiting),
    ("progressive_error", "gauge", "Share of wrong predictions before learning.", lambda m: m.live.progressive_error),
    ("snapshot_version", "gauge", "Version of the newest snapshot.", lambda m: m.snapshot_version),
)


def metrics_text(service: Service) -> str:
    return "\n".join(_lines(service)) + "\n"


def _lines(service: Service) -> Iterator[str]:
    yield "# HELP rosenblatt_models Models that are served."
    yield "# TYPE rosenblatt_models gauge"
    yield f"rosenblatt_models {len(service.models)}"
    models = [served for _, served in sorted(service.models.items())]
    for name, kind, text, value_of in _METRICS:
        yield f"# HELP rosenblatt_{name} {text}"
        yield f"# TYPE rosenblatt_{name} {kind}"
        for served in models:
            value = value_of(served)
            if value is not None:
                yield f'rosenblatt_{name}{{model="{served.name}"}} {value}'
