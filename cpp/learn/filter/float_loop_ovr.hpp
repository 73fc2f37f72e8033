// Dense rows and units kept apart, four rows at a time: what floats say of them is asked unit by unit, four rows in one
// comparison. A unit that is right about all of them, as most are, has nothing more to do.
#pragma once

#include <bit>

#include "learn/filter/float_loop_joint.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// Four rows that have been looked at together, as floats.
template <class V>
struct FourNarrow {
    static constexpr bool looks = true, apart = true;
    std::vector<NarrowColumn>& columns;
    const Packed<float>& packed;
    DenseRow<V> row;
    std::size_t r;
    double norm;                        // of the row
    double distance;                    // for a unit whose weights have length 1
    std::size_t& open;

    template <int W>
    ROSENBLATT_INLINE Verdict look(const Job& job, const Example& example) {
        const Learner& learner = *job.learner;
        const NarrowColumn& column = columns[job.number];
        const double bias = job.group->weights.bias[0], rounding = 0x1p-50 * (std::fabs(bias) + learner.rule.required);
        const double* const sign = learner.signs.data() + example.label * learner.sign_stride + job.group->first;
        const Verdict verdict = verdict_of<1>(learner.rule, sign, static_cast<double>(column.s[r]) + bias,
                                              distance * column.norm + rounding);
        if (verdict == Verdict::right) return verdict;
        const bool settled = verdict == Verdict::wrong && column.looking.moves();
        open += !settled;
        return settled ? verdict : Verdict::open;
    }
    template <int W>
    ROSENBLATT_INLINE vec<W> score(const Job&, const Group& group) const {
        return rosenblatt::ROSENBLATT_ISA::score<W>(row, group);
    }

    HeardNarrow hearing(const Job& job) { return {columns[job.number].weights()}; }
    void moved(const Job& job, double a) {
        NarrowColumn& column = columns[job.number];
        if (job.learner->rule.rate == Rate::adagrad) return look_at_rest(packed, column, r);
        column.moved(std::fabs(a) * norm);
        for (std::size_t k = r + 1; k < rows_together; ++k)
            column.s[k] = static_cast<float>(static_cast<double>(column.s[k]) + a * static_cast<double>(packed.product(k, r)));
    }
    void changed(const Job& job, const Group&) {
        NarrowColumn& column = columns[job.number];
        column.round();
        look_at_rest(packed, column, r);
    }
};

// Four rows as the units of one learner meet them.
struct FourExamples {
    Example example[rows_together];
    const double* sign[rows_together];  // of the first unit
    vec<4> distance;                    // for a unit whose weights have length 1
    unsigned counted = 0;               // those with a weight

    void weigh(const Examples& examples, const Learner& learner) {
        counted = 0;
        for (std::size_t r = 0; r < rows_together; ++r) {
            Example& of = example[r];
            of.weight = weight_of(examples, learner, of.row, of.label);
            sign[r] = learner.signs.data() + of.label * learner.sign_stride;
            counted |= static_cast<unsigned>(of.weight != 0.0) << r;
        }
    }
    // The rows that a unit is certainly right about.
    ROSENBLATT_INLINE unsigned right(const Rule& rule, const Group& group, const NarrowColumn& column) const {
        const double bias = group.weights.bias[0], rounding = 0x1p-50 * (std::fabs(bias) + rule.required);
        const std::size_t u = group.first;
        const vec<4> y = {sign[0][u], sign[1][u], sign[2][u], sign[3][u]}, margin = y * (widen<4>(column.s) + bias);
        return which((margin > rule.required + (distance * column.norm + rounding)) | (y == 0.0));
    }
};

// One unit and four rows. visit(r) is called for those that are not certainly right, in order.
template <class Visit>
ROSENBLATT_INLINE void visit_four(const Job& job, const NarrowColumn& column, const FourExamples& four, Visit&& visit) {
    const Rule& rule = job.learner->rule;
    Group& group = *job.group;
    // Where each example has to be counted, none is passed over.
    const bool each = job.learner->judged || rule.batch != 1;
    for (unsigned left = four.counted; left != 0;) {
        const unsigned open = each ? left : left & ~four.right(rule, group, column);
        const unsigned passed = open == 0 ? left : left & ((open & -open) - 1);
        group.t += static_cast<unsigned>(std::popcount(passed));
        group.step += static_cast<unsigned>(std::popcount(passed));
        if (open == 0) return;
        visit(static_cast<std::size_t>(std::countr_zero(open)));
        left &= ~(passed | (open & -open));
    }
}

// As far as looking pays: where it does not, the position from which rows are better scored together is returned.
template <class Reader>
std::size_t work_narrowly(const Examples& examples, Reader& reader, const std::vector<Job>& jobs, std::size_t from,
                          std::size_t to) {
    const Order order{examples.order, examples.count};
    std::vector<NarrowColumn> columns;
    for (const Job& job : jobs) columns.emplace_back(*job.learner, *job.group, examples.rows.largest);
    Packed<float> packed(examples.rows.features);
    Scratch scratch;
    FourExamples met;
    const double largest = std::max(1.0, examples.rows.largest);
    std::size_t p = from, open = 0;
    for (; p + rows_together <= to; p += rows_together) {
        Four<Reader> four(reader, examples, order, p);
        pack_and_look(packed, columns, four.row, four.ahead);
        double norm[rows_together];
        for (std::size_t r = 0; r < rows_together; ++r) {
            const std::size_t row = order[p + r];
            norm[r] = norm_at_least(packed.product(r, r), packed.features);
            met.example[r] = {row, static_cast<std::size_t>(examples.labels[row]), 1.0, largest};
            met.distance[r] = relative_distance(packed.lines()) * norm[r];
        }
        const Learner* weighed = nullptr;
        for (const Job& job : jobs) {
            if (job.learner != weighed) met.weigh(examples, *job.learner);
            weighed = job.learner;
            columns[job.number].measure_sometimes();
            visit_four(job, columns[job.number], met, [&](std::size_t r) ROSENBLATT_ALWAYS {
                const auto row = packed.row(four.row[r]);
                FourNarrow<typename Reader::Value> scorer{columns, packed, row, r, norm[r], met.distance[r], open};
                visit_group<1>(job, row, met.example[r], scratch, scorer);
            });
        }
        // An exact score costs about as much as a look by eight units.
        if (open * 8 > (p + 64 - from) * columns.size()) return p + rows_together;
    }
    return p;
}

template <class Reader>
void work_either_way(const Examples& examples, Reader reader, const std::vector<Job>& jobs, std::size_t from,
                     std::size_t to) {
    if constexpr (requires { reader.hold(from, to); }) {
        const bool apart = std::none_of(jobs.begin(), jobs.end(), [](const Job& job) { return several(*job.learner); });
        if (apart && (jobs.size() > 1 || !jobs.front().group)) {
            const bool few = examples.rows.features <= narrow_features, joint = looks_jointly(examples, jobs);
            const bool looks = few && to - from >= 64 && (joint || std::all_of(jobs.begin(), jobs.end(), [&](const Job& job) {
                                   return job.group && Looking(*job.learner, examples.rows.largest).allowed();
                               }));
            while (looks && from + rows_together <= to) {
                from = joint ? work_narrowly_jointly(examples, reader, *jobs.front().learner, from, to)
                             : work_narrowly(examples, reader, jobs, from, to);
                from = work_together(examples, reader, jobs, from, std::min(from + 4096, to));
            }
            from = work_together(examples, reader, jobs, from, to);
        }
    }
    if constexpr (is_csr<Reader>)
        while (from < to && learns_alone(examples, jobs) && !reaches_far(jobs)) {
            from = work_alone(examples, reader, jobs.front(), from, to);
            const std::size_t rested = std::min<std::size_t>(from + Looking::rest, to);
            work(examples, reader, jobs, from, rested);
            from = rested;
        }
    work(examples, reader, jobs, from, to);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
