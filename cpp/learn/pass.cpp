// One pass over the rows. The units are divided among the threads; each thread visits every row and updates its units.
// There are two loops, one row by row and one by blocks of four, and several scorers (learn/filter/scorer_concept.hpp);
// all give the same bits.
#include "core/parallel.hpp"
#include "learn/batch/logistic_minimum.hpp"
#include "learn/batch/squared_minimum.hpp"
#include "learn/filter/error_bounds.hpp"
#include "learn/filter/float_scores.hpp"
#include "learn/filter/row_block.hpp"
#include "learn/rules/joint_classes.hpp"
#include "learn/rules/numbers.hpp"
#include "learn/scores/progressive_error.hpp"
#include "learn/scores/score_rows.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

struct Scratch {
    std::vector<double> joint_scores, joint_factors, prediction_scores;
};

// One unit, or several interleaved ones, that decide independently.
template <int W, class Row, Scorer<Row> S>
ROSENBLATT_INLINE void learn_group(const Job& job, const Row& row, const Example& example, Scratch& scratch, S& scorer) {
    Learner& learner = *job.learner;
    Group& group = *job.group;
    const double copies = average_copies(learner, group);
    Filtered filtered;
    if (!samples_scores(learner, group)) {
        if constexpr (requires { scorer.filter_with_average(job, example, row); }) {
            if (copies != 0.0) filtered = scorer.filter_with_average(job, example, row);
        }
        if (copies == 0.0) filtered.verdict = scorer.template filter<W>(job, example, row);
    }
    if (filtered.verdict == Verdict::correct) {
        if (learner.measures_error) count_prediction(learner, example, false, filtered.average_wrong, copies);
        if (count_example(learner.rule, group)) scorer.changed(job, group);
        return;
    }
    if constexpr (W == 1 && S::filters)
        if (filtered.verdict == Verdict::mistake) {
            if (learner.measures_error) count_prediction(learner, example, true, filtered.average_wrong, copies);
            scorer.moved(job, learn_certain_mistake(learner, group, row, example, scorer.observer(job)));
            return;
        }
    const vec<W> s = scorer.template score<W>(job, group, row);
    if (learner.measures_error) count_prediction<W>(learner, group, s, example, row, scratch.prediction_scores);
    const bool moved = learner.predicts_number() ? learn_number<W>(learner, group, row, example, s) : learn_units<W>(learner, group, row, example, s);
    if (moved) scorer.changed(job, group);
}

// Calls f with the width as a constant; compiled only for the widths that a scorer supports.
template <class S, class F>
ROSENBLATT_INLINE void with_width_for(std::size_t width, F&& f) {
    if constexpr (S::unit_major) f(std::integral_constant<int, 1>{});
    else with_width(width, f);
}

template <class Row, Scorer<Row> S>
ROSENBLATT_INLINE void learn_jointly(const Job& job, const Row& row, const Example& example, Scratch& scratch, S& scorer) {
    Learner& learner = *job.learner;
    if constexpr (requires { scorer.certainly_correct(example.label); })
        if (scorer.certainly_correct(example.label)) {
            ++learner.groups.front().pockets[0].run;
            for (Group& group : learner.groups) count_example(learner.rule, group);
            return;
        }
    scratch.joint_scores.resize(learner.sign_stride);
    double* const s = scratch.joint_scores.data();
    for (const Group& group : learner.groups)
        with_width_for<S>(group.width, [&](auto W) {
            const vec<decltype(W)::value> scored = scorer.template score<W()>(job, group, row);
            store(s + group.first, scored);
            if (learner.measures_error) count_prediction<W()>(learner, group, scored, example, row, scratch.prediction_scores);
        });
    learn_joint(learner, row, example, s, scratch.joint_factors, [&](Group& group) { scorer.changed(job, group); });
}

// The largest absolute value of a sparse row. Reading a row adds up repeated entries of a column, so it may exceed all
// stored values.
template <class Row>
ROSENBLATT_INLINE double largest_in(const Row& row) {
    double largest = 0.0;
    if constexpr (requires { row.entries; })
        for (std::size_t k = 0; k < row.entries; ++k) largest = std::max(largest, std::fabs(static_cast<double>(row.value[k])));
    return largest;
}

// One example for each job in turn.
template <class Row, Scorer<Row> S>
ROSENBLATT_INLINE void learn_row(const Examples& examples, const std::vector<Job>& jobs, std::size_t row_number, const Row& row,
                                 Scratch& scratch, S& scorer) {
    Example example{row_number, examples.label_of(row_number), 1.0, std::max(1.0, examples.rows.largest)};
    if constexpr (!S::filters) example.largest = std::max(example.largest, largest_in(row));
    if (examples.targets) example.target = examples.targets[row_number];
    const Learner* weighed_for = nullptr;
    for (const Job& job : jobs) {
        Learner& learner = *job.learner;
        if (&learner != weighed_for) example.weight = examples.weight_of(learner, row_number, example.label);
        weighed_for = &learner;
        if (example.weight == 0.0) continue;
        if (job.group)
            with_width_for<S>(job.group->width,
                              [&](auto W) ROSENBLATT_ALWAYS { learn_group<W()>(job, row, example, scratch, scorer); });
        else learn_jointly(job, row, example, scratch, scorer);
        if (learner.rule.pocket) update_pocket(examples, learner, job.group);
    }
}

// Whether the weights exceed the caches of a core: then they are prefetched one row ahead.
bool exceeds_cache(const std::vector<Job>& jobs) {
    constexpr std::size_t cache_bytes = std::size_t{1} << 22;
    const Group* const group = jobs.size() == 1 ? jobs.front().group : nullptr;
    return group && group->weights.feature.size() * sizeof(double) > cache_bytes;
}

template <class I, class V>
ROSENBLATT_INLINE void prefetch_weights(const SparseRow<I, V>& row, const Group& group) {
    for (const double* part : {group.weights.feature.data(), group.scale.feature.data(), group.drift.feature.data()})
        for (std::size_t k = 0; part && k < row.entries; ++k)
            __builtin_prefetch(part + row.column(k) * group.width, 1, 3);
}

// Not inlined, with arguments by value, so that the loop that skips most rows keeps its registers.
template <class Row>
__attribute__((noinline)) void learn_uncertain(const Job& job, Row row, Example example, Scratch& scratch, SingleUnitScorer& scorer) {
    learn_group<1>(job, row, example, scratch, scorer);
}

template <class S, class Reader>
void learn_rows(const Examples& examples, Reader& reader, const std::vector<Job>& jobs, std::size_t from, std::size_t to) {
    const Order order{examples.order, examples.count, examples.rows.count};
    const bool prefetches_weights = exceeds_cache(jobs);
    S scorer(examples, jobs);
    Scratch scratch;
    for (std::size_t p = from; p < to; ++p) {
        if (order.index && p + 32 < order.count) __builtin_prefetch(examples.labels + order[p + 32]);
        if constexpr (std::same_as<S, SingleUnitScorer>) {
            const auto row = reader[p];
            const std::size_t number = order[p], label = examples.label_of(number);
            if (!scorer.skip(row, label)) learn_uncertain(jobs.front(), row, {number, label, 1.0, scorer.largest()}, scratch, scorer);
        } else {
            if constexpr (is_csr<Reader>)
                if (prefetches_weights && p + 1 < to) prefetch_weights(reader.at(p + 1), *jobs.front().group);
            const auto row = reader[p];
            learn_row(examples, jobs, order[p], row, scratch, scorer);
        }
    }
    if constexpr (std::same_as<S, SingleUnitScorer>) scorer.count_skipped();
}

// Stops where fewer than a block of rows are left, or where the scorer no longer pays off; returns the position.
template <class Block, class Reader>
std::size_t learn_blocks(const Examples& examples, Reader& reader, const std::vector<Job>& jobs, std::size_t from, std::size_t to) {
    const Order order{examples.order, examples.count, examples.rows.count};
    Block block(examples, jobs);
    Scratch scratch;
    std::size_t p = from;
    while (p + block_rows <= to && block.pays_off(p - from + 60)) {
        BlockRows<Reader> rows(reader, examples, order, p);
        block.score_block(rows.value, rows.prefetch);
        if constexpr (std::same_as<Block, IndependentFloatBlock>) {
            block.read_examples(order, p);
            for (const Job& job : jobs)
                block.each_uncertain(job, [&](std::size_t r) ROSENBLATT_ALWAYS {
                    learn_group<1>(job, block.select(r, rows.value[r]), block.example(r), scratch, block);
                });
        } else
            for (std::size_t r = 0; r < block_rows; ++r)
                learn_row(examples, jobs, order[p + r], block.select(r, rows.value[r]), scratch, block);
        p += block_rows;
    }
    return p;
}

// Dense rows and several units: blocks, filtered in single precision for as long as that pays off.
template <class Reader>
std::size_t learn_dense_blocks(const Examples& examples, Reader& reader, const std::vector<Job>& jobs, std::size_t from, std::size_t to) {
    const bool joint = JointFloatBlock::fits(examples, jobs);
    const bool filters = examples.rows.features <= max_float_features && to - from >= 64 &&
                         (joint || IndependentFloatBlock::fits(examples, jobs));
    while (filters && from + block_rows <= to) {
        from = joint ? learn_blocks<JointFloatBlock>(examples, reader, jobs, from, to)
                     : learn_blocks<IndependentFloatBlock>(examples, reader, jobs, from, to);
        from = learn_blocks<ExactBlock>(examples, reader, jobs, from, std::min(from + 4096, to));
    }
    return learn_blocks<ExactBlock>(examples, reader, jobs, from, to);
}

template <class Reader>
void choose_loop(const Examples& examples, Reader reader, const std::vector<Job>& jobs, std::size_t from, std::size_t to) {
    if constexpr (requires { reader.load(from, to); }) {
        const bool unit_major = std::none_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.learner->has_interleaved_units(); });
        if (unit_major && (jobs.size() > 1 || !jobs.front().group)) from = learn_dense_blocks(examples, reader, jobs, from, to);
    }
    if constexpr (is_csr<Reader>)
        if (SingleUnitScorer::fits(examples, jobs) && !exceeds_cache(jobs))
            return learn_rows<SingleUnitScorer>(examples, reader, jobs, from, to);
    learn_rows<RowScorer<is_csr<Reader>>>(examples, reader, jobs, from, to);
}

// Divides the jobs (a group of units, or a joint learner) among the threads.
std::vector<std::vector<Job>> share_out(const std::vector<Learner*>& learners, int threads) {
    std::vector<Job> all;
    for (Learner* learner : learners) {
        if (learner->is_joint()) all.push_back({learner, nullptr});
        else
            for (Group& group : learner->groups) all.push_back({learner, &group});
    }
    // Called only if there are several threads: hardware_concurrency() takes longer than learning a row.
    const std::size_t cores = threads > 1 ? std::max(1u, std::thread::hardware_concurrency()) : 1;
    const std::size_t requested = threads > 1 ? static_cast<std::size_t>(threads) : 1;
    std::vector<std::vector<Job>> shares(std::min({requested, cores, all.size()}));
    for (std::size_t i = 0, share = 0; i < all.size(); ++i) {
        // A learner that measures its error needs the scores of all its units together, so one thread gets all of them.
        const bool same_thread = i > 0 && all[i].learner == all[i - 1].learner && all[i].learner->measures_error;
        if (i > 0 && !same_thread) share = (share + 1) % shares.size();
        std::vector<Job>& jobs = shares[share];
        all[i].number = jobs.size();
        if (!jobs.empty())
            all[i].first_column = jobs.back().first_column + (jobs.back().group ? 1 : jobs.back().learner->groups.size());
        jobs.push_back(all[i]);
    }
    std::erase_if(shares, [](const std::vector<Job>& jobs) { return jobs.empty(); });
    return shares;
}

void pass(const Examples& examples, std::vector<Learner*>& learners, std::size_t from, std::size_t to, int threads) {
    const std::vector<std::vector<Job>> shares = share_out(learners, threads);
    const auto learn = [&](const std::vector<Job>& jobs) {
        const bool interleaved = std::any_of(jobs.begin(), jobs.end(), [](const Job& job) { return job.learner->has_interleaved_units(); });
        with_reader(examples.rows, Order{examples.order, examples.count, examples.rows.count}, interleaved,
                    [&](auto reader) { choose_loop(examples, std::move(reader), jobs, from, to); });
    };
    in_parallel(shares.size(), [&](std::size_t i) { learn(shares[i]); });
}

void end_batches(Learner& learner) {
    for (Group& group : learner.groups) end_batch(learner.rule, group);
}

}  // namespace

extern const LearnFunctions learn_functions;
const LearnFunctions learn_functions{pass, mistakes, scores, learner_scores, learner_variances, score_one, end_batches, pocket_clean,
                                     minimise_logistic, column_products, minimise_squared};

}  // namespace rosenblatt::ROSENBLATT_ISA
