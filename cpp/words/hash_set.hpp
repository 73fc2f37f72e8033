// A set of 64-bit hashes, with open addressing.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace rosenblatt::words {

class HashSet {
public:
    void clear() {
        if (count_) slots_.clear();
        count_ = 0;
    }

    std::size_t size() const { return count_; }

    // True if it was not yet in the set.
    bool add(std::uint64_t hash) {
        if (2 * count_ >= slots_.size()) grow();
        return insert(hash | (hash == 0));
    }

private:
    bool insert(std::uint64_t hash) {
        std::size_t at = hash & (slots_.size() - 1);
        for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at] == hash) return false;
        slots_[at] = hash;
        ++count_;
        return true;
    }

    void grow() {
        const std::vector<std::uint64_t> old = std::exchange(slots_, std::vector<std::uint64_t>(slots_.size() ? 2 * slots_.size() : 1 << 14, 0));
        count_ = 0;
        for (const std::uint64_t hash : old)
            if (hash) insert(hash);
    }

    std::vector<std::uint64_t> slots_;
    std::size_t count_ = 0;
};

}  // namespace rosenblatt::words
