// Learns small data by every rule in every layout, and prints the bits of what it has learned: a line for each, the same on
// every machine. (cpp/ is compiled for one instruction set here; no Python is needed, so that it can run under qemu.)
#define ROSENBLATT_ISA baseline
#include <cstdio>
#include <cstring>

#include "core/memory/memory_pool.cpp"
#include "core/random.hpp"
#include "core/hash_secret.cpp"
#include "learn/batch/logistic_minimum.cpp"
#include "learn/batch/squared_minimum.cpp"
#include "learn/pass.cpp"
#include "learn/scores/pocket.cpp"
#include "learn/scores/score_rows.cpp"
#include "parse/svmlight/svmlight.cpp"
#include "rows/check.cpp"
#include "words/lower_case_words.cpp"

using namespace rosenblatt;

namespace {

constexpr std::size_t count = 200, features = 37;

std::uint64_t hash_of(const void* data, std::size_t size, std::uint64_t sum = 1469598103934665603u) {
    for (std::size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
    return sum;
}

struct Matrix {
    std::vector<double> dense, values;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> indices, labels;
    std::vector<double> targets;

    explicit Matrix(std::size_t classes) {
        Random random{42};
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < features; ++j) {
                const double x = random.below(3) ? 0.0 : (random.uniform() - 0.5) * (j % 5 ? 1.0 : 1e-300);
                dense.push_back(x);
                if (x == 0.0) continue;
                values.push_back(x);
                indices.push_back(static_cast<std::int32_t>(j));
            }
            starts.push_back(static_cast<std::int64_t>(values.size()));
            labels.push_back(static_cast<std::int32_t>(random.below(classes)));
        }
        for (std::size_t i = 0; i < count; ++i) targets.push_back(1e3 * random.uniform() - 300.0);
    }
    Rows rows(bool sparse) const {
        Rows rows;
        rows.count = count;
        rows.features = features;
        rows.sparse = sparse;
        rows.values = sparse ? values.data() : dense.data();
        rows.row_stride = features;
        rows.column_stride = 1;
        rows.starts = starts.data();
        rows.indices = indices.data();
        rows.stored = values.size();
        if (baseline::row_functions.check(rows).kind != Fault::none) std::printf("bad rows\n");
        return rows;
    }
};

std::uint64_t learned(const Matrix& matrix, bool sparse, const Rule& rule, const std::vector<double>& levels = {}) {
    Examples examples;
    examples.rows = matrix.rows(sparse);
    examples.labels = matrix.labels.data();
    examples.classes = rule.classes;
    examples.count = examples.training_count = count;
    Learner learner(rule, features, std::vector<double>(rule.classes, 1.0), !sparse, levels);
    if (learner.predicts_number()) {
        examples.targets = matrix.targets.data();
        learner.measures_error = true;
    }
    std::vector<Learner*> learners{&learner};
    for (int epoch = 0; epoch < 4; ++epoch) baseline::learn_functions.pass(examples, learners, 0, count, 2);
    std::vector<double> scores(count * learner.rule.unit_count());
    baseline::learn_functions.learner_scores(learner, examples.rows, nullptr, count, scores.data());
    return hash_of(&learner.squared_error, sizeof(double), hash_of(scores.data(), scores.size() * sizeof(double)));
}

void print(int scheme, int rate, int kind, std::uint64_t dense, std::uint64_t sparse) {
    std::printf("%d %d %d %016llx%s\n", scheme, rate, kind, static_cast<unsigned long long>(dense), dense == sparse ? "" : " and the layouts differ");
}

// Losses that predict numbers, by every rate that learns them; quantiles are three units.
void learn_numbers() {
    const Matrix matrix(1);
    for (const Loss loss : {Loss::squared, Loss::absolute, Loss::quantile, Loss::huber})
        for (const Rate rate : {Rate::constant, Rate::inverse, Rate::invsqrt, Rate::adagrad, Rate::arow, Rate::invariant})
            for (const bool average : {false, true}) {
                if (rate == Rate::arow && loss != Loss::squared) continue;
                Rule rule;
                rule.scheme = Scheme::number;
                rule.classes = 1;
                rule.loss = loss;
                rule.rate = rate;
                rule.average = average;
                rule.eta0 = 0.01;
                rule.width = 50.0;
                const std::vector<double> levels = loss == Loss::quantile ? std::vector<double>{0.1, 0.5, 0.9} : std::vector<double>{};
                print(static_cast<int>(rule.scheme), static_cast<int>(rate), 2 * static_cast<int>(loss) + average, learned(matrix, false, rule, levels),
                      learned(matrix, true, rule, levels));
            }
}

}  // namespace

int main() {
    for (const std::size_t classes : {2, 5}) {
        const Matrix matrix(classes);
        for (const Scheme scheme : {Scheme::binary, Scheme::ovr, Scheme::ovo, Scheme::joint}) {
            if ((scheme == Scheme::binary) != (classes == 2)) continue;
            for (const Rate rate : {Rate::constant, Rate::inverse, Rate::invsqrt, Rate::adagrad, Rate::pa1, Rate::pa2, Rate::arow})
                for (const bool average : {false, true}) {
                    Rule rule;
                    rule.scheme = scheme;
                    rule.classes = classes;
                    rule.rate = rate;
                    rule.average = average;
                    rule.margin = rate >= Rate::pa1 ? 1.0 : 0.0;
                    print(static_cast<int>(scheme), static_cast<int>(rate), average, learned(matrix, false, rule), learned(matrix, true, rule));
                }
        }
    }
    learn_numbers();
    std::string text;
    for (int row = 0; row < 300; ++row)
        text += std::to_string(row % 2) + " 1:0." + std::to_string(row * 7919 % 10007) + " 3:" + std::to_string(row) + "e-" + std::to_string(row) + " 20:1.5\n";
    Parsed parsed;
    const SvmlightOptions options{1, std::int64_t{1} << 31, false, false};
    text.append(64, '\0');
    baseline::parse_svmlight(text.data(), text.data() + text.size() - 64, options, parsed);
    std::printf("parsed %zu %016llx\n", parsed.labels.size(), static_cast<unsigned long long>(hash_of(parsed.values.data(), parsed.values.size() * sizeof(double))));
}
