"""A model as ONNX: plain operators in double precision, so that any runtime predicts what the model predicts."""

import json
from typing import Any

import numpy as np

from rosenblatt.extras import require
from rosenblatt.learn.multiclass_schemes import class_pairs
from rosenblatt.model.kinds.linear import LinearModel
from rosenblatt.model.kinds.multi_label import MultiLabelModel
from rosenblatt.model.kinds.number import NumberModel
from rosenblatt.model.probabilities.calibration import Calibration
from rosenblatt.records import logs_of

OPSET = 13


def to_onnx(model: LinearModel) -> bytes:
    """The model as an ONNX file: input `x` (rows x features, double), outputs `label`, `scores`, and `probabilities`
    if the model gives them. With several labels, `label` is rows x labels: 1 if the label applies, else 0. For a
    number, the outputs are `prediction` and, if the model has them, `quantiles` (rows x levels)."""
    content: bytes = _Graph(model).build().SerializeToString()
    return content


class _Graph:
    """The nodes of the graph; each method adds some and returns the name of what they compute."""

    def __init__(self, model: LinearModel) -> None:
        require("onnx")
        import onnx

        self.onnx, self.model = onnx, model
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        # column of an example -> column of the input
        self.input_position = {column: position for position, column in enumerate(model.input_columns)}

    def op(self, kind: str, *inputs: str, out: str | None = None, **attributes: Any) -> str:
        out = out or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def constant(self, value: Any, name: str | None = None) -> str:
        name = name or f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(value), name))
        return name

    def build(self) -> Any:
        units = self._units()
        if isinstance(self.model, NumberModel):
            return self._model(self._answers(self.model, units))
        if isinstance(self.model, MultiLabelModel):
            return self._model(["label", units, *self._of_each_label(self.model, units)])
        scores, best = self._scores(units)
        self._label(best)
        outputs = ["label", scores, *self._probabilities(scores)]
        return self._model(outputs)

    def _units(self) -> str:
        """w·x + b of every unit, after scaling the columns if the model does."""
        x, space = self._logarithms("x"), self.model.space
        if space.shift is not None and space.scale is not None:
            # Hashed columns come after those that are shifted and scaled.
            known = [j for j in self.input_position if j < len(space.shift)]
            hashed = len(self.input_position) - len(known)
            shift = np.concatenate([np.asarray(space.shift)[known], np.zeros(hashed)])
            scale = np.concatenate([np.asarray(space.scale)[known], np.ones(hashed)])
            x = self.op("Mul", self.op("Sub", x, self.constant(shift, "shift")), self.constant(scale, "scale"))
        if space.kind == "columns":  # NaN is a missing number, which counts as 0, scaled as the mean
            x = self._with_indicators(self.op("Where", self.op("IsNaN", x), self.constant(np.array(0.0)), x))
        x = self._with_products(x)
        product = self.op("MatMul", x, self.constant(np.ascontiguousarray(self.model.coef.T), "coef"))
        out = "scores" if self.model.scheme in ("ovr", "joint", "multi-label") else "units"
        return self.op("Add", product, self.constant(np.asarray(self.model.intercept), "intercept"), out=out)

    def _with_indicators(self, x: str) -> str:
        """A missing number sets the feature `column=missing`, whatever the input has there."""
        columns, numbers = self.model.space.columns, self.model.space.settings.get("numbers", ())
        place = {columns[j]: position for j, position in self.input_position.items() if j < len(columns)}
        pairs = [(place[column], place[f"{column}=missing"]) for column in numbers if f"{column}=missing" in place]
        if not pairs:
            return x
        number_of = np.zeros(len(self.input_position), np.int64)
        is_indicator = np.zeros(len(self.input_position), dtype=bool)
        for number, indicator in pairs:
            number_of[indicator], is_indicator[indicator] = number, True
        missing = self.op("IsNaN", self.op("Gather", "x", self.constant(number_of), axis=1))
        is_set = self.op("And", missing, self.constant(is_indicator))
        return self.op("Where", is_set, self.constant(np.array(1.0)), x)

    def _logarithms(self, x: str) -> str:
        """`log_scale` of readers.table.scale, for the columns that were learned on this scale."""
        logs = logs_of(self.model.space)
        if not logs:
            return x
        names = [self.model.input_name(j) for j in self.input_position]
        centre, width = (np.array([logs.get(name, (0.0, 1.0))[i] for name in names]) for i in (0, 1))
        distance = self.op("Div", self.op("Sub", x, self.constant(centre, "centre")), self.constant(width, "width"))
        t = self.op("Add", self.op("Abs", distance), self.constant(np.array(1.0)))
        power = self.op("Floor", self.op("Div", self.op("Log", t), self.constant(np.array(np.log(2.0)))))
        rest = self.op("Div", t, self.op("Pow", self.constant(np.array(2.0)), power))
        size = self.op("Add", power, self.op("Sub", rest, self.constant(np.array(1.0))))
        is_log = self.constant(np.array([name in logs for name in names]), "is_log")
        return self.op("Where", is_log, self.op("Mul", self.op("Sign", distance), size), x)

    def _with_products(self, x: str) -> str:
        """All columns of the model from those of an example: crossed and polynomial features are products."""
        columns = [self.model.factors(j) for j in range(self.model.coef.shape[1])]
        if len(columns) == len(self.input_position):
            return x
        parts, order = [], []
        for n_factors in sorted({len(factors) for factors in columns}):
            here = [j for j, factors in enumerate(columns) if len(factors) == n_factors]
            place = np.array([[self.input_position[factor] for factor in columns[j]] for j in here])
            product, *others = (self.op("Gather", x, self.constant(place[:, k]), axis=1) for k in range(n_factors))
            for factor in others:
                product = self.op("Mul", product, factor)
            parts.append(product)
            order += here
        joined = self.op("Concat", *parts, axis=1) if len(parts) > 1 else parts[0]
        return self.op("Gather", joined, self.constant(np.argsort(np.array(order))), axis=1)

    def _scores(self, units: str) -> tuple[str, str]:
        """The scores that are an output, and the position of the predicted class."""
        if self.model.scheme == "binary":
            scores = self.op("Reshape", units, self.constant(np.array([-1], np.int64)), out="scores")
            above = self.op("Greater", scores, self.constant(np.array(self.model.decides_above)))
            return scores, self.op("Cast", above, to=self.onnx.TensorProto.INT64)
        scores = self._majority(units) if self.model.scheme == "ovo" else units
        return scores, self.op("ArgMax", scores, axis=1, keepdims=0)

    def _answers(self, model: NumberModel, units: str) -> list[str]:
        """The prediction, and the quantiles in ascending order."""
        flat = self.constant(np.array([-1], np.int64))
        if not model.levels:
            return [self.op("Reshape", units, flat, out="prediction")]
        count = self.constant(np.array([len(model.levels)], np.int64))
        self.nodes.append(
            self.onnx.helper.make_node("TopK", [units, count], ["quantiles", "places"], axis=1, largest=0, sorted=1)
        )
        median = self.op("Gather", "quantiles", self.constant(np.array([model.median_unit], np.int64)), axis=1)
        return [self.op("Reshape", median, flat, out="prediction"), "quantiles"]

    def _majority(self, units: str) -> str:
        """Votes per class of one-vs-one units; summed scores, squeezed below half a vote, break ties."""
        classes = len(self.model.classes)
        second, first = (np.zeros((len(class_pairs(classes)), classes)) for _ in range(2))
        for unit, (i, j) in enumerate(class_pairs(classes)):
            first[unit, i] = second[unit, j] = 1
        above = self.op("Cast", self.op("Greater", units, self.constant(np.array(0.0))), to=self._double)
        below = self.op("Sub", self.constant(np.array(1.0)), above)
        votes = self.op(
            "Add", self.op("MatMul", above, self.constant(second)), self.op("MatMul", below, self.constant(first))
        )
        sums = self.op("MatMul", units, self.constant(second - first))
        size = self.op("Add", self.op("Abs", sums), self.constant(np.array(1.0)))
        squeezed = self.op("Div", sums, self.op("Mul", size, self.constant(np.array(3.0))))
        return self.op("Add", votes, squeezed, out="scores")

    def _of_each_label(self, model: MultiLabelModel, units: str) -> list[str]:
        """Whether each label applies, and its probability by its own map."""
        above = self.op("Greater", units, self.constant(np.array(model.decides_above_each)))
        self.op("Cast", above, to=self.onnx.TensorProto.INT64, out="label")
        if not model.calibrations:
            return []
        columns = [self.op("Gather", units, self.constant(np.array([k])), axis=1) for k in range(len(model.classes))]
        probabilities = [self._positive(*pair) for pair in zip(columns, model.calibrations, strict=True)]
        return [self.op("Concat", *probabilities, axis=1, out="probabilities")]

    def _label(self, best: str) -> None:
        classes = np.array(self.model.classes)
        if classes.dtype.kind == "U":
            classes = classes.astype(object)
        self.op("Gather", self.constant(classes, "classes"), best, out="label")

    def _probabilities(self, scores: str) -> list[str]:
        """The output of the model's map from scores to probabilities, if it has one (cpp/calibrate/calibrate.hpp)."""
        calibration = self.model.probability_map
        if calibration is None:
            return []
        numbers = np.asarray(calibration.parameters)
        if calibration.kind == "softmax":
            slopes, shifts = np.split(numbers[:-2], 2)
            return [
                self.op(
                    "Softmax", self._line(self._clipped(scores, numbers), slopes, shifts), axis=1, out="probabilities"
                )
            ]
        if calibration.kind == "temperature" and len(self.model.classes) > 2:
            lead = self.op("Sub", scores, self.op("ReduceMax", scores, axes=[1], keepdims=1))
            lead = self.op("Max", lead, self.constant(np.array(-numbers[1])))
            softmax = self.op("Softmax", self.op("Mul", lead, self.constant(numbers[:1])), axis=1)
            doubt = float(numbers[2:].sum())
            return [
                self.op(
                    "Add",
                    self.op("Mul", softmax, self.constant(np.array(1 - doubt))),
                    self.constant(np.array(doubt / len(self.model.classes))),
                    out="probabilities",
                )
            ]
        positive = self._positive(self.op("Reshape", scores, self.constant(np.array([-1, 1], np.int64))), calibration)
        negative = self.op("Sub", self.constant(np.array(1.0)), positive)
        return [self.op("Concat", negative, positive, axis=1, out="probabilities")]

    def _positive(self, column: str, calibration: Calibration) -> str:
        """The probability of the positive one of two classes, or of a label, from a column of scores."""
        numbers = np.asarray(calibration.parameters)
        if calibration.kind == "temperature":
            clipped = self._clipped(column, [-numbers[1], numbers[1]])
            return self._sigmoid(self.op("Mul", clipped, self.constant(numbers[:1])))
        if calibration.kind == "isotonic":
            return self._interpolated(column, *np.split(numbers, 2))
        logits = self._line(self._clipped(column, numbers), numbers[0], numbers[1])
        return self._sigmoid(self._beta(logits, numbers) if calibration.kind == "beta" else logits)

    def _line(self, x: str, slope: Any, shift: Any) -> str:
        return self.op("Add", self.op("Mul", x, self.constant(np.asarray(slope))), self.constant(np.asarray(shift)))

    def _clipped(self, x: str, numbers: Any) -> str:
        return self.op("Clip", x, self.constant(np.asarray(numbers[-2])), self.constant(np.asarray(numbers[-1])))

    def _sigmoid(self, logits: str) -> str:
        """The sigmoid by exp alone: few runtimes have it for doubles."""
        grown = self.op("Exp", self.op("Neg", self.op("Abs", logits)))
        small = self.op("Div", grown, self.op("Add", grown, self.constant(np.array(1.0))))
        large = self.op("Sub", self.constant(np.array(1.0)), small)
        return self.op("Where", self.op("Greater", logits, self.constant(np.array(0.0))), large, small)

    def _beta(self, logits: str, numbers: Any) -> str:
        """c + v softplus(z) - u softplus(-z), where softplus(z) = max(z, 0) + log(1 + exp(-|z|))."""
        zero = self.constant(np.array(0.0))
        tail = self.op("Exp", self.op("Neg", self.op("Abs", logits)))
        tail = self.op("Log", self.op("Add", tail, self.constant(np.array(1.0))))
        rising = self.op("Add", self.op("Max", logits, zero), tail)
        falling = self.op("Add", self.op("Max", self.op("Neg", logits), zero), tail)
        u, v, c = (float(number) for number in numbers[2:5])
        return self.op("Sub", self._line(rising, v, c), self.op("Mul", falling, self.constant(np.array(u))))

    def _interpolated(self, column: str, knots: Any, chances: Any) -> str:
        """Linear interpolation between the knots: the number of knots up to a score says on which line it lies."""
        widths, rises = np.diff(knots), np.diff(chances)
        slopes = np.concatenate([[0.0], rises / widths, [0.0]])
        shifts = np.concatenate([chances[:1], chances[:-1] - slopes[1:-1] * knots[:-1], chances[-1:]])
        below = self.op("Less", column, self.constant(np.asarray(knots)[None, :]))
        reached = self.op("Sub", self.constant(np.array(len(knots), np.int64)), self._count(below))
        slope, shift = (self.op("Gather", self.constant(numbers), reached) for numbers in (slopes, shifts))
        return self.op("Add", self.op("Mul", column, slope), shift)

    def _count(self, flags: str) -> str:
        ones = self.op("Cast", flags, to=self.onnx.TensorProto.INT64)
        return self.op("ReduceSum", ones, self.constant(np.array([1], np.int64)), keepdims=1)

    @property
    def _double(self) -> int:
        double: int = self.onnx.TensorProto.DOUBLE
        return double

    def _model(self, outputs: list[str]) -> Any:
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        classes = self.model.classes
        label_type = self._label_type()
        score_shape = ["rows"] if self.model.scheme == "binary" else ["rows", len(classes)]
        shapes = {"label": (label_type, ["rows"]), "scores": (self._double, score_shape)}
        if self.model.scheme == "multi-label":
            shapes["label"] = kinds.INT64, score_shape
        shapes["probabilities"] = (self._double, ["rows", len(classes)])
        shapes["prediction"] = (self._double, ["rows"])
        shapes["quantiles"] = (self._double, ["rows", len(self.model.intercept)])
        graph = helper.make_graph(
            self.nodes,
            "rosenblatt",
            [helper.make_tensor_value_info("x", self._double, ["rows", len(self.input_position)])],
            [helper.make_tensor_value_info(name, *shapes[name]) for name in outputs],
            self.constants,
        )
        onnx_model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="rosenblatt"
        )
        onnx_model.ir_version = 8
        helper.set_model_props(onnx_model, {"classes": json.dumps(list(classes)), "features": self._features()})
        self.onnx.checker.check_model(onnx_model)
        return onnx_model

    def _label_type(self) -> int:
        classes, kinds = self.model.classes, self.onnx.TensorProto
        if not classes or isinstance(classes[0], str):
            chosen = kinds.STRING
        elif isinstance(classes[0], bool):
            chosen = kinds.BOOL
        else:
            chosen = kinds.INT64 if all(isinstance(label, int) for label in classes) else kinds.DOUBLE
        return int(chosen)

    def _features(self) -> str:
        space = self.model.space
        if space.kind == "columns":
            return json.dumps([self.model.input_name(j) for j in self.input_position])
        reading = {"kind": space.kind, "index_base": space.index_base, "bits": space.bits, "ngrams": space.ngrams}
        reading |= {key: space.settings[key] for key in ("chars", "splitting", "cross") if key in space.settings}
        return json.dumps(reading)
