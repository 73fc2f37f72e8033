// The names that a long row has listed already, by their hashes: each is listed once.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace rosenblatt::words {

class Listed {
public:
    void clear() {
        if (count_) slots_.clear();
        count_ = 0;
    }

    std::size_t size() const { return count_; }

    // True when it was not there.
    bool add(std::uint64_t hash) {
        if (2 * count_ >= slots_.size()) grow();
        return put(hash | (hash == 0));
    }

private:
    bool put(std::uint64_t hash) {
        std::size_t at = hash & (slots_.size() - 1);
        for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at] == hash) return false;
        slots_[at] = hash;
        ++count_;
        return true;
    }

    void grow() {
        std::vector<std::uint64_t> smaller(slots_.size() ? 2 * slots_.size() : 1 << 14, 0);
        smaller.swap(slots_);
        count_ = 0;
        for (const std::uint64_t hash : smaller)
            if (hash) put(hash);
    }

    std::vector<std::uint64_t> slots_;
    std::size_t count_ = 0;
};

}  // namespace rosenblatt::words
