"""How much a client may send to the service, so that no client slows down the others."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds of everything that comes from outside."""

    body_bytes: int = 16 << 20
    body_seconds: float = 10.0  # for a whole body to arrive,
    body_rate: float = float(1 << 20)  # and one second more for each of these many bytes
    bodies_bytes: int = 256 << 20  # of all large bodies and answers that are being received or sent
    model_bytes: int = 1 << 30  # of an uploaded model file
    examples: int = 100_000  # in one body
    objects: int = 400_000  # of JSON, in one body: objects and lists
    example_bytes: int = 1 << 20
    id_bytes: int = 128
    largest_value: float = 1e9  # of a feature: larger ones could make the weights overflow
    largest_weight: float = 1e6
    largest_feature: int = 1 << 24  # of a model whose features are numbered;
    weights: int = 1 << 28  # numbers that the weights of all classes may take
    queue_bytes: int = 64 << 20  # that wait to be learned, for each model
    remembered_examples: int = 100_000  # by the id of their prediction
    remembered_bytes: int = 64 << 20
    remembered_seconds: float = 3600.0
    models: int = 100
    connections: int = 1024
    predict_inline: int = 256  # examples that are predicted at once; more are predicted in another thread
    commands: int = 16  # that wait for the thread of a model: weights, files, snapshots
    travels: int = 1  # replays for `at` at the same time


LIMITS = Limits()
