// Maps from scores to probabilities: fitted, applied and cross-validated.
#include "bind/arrays.hpp"
#include "calibrate/calibrate.hpp"
#include "isa/dispatch.hpp"

namespace rosenblatt {
namespace {

MapKind kind_of(const std::string& name) { return one_of<MapKind>(name, {"temperature", "platt", "beta", "isotonic", "softmax"}); }

ScoredExamples examples_of(MapKind kind, const InMatrix& scores, std::size_t classes) {
    const ScoredExamples examples{scores.data(), nullptr, scores.shape(0), classes};
    const bool fits = kind == MapKind::temperature || (kind == MapKind::softmax) == (classes > 2);
    if (classes < 2 || scores.shape(1) != examples.columns() || !fits)
        throw value_error("scores of " + std::to_string(scores.shape(1)) + " columns do not fit the map and the classes");
    return examples;
}

ScoredExamples examples_of(MapKind kind, const InMatrix& scores, const In<std::int32_t>& truth, std::size_t classes, bool logits) {
    ScoredExamples examples = examples_of(kind, scores, classes);
    examples.truth = truth.data();
    examples.logits = logits;
    if (truth.shape(0) != examples.count) throw value_error("every row of scores needs a class");
    for (std::size_t i = 0; i < examples.count; ++i)
        if (truth.data()[i] < 0 || static_cast<std::size_t>(truth.data()[i]) >= classes) throw value_error("a class is out of range");
    return examples;
}

auto memory_of(const std::vector<double>& values) {
    double* data;
    auto array = new_array<double, nb::memview>(values.size(), data);
    std::copy(values.begin(), values.end(), data);
    return array;
}

bool fits_map(MapKind kind, std::size_t count, std::size_t classes) {
    return kind == MapKind::temperature ? count == 2 || (count == 3 && classes > 2) : kind == MapKind::platt ? count == 4 : kind == MapKind::beta ? count == 7
         : kind == MapKind::softmax ? count == 2 * classes + 2 : count > 0 && count % 2 == 0;
}

// The probability of each label by its own map for two classes: scores and probabilities [row][label].
auto label_probabilities(const std::vector<std::string>& kinds, const std::vector<In<double>>& parameters, const InMatrix& scores) {
    const std::size_t rows = scores.shape(0), labels = scores.shape(1);
    if (kinds.size() != labels || parameters.size() != labels) throw nb::value_error("expected a map for each column of the scores");
    double* filled;
    auto matrix = new_matrix<double, nb::memview>(rows, labels, filled);
    std::vector<double> column(rows), both(2 * rows);
    for (std::size_t k = 0; k < labels; ++k) {
        const MapKind kind = kind_of(kinds[k]);
        const std::size_t count = parameters[k].shape(0);
        if (kind == MapKind::softmax || !fits_map(kind, count, 2)) throw value_error("a map of the kind " + kinds[k] + " does not have " + std::to_string(count) + " parameters");
        for (std::size_t i = 0; i < rows; ++i) column[i] = scores.data()[i * labels + k];
        native().calibration->apply(kind, {parameters[k].data(), parameters[k].data() + count}, {column.data(), nullptr, rows, 2}, both.data());
        for (std::size_t i = 0; i < rows; ++i) filled[i * labels + k] = both[2 * i + 1];
    }
    return matrix;
}

}  // namespace

void bind_calibrate(Module& m) {
    m.def("fit_probabilities", [](const std::string& name, const InMatrix& scores, const In<std::int32_t>& truth, std::size_t classes, bool logits) {
        const MapKind kind = kind_of(name);
        return memory_of(native().calibration->fit(kind, examples_of(kind, scores, truth, classes, logits)));
    }, "kind"_a, "scores"_a, "truth"_a, "classes"_a, "logits"_a = false);
    m.def("cross_validated_losses",
          [](const std::vector<std::string>& names, const InMatrix& scores, const In<std::int32_t>& truth, std::size_t classes, std::size_t folds, bool logits) {
              if (folds < 2) throw nb::value_error("there must be at least two folds");
              std::vector<MapKind> kinds;
              for (const std::string& name : names) kinds.push_back(kind_of(name));
              ScoredExamples examples{};
              for (const MapKind kind : kinds) examples = examples_of(kind, scores, truth, classes, logits);
              std::vector<nb::object> losses;
              for (const auto& each : native().calibration->cross_validated_losses(kinds, examples, folds)) losses.push_back(nb::cast(memory_of(each)));
              return losses;
          }, "kinds"_a, "scores"_a, "truth"_a, "classes"_a, "folds"_a, "logits"_a = false);
    m.def("mean_difference", [](const In<double>& numbers, const In<double>& others) {
        const std::size_t count = numbers.shape(0);
        if (others.shape(0) != count || !count) throw value_error("every number needs another to compare with");
        double sum = 0.0, squares = 0.0;
        for (std::size_t i = 0; i < count; ++i) sum += numbers.data()[i] - others.data()[i];
        const double n = static_cast<double>(count), mean = sum / n;
        for (std::size_t i = 0; i < count; ++i) {
            const double difference = numbers.data()[i] - others.data()[i] - mean;
            squares += difference * difference;
        }
        return std::pair(mean, std::sqrt(squares / n / n));
    }, "numbers"_a, "others"_a);
    m.def("probabilities", [](const std::string& name, const In<double>& parameters, const InMatrix& scores, std::size_t classes) {
        const MapKind kind = kind_of(name);
        const ScoredExamples examples = examples_of(kind, scores, classes);
        const std::size_t count = parameters.shape(0);
        if (!fits_map(kind, count, classes)) throw value_error("a map of the kind " + name + " does not have " + std::to_string(count) + " parameters");
        double* filled;
        auto matrix = new_matrix<double, nb::memview>(examples.count, classes, filled);
        native().calibration->apply(kind, {parameters.data(), parameters.data() + count}, examples, filled);
        return matrix;
    }, "kind"_a, "parameters"_a, "scores"_a, "classes"_a);
    m.def("label_probabilities", &label_probabilities, "kinds"_a, "parameters"_a, "scores"_a);
}

}  // namespace rosenblatt
