// Lines of text -> sparse rows: each distinct column of a row once, in the order of the columns, with its value.
#pragma once

#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "parse/names.hpp"
#include "core/pool.hpp"
#include "words/fold.hpp"
#include "words/listed.hpp"

#ifndef ROSENBLATT_STRETCH  // a fuzzer has shorter ones
#define ROSENBLATT_STRETCH (std::size_t{1} << 20)
#endif

namespace rosenblatt::words {

// What a column's value is made of: how often it was met in the row.
enum class Value { count, binary, sqrt };

struct Hashing {
    unsigned bits = 22;
    unsigned ngrams = 1;  // phrases of up to so many words
    Value value = Value::count;
    bool unit = false;  // rows scaled to length 1
    std::int32_t first = 0;  // the column of hash 0
};

inline constexpr unsigned most_ngrams = 8;
inline constexpr std::size_t longest_text = std::size_t{1} << 30;  // what lies beyond is not read

// Where rows are written, one after the other.
struct SparseRows {
    Grown<std::int64_t>& starts;
    Grown<std::int32_t>& indices;
    Grown<double>& values;
};

struct Text {
    const std::uint8_t* bytes;
    std::size_t length;
    std::uint64_t seed;  // texts of different columns are hashed apart
};

class Hasher {
public:
    Hasher(const Hashing& how, const Names* names) : how_(how), names_(names) {}

    Candidates candidates;

    unsigned ngrams() const { return how_.ngrams; }

    // One more row, of one text or several.
    template <std::ranges::input_range Texts>
    void row(const Texts& texts, const SparseRows& rows) {
        size_ = 0;
        listed_.clear();
        const bool late = Names::is_late(seen_);
        seen_ += names_ != nullptr;
        begin_stretch();
        for (const Text& text : texts) {
            carried_.clear();
            before_ = 0;
            const std::uint8_t* at = text.bytes;
            const std::uint8_t* const end = at + std::min(text.length, longest_text);
            while (static_cast<std::size_t>(end - at) > stretch) {
                const std::uint8_t* const cut = cut_after(at + stretch, end);
                hash_words(at, cut, text.seed);
                end_stretch(rows, late);
                carry();
                begin_stretch();
                at = cut;
            }
            hash_words(at, end, text.seed);
        }
        end_stretch(rows, late);
        sort(rows.indices.data() + rows.indices.size());
        finish(rows);
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

    // A row is one stretch; a text of many megabytes is several, so that its words and hashes are never there at once.
    void begin_stretch() {
        folded_.clear();
        hashed_ = 0;
        texts_.clear();
    }

    void end_stretch(const SparseRows& rows, bool late) {
        const std::size_t first = size_;
        count(rows);
        if (names_) see_names(rows.indices.data() + rows.indices.size(), first, late);
    }

    // Where no word goes on and no character is torn: behind a byte of ASCII that is of no word.
    static const std::uint8_t* cut_after(const std::uint8_t* at, const std::uint8_t* end) {
        const auto is_word = [](std::uint8_t c) { return static_cast<std::uint8_t>((c | 0x20) - 'a') < 26 || static_cast<std::uint8_t>(c - '0') < 10 || c == '_'; };
        while (at < end && (*at >= 0x80 || is_word(*at))) ++at;
        return at < end ? at + 1 : end;
    }

    // The last words of a stretch, with which phrases of the next begin.
    void carry() {
        const std::span words(folded_.words());
        for (const auto [begin, end] : words.last(std::min<std::size_t>(words.size(), how_.ngrams - 1)))
            carried_.emplace_back(reinterpret_cast<const char*>(folded_.text()) + begin, end - begin);
        if (carried_.size() >= how_.ngrams) carried_.erase(carried_.begin(), carried_.end() - (how_.ngrams - 1));
        before_ = carried_.size();
    }

    // The hashes of all words of a text, or of a stretch of one, and of the phrases that end with each.
    void hash_words(const std::uint8_t* first, const std::uint8_t* last, std::uint64_t seed) {
        const std::size_t others = folded_.words().size(), longest = how_.ngrams, before = before_;
        folded_.add(first, static_cast<std::size_t>(last - first));
        const std::span words = std::span(folded_.words()).subspan(others);
        std::size_t at = hashed_;
        grow(hashes_, at + words.size() * longest);
        texts_.push_back({at, others, before});
        std::uint64_t phrase[most_ngrams];  // phrase[k]: hash of the k+1 words that end before this one
        std::copy_n(phrase_, most_ngrams, phrase);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::uint64_t word = hash(folded_.text() + words[i].begin, words[i].end - words[i].begin, seed);
            std::uint64_t next = word;
            for (std::size_t k = 0; k < longest; ++k) {
                hashes_[at++] = next;
                const std::uint64_t shorter = std::exchange(phrase[k], next);
                if (k == i + before) break;  // no word lies further back
                next = join(shorter, word);
            }
        }
        std::copy_n(phrase, most_ngrams, phrase_);
        hashed_ = at;
    }

    // Each distinct column once, in the order first met, and how often it was met. Whether a column is met again is
    // anyone's guess, so both cases write the same places and no branch asks; there is a search only where two columns
    // want the same slot.
    void count(const SparseRows& rows) {
        const std::size_t most = hashed_, distinct = std::min(size_ + most, std::size_t{1} << how_.bits);
        const std::size_t before = rows.indices.size();
        rows.indices.resize(before + size_);  // what earlier stretches of the row have put there, stays
        rows.indices.reserve(before + distinct + 1);
        rows.indices.resize(before);
        rows.values.reserve(before + distinct + 1);
        grow(counts_, distinct + 1);
        grow(origins_, distinct + 1);
        const std::uint32_t mask = size_ ? more_slots(most, rows.indices.data() + before) : begin_slots(most), row = row_;
        const unsigned shift = 64 - how_.bits;
        const std::int32_t base = how_.first;
        std::int32_t* const indices = rows.indices.data() + before;
        std::uint32_t *const counts = counts_.data(), *const origins = origins_.data();
        Slot* const slots = slots_.data();
        auto size = static_cast<std::uint32_t>(size_);
        for (std::size_t i = 0; i < most; ++i) {
            const auto column = static_cast<std::uint32_t>(hashes_[i] >> shift);
            const auto index = static_cast<std::int32_t>(column) + base;
            std::uint32_t at = column & mask;
            Slot slot = slots[at];
            std::uint32_t entry = slot.row == row ? slot.entry : size;
            indices[size] = index;  // so that a free slot is found like one that holds this column
            origins[size] = static_cast<std::uint32_t>(i);
            while (indices[entry] != index) [[unlikely]] {
                at = (at + 1) & mask;
                slot = slots[at];
                entry = slot.row == row ? slot.entry : size;
            }
            slots[at] = {row, entry};
            const std::uint32_t again = entry != size;
            counts[entry] = (counts[entry] & (0 - again)) + 1;
            size += 1 - again;
        }
        size_ = size;
    }

    // The entries in the order of their columns, which is the order the learner sums them in: a row that comes sorted is
    // read many times faster. Hashes fall evenly, so each entry is thrown near its place and then moved a step or two.
    void sort(std::int32_t* indices) {
        const unsigned wide = std::min<unsigned>(how_.bits, static_cast<unsigned>(std::bit_width(size_)));
        const unsigned shift = how_.bits - wide;
        if (ends_.size() < (std::size_t{1} << wide)) ends_.resize(std::size_t{1} << wide);
        grow(thrown_, size_);
        std::uint32_t* const ends = ends_.data();
        Entry* const thrown = thrown_.data();
        std::fill_n(ends, std::size_t{1} << wide, 0u);
        const auto bucket = [&](std::int32_t index) { return static_cast<std::uint32_t>(index - how_.first) >> shift; };
        for (std::size_t i = 0; i < size_; ++i) ++ends[bucket(indices[i])];
        for (std::size_t b = 1; b < (std::size_t{1} << wide); ++b) ends[b] += ends[b - 1];
        for (std::size_t i = size_; i-- > 0;) thrown[--ends[bucket(indices[i])]] = {indices[i], counts_[i]};
        for (std::size_t i = 1; i < size_; ++i) {
            const Entry entry = thrown[i];
            std::size_t at = i;
            for (; at > 0 && thrown[at - 1].index > entry.index; --at) thrown[at] = thrown[at - 1];
            thrown[at] = entry;
        }
        for (std::size_t i = 0; i < size_; ++i) {
            indices[i] = thrown[i].index;
            counts_[i] = thrown[i].count;
        }
    }

    // Room for so many, and for some more, so that rows that are each a little longer do not move it each time.
    template <class T>
    static void grow(std::vector<T>& room, std::size_t most) {
        if (room.size() < most) room.resize(most + std::min(most, std::size_t{1} << 16));
    }

    // With a slot for every column there is nothing to search; a text of millions of words needs no more.
    std::uint32_t begin_slots(std::size_t most) {
        const std::size_t slots = std::min(std::bit_ceil(4 * most + 16), std::size_t{1} << how_.bits);
        if (slots > slots_.size()) slots_.assign(slots, {0, 0}), row_ = 0;
        if (++row_ == 0) std::fill(slots_.begin(), slots_.end(), Slot{0, 0}), row_ = 1;
        return mask_ = static_cast<std::uint32_t>(slots - 1);
    }

    // The slots of the stretches before, or more, with their entries put in anew.
    std::uint32_t more_slots(std::size_t more, const std::int32_t* indices) {
        if (std::min(4 * (size_ + more), std::size_t{1} << how_.bits) <= mask_ + std::size_t{1}) return mask_;
        begin_slots(2 * (size_ + more));
        for (std::uint32_t entry = 0; entry < size_; ++entry) {
            std::uint32_t at = static_cast<std::uint32_t>(indices[entry] - how_.first) & mask_;
            while (slots_[at].row == row_) at = (at + 1) & mask_;
            slots_[at] = {row_, entry};
        }
        return mask_;
    }

    // Counts become values. The squared length is an integer, and quotients and square roots are rounded exactly
    // everywhere, so the bits are portable.
    void finish(const SparseRows& rows) {
        std::uint64_t squared = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            const std::uint64_t n = counts_[i];
            squared += how_.value == Value::count ? n * n : how_.value == Value::sqrt ? n : 1;
        }
        const double over = how_.unit ? static_cast<double>(squared) : 1.0;
        double few[16];
        for (std::uint32_t n = 0; n < 16; ++n) few[n] = value(n, over);
        double* const values = rows.values.data() + rows.values.size();
        for (std::size_t i = 0; i < size_; ++i) values[i] = counts_[i] < 16 ? few[counts_[i]] : value(counts_[i], over);
    }

    double value(std::uint32_t count, double over) const {
        switch (how_.value) {
            case Value::count: return count / std::sqrt(over);
            case Value::binary: return 1.0 / std::sqrt(over);
            default: return std::sqrt(count / over);
        }
    }

    // The names of this stretch that the dictionary does not have yet, as positions in `hashes_`. Most are there: the
    // loops only collect the others. While names are told apart every hash is looked up, for of two names that share a
    // column the row has one entry. `first`: the first entry that is new in this stretch.
    void see_names(const std::int32_t* indices, std::size_t first, bool late) {
        grow(missing_, hashed_ + 1);
        std::size_t missing = 0;
        if (names_->coarse()) {
            count_names();
            for (std::size_t i = first; late && i < size_; ++i) {
                missing_[missing] = origins_[i];
                missing += !names_->used(static_cast<std::uint32_t>(indices[i] - how_.first));
            }
        } else {
            for (std::size_t i = 0; i < hashed_; ++i) {
                missing_[missing] = static_cast<std::uint32_t>(i);
                missing += !names_->knows(hashes_[i]);
            }
            if (missing > many || first > 0) missing = without_repeats(missing);
        }
        candidates.looked += hashed_;
        for (std::size_t j = 0; j < missing; ++j) {
            const std::uint64_t hash = hashes_[missing_[j]];
            const auto [last, k] = phrase_of(missing_[j]);
            names_->list({hash, column(hash, how_.bits), k > 0}, late, candidates,
                         [&, last = last, k = k](std::string& out) { spell(last, k, out); });
        }
    }

    // Of the names that are missing in a long row each once. Four times as many as the dictionary can hold fill it,
    // whatever it holds by then; of the others only those that are counted matter.
    std::size_t without_repeats(std::size_t missing) {
        std::size_t kept = 0;
        for (std::size_t j = 0; j < missing; ++j) {
            const std::uint64_t hash = hashes_[missing_[j]];
            missing_[kept] = missing_[j];
            if (listed_.size() < 4 * names_->limit()) kept += listed_.add(hash);
            else if (Names::is_counted(hash)) candidates.counted.push_back(column(hash, how_.bits));
        }
        return kept;
    }

    void count_names() {
        std::size_t found = 0;
        for (std::size_t i = 0; i < hashed_; ++i) {
            missing_[found] = static_cast<std::uint32_t>(i);
            found += Names::is_counted(hashes_[i]);
        }
        for (std::size_t j = 0; j < found; ++j) {
            const std::uint32_t at = column(hashes_[missing_[j]], how_.bits);
            if (!names_->counted(at)) candidates.counted.push_back(at);
        }
    }

    // Of a hash of this stretch: its phrase has k+1 words and ends with word `last` of it.
    struct Phrase {
        std::size_t last, k;
    };

    Phrase phrase_of(std::size_t hash) const {
        std::size_t t = texts_.size() - 1;
        while (texts_[t].hash > hash) --t;
        std::size_t word = texts_[t].word, left = hash - texts_[t].hash;
        for (std::size_t i = 1 + texts_[t].before; i < how_.ngrams; ++i, ++word) {  // the first words end shorter phrases only
            if (left < i) return {word, left};
            left -= i;
        }
        return {word + left / how_.ngrams, left % how_.ngrams};
    }

    // The k+1 words that end with the last, with a space between; some may be of the stretch before.
    void spell(std::size_t last, std::size_t k, std::string& out) const {
        for (std::size_t back = k + 1; back-- > 0;) {
            if (back > last) {
                out += carried_[carried_.size() + last - back];
            } else {
                const auto [begin, end] = folded_.words()[last - back];
                out.append(reinterpret_cast<const char*>(folded_.text()) + begin, end - begin);
            }
            if (back > 0) out += ' ';
        }
    }

    struct Begin {
        std::size_t hash, word, before;  // `before`: words of the text in the stretch before that phrases may hold
    };

    static constexpr std::size_t stretch = ROSENBLATT_STRETCH;  // bytes of a text, about
    static constexpr std::size_t many = 1 << 12;

    Hashing how_;
    const Names* names_;
    Folded folded_;
    std::vector<std::uint64_t> hashes_;  // of the stretch, the first `hashed_` of them
    std::size_t hashed_ = 0;
    std::vector<Begin> texts_;  // where in the stretch each text begins
    std::vector<std::string> carried_;
    std::size_t before_ = 0;
    std::uint64_t phrase_[most_ngrams] = {};
    Listed listed_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> counts_, origins_;  // of each entry of the row: how often; its first hash in its stretch
    std::vector<Entry> thrown_;
    std::vector<std::uint32_t> ends_;  // of the buckets that entries are thrown into
    std::vector<std::uint32_t> missing_;
    std::uint32_t row_ = 0, mask_ = 0;
    std::size_t size_ = 0;  // entries of the row
    std::size_t seen_ = 0;  // rows whose names were looked up
};

}  // namespace rosenblatt::words
