"""A client of the service, for Python: a call that is retried never learns an example twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import httpx

from rosenblatt.serve.client_calls import (
    RETRIED,
    Call,
    Calls,
    Example,
    content_of,
    model_path,
    unreachable,
    wait_of,
)


class Client(Calls):
    """A service that `rosenblatt serve` has started. Calls that fail on the way are sent again, with the same ids.

    `predict` and `learn` take one example or several, `{"text": ...}`, `{"columns": {...}}`, `{"features": {...}}` or
    `{"vw": ...}`; to learn them they have a `label`. The answers are those of the service; a refusal raises
    `ServiceError`.

    Parameters
    ----------
    url : str
        Where the service listens, such as http://127.0.0.1:8000.
    token : str, optional
        A line of its token file.
    retries : int
        How often a call that failed on the way is sent again.
    timeout : float
        Seconds to wait for an answer.

    Examples
    --------
    >>> from rosenblatt import Client
    >>> Client("127.0.0.1")
    Traceback (most recent call last):
    rosenblatt.errors.ParameterError: The address of a service begins with http:// or https://. Got '127.0.0.1' instead.
    """

    def __init__(self, url: str, token: str | None = None, *, retries: int = 5, timeout: float = 30.0) -> None:
        super().__init__(url, token, retries=retries, timeout=timeout)
        self._http = httpx.Client(**self._settings)

    def predict(self, model: str, examples: Example | Sequence[Example], *, at: str | int | None = None) -> Any:
        """Predict one example, or several.

        Parameters
        ----------
        model : str
            Its name.
        examples : dict, or several
            What to predict, such as ``{"text": ...}``.
        at : str or int, optional
            A version, or a time: answer as the model did then.

        Returns
        -------
        dict, or a list of them
            Label, score, version and probabilities, as the service answers.
        """
        return self._call(self._to_predict(model, examples, at))

    def learn(self, model: str, examples: Example | Sequence[Example]) -> Any:
        """Learn one example, or several; each once, however often it is sent.

        Parameters
        ----------
        model : str
            Its name.
        examples : dict, or several
            What to learn: each has a ``"label"``.

        Returns
        -------
        dict
            How many were learned, how many had been learned before, and the version after them.
        """
        return self._call(self._to_learn(model, examples))

    def models(self) -> Any:
        """Every model that is served.

        Returns
        -------
        list of dicts
            Name, version and counts of each.
        """
        return self._call(Call("GET", "/v1/models"))["models"]

    def model(self, model: str) -> Any:
        """What a model is, and how it is doing.

        Parameters
        ----------
        model : str
            Its name.

        Returns
        -------
        dict
            Rule, counts, errors, calibration, history.
        """
        return self._call(Call("GET", model_path(model)))

    def put(self, model: str, file: str | None = None, **new: Any) -> Any:
        """Serve a model file, or a new model.

        Parameters
        ----------
        model : str
            Its name.
        file : str, optional
            The path of a model file.
        **new
            The settings of a new model, as in ``put("mail", classes=["ham", "spam"], reads="text")``.

        Returns
        -------
        dict
            Its name, version and counts.
        """
        return self._call(self._to_put(model, file, new or None))

    def snapshot(self, model: str) -> Any:
        """Write a snapshot of a model now.

        Parameters
        ----------
        model : str
            Its name.

        Returns
        -------
        dict
            Its version.
        """
        return self._call(Call("POST", f"{model_path(model)}/snapshot"))

    def download(self, model: str) -> Any:
        """The model file as it is now.

        Parameters
        ----------
        model : str
            Its name.

        Returns
        -------
        bytes
            The content of a model file, as `rosenblatt predict` and `load` read it.
        """
        return self._call(Call("GET", f"{model_path(model)}/model"))

    def delete(self, model: str) -> Any:
        """Move a model to the bin.

        Parameters
        ----------
        model : str
            Its name.

        Returns
        -------
        dict
            Its name, where it is kept, and for how long.
        """
        return self._call(Call("DELETE", model_path(model), is_safe=False))

    def _call(self, call: Call) -> Any:
        waits = self._waits()
        while True:
            wait = next(waits, None)
            try:
                answer = self._http.request(**self._request(call))
            except httpx.TransportError as error:
                if wait is None or not (call.is_safe or isinstance(error, httpx.ConnectError)):
                    raise unreachable(error) from None
            else:
                if answer.status_code not in RETRIED or wait is None:
                    return content_of(answer)
                wait = wait_of(answer, wait)
            time.sleep(wait)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient(Calls):
    """A service, from asyncio: the calls of `Client`, each to be awaited.

    Parameters
    ----------
    url : str
        Where the service listens, such as http://127.0.0.1:8000.
    token : str, optional
        A line of its token file.
    retries : int
        How often a call that failed on the way is sent again.
    timeout : float
        Seconds to wait for an answer.

    Examples
    --------
    >>> from rosenblatt import AsyncClient
    >>> AsyncClient("127.0.0.1")
    Traceback (most recent call last):
    rosenblatt.errors.ParameterError: The address of a service begins with http:// or https://. Got '127.0.0.1' instead.
    """

    def __init__(self, url: str, token: str | None = None, *, retries: int = 5, timeout: float = 30.0) -> None:
        super().__init__(url, token, retries=retries, timeout=timeout)
        self._http = httpx.AsyncClient(**self._settings)

    async def predict(self, model: str, examples: Example | Sequence[Example], *, at: str | int | None = None) -> Any:
        return await self._call(self._to_predict(model, examples, at))

    async def learn(self, model: str, examples: Example | Sequence[Example]) -> Any:
        return await self._call(self._to_learn(model, examples))

    async def models(self) -> Any:
        return (await self._call(Call("GET", "/v1/models")))["models"]

    async def model(self, model: str) -> Any:
        return await self._call(Call("GET", model_path(model)))

    async def put(self, model: str, file: str | None = None, **new: Any) -> Any:
        return await self._call(self._to_put(model, file, new or None))

    async def snapshot(self, model: str) -> Any:
        return await self._call(Call("POST", f"{model_path(model)}/snapshot"))

    async def download(self, model: str) -> Any:
        return await self._call(Call("GET", f"{model_path(model)}/model"))

    async def delete(self, model: str) -> Any:
        return await self._call(Call("DELETE", model_path(model), is_safe=False))

    async def _call(self, call: Call) -> Any:
        waits = self._waits()
        while True:
            wait = next(waits, None)
            try:
                answer = await self._http.request(**self._request(call))
            except httpx.TransportError as error:
                if wait is None or not (call.is_safe or isinstance(error, httpx.ConnectError)):
                    raise unreachable(error) from None
            else:
                if answer.status_code not in RETRIED or wait is None:
                    return content_of(answer)
                wait = wait_of(answer, wait)
            await asyncio.sleep(wait)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


for _name in ("predict", "learn", "models", "model", "put", "snapshot", "download", "delete", "close"):
    getattr(AsyncClient, _name).__doc__ = getattr(Client, _name).__doc__  # the same for both
