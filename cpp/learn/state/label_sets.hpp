// The sets of labels that examples have, where an example may have several labels or none: each set is stored once, with
// one bit for each label, and an example has the number of its set. The first set is the empty one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt {

class LabelSets {
public:
    explicit LabelSets(std::size_t labels) : labels_(labels), bytes_((labels + 7) / 8), bits_(bytes_, 0) {}

    std::size_t labels() const { return labels_; }
    std::size_t size() const { return bits_.size() / bytes_; }

    // Gives the next number to a set of existing labels.
    void add(const std::vector<std::uint32_t>& set) {
        bits_.resize(bits_.size() + bytes_, 0);
        for (const std::uint32_t label : set) bits_[bits_.size() - bytes_ + label / 8] |= static_cast<std::uint8_t>(1u << label % 8);
    }

    // Adds labels, which no set so far has.
    void grow(std::size_t labels) {
        LabelSets grown(labels);
        grown.bits_.resize(size() * grown.bytes_, 0);
        for (std::size_t set = 0; set < size(); ++set) std::copy_n(bits_.begin() + set * bytes_, bytes_, grown.bits_.begin() + set * grown.bytes_);
        *this = std::move(grown);
    }

    bool has(std::size_t set, std::size_t label) const { return bits_[set * bytes_ + label / 8] >> label % 8 & 1; }
    // Which of the eight labels from this one on the set has, a multiple of eight: a bit for each.
    std::uint8_t eight(std::size_t set, std::size_t label) const { return bits_[set * bytes_ + label / 8]; }

private:
    std::size_t labels_, bytes_;
    std::vector<std::uint8_t> bits_;  // [set][label]
};

}  // namespace rosenblatt
