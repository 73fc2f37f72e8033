// The dual perceptron's loops, for Python: kernel matrices come in as numpy made them, float32 or float64.
#include <algorithm>
#include <optional>

#include "bind/bind.hpp"
#include "dual/dual.hpp"

namespace rosenblatt {
namespace {

using Kernel = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Own = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class F>
auto with_values(const Kernel& kernel, F&& f) {
    if (kernel.dtype() == nb::dtype<float>()) return f(static_cast<const float*>(kernel.data()));
    if (kernel.dtype() == nb::dtype<double>()) return f(static_cast<const double*>(kernel.data()));
    throw nb::type_error("kernel values must be float32 or float64");
}

Updates updates_of(const Kernel& kernel, std::size_t units, const In<std::int64_t>& support,
                   const In<std::int32_t>& unit, const In<double>& coefficient) {
    const std::size_t count = support.shape(0);
    bool known = unit.shape(0) == count && coefficient.shape(0) == count;
    for (std::size_t e = 0; known && e < count; ++e)
        known = support.data()[e] >= 0 && static_cast<std::size_t>(support.data()[e]) < kernel.shape(0) &&
                unit.data()[e] >= 0 && static_cast<std::size_t>(unit.data()[e]) < units;
    if (!known) throw nb::value_error("an update names a support example or a unit that is not there");
    return {support.data(), unit.data(), coefficient.data(), count};
}

void dual_scores(const Kernel& kernel, const In<std::int64_t>& support, const In<std::int32_t>& unit,
                 const In<double>& coefficient, bool intercept, Scores scores) {
    const Updates updates = updates_of(kernel, scores.shape(0), support, unit, coefficient);
    if (kernel.shape(1) != scores.shape(1)) throw nb::value_error("one column of the kernel for each scored row");
    with_values(kernel, [&](const auto* values) {
        nb::gil_scoped_release free;
        add_updates(values, scores.shape(1), updates, intercept ? 1.0 : 0.0, scores.data());
    });
}

void dual_votes(const Kernel& kernel, const In<std::int64_t>& support, const In<std::int32_t>& unit,
                const In<double>& coefficient, const In<std::int64_t>& when, std::int64_t end, bool intercept,
                bool joint, Scores tally) {
    const Updates updates = updates_of(kernel, tally.shape(0), support, unit, coefficient);
    if (kernel.shape(1) != tally.shape(1) || when.shape(0) != updates.count)
        throw nb::value_error("one column of the kernel for each scored row, one time for each update");
    with_values(kernel, [&](const auto* values) {
        nb::gil_scoped_release free;
        (joint ? add_joint_votes(values, tally.shape(1), tally.shape(0), updates, when.data(), end,
                                 intercept ? 1.0 : 0.0, tally.data())
               : add_votes(values, tally.shape(1), tally.shape(0), updates, when.data(), end, intercept ? 1.0 : 0.0,
                           tally.data()));
    });
}

template <class T>
auto give_all(const std::vector<T>& values) {
    T* data;
    auto result = give(values.size(), data);
    std::copy(values.begin(), values.end(), data);
    return result;
}

// Returns (position to go on from, (position, unit, coefficient, seen) of the updates, mistakes, visited, to judge).
nb::tuple dual_visit(const Kernel& kernel, const In<std::int32_t>& labels, const std::optional<In<double>>& weights,
                     const InMatrix& signs, bool joint, double margin, bool intercept, std::size_t start, Scores scores,
                     const std::optional<std::tuple<Own<std::uint64_t>, Own<std::uint64_t>, Own<std::uint8_t>,
                                                    Own<std::uint8_t>>>& pockets) {
    DualBlock block{scores.shape(1), scores.shape(0), signs.shape(0), labels.data(), weights ? weights->data() : nullptr,
                    signs.data(),    joint,           margin,         intercept ? 1.0 : 0.0, {}};
    const std::size_t keepers = joint ? 1 : block.units;
    bool fits = kernel.shape(0) == block.rows && kernel.shape(1) == block.rows && labels.shape(0) == block.rows &&
                signs.shape(1) == block.units && (!weights || weights->shape(0) == block.rows) &&
                (!joint || (block.classes == block.units && block.classes > 1));
    for (std::size_t i = 0; fits && i < block.rows; ++i)
        fits = block.labels[i] >= 0 && static_cast<std::size_t>(block.labels[i]) < block.classes;
    if (pockets) {
        const auto& [run, best_run, judged, held] = *pockets;
        fits = fits && run.shape(0) == keepers && best_run.shape(0) == keepers && judged.shape(0) == keepers &&
               held.shape(0) == keepers;
        block.ratchet = {run.data(), best_run.data(), judged.data(), held.data()};
    }
    if (!fits) throw nb::value_error("the parts of the block do not fit together");
    DualLog log;
    const std::size_t stop = with_values(kernel, [&](const auto* values) {
        nb::gil_scoped_release free;
        return visit_block(block, values, start, scores.data(), log);
    });
    return nb::make_tuple(stop,
                          nb::make_tuple(give_all(log.position), give_all(log.unit), give_all(log.coefficient),
                                         give_all(log.seen)),
                          give_all(log.mistakes), log.visited, give_all(log.to_judge));
}

}  // namespace

void bind_dual(nb::module_& m) {
    m.def("dual_scores", &dual_scores, "kernel"_a, "support"_a, "unit"_a, "coefficient"_a, "intercept"_a, "scores"_a);
    m.def("dual_votes", &dual_votes, "kernel"_a, "support"_a, "unit"_a, "coefficient"_a, "when"_a, "end"_a,
          "intercept"_a, "joint"_a, "tally"_a);
    m.def("dual_visit", &dual_visit, "kernel"_a, "labels"_a, "weights"_a.none(), "signs"_a, "joint"_a, "margin"_a,
          "intercept"_a, "start"_a, "scores"_a, "pockets"_a.none());
}

}  // namespace rosenblatt
