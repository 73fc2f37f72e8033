"""What a careful user of scikit-learn makes of a data set: the columns that the peers learn from.

Numbers are standardised, missing ones get the median and an indicator; words are one-hot, missing is a word of its own;
ids are dropped, dates become days, weekday and hour, texts tf-idf of words and pairs. Sparse rows stay as they are.
"""

from __future__ import annotations

from typing import Any

from bench.panel.data.raw import Raw


def matrices(train: Raw, test: Raw) -> tuple[Any, Any]:
    """The features of both parts, everything learned from the training part."""
    if train.kind in ("svmlight", "vw"):
        return as_csr(train.X), as_csr(test.X)[:, : train.X.shape[1]]
    if train.kind == "text":
        vectorizer = tfidf()
        return as_csr(vectorizer.fit_transform(train.X)), as_csr(vectorizer.transform(test.X))
    frame, frame_test = (with_dates(part) for part in (train, test))
    numbers = numeric_columns(frame, train.roles.get("codes", ()))
    transformer = table_transformer(frame, numbers, train.roles.get("texts", ()))
    X, X_test = (typed(part, numbers) for part in (frame, frame_test))
    return as_csr(transformer.fit_transform(X)), as_csr(transformer.transform(X_test))


def as_csr(X: Any) -> Any:
    """A sparse matrix with the 32-bit indices that LIBLINEAR needs; a dense array as it is."""
    if not hasattr(X, "tocsr"):
        return X
    X = X.tocsr()
    X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")
    return X


def tfidf() -> Any:
    """Words and pairs of words, those that occur twice."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2, token_pattern=r"(?u)\b\w+\b")


def with_dates(raw: Raw) -> Any:
    """The columns without ids; of a date its days, weekday and hour."""
    import pandas as pd

    frame = raw.X.drop(columns=list(raw.roles.get("ids", ())))
    for name in raw.roles.get("dates", ()):
        time = pd.to_datetime(frame.pop(name), utc=True).dt.tz_localize(None)
        frame[f"{name} days"] = (time - pd.Timestamp("2000-01-01")) / pd.Timedelta("1D")
        frame[f"{name} weekday"], frame[f"{name} hour"] = time.dt.day_name(), "h" + time.dt.hour.astype(str)
    return frame


def numeric_columns(frame: Any, codes: tuple[str, ...]) -> list[str]:
    """Where every cell that is there is a number, and numbers are not names."""
    import pandas as pd

    numbers = frame.apply(pd.to_numeric, errors="coerce")
    full = numbers.notna().sum() == frame.notna().sum()
    return [name for name in frame if full[name] and name not in codes]


def typed(frame: Any, numbers: list[str]) -> Any:
    """Numbers as floats, everything else as words; a missing word is a word."""
    import pandas as pd

    columns = {name: pd.to_numeric(frame[name], errors="coerce").astype(float) for name in numbers}
    words = [name for name in frame if name not in columns]
    return pd.DataFrame(columns | {name: frame[name].astype(object).fillna("missing").astype(str) for name in words})


def table_transformer(frame: Any, numbers: list[str], texts: tuple[str, ...]) -> Any:
    """What each kind of column needs."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    words = [name for name in frame if name not in numbers and name not in texts]
    filled = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    steps = [
        ("numbers", make_pipeline(filled, StandardScaler()), numbers),
        ("words", OneHotEncoder(handle_unknown="ignore"), words),
        *((f"text {name}", tfidf(), name) for name in texts),
    ]
    return ColumnTransformer(steps)
