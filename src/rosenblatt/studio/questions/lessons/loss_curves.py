"""Every loss over the margin, for the lessons about losses and subgradients."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt import losses
from rosenblatt.errors import ParameterError


def loss_curves(request: Mapping[str, Any]) -> dict[str, Any]:
    """Each loss over the margin from −3 to 3, and at one `margin`: its value, and its subgradients where it has any.

    >>> curves = loss_curves({"margin": 0})["losses"]
    >>> [(loss["name"], loss["value"]) for loss in curves][:3]
    [('zero_one', 1.0), ('perceptron', 0.0), ('hinge', 1.0)]
    >>> curves[-1]["name"], curves[-1]["subgradients"]
    ('absolute', [-1.0, 1.0])
    """
    margin = request.get("margin", 0)
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not abs(margin) <= 1e6:
        raise ParameterError(f"A margin must be a number from -1e6 to 1e6. Got {margin!r} instead.")
    margins = np.linspace(-3, 3, 121)
    curves = []
    for loss in (*losses.LOSSES.values(), losses.absolute):
        low, high = loss.subdifferential(float(margin))
        curves.append(
            {
                "name": loss.name,
                "formula": loss.formula,
                "values": loss.value(margins).tolist(),
                "value": loss.value(float(margin)),
                "subgradients": [low, high] if low <= high else None,
            }
        )
    return {"margins": margins.round(12).tolist(), "margin": margin, "losses": curves}
