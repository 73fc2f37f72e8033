// What the tests of threads cannot see from Python, for ThreadSanitizer: one thread learns while others score, and threads
// that run out of memory. `threads race` and `threads memory`; both print "fine".
#define ROSENBLATT_ISA baseline
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "core/memory/memory_pool.cpp"
#include "core/parallel.hpp"
#include "core/memory/read_ahead.hpp"
#include "core/hash_secret.cpp"
#include "learn/batch/logistic_minimum.cpp"
#include "learn/batch/squared_minimum.cpp"
#include "learn/pass.cpp"
#include "learn/scores/pocket.cpp"
#include "learn/scores/score_rows.cpp"
#include "rows/compact_columns.hpp"

using namespace rosenblatt;

namespace {

std::atomic<long> allocations_left{-1};  // -1: there is no limit

void fail(const char* what) {
    std::printf("%s\n", what);
    std::exit(1);
}

// Every example adds as much to one weight as to another, so in a model of one moment all scores are equal: the number of
// mistakes for a rule that learns classes, any number for one that learns numbers.
void race(const Rule& rule, const std::vector<double>& weights, const std::vector<double>& levels) {
    constexpr std::size_t count = 400, features = 24;
    std::vector<double> values(count * features, 1.0);
    std::vector<std::int32_t> labels(count, rule.classes == 2);
    std::vector<double> targets(count, 1e6);
    Examples examples;
    examples.rows.count = count;
    examples.rows.features = features;
    examples.rows.values = values.data();
    examples.rows.row_stride = features;
    examples.rows.column_stride = 1;
    examples.rows.largest = 1.0;
    examples.labels = labels.data();
    examples.classes = rule.classes;
    examples.count = examples.training_count = count;
    CompactLearner learner(rule, features, weights, true, levels);
    const std::size_t units = learner.rule.unit_count();
    if (learner.predicts_number()) {
        examples.targets = targets.data();
        learner.measures_error = true;
    }
    std::atomic<bool> done = false;
    std::atomic<std::size_t> reads = 0;
    const auto read = [&] {
        std::vector<double> scores(8 * units);
        while (!done) {
            std::shared_lock lock(learner.access);
            baseline::learner_scores(learner, examples.rows, nullptr, 8, scores.data());
            for (std::size_t i = 0; i < scores.size(); ++i)
                if (scores[i] != scores[i % units]) fail("a torn model");
            if (rule.classes == 2 && scores[0] != static_cast<double>(learner.groups[0].t * (features + 1))) fail("a torn model");
            ++reads;
        }
    };
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i) readers.emplace_back(read);
    std::vector<Learner*> learners{&learner};
    for (int pass = 0; pass < 10 || reads < 100; ++pass)
        for (std::size_t from = 0; from < count; from += 50) {
            std::unique_lock lock(learner.access);
            if (pass % 8 == 7 && from == 0) learner.grow(learner.features);  // as a stream does
            baseline::pass(examples, learners, from, from + 50, 2);
        }
    done = true;
    for (std::thread& reader : readers) reader.join();
}

// Threads that learn different units of one model, whose filters decide: neither reads what the other writes.
void race_of_units(bool sparse) {
    constexpr std::size_t count = 200, features = 24, classes = 20;
    std::vector<double> values(count * features);
    std::vector<std::int64_t> starts(count + 1);
    std::vector<std::int32_t> columns(count * features), labels(count);
    for (std::size_t i = 0; i < count; ++i) {
        labels[i] = static_cast<std::int32_t>(i * i % classes);
        starts[i + 1] = static_cast<std::int64_t>((i + 1) * features);
        for (std::size_t j = 0; j < features; ++j) {
            columns[i * features + j] = static_cast<std::int32_t>(j);
            values[i * features + j] = static_cast<double>((i * 7 + j * j) % 11) - 5.0;
        }
    }
    Examples examples;
    examples.rows.count = count;
    examples.rows.features = features;
    examples.rows.values = values.data();
    examples.rows.row_stride = features;
    examples.rows.column_stride = 1;
    examples.rows.largest = 5.0;
    if (sparse) {
        examples.rows.sparse = examples.rows.canonical = true;
        examples.rows.starts = starts.data();
        examples.rows.indices = columns.data();
        examples.rows.stored = columns.size();
    }
    examples.labels = labels.data();
    examples.classes = classes;
    examples.count = examples.training_count = count;
    Rule rule;
    rule.classes = classes;
    rule.scheme = Scheme::ovr;
    CompactLearner learner(rule, features, std::vector<double>(classes, 1.0), !sparse, {});
    std::vector<Learner*> learners{&learner};
    for (int pass = 0; pass < 30; ++pass) baseline::pass(examples, learners, 0, count, 2);
    std::uint64_t mistakes = 0;
    for (const Group& group : learner.groups)
        for (const std::uint64_t m : group.mistakes) mistakes += m;
    if (mistakes == 0) fail("nothing was learned");
}

void races() {
    for (const bool sparse : {false, true}) race_of_units(sparse);
    Rule classes;
    classes.margin = 1e300;
    race(classes, {1.0, 1.0}, {});
    for (const Loss loss : {Loss::squared, Loss::absolute, Loss::quantile, Loss::huber}) {
        Rule numbers;
        numbers.scheme = Scheme::number;
        numbers.classes = 1;
        numbers.loss = loss;
        numbers.rate = Rate::invsqrt;
        numbers.eta0 = 1e-4;
        numbers.average = true;
        race(numbers, {1.0}, loss == Loss::quantile ? std::vector<double>{0.1, 0.9} : std::vector<double>{});
    }
}

// Fails at the first allocation, at the second, and so on: the result is whole, or bad_alloc reaches the caller.
template <class Work>
void starve(Work work) {
    int refused = 0;
    for (long limit = 0; limit < 400; ++limit) {
        allocations_left = limit;
        try {
            work();
        } catch (const std::bad_alloc&) {
            ++refused;
        }
        allocations_left = -1;
    }
    if (refused == 0) fail("no allocation failed");
}

void memory() {
    starve([] {
        std::atomic<int> sum = 0;
        in_parallel(4, [&](std::size_t share) {
            const std::vector<int> numbers(100, static_cast<int>(share));
            sum += numbers[99];
        });
        if (sum != 6) fail("a share was not done");
    });
    starve([] {
        ReadAhead<std::vector<int>> ahead([](std::size_t number, std::vector<int>& item) { item.assign(10, static_cast<int>(number)); }, 40, 4);
        for (int expected = 0; expected < 40; ++expected)
            if (const auto item = ahead.next(); !item || (*item)[9] != expected) fail("an item is missing");
        if (ahead.next()) fail("an item too many");
    });
}

}  // namespace

void* operator new(std::size_t size) {
    if (allocations_left >= 0 && allocations_left.fetch_sub(1) <= 0) {
        allocations_left = 0;
        throw std::bad_alloc();
    }
    if (void* const block = std::malloc(size)) return block;
    throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

int main(int count, char** arguments) {
    if (count == 2 && std::strcmp(arguments[1], "race") == 0) races();
    else memory();
    std::printf("fine\n");
}
