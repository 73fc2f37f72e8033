"""RidgeCV as a careful user runs it: ``python -m bench.panel.ridge_cv FILE TARGET MODEL`` learns a CSV file.

Missing numbers are filled in, numbers standardised, the column `day` counted in days, words one-hot and standardised,
and the penalty chosen among thirteen. The model is pickled.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ALPHAS = np.logspace(-3, 3, 13)


def with_days(frame: Any) -> Any:
    import pandas as pd

    if "day" not in frame:
        return frame
    return frame.assign(day=(pd.to_datetime(frame["day"]) - pd.Timestamp("2000-01-01")).dt.days)


def fitted(path: Path, target: str) -> Any:
    """The model."""
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    train = with_days(pd.read_csv(path))
    words = [name for name in train.columns if name != target and train[name].dtype.kind not in "biuf"]
    numbers = [name for name in train.columns if name not in (*words, target)]
    columns = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (make_pipeline(OneHotEncoder(handle_unknown="ignore"), StandardScaler(with_mean=False)), words),
    )
    model = make_pipeline(columns, RidgeCV(ALPHAS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(train.drop(columns=target), train[target])
    return model


def predicted(model: Any, test: Any, target: str) -> Any:
    return model.predict(with_days(test).drop(columns=target))


if __name__ == "__main__":
    file, target, output = sys.argv[1:]
    Path(output).write_bytes(pickle.dumps(fitted(Path(file), target)))
