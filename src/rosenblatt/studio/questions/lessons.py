"""The lessons: short guided pages in the order of the lectures. Their texts are here, once; `checks.js` judges them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Lesson:
    """One page: what to read, the state it puts the studio into, ONE thing to do, and what to say when it is done."""

    key: str
    title: str
    text: tuple[str, ...]
    task: str
    done: str
    state: Mapping[str, Any] = field(default_factory=dict)  # example or data, options, at, proof, gates, build
    asks: Mapping[str, str] = field(default_factory=dict)  # what is filled in: a name, and the words beside it
    tool: str = ""  # what the page puts under the task, where points and options are not enough
    panels: tuple[str, ...] = ()  # that stand first beside the plane
    plane: bool = True


def _rows(*rows: tuple[float, float, int]) -> list[list[float]]:
    return [[round(value, 6) for value in row] for row in rows]


_FIRST = (
    Lesson(
        key="unit",
        title="One unit",
        text=(
            "A unit weighs its inputs and adds them up. Its score is s = b + w1·x1 + w2·x2, and it fires where the "
            "score is above 0.",
            "The points with score 0 are a straight line, the boundary. The arrow on it is w = (w1, w2): at a right "
            "angle to the line, pointing to the side where the unit fires. The bias b shifts the line.",
            "The plane shows OR: the unit should fire at the three corners marked 1, and stay silent at (0, 0).",
        ),
        task="Choose b, w1 and w2 so that the unit fires at exactly those three corners.",
        done="Every corner is right. Many other weights do it too: lines that lie close to each other decide alike.",
        state={"example": "OR", "options": {"init": "0.5 1 -1"}, "at": 0, "proof": False},
        tool="weights",
    ),
    Lesson(
        key="rule",
        title="The rule",
        text=(
            "To learn is to correct. The rows are looked at one by one. A row with target +1 should get a score above "
            "0, a row with target −1 a score below 0; anything else is a mistake.",
            "After a mistake the row is added to the weights if its target is +1, and taken from them if it is −1. "
            "The bias moves along by 1, as if every row began with x0 = 1. After a right answer nothing moves.",
            "Here the weights [b, w1, w2] start at [−5, 0, 1]. Row 0 is (5, 7), target +1: its score is "
            "−5 + 0·5 + 1·7 = 2, so nothing moves. Row 1 is (2, 6), target −1.",
        ),
        task="Work out the score of row 1, and the weights after it was looked at.",
        done="Right. Press Row ▸ twice to see it: dashed is the boundary before, the green arrow what was taken from "
        "the normal. The new boundary lies below the picture; later mistakes bring it back, between the points.",
        state={
            "data": _rows((5, 7, 1), (2, 6, 0)),
            "classes": [-1, 1],
            "options": {"init": "-5 0 1"},
            "at": 0,
            "proof": False,
        },
        asks={"score": "Score of row 1", "weights": "Weights after row 1"},
    ),
    Lesson(
        key="and",
        title="AND by hand",
        text=(
            "AND is true only if both inputs are. Its rows, in this order, are (0, 0), (0, 1) and (1, 0) with target "
            "−1, and (1, 1) with target +1. The weights start at [0, 0, 0].",
            "Row 0 has score 0, which is not below 0: a mistake, and so (1, 0, 0) is taken away. Rows 1 and 2 then "
            "have score −1 and are right. Row 3 has score −1 and should be above 0: the next mistake.",
            "When the last row has been looked at, the first one follows again. Each such round is an epoch.",
        ),
        task="Write down the weights after each of the first five mistakes.",
        done="Just as the engine has it. Play the rest: after 18 mistakes the weights are [−4, 3, 2], and the ninth "
        "epoch passes without one.",
        state={"example": "AND", "at": 0, "proof": False},
        asks={
            "1": "Epoch 1, row 0 (0, 0)",
            "2": "Epoch 1, row 3 (1, 1)",
            "3": "Epoch 2, row 0 (0, 0)",
            "4": "Epoch 2, row 1 (0, 1)",
            "5": "Epoch 2, row 3 (1, 1)",
        },
    ),
    Lesson(
        key="theorem",
        title="The theorem",
        text=(
            "If some line separates the classes, the rule makes at most (R/γ)² mistakes, in whatever order the rows "
            "come. R is the length of the longest row, γ the margin of the best line: its distance to the nearest row. "
            "(The constant x0 = 1 is part of each row.)",
            "Why: each mistake brings w at least γ further along the best direction, while ‖w‖² grows by at most R². "
            "Something that grows like k cannot stay below something that grows like √k for long.",
            "Two of these points almost touch, so γ is small and the bound is large. They have a ring, because they "
            "alone hold the widest margin, drawn with dashes and dots.",
        ),
        task="Move or erase points until the theorem allows at most 10 mistakes. Keep two of each class.",
        done="A wider margin, a smaller bound, and the mistakes made stay below it.",
        state={
            "data": _rows((-2, -1, 0), (2, 1, 1), (-2, 1, 0), (2, -1, 1), (-0.2, 2, 0), (0.2, 2, 1)),
            "classes": ["A", "B"],
        },
        panels=("theorem",),
    ),
    Lesson(
        key="losses",
        title="Losses",
        text=(
            "Let m = y·s be the margin of a row: its score, taken with the sign it should have. It is right where m is "
            "above 0. A loss says what each m costs.",
            "Counting mistakes costs 1 or 0, and its slope tells a learner nothing. The perceptron loss grows with "
            "the size of the mistake. The hinge asks for a margin of 1, the logistic loss is never quite content, "
            "and the squared loss wants exactly 1: it punishes a score that is too good.",
        ),
        task="Find a margin at which the row is right and costs the perceptron nothing, while the hinge loss still "
        "asks for more.",
        done="Between 0 and 1 the perceptron rests and the hinge does not: that is why the one accepts any separating "
        "line, and the other pushes it away from the rows.",
        tool="losses",
        plane=False,
    ),
    Lesson(
        key="subgradients",
        title="Subgradients",
        text=(
            "A loss with a kink has no slope there. It still has lines that touch it at the kink and stay below it "
            "everywhere; the slope of such a line is a subgradient.",
            "If a level line, of slope 0, is among them, the kink is the lowest point: nothing costs less. And the "
            "rule is a step against a subgradient: for a mistake, −y·x is one of the loss max(0, −y·s).",
            "The curve is |m|, with its kink at 0. The line through the kink has the slope g that you choose.",
        ),
        task="Choose a slope g so that the line is below the curve on both sides and touches it at the kink alone.",
        done="Each g between −1 and 1 will do, 0 among them: so 0 is the minimum of |m|.",
        tool="slope",
        plane=False,
    ),
    Lesson(
        key="inseparable",
        title="Not separable",
        text=(
            "XOR is true if exactly one input is. The rule goes round and round on it: no line will do. Trying for a "
            "long time is no proof, but four rows are.",
            "Suppose a line had both points of class 1 on one side. Then all between them is on that side too, and so "
            "is the middle between them. In the same way the middle between the two points of class −1 would be on "
            "the other side.",
            "So look at where these two middles are. Beside each row stands its weight: half of one point and half of "
            "the other is their middle. For any data that no line separates, the verdict finds such rows and weights.",
        ),
        task="Name the rows of each class, as numbered in the plane, and the middle between them.",
        done="The two middles are the same point. It would have to be on both sides of the line at once, so there is "
        "no such line: that is the whole proof.",
        state={"example": "XOR", "at": 0},
        asks={
            "positive": "Rows of class 1",
            "positive middle": "Their middle, x1 and x2",
            "negative": "Rows of class −1",
            "negative middle": "Their middle, x1 and x2",
        },
        panels=("verdict",),
    ),
)

_SECOND = (
    Lesson(
        key="features",
        title="Feature maps",
        text=(
            "No line separates a ring from what it encloses. But a unit need not weigh x1 and x2 alone: with degree 2 "
            "it also gets x1², x1·x2 and x2². The score is still a weighted sum, and the rule is the same.",
            "Among those five features the boundary is flat. Seen in the plane it is where a polynomial is 0: an "
            "ellipse, say. What no line could do is now linearly separable.",
            "A higher degree can follow any points, also where they are only noise. So take the lowest that will do.",
        ),
        task="Find the lowest degree with which the rule ends: an epoch without a mistake.",
        done="Five features instead of two, and the rule ends. Try degree 6: it ends as well, with a boundary that "
        "nobody would have drawn.",
        state={"example": "rings", "options": {"keep": "last"}, "proof": False},
        panels=("learner", "verdict"),
    ),
    Lesson(
        key="kernels",
        title="Kernels",
        text=(
            "After a run from zero, w is a sum of rows, each with the sign of its class, as often as it was a mistake. "
            "So a score needs only products of two rows, and in their place can stand another measure of likeness, a "
            "kernel. The features behind it are never written down.",
            "The kernel rbf is exp(−gamma · distance²): each mistake puts a hill on its row, for its own class. A "
            "small gamma makes wide hills and smooth boundaries, a large one narrow hills that keep to single points.",
            "Here gamma is 0.1. The hills are so wide that the rule does not end within its 50 epochs.",
        ),
        task="Choose a gamma with which the rule ends.",
        done="Narrower hills, and an epoch without a mistake. Compare gamma 2 with gamma 200: both end, and one of "
        "them has only learned the points by heart.",
        state={"example": "moons", "options": {"kernel": "rbf", "gamma": 0.1, "keep": "last"}},
        panels=("learner",),
    ),
    Lesson(
        key="gates",
        title="Gates",
        text=(
            "AND fires when a + b is above 1.5, OR when it is above 0.5, NOT when −a is above −0.5: each is one unit. "
            "XOR is none: four rows have proven it.",
            "But units can listen to units. XOR is true when one of the inputs is, and not both. Write & for and, | "
            "for or, ~ for not; every unit that fires is filled.",
        ),
        task="Write XOR of a and b with &, | and ~ alone, and set the inputs so that its output fires.",
        done="Units that listen to units do what one cannot. Any truth table can be built like this.",
        state={"gates": "a & b", "build": "written"},
        panels=("logic",),
        plane=False,
    ),
    Lesson(
        key="networks",
        title="Networks",
        text=(
            "The weights of hidden units need not be set by hand. Here a first layer of soft units, whose output "
            "changes smoothly, and a last unit learn together, by gradient descent. Each hidden unit draws a line of "
            "its own (dashed); the last one combines their sides.",
            "Hard threshold units can be learned as well, one after the other: in the Logic panel, choose the network "
            "“learned” and add its units one by one. Each mends errors that those before it have left.",
        ),
        task="Find the least number of hidden units with which XOR is learned without an error.",
        done="Two lines are enough: the strip between them is one class, what lies beyond on either side is the other.",
        state={"example": "XOR", "at": 0, "proof": False, "gates": "a xor b", "build": "learned"},
        tool="hidden",
        panels=("logic",),
    ),
    Lesson(
        key="multiclass",
        title="More than two classes",
        text=(
            "With three classes there can be a unit for each, which tells it from all the others; the highest score "
            "decides (ovr). Or a unit for each pair, and the majority decides (ovo). Or all units learn together, "
            "each mistake raising the right class and lowering the wrong one (joint).",
            "Here the classes stand in a row. No single line has B on one side and both A and C on the other, so the "
            "unit of B alone has an impossible task.",
        ),
        task="Choose another multi_class, one that gets every point right.",
        done="Pairs can be told apart, and so can all three together: only “B against the rest” could not.",
        state={
            "data": _rows(
                *(
                    (x + dx, dy, k)
                    for dx, dy in ((0, 0), (0.6, 0.5), (-0.5, -0.6), (0.3, -0.4))
                    for k, x in enumerate((-4.0, 0.0, 4.0))
                )
            ),
            "classes": ["A", "B", "C"],
            "options": {"keep": "last", "max_iter": 200},
        },
        panels=("learner", "verdict"),
    ),
    Lesson(
        key="spam",
        title="Spam",
        text=(
            "A message becomes a row by its words: one input for each word and each pair of neighbours, millions in "
            "all, nearly all of them 0. The unit is the same as ever; its score is the sum of the weights of the "
            "words that occur.",
            "It has learned from the mail of 2002 that comes with the package, and was tested on messages that it had "
            "never seen.",
        ),
        task="Write a message of at least five words that the unit takes for spam.",
        done="The bars show what each word added. Weights that can be read are a reason to prefer one unit where one "
        "is enough.",
        tool="mail",
        plane=False,
    ),
    Lesson(
        key="logistic",
        title="Logistic unit and margin",
        text=(
            "Many lines separate these points, and each learner has its own choice. The perceptron takes the first "
            "that makes no mistake. The maximum margin is the line furthest from the nearest rows. The logistic unit "
            "makes every row a little more certain, and so leans the same way.",
            "Adaline wants scores of exactly ±1. The points far out on the right get scores that are far too good for "
            "it, and to make them smaller it turns its line, at the cost of errors elsewhere.",
        ),
        task="Switch on Adaline, the logistic unit and the maximum margin, then move or erase points until Adaline "
        "makes no error either. Keep three of each class.",
        done="Without the far points Adaline is right too. The other two never minded them.",
        state={
            "data": _rows(
                *((-0.5 - 0.1 * (k % 2), 1.5 - 0.6 * k, 0) for k in range(6)),
                *((0.5, 1, 1), (0.6, 0, 1), (0.5, -1, 1), (4, 0.5, 1), (4.5, -0.5, 1)),
            ),
            "classes": ["A", "B"],
            "options": {"keep": "last"},
        },
        panels=("relatives",),
    ),
)

LESSONS: tuple[Lesson, ...] = (*_FIRST, *_SECOND)


def lessons(request: Mapping[str, Any]) -> dict[str, Any]:
    """Every lesson, in order.

    >>> [lesson["title"] for lesson in lessons({})["lessons"]][:3]
    ['One unit', 'The rule', 'AND by hand']
    """
    return {"lessons": [asdict(lesson) for lesson in LESSONS]}
