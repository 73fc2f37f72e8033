// A bounded dictionary beside the hash: which name lies in which column, and how many names share one.
//
// Parse workers look names up and list those they do not find (`Candidates`); one thread merges the lists in the order
// of the file. What is found while a worker looks was merged from an earlier part of the file, so the first name in
// the order of the file wins and the dictionary is the same for any number of workers.
//
// At first every name is told from every other, and they are counted exactly. When the dictionary is half full of
// phrases, or full, or a million were looked up, the looking becomes coarse: names are taken from every sixteenth row
// only, the first of each column, and the number of names is estimated from one in sixty-four, chosen by their hashes,
// and the columns these use (linear counting, Whang, Vander-Zanden and Taylor 1990): n names leave a column of m empty
// with probability (1 - 1/m)^n.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rosenblatt {

struct Name {
    std::uint64_t hash;  // tells names apart
    std::uint32_t column;
    bool phrase;
};

// Names that a worker did not find, in the order met; `text` holds them one after the other.
struct Candidates {
    struct Named {
        Name name;
        bool late;  // may be kept when the looking is coarse: of a row that is looked at then
        std::uint32_t end;
    };
    std::vector<Named> named;
    std::string text;
    std::vector<std::uint32_t> counted;  // columns of names that are counted and not kept
    std::size_t looked = 0;              // names looked up, found or not
};

class Names {
public:
    static constexpr std::size_t longest = 256;         // bytes kept of a name
    static constexpr std::size_t patience = 1'000'000;  // names looked up before the looking becomes coarse

    Names(unsigned bits, std::size_t limit)
        : bits_(bits), limit_(limit), mask_(std::bit_ceil(2 * std::max<std::size_t>(limit, 4)) - 1),
          known_(std::make_unique<std::atomic<std::uint64_t>[]>(mask_ + 1)),
          used_(std::make_unique<std::atomic<std::uint64_t>[]>(blocks())),
          counted_(std::make_unique<std::atomic<std::uint64_t>[]>(blocks())), shared_(std::make_unique<std::uint64_t[]>(blocks())) {}

    // --- for workers ---

    std::size_t limit() const { return limit_; }

    bool coarse() const { return coarse_.load(std::memory_order_relaxed); }

    bool used(std::uint32_t column) const { return bit(used_, column); }

    // Soon `knows` will be asked for this one.
    void expect(std::uint64_t hash) const { __builtin_prefetch(&known_[hash & mask_]); }

    bool knows(std::uint64_t hash) const {
        hash |= hash == 0;
        for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
            const std::uint64_t found = known_[at].load(std::memory_order_relaxed);
            if (found == hash) return true;
            if (found == 0) return false;
        }
    }

    static bool is_late(std::size_t row) { return row % 16 == 0; }
    static bool is_counted(std::uint64_t hash) { return (hash & 63) == 0; }

    bool counted(std::uint32_t column) const { return bit(counted_, column); }

    // For a name that was not found: `spell` adds it to a string.
    template <class Spell>
    void list(const Name& name, bool late, Candidates& list, Spell&& spell) const {
        if (full(name.phrase)) {
            if (is_counted(name.hash)) list.counted.push_back(name.column);
        } else {
            spell(list.text);
            list.named.push_back({name, late, static_cast<std::uint32_t>(list.text.size())});
        }
    }

    // --- for the one thread that merges, in the order of the file ---

    void merge(const Candidates& list) {
        std::size_t begin = 0;
        for (const auto& [name, late, end] : list.named) {
            const bool fresh = coarse() ? late && !used(name.column) && !full(name.phrase) : insert(name.hash);
            if (fresh) {
                keep(name, std::string_view(list.text).substr(begin, end - begin));
                occupied_ += set(used_, name.column);
            }
            if (is_counted(name.hash)) in_sample_ += set(counted_, name.column);
            begin = end;
        }
        for (const std::uint32_t column : list.counted) in_sample_ += set(counted_, column);
        if ((looked_ += list.looked) > patience) coarse_.store(true, std::memory_order_relaxed);
    }

    bool exact() const { return !coarse(); }

    // Columns in use.
    double occupied() const {
        if (exact()) return static_cast<double>(occupied_);
        return -size() * std::expm1(distinct() * std::log1p(-1.0 / size()));
    }

    const std::vector<std::uint32_t>& columns() const { return columns_; }
    const std::vector<std::uint32_t>& ends() const { return ends_; }
    const std::string& text() const { return text_; }

    // How many names there are: counted, or estimated once the looking is coarse.
    double distinct() const {
        if (exact()) return static_cast<double>(columns_.size());
        const double free = size() - static_cast<double>(in_sample_);
        return 64.0 * std::log(std::max(free, 0.5) / size()) / std::log1p(-1.0 / size());
    }

    // How many names do not have their column to themselves.
    double shared() const {
        if (exact()) return static_cast<double>(sharing_);
        const double n = distinct();
        return n * -std::expm1((n - 1.0) * std::log1p(-1.0 / size()));
    }

private:
    using Bits = std::unique_ptr<std::atomic<std::uint64_t>[]>;

    double size() const { return std::ldexp(1.0, static_cast<int>(bits_)); }
    std::size_t blocks() const { return ((std::size_t{1} << bits_) + 63) / 64; }

    bool full(bool phrase) const { return (phrase ? phrases_full_ : words_full_).load(std::memory_order_relaxed); }

    bool insert(std::uint64_t hash) {
        hash |= hash == 0;
        std::size_t at = hash & mask_;
        for (; known_[at].load(std::memory_order_relaxed) != 0; at = (at + 1) & mask_)
            if (known_[at].load(std::memory_order_relaxed) == hash) return false;
        known_[at].store(hash, std::memory_order_relaxed);
        return true;
    }

    static bool bit(const Bits& bits, std::uint32_t column) {
        return bits[column / 64].load(std::memory_order_relaxed) >> column % 64 & 1;
    }

    // True when it was not set.
    static bool set(Bits& bits, std::uint32_t column) {
        if (bit(bits, column)) return false;
        const std::uint64_t one = std::uint64_t{1} << column % 64;
        bits[column / 64].store(bits[column / 64].load(std::memory_order_relaxed) | one, std::memory_order_relaxed);
        return true;
    }

    // One more name in a column in use; the first one there has not been counted unless the column is shared already.
    void share(std::uint32_t column) {
        const std::uint64_t bit = std::uint64_t{1} << column % 64;
        sharing_ += shared_[column / 64] & bit ? 1 : 2;
        shared_[column / 64] |= bit;
    }

    void keep(const Name& name, std::string_view text) {
        if (full(name.phrase)) return;
        if (used(name.column)) share(name.column);
        columns_.push_back(name.column);
        text_ += text.substr(0, longest);
        ends_.push_back(static_cast<std::uint32_t>(text_.size()));
        phrases_ += name.phrase;
        const bool all = columns_.size() >= limit_, half = phrases_ >= limit_ / 2;
        if (all) words_full_.store(true, std::memory_order_relaxed);
        if (all || half) {
            phrases_full_.store(true, std::memory_order_relaxed);
            coarse_.store(true, std::memory_order_relaxed);
        }
    }

    unsigned bits_;
    std::size_t limit_, mask_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> known_;
    Bits used_, counted_;  // columns of names that were kept, and of names that are counted
    std::unique_ptr<std::uint64_t[]> shared_;  // columns of several names, while names are told apart
    std::atomic<bool> words_full_ = false, phrases_full_ = false, coarse_ = false;
    std::size_t occupied_ = 0, phrases_ = 0, looked_ = 0, sharing_ = 0, in_sample_ = 0;
    std::vector<std::uint32_t> columns_, ends_;
    std::string text_;
};

}  // namespace rosenblatt
