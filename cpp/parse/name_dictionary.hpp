// A bounded dictionary beside the hash: the name of each column, and how many names share one.
//
// Parse workers look names up and list those they do not find (`Candidates`); one thread merges the lists in the order
// of the file. Whatever a worker finds was merged from an earlier part of the file, so the first name in file order wins
// and the dictionary is the same for any number of workers.
//
// At first all names are kept apart by their hashes and counted exactly. When phrases fill half of the dictionary, or it is
// full, or a million names were looked up, it becomes coarse: names are taken from every sixteenth row only, the first of
// each column, and the number of names is estimated from one in sixty-four, chosen by their hashes, and the columns
// these use (linear counting, Whang, Vander-Zanden and Taylor 1990): n names leave a column of m empty with
// probability (1 - 1/m)^n.
//
// The first name of a column may be a rare one that shares it with a common one. So a dictionary can watch a few columns
// instead: then every occurrence of their names is listed, and counted.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hash_secret.hpp"

namespace rosenblatt {

struct Name {
    std::uint64_t hash;  // identifies the name
    std::uint32_t column;
    bool phrase;
};

// Names that a worker did not find, in the order of the text.
struct Candidates {
    struct Entry {
        Name name;
        bool sampled_row;   // its row is one of those that a coarse dictionary takes names from
        std::uint32_t end;  // of its spelling in `text`
    };
    std::vector<Entry> entries;
    std::string text;                           // their spellings, concatenated
    std::vector<std::uint32_t> sample_columns;  // columns of names that are only counted
    std::size_t lookups = 0;                    // names looked up, found or not
};

class Names {
public:
    static constexpr std::size_t max_name_size = 256;             // bytes kept of a name
    static constexpr std::size_t max_exact_lookups = 1'000'000;  // then the dictionary becomes coarse

    Names(unsigned bits, std::size_t limit)
        : bits_(bits), limit_(limit), mask_(std::bit_ceil(2 * std::max<std::size_t>(limit, 4)) - 1), shift_(64 - std::bit_width(mask_)),
          hashes_(std::make_unique<std::atomic<std::uint64_t>[]>(mask_ + 1)),
          used_(std::make_unique<std::atomic<std::uint64_t>[]>(blocks())),
          in_sample_(std::make_unique<std::atomic<std::uint64_t>[]>(blocks())), shared_(std::make_unique<std::uint64_t[]>(blocks())) {}

    // --- for workers ---

    std::size_t limit() const { return limit_; }

    bool coarse() const { return coarse_.load(std::memory_order_relaxed); }

    bool is_used(std::uint32_t column) const { return bit(used_, column); }

    // Call this a while before contains(hash).
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&hashes_[place_of(hash | (hash == 0))]); }

    bool contains(std::uint64_t hash) const {
        if (watched_) return !bit(watched_, static_cast<std::uint32_t>(hash >> (64 - bits_)));
        hash |= hash == 0;
        for (std::size_t at = place_of(hash);; at = (at + 1) & mask_) {
            const std::uint64_t entry = hashes_[at].load(std::memory_order_relaxed);
            if (entry == hash) return true;
            if (entry == 0) return false;
        }
    }

    static bool is_sampled_row(std::size_t row) { return row % 16 == 0; }
    static bool is_sampled_name(std::uint64_t hash) { return (hash & 63) == 0; }

    bool in_sample(std::uint32_t column) const { return bit(in_sample_, column); }

    // For a name that was not found: `spell` appends it to a string.
    template <class Spell>
    void list(const Name& name, bool sampled_row, Candidates& candidates, Spell&& spell) const {
        if (full(name.phrase)) {
            if (is_sampled_name(name.hash)) candidates.sample_columns.push_back(name.column);
        } else {
            spell(candidates.text);
            candidates.entries.push_back({name, sampled_row, static_cast<std::uint32_t>(candidates.text.size())});
        }
    }

    // --- for the one thread that merges, in file order ---

    void merge(const Candidates& candidates) {
        std::size_t begin = 0;
        for (const auto& [name, sampled_row, end] : candidates.entries) {
            const bool is_new = coarse() ? sampled_row && !is_used(name.column) && !full(name.phrase) : insert(name.hash);
            if (is_new) {
                keep(name, std::string_view(candidates.text).substr(begin, end - begin));
                n_used_ += set(used_, name.column);
            }
            if (is_sampled_name(name.hash)) n_in_sample_ += set(in_sample_, name.column);
            begin = end;
        }
        for (const std::uint32_t column : candidates.sample_columns) n_in_sample_ += set(in_sample_, column);
        if ((lookups_ += candidates.lookups) > max_exact_lookups) coarse_.store(true, std::memory_order_relaxed);
    }

    // Coarse from the beginning: for a reader elsewhere, whose lists are merged into a dictionary that already is.
    void coarsen() { coarse_.store(true, std::memory_order_relaxed); }

    void watch(const std::vector<std::uint32_t>& columns) {
        watched_ = std::make_unique<std::atomic<std::uint64_t>[]>(blocks());
        for (const std::uint32_t column : columns) set(watched_, column);
    }

    void count(const Candidates& candidates) {
        std::size_t begin = 0;
        for (const auto& [name, sampled_row, end] : candidates.entries) {
            Count& count = counts_[name.hash];
            if (count.number++ == 0) {
                count.column = name.column;
                count.order = counts_.size();
                count.text = candidates.text.substr(begin, std::min<std::size_t>(end - begin, max_name_size));
            }
            begin = end;
        }
    }

    // The most common name of each column that is watched; the first of equals.
    std::unordered_map<std::uint32_t, std::string> most_common() const {
        std::unordered_map<std::uint32_t, const Count*> best;
        for (const auto& [hash, count] : counts_) {
            const Count*& other = best[count.column];
            if (!other || count.number > other->number || (count.number == other->number && count.order < other->order))
                other = &count;
        }
        std::unordered_map<std::uint32_t, std::string> names;
        for (const auto& [column, count] : best) names[column] = count->text;
        return names;
    }

    bool exact() const { return !coarse(); }

    // Columns in use.
    double occupied() const {
        if (exact()) return static_cast<double>(n_used_);
        return -size() * std::expm1(distinct() * std::log1p(-1.0 / size()));
    }

    const std::vector<std::uint32_t>& columns() const { return columns_; }
    const std::vector<std::uint32_t>& ends() const { return ends_; }
    const std::string& text() const { return text_; }

    // How many names there are: counted, or estimated once the dictionary is coarse.
    double distinct() const {
        if (exact()) return static_cast<double>(columns_.size());
        const double empty = size() - static_cast<double>(n_in_sample_);
        return 64.0 * std::log(std::max(empty, 0.5) / size()) / std::log1p(-1.0 / size());
    }

    // How many names do not have their column to themselves.
    double shared() const {
        if (exact()) return static_cast<double>(n_sharing_);
        const double n = distinct();
        return n * -std::expm1((n - 1.0) * std::log1p(-1.0 / size()));
    }

private:
    using Bits = std::unique_ptr<std::atomic<std::uint64_t>[]>;

    double size() const { return std::ldexp(1.0, static_cast<int>(bits_)); }
    std::size_t blocks() const { return ((std::size_t{1} << bits_) + 63) / 64; }

    std::size_t place_of(std::uint64_t hash) const { return hash * key_ >> shift_; }

    bool full(bool phrase) const { return (phrase ? phrases_full_ : words_full_).load(std::memory_order_relaxed); }

    bool insert(std::uint64_t hash) {
        hash |= hash == 0;
        std::size_t at = place_of(hash);
        for (; hashes_[at].load(std::memory_order_relaxed) != 0; at = (at + 1) & mask_)
            if (hashes_[at].load(std::memory_order_relaxed) == hash) return false;
        hashes_[at].store(hash, std::memory_order_relaxed);
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

    // One more name in a used column. The first name there counts as sharing from now on too.
    void share(std::uint32_t column) {
        const std::uint64_t bit = std::uint64_t{1} << column % 64;
        n_sharing_ += shared_[column / 64] & bit ? 1 : 2;
        shared_[column / 64] |= bit;
    }

    void keep(const Name& name, std::string_view text) {
        if (full(name.phrase)) return;
        if (is_used(name.column)) share(name.column);
        columns_.push_back(name.column);
        text_ += text.substr(0, max_name_size);
        ends_.push_back(static_cast<std::uint32_t>(text_.size()));
        n_phrases_ += name.phrase;
        const bool all_full = columns_.size() >= limit_, half_phrases = n_phrases_ >= limit_ / 2;
        if (all_full) words_full_.store(true, std::memory_order_relaxed);
        if (all_full || half_phrases) {
            phrases_full_.store(true, std::memory_order_relaxed);
            coarse_.store(true, std::memory_order_relaxed);
        }
    }

    struct Count {
        std::size_t number = 0, order = 0;
        std::uint32_t column = 0;
        std::string text;
    };

    unsigned bits_;
    std::size_t limit_, mask_;
    int shift_;
    std::uint64_t key_ = hash_secret();
    std::unique_ptr<std::atomic<std::uint64_t>[]> hashes_;  // open addressing, 0: empty
    Bits used_, in_sample_;                                 // columns of the names kept, and of the names sampled
    std::unique_ptr<std::uint64_t[]> shared_;               // columns of several names, while the dictionary is exact
    std::atomic<bool> words_full_ = false, phrases_full_ = false, coarse_ = false;
    std::size_t n_used_ = 0, n_phrases_ = 0, lookups_ = 0, n_sharing_ = 0, n_in_sample_ = 0;
    std::vector<std::uint32_t> columns_, ends_;  // of the names kept: column, end in `text_`
    std::string text_;
    Bits watched_;                                        // columns, where only their names are counted
    std::unordered_map<std::uint64_t, Count> counts_;  // by hash
};

}  // namespace rosenblatt
