"""The attributes that a run of linear units leaves behind."""

from rosenblatt.estimators.common.base import FromRun, RunEstimator
from rosenblatt.learn.run import Run
from rosenblatt.records import Floats


class FromLinearRun(FromRun):
    """An estimator, of classes or of a number, whose run is one of linear units."""

    _run: Run

    def _fitted_run(self) -> Run:
        run: Run = super()._fitted_run()
        return run

    @property
    def t_(self) -> int:
        """Examples visited."""
        return self._fitted_run().learner.t

    @property
    def loss_(self) -> list[float]:
        """Mean loss of each epoch, each example scored before its own update."""
        return list(self._fitted_run().loss)


class LinearRunEstimator(FromLinearRun, RunEstimator):
    """A classifier whose run is one of linear units."""

    @property
    def coef_(self) -> Floats:
        """The weights, one row per unit; with keep='vote' those at the end of the run."""
        return self._fitted_run().final_weights.coef

    @property
    def intercept_(self) -> Floats:
        """The bias of each unit."""
        return self._fitted_run().final_weights.intercept

    @property
    def n_mistakes_(self) -> int:
        """Mistakes made, by all units."""
        return self._fitted_run().learner.mistakes

    @property
    def status_(self) -> str:
        """How the run ended: separated, validated or budget; interrupted by a signal, or open while it streams.

        It describes the last weights of the run; those of keep='average' or 'vote' may still err.
        """
        return self._fitted_run().status
