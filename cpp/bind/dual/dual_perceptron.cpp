// The dual perceptron's loops, on kernel matrices of float32 or float64.
#include <algorithm>
#include <optional>

#include "bind/arrays.hpp"
#include "dual/dual_perceptron.hpp"
#include "isa/dispatch.hpp"

namespace rosenblatt {
namespace {

using Kernel = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Calls f(functions, values) with the functions for the dtype.
template <class F>
auto with_values(const Kernel& kernel, F&& f) {
    if (kernel.dtype() == nb::dtype<float>()) return f(native().dual->float32, static_cast<const float*>(kernel.data()));
    if (kernel.dtype() == nb::dtype<double>()) return f(native().dual->float64, static_cast<const double*>(kernel.data()));
    throw nb::type_error("kernel values must be float32 or float64");
}

Updates updates_of(const Kernel& kernel, std::size_t units, const In<std::int64_t>& support,
                   const In<std::int32_t>& unit, const In<double>& coefficient) {
    const std::size_t count = support.shape(0);
    bool valid = unit.shape(0) == count && coefficient.shape(0) == count;
    for (std::size_t e = 0; valid && e < count; ++e)
        valid = support.data()[e] >= 0 && static_cast<std::size_t>(support.data()[e]) < kernel.shape(0) &&
                unit.data()[e] >= 0 && static_cast<std::size_t>(unit.data()[e]) < units;
    if (!valid) throw nb::value_error("support, unit and coefficient must be equally long, and name existing support examples and units");
    return {support.data(), unit.data(), coefficient.data(), count};
}

void dual_scores(const Kernel& kernel, const In<std::int64_t>& support, const In<std::int32_t>& unit,
                 const In<double>& coefficient, bool intercept, InOutMatrix scores) {
    const Updates updates = updates_of(kernel, scores.shape(0), support, unit, coefficient);
    if (kernel.shape(1) != scores.shape(1)) throw nb::value_error("the kernel needs one column for each scored row");
    with_values(kernel, [&](const auto& functions, const auto* values) {
        const WithoutGil free;
        functions.add_updates(values, scores.shape(1), updates, intercept ? 1.0 : 0.0, scores.data());
    });
}

void dual_votes(const Kernel& kernel, const In<std::int64_t>& support, const In<std::int32_t>& unit,
                const In<double>& coefficient, const In<std::int64_t>& when, std::int64_t end, bool intercept,
                bool joint, InOutMatrix tally) {
    const Updates updates = updates_of(kernel, tally.shape(0), support, unit, coefficient);
    if (tally.shape(0) == 0) return;
    if (kernel.shape(1) != tally.shape(1) || when.shape(0) != updates.count)
        throw nb::value_error("the kernel needs one column for each scored row, and `when` one number for each update");
    with_values(kernel, [&](const auto& functions, const auto* values) {
        const WithoutGil free;
        functions.add_votes(values, tally.shape(1), tally.shape(0), joint, updates, when.data(), end, intercept ? 1.0 : 0.0, tally.data());
    });
}

// (position to go on from, (position, unit, coefficient, visited before) of the updates, mistakes, visited, units to count)
nb::tuple dual_visit(const Kernel& kernel, const In<std::int32_t>& labels, const std::optional<In<double>>& weights,
                     const InMatrix& signs, bool joint, double margin, bool intercept, std::size_t start, InOutMatrix scores,
                     const std::optional<std::tuple<InOut<std::uint64_t>, InOut<std::uint64_t>, InOut<std::uint8_t>,
                                                    InOut<std::uint8_t>>>& pockets) {
    DualBlock block{scores.shape(1), scores.shape(0), signs.shape(0), labels.data(), weights ? weights->data() : nullptr,
                    signs.data(),    joint,           margin,         intercept ? 1.0 : 0.0, {}};
    const std::size_t deciders = joint ? 1 : block.units;
    bool fits = kernel.shape(0) == block.rows && kernel.shape(1) == block.rows && labels.shape(0) == block.rows &&
                signs.shape(1) == block.units && (!weights || weights->shape(0) == block.rows) &&
                (!joint || (block.classes == block.units && block.classes > 1));
    for (std::size_t i = 0; fits && i < block.rows; ++i)
        fits = block.labels[i] >= 0 && static_cast<std::size_t>(block.labels[i]) < block.classes;
    if (pockets) {
        const auto& [run, best_run, counted, in_pocket] = *pockets;
        fits = fits && run.shape(0) == deciders && best_run.shape(0) == deciders && counted.shape(0) == deciders &&
               in_pocket.shape(0) == deciders;
        block.ratchets = {run.data(), best_run.data(), counted.data(), in_pocket.data()};
    }
    if (!fits) throw nb::value_error("kernel, labels, weights, signs, scores and pockets differ in shape, or a label is not a class");
    DualLog log;
    const std::size_t stop = with_values(kernel, [&](const auto& functions, const auto* values) {
        const WithoutGil free;
        return functions.visit_block(block, values, start, scores.data(), log);
    });
    return nb::make_tuple(stop,
                          nb::make_tuple(copy_to_array(log.position), copy_to_array(log.unit), copy_to_array(log.coefficient),
                                         copy_to_array(log.visited_before)),
                          copy_to_array(log.mistakes), log.visited, copy_to_array(log.to_count));
}

}  // namespace

void bind_dual_perceptron(Module& m) {
    m.def("dual_scores", &dual_scores, "kernel"_a, "support"_a, "unit"_a, "coefficient"_a, "intercept"_a, "scores"_a);
    m.def("dual_votes", &dual_votes, "kernel"_a, "support"_a, "unit"_a, "coefficient"_a, "when"_a, "end"_a,
          "intercept"_a, "joint"_a, "tally"_a);
    m.def("learn_dual", &dual_visit, "kernel"_a, "labels"_a, "weights"_a.none(), "signs"_a, "joint"_a, "margin"_a,
          "intercept"_a, "start"_a, "scores"_a, "pockets"_a.none());
}

}  // namespace rosenblatt
