// A bounded sample of the scores that examples were given before they were learned: honest scores, to calibrate with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rosenblatt {

// Evenly spaced over the examples: one in `stride` of them. When it is full, every second one is dropped and the stride is
// doubled, so which examples are in it depends on their numbers alone.
struct ScoreSample {
    std::uint64_t stride = 1;
    std::vector<double> scores;        // [example][unit]
    std::vector<std::int32_t> labels;  // index of the class, or of the set of labels
    std::vector<double> targets;       // in their place, where numbers are predicted
    std::vector<std::uint64_t> t;      // examples visited before

    bool takes(std::uint64_t examples) const { return (examples & (stride - 1)) == 0; }

    void add(std::uint64_t examples, std::size_t label, const double* of_units, std::size_t units, std::size_t most,
             const double* target = nullptr) {
        if (t.size() >= most) halve(units);
        if (!takes(examples)) return;
        scores.insert(scores.end(), of_units, of_units + units);
        labels.push_back(static_cast<std::int32_t>(label));
        t.push_back(examples);
        if (target) targets.push_back(*target);
    }

    // Of labels that are not classes each unit is calibrated by itself, and a label may be rare: more examples are kept.
    static std::size_t capacity(std::size_t units, bool independent) {
        return std::clamp<std::size_t>((std::size_t{1} << (independent ? 22 : 18)) / units, 1024, 16384);
    }

private:
    void halve(std::size_t units) {
        stride *= 2;
        std::size_t left = 0;
        for (std::size_t i = 0; i < t.size(); ++i) {
            if (!takes(t[i])) continue;
            std::copy_n(scores.data() + i * units, units, scores.data() + left * units);
            labels[left] = labels[i];
            if (!targets.empty()) targets[left] = targets[i];
            t[left++] = t[i];
        }
        scores.resize(left * units);
        labels.resize(left);
        if (!targets.empty()) targets.resize(left);
        t.resize(left);
    }
};

}  // namespace rosenblatt
