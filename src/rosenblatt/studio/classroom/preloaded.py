"""What the workers of a class import before their first question.

A kernel needs scikit-learn, whose import alone takes two seconds: as long as a quick question may take.
"""

import rosenblatt.certificates.search.exact_hull_search
import rosenblatt.estimators.adaline
import rosenblatt.estimators.kernel_perceptron
import rosenblatt.estimators.logistic_unit
import rosenblatt.estimators.max_margin
import rosenblatt.estimators.perceptron  # noqa: F401
from rosenblatt.studio.questions.registry import QUESTIONS as QUESTIONS
