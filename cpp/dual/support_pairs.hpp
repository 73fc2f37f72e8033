// Support examples in the layout that products with them read: in pairs, each pair a list of the features at which either
// is not zero. What is zero in both is never multiplied, and pairing halves the loads of the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt {

template <class V>
struct SupportPairs {
    std::size_t features;
    std::size_t count = 0;
    std::vector<std::size_t> start{0};   // of each pair's list, and the end of the last
    std::vector<std::uint32_t> feature;
    std::vector<V> value;                // two for each feature: of the first and of the second of the pair

    explicit SupportPairs(std::size_t columns) : features(columns) {}

    void extend(const V* rows, std::size_t more) {
        std::size_t i = 0;
        if (count % 2 && more) {
            std::vector<V> unpaired(features);
            read(count - 1, unpaired.data());
            start.pop_back();
            feature.resize(start.back());
            value.resize(2 * start.back());
            --count;
            add(unpaired.data(), rows);
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
    void add(const V* first, const V* second) {
        for (std::size_t j = 0; j < features; ++j) {
            const V second_value = second ? second[j] : V{0};
            if (first[j] == V{0} && second_value == V{0}) continue;
            feature.push_back(static_cast<std::uint32_t>(j));
            value.push_back(first[j]);
            value.push_back(second_value);
        }
        start.push_back(feature.size());
        count += second ? 2 : 1;
    }
};

}  // namespace rosenblatt
