"""Every question that the page can ask: a request as a dict in, an answer as a dict out, no HTTP.

To add one, write its function in a file of this folder and list it here; its name is the address, `api/NAME`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rosenblatt.studio.questions.controls import controls
from rosenblatt.studio.questions.download import download
from rosenblatt.studio.questions.example_tables import example
from rosenblatt.studio.questions.lessons.calibration import calibration
from rosenblatt.studio.questions.lessons.hidden_units import hidden_units
from rosenblatt.studio.questions.lessons.linear_unit import linear_unit
from rosenblatt.studio.questions.lessons.loss_curves import loss_curves
from rosenblatt.studio.questions.lessons.mail import mail, message
from rosenblatt.studio.questions.network import network, network_regions
from rosenblatt.studio.questions.reproduce import reproduce
from rosenblatt.studio.questions.run.learn import learn, visits
from rosenblatt.studio.questions.run.loss_history import loss_history
from rosenblatt.studio.questions.run.regions import fixed_curves, regions
from rosenblatt.studio.questions.run.relatives import relatives
from rosenblatt.studio.questions.run.verdict import all_columns, lowest_degree, verdict
from rosenblatt.studio.questions.user_tables import table

Question = Callable[[Mapping[str, Any]], dict[str, Any]]

QUESTIONS: Mapping[str, Question] = {
    question.__name__: question
    for question in (
        *(controls, example, table),
        *(learn, visits, loss_history, regions, fixed_curves),
        *(verdict, lowest_degree, all_columns),
        *(relatives, reproduce, download, network, network_regions),
        *(loss_curves, hidden_units, mail, message, calibration, linear_unit),
    )
}
