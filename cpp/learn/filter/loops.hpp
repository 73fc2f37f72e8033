// What one thread does in a pass: it takes the rows in turn and has each of its jobs learn from them. There are three
// ways to score a row, one by one, four together, and four together as floats first, and they give the same bits.
#pragma once

#include "learn/filter/sparse_binary_loop.hpp"
#include "learn/progressive_error.hpp"
#include "learn/filter/float_scores.hpp"
#include "learn/pocket.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

struct Scratch {
    std::vector<double> scores, room, heard;
};

// What a look found out; whether the average errs is known, and asked, only where there is one.
struct Looked {
    Verdict verdict = Verdict::open;
    bool average_wrong = false;
};

// One unit, or several side by side, that decide apart.
template <int W, class Values, class Scorer>
ROSENBLATT_INLINE void visit_group(const Job& job, const Values& values, const Example& example, Scratch& scratch,
                                   Scorer& scorer) {
    Learner& learner = *job.learner;
    Group& group = *job.group;
    const double copies = learner.judged ? stands_for(learner, group) : 0.0;  // the average is asked for its score
    Looked looked;
    if constexpr (requires { scorer.look_twice(job, example); }) {
        if (copies != 0.0) looked = scorer.look_twice(job, example);
    }
    if (copies == 0.0) looked.verdict = scorer.template look<W>(job, example);
    if (looked.verdict == Verdict::right) {
        if (learner.judged) count_decision(learner, example, false, looked.average_wrong, copies);
        if (seen(learner.rule, group)) scorer.changed(job, group);
        return;
    }
    if constexpr (W == 1 && Scorer::looks)
        if (looked.verdict == Verdict::wrong) {
            if (learner.judged) count_decision(learner, example, true, looked.average_wrong, copies);
            scorer.moved(job, learn_mistake(learner, group, values, example, scorer.hearing(job)));
            return;
        }
    const vec<W> s = scorer.template score<W>(job, group);
    if (learner.judged) judge_decision<W>(learner, group, s, example, values, scratch.heard);
    if (visit_apart<W>(learner, group, values, example, s)) scorer.changed(job, group);
}

// Some scorers know only units that are kept apart, which saves compiling the others.
template <class Scorer, class F>
ROSENBLATT_INLINE void with_width_for(std::size_t width, F&& f) {
    if constexpr (std::remove_reference_t<Scorer>::apart) f(std::integral_constant<int, 1>{});
    else with_width(width, f);
}

// Entries of one column are added up as a row is read: their sum may be larger than any value that is stored.
template <class V>
ROSENBLATT_INLINE double largest_read(const DenseRow<V>&) {
    return 0.0;
}

template <class I, class V>
ROSENBLATT_INLINE double largest_read(const SparseRow<I, V>& row) {
    double largest = 0.0;
    for (std::size_t k = 0; k < row.entries; ++k) largest = std::max(largest, std::fabs(static_cast<double>(row.value[k])));
    return largest;
}

// One example for each job in turn. The scorer looks whether a score is needed, gives it, and hears of weights that
// moved.
template <class Values, class Scorer>
ROSENBLATT_INLINE void visit(const Examples& examples, const std::vector<Job>& jobs, std::size_t row,
                             const Values& values, Scratch& scratch, Scorer&& scorer) {
    Example example{row, static_cast<std::size_t>(examples.labels[row]), 1.0, std::max(1.0, examples.rows.largest)};
    if constexpr (!std::remove_reference_t<Scorer>::looks) example.largest = std::max(example.largest, largest_read(values));
    const Learner* weighed = nullptr;
    for (const Job& job : jobs) {
        Learner& learner = *job.learner;
        if (&learner != weighed) example.weight = weight_of(examples, learner, row, example.label);
        weighed = &learner;
        if (example.weight == 0.0) continue;
        if (job.group)
            with_width_for<Scorer>(job.group->width, [&](auto W) ROSENBLATT_ALWAYS {
                visit_group<W()>(job, values, example, scratch, scorer);
            });
        else {
            scratch.scores.resize(learner.sign_stride);
            double* const s = scratch.scores.data();
            for (const Group& group : learner.groups)
                with_width_for<Scorer>(group.width, [&](auto W) {
                    const vec<decltype(W)::value> scored = scorer.template score<W()>(job, group);
                    store(s + group.first, scored);
                    if (learner.judged) judge_decision<W()>(learner, group, scored, example, values, scratch.heard);
                });
            visit_jointly(learner, values, example, s, scratch.room, [&](Group& group) { scorer.changed(job, group); });
        }
        if (learner.rule.pocket) judge(examples, job);
    }
}

// Weights that do not stay in the cache are asked for one row ahead: while a row is learned, those of the next one come.
inline constexpr std::size_t cached = std::size_t{1} << 22;  // bytes: more than the caches close to a core hold

inline bool reaches_far(const std::vector<Job>& jobs) {
    const Group* const group = jobs.size() == 1 ? jobs.front().group : nullptr;
    return group && group->weights.feature.size() * sizeof(double) > cached;
}

template <class I, class V>
ROSENBLATT_INLINE void fetch_weights(const SparseRow<I, V>& row, const Group& group) {
    for (const double* part : {group.weights.feature.data(), group.scale.feature.data(), group.drift.feature.data()})
        for (std::size_t k = 0; part && k < row.entries; ++k)
            __builtin_prefetch(part + static_cast<std::size_t>(row.index[k]) * group.width, 1, 3);
}

// A row by itself. Sparse ones, whose largest value is known, are looked at first.
template <class Row, bool looks_>
struct OneByOne {
    static constexpr bool looks = looks_, apart = false;
    const Row& row;
    std::vector<Looking>& looking;

    template <int W>
    ROSENBLATT_INLINE Verdict look(const Job& job, const Example& example) {
        if constexpr (looks) {
            if (!looking[job.number].now()) return Verdict::open;
            const Group& group = *job.group;
            return told<W>(job, example, quick_score<W>(row, group),
                           distance_of_sums(row.entries, group, example.largest));
        } else return Verdict::open;
    }
    // Both what the last weights of a binary learner decide, and what their average does.
    ROSENBLATT_INLINE Looked look_twice(const Job& job, const Example& example)
        requires looks
    {
        const Group& group = *job.group;
        if (job.learner->rule.scheme != Scheme::binary || !looking[job.number].now()) return {};
        const auto [last, average] = quick_scores(row, group);
        const double distance = distance_of_averages(row.entries, group, example.largest);
        if (!(std::fabs(average) > distance)) return {};
        return {told<1>(job, example, last, distance), (average > 0) != (example.label == 1)};
    }
    template <int W>
    ROSENBLATT_INLINE Verdict told(const Job& job, const Example& example, vec<W> s, double distance) {
        const Learner& learner = *job.learner;
        const double* const sign = learner.signs.data() + example.label * learner.sign_stride + job.group->first;
        Verdict verdict = verdict_of<W>(learner.rule, sign, s, distance);
        if (verdict == Verdict::wrong && !looking[job.number].moves()) verdict = Verdict::open;
        looking[job.number].heard(verdict != Verdict::open);
        return verdict;
    }
    template <int W>
    ROSENBLATT_INLINE vec<W> score(const Job&, const Group& group) const {
        return rosenblatt::ROSENBLATT_ISA::score<W>(row, group);
    }
    HeardSparse hearing(const Job&) const { return {}; }
    void moved(const Job&, double) const {}
    void changed(const Job&, const Group&) const {}
};

template <class Reader>
void work(const Examples& examples, Reader& reader, const std::vector<Job>& jobs, std::size_t from, std::size_t to) {
    const Order order{examples.order, examples.count};
    const bool far = reaches_far(jobs);
    Scratch scratch;
    std::vector<Looking> looking;
    for (const Job& job : jobs) looking.emplace_back(*job.learner, examples.rows.largest);
    for (std::size_t p = from; p < to; ++p) {
        if constexpr (is_csr<Reader>)
            if (far && p + 1 < to) fetch_weights(reader.at(p + 1), *jobs.front().group);
        if (order.index && p + 32 < order.count) __builtin_prefetch(examples.labels + order[p + 32]);
        const auto values = reader[p];
        visit(examples, jobs, order[p], values, scratch,
              OneByOne<std::remove_const_t<decltype(values)>, is_csr<Reader>>{values, looking});
    }
}

// Four rows that have been scored together: one that a unit's change has come between is scored again.
template <class V>
struct FourTogether {
    static constexpr bool looks = false, apart = true;
    std::vector<Column>& columns;
    DenseRow<V> row;
    std::size_t r;

    template <int W>
    ROSENBLATT_INLINE Verdict look(const Job&, const Example&) const { return Verdict::open; }
    template <int W>
    ROSENBLATT_INLINE vec<W> score(const Job& job, const Group& group) const {
        const Column& scored = columns[job.column(group)];
        return scored.changed ? rosenblatt::ROSENBLATT_ISA::score<W>(row, group) : scored.s[r];
    }
    void changed(const Job& job, const Group& group) { columns[job.column(group)].changed = true; }
};

// The rows of four positions, held at once.
template <class Reader>
struct Four {
    using V = typename Reader::Value;
    const V* row[rows_together];
    Fetching ahead;

    Four(Reader& reader, const Examples& examples, const Order& order, std::size_t p)
        : ahead(reader, order, reader.hold(p, rows_together) ? p + rows_together : order.count,
                examples.rows.features * sizeof(V)) {
        for (std::size_t r = 0; r < rows_together; ++r) {
            row[r] = reader.at(p + r);
            if (order.index && p + r + 32 < order.count) __builtin_prefetch(examples.labels + order[p + r + 32]);
        }
    }
};

template <class Reader>
std::size_t work_together(const Examples& examples, Reader& reader, const std::vector<Job>& jobs, std::size_t from,
                          std::size_t to) {
    const Order order{examples.order, examples.count};
    std::vector<Column> columns;
    for (const Job& job : jobs) {
        if (job.group) columns.push_back({job.group, false, {}});
        else
            for (Group& group : job.learner->groups) columns.push_back({&group, false, {}});
    }
    Packed<double> packed(examples.rows.features);
    Scratch scratch;
    std::size_t p = from;
    for (; p + rows_together <= to; p += rows_together) {
        Four<Reader> four(reader, examples, order, p);
        four.ahead.pace(0.25, packed.all_lines());
        packed.pack(four.row, four.ahead);
        four.ahead.pace(1.0, packed.lines() * ((columns.size() + units_together - 1) / units_together));
        score_columns(packed, columns.data(), columns.size(), four.ahead);
        for (Column& column : columns) column.changed = false;
        for (std::size_t r = 0; r < rows_together; ++r) {
            const auto row = packed.row(four.row[r]);
            visit(examples, jobs, order[p + r], row, scratch, FourTogether<typename Reader::Value>{columns, row, r});
        }
    }
    return p;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
