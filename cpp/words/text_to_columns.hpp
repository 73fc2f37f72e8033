// Texts -> sparse rows: words, phrases and character n-grams are hashed to columns; each distinct column of a row once, in
// ascending order.
//
// The character n-grams of a word are the runs of n characters of the word with a space before and after it, which mark
// where it begins and ends, as < and > do in fastText (Bojanowski, Grave, Joulin and Mikolov 2017); not the run that is all
// of it, since the word is a feature already. Characters that are words by themselves and stand side by side, as in Chinese,
// are one word here.
#pragma once

#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/memory/memory_pool.hpp"
#include "core/hash_secret.hpp"
#include "isa/dispatch.hpp"
#include "parse/name_dictionary.hpp"
#include "words/hash_function.hpp"
#include "words/lower_case_words.hpp"

#ifndef ROSENBLATT_SEGMENT_SIZE  // a fuzzer makes it smaller
#define ROSENBLATT_SEGMENT_SIZE (std::size_t{1} << 20)
#endif

namespace rosenblatt::words {

// How the value of a column follows from its number of occurrences in the row.
enum class Value { count, binary, sqrt };

struct HashingOptions {
    unsigned bits = 22;
    unsigned ngrams = 1;     // words of the longest phrases
    unsigned shortest = 0, longest = 0;  // character n-grams; none if longest is 0
    Splitting splitting = latest_splitting;
    Value value = Value::count;
    bool unit = false;       // scale rows to length 1
    std::int32_t first = 0;  // the column of hash 0
};

inline constexpr unsigned max_ngrams = 8, max_characters = 12;
inline constexpr std::size_t max_text_size = std::size_t{1} << 30;  // the rest of a longer text is ignored

// Where rows are appended.
struct SparseRows {
    PooledVector<std::int64_t>& starts;
    PooledVector<std::int32_t>& indices;
    PooledVector<double>& values;
};

struct Text {
    const std::uint8_t* bytes;
    std::size_t length;
    std::uint64_t seed;  // differs between columns of a table
};

class Hasher {
public:
    Hasher(const HashingOptions& options, const Names* names) : options_(options), names_(names) {}

    Candidates candidates;

    // About how many features a word has.
    unsigned features_per_word() const { return options_.ngrams + (options_.longest ? 5 * (options_.longest - options_.shortest + 1) : 0); }

    // Appends one row, from one text or several.
    template <std::ranges::input_range Texts>
    void add_row(const Texts& texts, const SparseRows& rows) {
        size_ = 0;
        listed_.clear();
        carried_words_.clear();
        const bool sampled_row = Names::is_sampled_row(rows_looked_up_);
        rows_looked_up_ += names_ != nullptr;
        begin_segment();
        for (const Text& text : texts) {
            if (!carried_words_.empty()) {  // phrases of this segment begin with them
                finish_segment(rows, sampled_row);
                begin_segment();
                carried_words_.clear();
            }
            const std::uint8_t* at = text.bytes;
            const std::uint8_t* const end = at + std::min(text.length, max_text_size);
            while (static_cast<std::size_t>(end - at) > segment_size) {
                const std::uint8_t* const cut = cut_after(at + segment_size, end);
                hash_words(at, cut, text.seed);
                finish_segment(rows, sampled_row);
                carry_words();
                begin_segment();
                at = cut;
            }
            hash_words(at, end, text.seed);
        }
        finish_segment(rows, sampled_row);
        sort(rows.indices.data() + rows.indices.size());
        write_values(rows);
        rows.indices.resize(rows.indices.size() + size_);
        rows.values.resize(rows.values.size() + size_);
        rows.starts.push(static_cast<std::int64_t>(rows.indices.size()));
    }

private:
    struct Slot {
        std::uint32_t row, entry;
    };

    struct Entry {
        std::int32_t index;
        std::uint32_t count;
    };

    // A row is one segment; a text of many megabytes is cut into several, so that memory stays bounded.
    void begin_segment() {
        folded_.clear();
        n_hashes_ = 0;
        texts_.clear();
        runs_.clear();
        marked_run_ = {};
    }

    void finish_segment(const SparseRows& rows, bool sampled_row) {
        const std::size_t first_new = size_;
        count_columns(rows);
        if (names_) look_up_names(rows.indices.data() + rows.indices.size(), first_new, sampled_row);
    }

    // A cut that splits no word and no character: after an ASCII byte that belongs to no word.
    static const std::uint8_t* cut_after(const std::uint8_t* at, const std::uint8_t* end) {
        const auto is_word = [](std::uint8_t c) { return static_cast<std::uint8_t>((c | 0x20) - 'a') < 26 || static_cast<std::uint8_t>(c - '0') < 10 || c == '_'; };
        while (at < end && (*at >= 0x80 || is_word(*at))) ++at;
        return at < end ? at + 1 : end;
    }

    // Keeps the last words of a segment, with which phrases of the next begin.
    void carry_words() {
        const std::span words = folded_.words();
        for (const auto [begin, end] : words.last(std::min<std::size_t>(words.size(), options_.ngrams - 1)))
            carried_words_.emplace_back(reinterpret_cast<const char*>(folded_.bytes.get()) + begin, end - begin);
        if (carried_words_.size() >= options_.ngrams) carried_words_.erase(carried_words_.begin(), carried_words_.end() - (options_.ngrams - 1));
    }

    // The hashes of all words of a text, or of a segment of one, and of the phrases that end with each.
    void hash_words(const std::uint8_t* first, const std::uint8_t* last, std::uint64_t seed) {
        const std::size_t first_word = folded_.n_words, ngrams = options_.ngrams, carried = carried_words_.size();
        native().words->fold(folded_, first, static_cast<std::size_t>(last - first), options_.splitting);
        const std::span words = folded_.words().subspan(first_word);
        std::size_t at = n_hashes_;
        grow(hashes_, at + words.size() * ngrams);
        texts_.push_back({at, first_word, carried, runs_.size()});
        std::uint64_t phrase[max_ngrams];  // phrase[k]: hash of the k+1 words before this one
        std::copy_n(phrase_, max_ngrams, phrase);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::uint64_t word = hash(folded_.bytes.get() + words[i].begin, words[i].end - words[i].begin, seed);
            std::uint64_t next = word;
            for (std::size_t k = 0;; ++k) {
                hashes_[at++] = next;
                const std::uint64_t shorter = std::exchange(phrase[k], next);
                if (k + 1 == ngrams || k == i + carried) break;  // the longest phrase, or there is no earlier word
                next = join(shorter, word);
            }
        }
        std::copy_n(phrase, max_ngrams, phrase_);
        n_hashes_ = at;
        if (options_.longest) hash_characters(words, seed ^ K3);
    }

    // The hashes of the character n-grams of some words, after those of the words and phrases of their text.
    void hash_characters(std::span<const Span> words, std::uint64_t seed) {
        for (std::size_t i = 0, after; i < words.size(); i = after) {
            for (after = i + 1; after < words.size() && folded_.side_by_side(words[after - 1], words[after]);) ++after;
            runs_.push_back({n_hashes_, {words[i].begin, words[after - 1].end}});
            mark_characters(runs_.back().span);
            grow(hashes_, n_hashes_ + marks_.size() * (options_.longest - options_.shortest + 1));
            for (std::size_t n = options_.shortest; n <= options_.longest; ++n)
                for (std::size_t first = first_gram(n), g = first; g < first + n_grams(n); ++g)
                    hashes_[n_hashes_++] = hash(marked_.data() + marks_[g], marks_[g + n] - marks_[g], seed);
        }
    }

    // Copies a run, with a space before and after it, to `marked_`, and where its characters begin to `marks_`.
    void mark_characters(Span run) {
        marked_run_ = run;
        const std::size_t length = run.end - run.begin;
        grow(marked_, length + 18);
        std::uint8_t* to = marked_.data();
        marks_.clear();
        const auto put = [&](std::uint8_t byte) {
            if ((byte & 0xC0) != 0x80) marks_.push_back(static_cast<std::uint32_t>(to - marked_.data()));
            *to++ = byte;
        };
        put(' ');
        for (std::uint32_t i = run.begin; i < run.end; ++i)
            if (folded_.bytes[i] != between_characters) put(folded_.bytes[i]);
        put(' ');
        marks_.push_back(static_cast<std::uint32_t>(to - marked_.data()));
        std::memset(to, 0, 16);
    }

    // The n-grams in `marked_`: how many of n characters, and where the first begins. A space alone is none, nor is the whole run.
    static std::size_t first_gram(std::size_t n) { return n == 1; }
    std::size_t n_grams(std::size_t n) const {
        const std::size_t n_characters = marks_.size() - 1;
        return n < n_characters ? n_characters - n + 1 - 2 * first_gram(n) : 0;
    }

    // Each distinct column once, in the order of first occurrence, and its number of occurrences. Whether a column is new
    // cannot be predicted, so both cases write the same memory without a branch; only a slot taken by another column
    // leads to a search.
    void count_columns(const SparseRows& rows) {
        const std::size_t n_hashes = n_hashes_, max_distinct = std::min(size_ + n_hashes, std::size_t{1} << options_.bits);
        const std::size_t before = rows.indices.size();
        rows.indices.resize(before + size_);  // keeps the entries of earlier segments of the row
        rows.indices.reserve(before + max_distinct + 1);
        rows.indices.resize(before);
        rows.values.reserve(before + max_distinct + 1);
        grow(counts_, max_distinct + 1);
        grow(first_hash_, max_distinct + 1);
        const std::uint32_t mask = size_ ? grow_slots(n_hashes, rows.indices.data() + before) : new_slots(n_hashes), row = row_;
        const unsigned shift = 64 - options_.bits;
        const std::int32_t base = options_.first;
        std::int32_t* const indices = rows.indices.data() + before;
        std::uint32_t *const counts = counts_.data(), *const first_hash = first_hash_.data();
        Slot* const slots = slots_.data();
        auto size = static_cast<std::uint32_t>(size_);
        for (std::size_t i = 0; i < n_hashes; ++i) {
            const auto column = static_cast<std::uint32_t>(hashes_[i] >> shift);
            const auto index = static_cast<std::int32_t>(column) + base;
            std::uint32_t at = place_of(column);
            Slot slot = slots[at];
            std::uint32_t entry = slot.row == row ? slot.entry : size;
            indices[size] = index;  // so that a free slot looks like one that holds this column
            first_hash[size] = static_cast<std::uint32_t>(i);
            while (indices[entry] != index) [[unlikely]] {
                at = (at + 1) & mask;
                slot = slots[at];
                entry = slot.row == row ? slot.entry : size;
            }
            slots[at] = {row, entry};
            const std::uint32_t repeated = entry != size;
            counts[entry] = (counts[entry] & (0 - repeated)) + 1;
            size += 1 - repeated;
        }
        size_ = size;
    }

    // Sorts by column, the order in which the learner sums: sorted rows are read many times faster. Hashes are evenly
    // distributed, so a bucket sort puts each entry near its place, and an insertion sort moves it a step or two. (Words can be
    // chosen so that it moves them far: after eight steps each, on average, it leaves the rest to another sort.)
    void sort(std::int32_t* indices) {
        const unsigned bucket_bits = std::min<unsigned>(options_.bits, static_cast<unsigned>(std::bit_width(size_)));
        const unsigned shift = options_.bits - bucket_bits;
        if (bucket_ends_.size() < (std::size_t{1} << bucket_bits)) bucket_ends_.resize(std::size_t{1} << bucket_bits);
        grow(sorted_, size_);
        std::uint32_t* const ends = bucket_ends_.data();
        Entry* const sorted = sorted_.data();
        std::fill_n(ends, std::size_t{1} << bucket_bits, 0u);
        const auto bucket = [&](std::int32_t index) { return static_cast<std::uint32_t>(index - options_.first) >> shift; };
        for (std::size_t i = 0; i < size_; ++i) ++ends[bucket(indices[i])];
        for (std::size_t b = 1; b < (std::size_t{1} << bucket_bits); ++b) ends[b] += ends[b - 1];
        for (std::size_t i = size_; i-- > 0;) sorted[--ends[bucket(indices[i])]] = {indices[i], counts_[i]};
        std::size_t steps = 8 * size_;
        for (std::size_t i = 1; i < size_; ++i) {
            const Entry entry = sorted[i];
            std::size_t at = i;
            for (; at > 0 && sorted[at - 1].index > entry.index; --at) sorted[at] = sorted[at - 1];
            sorted[at] = entry;
            if (i - at > steps) {
                std::sort(sorted, sorted + size_, [](const Entry& a, const Entry& b) { return a.index < b.index; });
                break;
            }
            steps -= i - at;
        }
        for (std::size_t i = 0; i < size_; ++i) {
            indices[i] = sorted[i].index;
            counts_[i] = sorted[i].count;
        }
    }

    // With some reserve, so that rows that are each a little longer do not reallocate each time.
    template <class T>
    static void grow(std::vector<T>& scratch, std::size_t size) {
        if (scratch.size() < size) scratch.resize(size + std::min(size, std::size_t{1} << 16));
    }

    // Where the search for a column begins: multiply-shift by a secret number (core/hash_secret.hpp), modulo the number of columns.
    std::uint32_t place_of(std::uint32_t column) const { return (column * key_ & column_mask_) >> slot_shift_; }

    // Never more slots than columns: with one for each there is nothing to search.
    std::uint32_t new_slots(std::size_t max_entries) {
        const std::size_t slots = std::min(std::bit_ceil(8 * max_entries + 16), std::size_t{1} << options_.bits);
        if (slots > slots_.size()) slots_.assign(slots, {0, 0}), row_ = 0;
        if (++row_ == 0) std::fill(slots_.begin(), slots_.end(), Slot{0, 0}), row_ = 1;
        slot_shift_ = options_.bits - static_cast<unsigned>(std::countr_zero(slots));
        return mask_ = static_cast<std::uint32_t>(slots - 1);
    }

    // The slots of earlier segments, or more of them with the entries inserted again.
    std::uint32_t grow_slots(std::size_t more, const std::int32_t* indices) {
        if (std::min(4 * (size_ + more), std::size_t{1} << options_.bits) <= mask_ + std::size_t{1}) return mask_;
        new_slots(2 * (size_ + more));
        for (std::uint32_t entry = 0; entry < size_; ++entry) {
            std::uint32_t at = place_of(static_cast<std::uint32_t>(indices[entry] - options_.first));
            while (slots_[at].row == row_) at = (at + 1) & mask_;
            slots_[at] = {row_, entry};
        }
        return mask_;
    }

    // Counts become values. The squared length is an integer, and division and square root are correctly rounded
    // everywhere, so the bits are portable.
    void write_values(const SparseRows& rows) {
        std::uint64_t squared = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            const std::uint64_t n = counts_[i];
            squared += options_.value == Value::count ? n * n : options_.value == Value::sqrt ? n : 1;
        }
        const double divisor = options_.unit ? static_cast<double>(squared) : 1.0;
        double small_counts[16];
        for (std::uint32_t n = 0; n < 16; ++n) small_counts[n] = value(n, divisor);
        double* const values = rows.values.data() + rows.values.size();
        for (std::size_t i = 0; i < size_; ++i) values[i] = counts_[i] < 16 ? small_counts[counts_[i]] : value(counts_[i], divisor);
    }

    double value(std::uint32_t count, double divisor) const {
        switch (options_.value) {
            case Value::count: return count / std::sqrt(divisor);
            case Value::binary: return 1.0 / std::sqrt(divisor);
            default: return std::sqrt(count / divisor);
        }
    }

    // Lists the names of this segment that the dictionary does not have yet, as positions in `hashes_`. While the dictionary
    // is exact every hash is looked up, because two names that share a column have only one entry in the row.
    // `first_new`: the first entry that is new in this segment.
    void look_up_names(const std::int32_t* indices, std::size_t first_new, bool sampled_row) {
        grow(missing_, n_hashes_ + 1);
        std::size_t missing = 0;
        if (names_->coarse()) {
            count_sampled_names();
            for (std::size_t i = first_new; sampled_row && i < size_; ++i) {
                missing_[missing] = first_hash_[i];
                missing += !names_->is_used(static_cast<std::uint32_t>(indices[i] - options_.first));
            }
        } else {
            for (std::size_t i = 0; i < n_hashes_; ++i) {
                missing_[missing] = static_cast<std::uint32_t>(i);
                missing += !names_->contains(hashes_[i]);
            }
            if (missing > max_repeated || first_new > 0) missing = remove_repeats(missing);
        }
        candidates.lookups += n_hashes_;
        for (std::size_t j = 0; j < missing; ++j) {
            const std::uint64_t hash = hashes_[missing_[j]];
            const std::size_t at = missing_[j];
            const TextStart& text = text_of(at);
            if (text.first_run < runs_.size() && at >= runs_[text.first_run].first_hash) {
                names_->list({hash, column(hash, options_.bits), true}, sampled_row, candidates, [&](std::string& out) { spell_gram(at, out); });
                continue;
            }
            const auto [last, k] = phrase_of(at, text);
            names_->list({hash, column(hash, options_.bits), k > 0}, sampled_row, candidates,
                         [&, last = last, k = k](std::string& out) { spell(last, k, out); });
        }
    }

    // The missing names of a long row, each once. Four times as many as the dictionary can hold are sure to fill it; of
    // the others only the sampled ones matter.
    std::size_t remove_repeats(std::size_t missing) {
        std::size_t n_distinct = 0;
        for (std::size_t j = 0; j < missing; ++j) {
            const std::uint64_t hash = hashes_[missing_[j]];
            missing_[n_distinct] = missing_[j];
            if (listed_.size() < 4 * names_->limit()) n_distinct += listed_.insert(hash).second;
            else if (Names::is_sampled_name(hash)) candidates.sample_columns.push_back(column(hash, options_.bits));
        }
        return n_distinct;
    }

    void count_sampled_names() {
        std::size_t sampled = 0;
        for (std::size_t i = 0; i < n_hashes_; ++i) {
            missing_[sampled] = static_cast<std::uint32_t>(i);
            sampled += Names::is_sampled_name(hashes_[i]);
        }
        for (std::size_t j = 0; j < sampled; ++j) {
            const std::uint32_t at = column(hashes_[missing_[j]], options_.bits);
            if (!names_->in_sample(at)) candidates.sample_columns.push_back(at);
        }
    }

    struct TextStart {
        std::size_t first_hash, first_word;
        std::size_t carried;    // words of the previous segment that phrases may begin with
        std::size_t first_run;  // of its character n-grams, whose hashes follow those of its phrases
    };

    const TextStart& text_of(std::size_t hash) const {
        std::size_t t = texts_.size() - 1;
        while (texts_[t].first_hash > hash) --t;
        return texts_[t];
    }

    // The phrase of a hash: k+1 words, ending with word `last` of this segment.
    struct Phrase {
        std::size_t last, k;
    };

    Phrase phrase_of(std::size_t hash, const TextStart& text) const {
        std::size_t word = text.first_word, left = hash - text.first_hash;
        for (std::size_t i = 1 + text.carried; i < options_.ngrams; ++i, ++word) {  // the first words end shorter phrases only
            if (left < i) return {word, left};
            left -= i;
        }
        return {word + left / options_.ngrams, left % options_.ngrams};
    }

    // The k+1 words up to `last`, with spaces between; some may be from the previous segment.
    void spell(std::size_t last, std::size_t k, std::string& out) const {
        for (std::size_t back = k + 1; back-- > 0;) {
            if (back > last) {
                out += carried_words_[carried_words_.size() + last - back];
            } else {
                const auto [begin, end] = folded_.spans[last - back];
                out.append(reinterpret_cast<const char*>(folded_.bytes.get()) + begin, end - begin);
            }
            if (back > 0) out += ' ';
        }
    }

    // A character n-gram: un* begins a word, *ing ends one, *ell* is within one. The names of a run follow each other, so it is
    // marked once, and the n-gram is found by counting: a word of a million characters has millions of them.
    void spell_gram(std::size_t hash, std::string& out) {
        const auto run = std::upper_bound(runs_.begin(), runs_.end(), hash, [](std::size_t at, const Run& each) { return at < each.first_hash; }) - 1;
        if (marked_run_.begin != run->span.begin || marked_run_.end != run->span.end) mark_characters(run->span);
        std::size_t n = options_.shortest, at = hash - run->first_hash;
        for (; at >= n_grams(n); ++n) at -= n_grams(n);
        const std::size_t begin = marks_[first_gram(n) + at], end = marks_[first_gram(n) + at + n];
        const bool begins = begin == marks_.front(), ends = end == marks_.back();
        if (!begins) out += '*';
        out.append(reinterpret_cast<const char*>(marked_.data()) + begin + begins, end - begin - begins - ends);
        if (!ends) out += '*';
    }

    static constexpr std::size_t segment_size = ROSENBLATT_SEGMENT_SIZE;  // bytes, at least
    static constexpr std::size_t max_repeated = 1 << 12;                  // missing names that may be listed repeatedly

    HashingOptions options_;
    const Names* names_;
    FoldedText folded_;
    std::vector<std::uint64_t> hashes_;  // of the segment: the first n_hashes_
    std::size_t n_hashes_ = 0;
    std::vector<TextStart> texts_;  // of the segment
    struct Run {
        std::size_t first_hash;
        Span span;
    };
    std::vector<Run> runs_;  // of the segment: the runs that have character n-grams
    Span marked_run_{};
    std::vector<std::uint8_t> marked_;
    std::vector<std::uint32_t> marks_;  // where the characters of `marked_` begin, and its end
    std::vector<std::string> carried_words_;
    std::uint64_t phrase_[max_ngrams] = {};
    std::unordered_set<std::uint64_t, KeyedHash> listed_;  // names that this row has listed
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> counts_, first_hash_;  // of each entry: occurrences; first hash in its segment
    std::vector<Entry> sorted_;
    std::vector<std::uint32_t> bucket_ends_;
    std::vector<std::uint32_t> missing_;
    std::uint32_t row_ = 0, mask_ = 0;
    const std::uint32_t key_ = static_cast<std::uint32_t>(hash_secret()), column_mask_ = (std::uint32_t{1} << options_.bits) - 1;
    unsigned slot_shift_ = 0;  // bits of a column beyond those of a slot
    std::size_t size_ = 0;            // entries of the row
    std::size_t rows_looked_up_ = 0;  // rows whose names were looked up
};

}  // namespace rosenblatt::words
