// Support examples as the products with them want to read them: in pairs, each pair a list of the features at which
// either is not zero. What is zero in both is never multiplied, and pairing halves the loads of what is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt {

template <class V>
struct Panel {
    std::size_t features;
    std::size_t count = 0;
    std::vector<std::size_t> start{0};   // of each pair's list, and the end of the last
    std::vector<std::uint32_t> feature;
    std::vector<V> value;                // two a feature: of the first and of the second of the pair

    explicit Panel(std::size_t columns) : features(columns) {}

    void extend(const V* rows, std::size_t more) {
        std::size_t i = 0;
        if (count % 2 && more) {
            std::vector<V> alone(features);
            read(count - 1, alone.data());
            start.pop_back();
            feature.resize(start.back());
            value.resize(2 * start.back());
            --count;
            add(alone.data(), rows);
            i = 1;
        }
        for (; i < more; i += 2) add(rows + i * features, i + 1 < more ? rows + (i + 1) * features : nullptr);
    }

    // Writes support example s as a dense row.
    void read(std::size_t s, V* row) const {
        for (std::size_t j = 0; j < features; ++j) row[j] = V{0};
        for (std::size_t e = start[s / 2]; e < start[s / 2 + 1]; ++e) row[feature[e]] = value[2 * e + s % 2];
    }

private:
    void add(const V* a, const V* b) {
        for (std::size_t j = 0; j < features; ++j) {
            const V second = b ? b[j] : V{0};
            if (a[j] == V{0} && second == V{0}) continue;
            feature.push_back(static_cast<std::uint32_t>(j));
            value.push_back(a[j]);
            value.push_back(second);
        }
        start.push_back(feature.size());
        count += b ? 2 : 1;
    }
};

// How an inner product becomes a kernel value: (gamma s + coef0)^degree, or as it is where the degree is 0.
struct PowerKernel {
    double gamma = 1.0, coef0 = 0.0;
    std::uint32_t degree = 0;
};

// What each support example gives: terms start[s] to start[s+1]-1 are its coefficients, each of one unit.
struct Terms {
    const std::int64_t* start;
    const std::int32_t* unit;
    const double* coefficient;
    double constant;  // 1 where a bias is learned: the constant feature 1 adds 1 to every inner product
};

}  // namespace rosenblatt
