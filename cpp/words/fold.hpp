// Running text -> lower-cased words: a row of UTF-8 becomes lower-cased bytes and a bit for each byte that belongs to a
// word; words are the runs of set bits.
//
// Plain ASCII, the common case, is folded sixty-four bytes at a time. Other characters are decoded one by one; bytes that
// are not UTF-8 (overlong forms and surrogates included) separate words. A character that is a word alone (Han, kana,
// emoji) is given separators of its own.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "words/hash.hpp"
#include "words/unicode_tables.hpp"

namespace rosenblatt::words {

// The tables of Unicode spread out for looking up: for each character one byte, the number of its class.
class Characters {
public:
    struct Class {
        unicode::Kind kind;
        std::int32_t difference;
        bool operator==(const Class&) const = default;
    };

    static const Characters& all() {
        static const Characters made;
        return made;
    }

    Class operator()(std::uint32_t code) const { return code < spread ? classes_[of_[code]] : far(code); }

private:
    static constexpr std::uint32_t spread = 0x33480;  // no letter lies beyond but some variation selectors

    Characters() : of_(spread, 0), classes_{{unicode::separator, 0}} {
        for (const auto& range : unicode::ranges)
            for (std::uint32_t c = range.first; c <= range.last && c < spread; ++c) of_[c] = number({range.kind, 0});
        for (std::uint32_t c = 'A'; c <= 'Z'; ++c) of_[c] = number({unicode::joining, 'a' - 'A'});
        for (const auto& shift : unicode::shifts)
            for (std::uint32_t c = shift.first; c <= shift.last && c < spread; c += shift.stride)
                of_[c] = number({classes_[of_[c]].kind, shift.difference});
    }

    std::uint8_t number(Class wanted) {
        const auto at = std::find(classes_.begin(), classes_.end(), wanted) - classes_.begin();
        if (static_cast<std::size_t>(at) == classes_.size()) classes_.push_back(wanted);
        return static_cast<std::uint8_t>(at);
    }

    static Class far(std::uint32_t code) {
        const auto next = std::upper_bound(std::begin(unicode::ranges), std::end(unicode::ranges), code,
                                           [](std::uint32_t c, const unicode::Range& range) { return c < range.first; });
        const bool inside = next != std::begin(unicode::ranges) && code <= next[-1].last;
        return {inside ? next[-1].kind : unicode::separator, 0};
    }

    std::vector<std::uint8_t> of_;
    std::vector<Class> classes_;
};

// The character at p and its length in bytes; length 0 where the bytes up to `end` are not UTF-8 (RFC 3629).
struct Decoded {
    std::uint32_t code;
    unsigned length;
};

inline Decoded decode(const std::uint8_t* p, const std::uint8_t* end) {
    const auto tail = [&](int i) { return (p[i] & 0xC0) == 0x80; };
    const auto bits = [&](int i) { return static_cast<std::uint32_t>(p[i] & 0x3F); };
    const std::uint32_t lead = p[0];
    if (lead < 0x80) return {lead, 1};
    if (lead >= 0xC2 && lead < 0xE0 && end - p >= 2 && tail(1)) return {(lead & 0x1F) << 6 | bits(1), 2};
    if (lead >= 0xE0 && lead < 0xF0 && end - p >= 3 && tail(1) && tail(2)) {
        const std::uint32_t code = (lead & 0x0F) << 12 | bits(1) << 6 | bits(2);
        if (code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) return {code, 3};
    }
    if (lead >= 0xF0 && lead < 0xF5 && end - p >= 4 && tail(1) && tail(2) && tail(3)) {
        const std::uint32_t code = (lead & 0x07) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3);
        if (code >= 0x10000 && code <= 0x10FFFF) return {code, 4};
    }
    return {0, 0};
}

inline std::uint8_t* encode(std::uint32_t code, std::uint8_t* p) {
    const auto put = [&](std::uint32_t byte) { *p++ = static_cast<std::uint8_t>(byte); };
    const auto tail = [&](int shift) { put(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) return put(code), p;
    if (code < 0x800) return put(0xC0 | code >> 6), tail(0), p;
    if (code < 0x10000) return put(0xE0 | code >> 12), tail(6), tail(0), p;
    return put(0xF0 | code >> 18), tail(12), tail(6), tail(0), p;
}

struct Span {
    std::uint32_t begin, end;
};

// The folded row: `text` holds its bytes and some more that may be read; a word is a span of them.
class Folded {
public:
    const std::uint8_t* text() const { return text_.get(); }

    void clear() {
        size_ = 0;
        spans_.clear();
        reserve(0);
        inside_[0] = 0;
    }

    // Adds a text; several of one row lie one after the other. Not more than 1 GB in all: the callers see to that.
    void add(const std::uint8_t* row, std::size_t length) {
        reserve(size_ + 2 * length);
        const std::uint8_t* const end = row + length;
        const std::size_t first = size_;
        while (row < end) {
            const std::size_t plain = fold_plain(row, end);
            row += plain;
            if (plain < 64 && row < end) row = fold_any(row, end);
        }
        find_spans(first);
        put(' ', false);  // the next text begins with a new word
    }

    const std::vector<Span>& words() const { return spans_; }

private:
    void reserve(std::size_t size) {
        size = (size + 63) / 64 * 64 + 256;
        if (size <= room_) return;
        room_ = std::max(size, 2 * room_) / 64 * 64;
        auto text = std::make_unique_for_overwrite<std::uint8_t[]>(room_);
        auto inside = std::make_unique_for_overwrite<std::uint64_t[]>(room_ / 64);
        std::copy_n(text_.get(), size_, text.get());
        if (inside_) std::copy_n(inside_.get(), size_ / 64 + 1, inside.get());
        text_ = std::move(text);
        inside_ = std::move(inside);
    }

    // The next n bytes of the text are of words where `bits` say so; bits from n on are 0.
    void append(std::uint64_t bits, std::size_t n) {
        const std::size_t at = size_ / 64, shift = size_ % 64;
        inside_[at] |= bits << shift;
        inside_[at + 1] = shift ? bits >> (64 - shift) : 0;
        size_ += n;
    }

    // Up to sixty-four bytes, as far as they are ASCII; gives how many.
    std::size_t fold_plain(const std::uint8_t* row, const std::uint8_t* end) {
        std::size_t length = 64;
        std::uint8_t rest[64];
        if (end - row < 64) {
            length = static_cast<std::size_t>(end - row);
            std::memset(rest, 0, 64);
            std::memcpy(rest, row, length);
            row = rest;
        }
        alignas(16) std::uint8_t is_word[64];
        std::uint8_t* const to = text_.get() + size_;
        for (int i = 0; i < 64; ++i) {
            const std::uint8_t c = row[i];
            const std::uint8_t small = static_cast<std::uint8_t>(c + (static_cast<std::uint8_t>(c - 'A') < 26 ? 0x20 : 0));
            const bool letter = static_cast<std::uint8_t>(small - 'a') < 26;
            const bool digit = static_cast<std::uint8_t>(c - '0') < 10;
            to[i] = small;
            is_word[i] = letter | digit | (c == '_') ? 0xFF : 0;
        }
        const std::uint64_t high = top_bits(row), inside = top_bits(is_word);
        if (high) length = std::min<std::size_t>(length, static_cast<std::size_t>(std::countr_zero(high)));
        append(length < 64 ? inside & ~(~std::uint64_t{0} << length) : inside, length);
        return length;
    }

    // The highest bit of each of sixty-four bytes.
    static std::uint64_t top_bits(const std::uint8_t* bytes) {
        std::uint64_t bits = 0;
#if defined(__SSE2__)
        for (int i = 0; i < 4; ++i) {
            const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i);
            bits |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(part))) << 16 * i;
        }
#else
        for (int i = 0; i < 8; ++i)  // one multiplication brings eight bits together
            bits |= ((load(bytes + 8 * i) >> 7 & 0x0101010101010101u) * 0x0102040810204080u) >> 56 << 8 * i;
#endif
        return bits;
    }

    // Character by character, until eight in a row were ASCII; gives where the rest begins.
    const std::uint8_t* fold_any(const std::uint8_t* row, const std::uint8_t* end) {
        const Characters& characters = Characters::all();
        for (int plain = 0; row < end && plain < 8;) {
            const Decoded next = decode(row, end);
            row += std::max(next.length, 1u);
            plain = next.length == 1 ? plain + 1 : 0;
            const auto [kind, difference] = characters(next.length ? next.code : ' ');
            if (kind != unicode::joining) put(' ', false);
            if (kind != unicode::separator) put(next.code + static_cast<std::uint32_t>(difference), true);
            if (kind == unicode::alone) put(' ', false);
        }
        return row;
    }

    void put(std::uint32_t code, bool word) {
        const std::uint8_t* const to = text_.get() + size_;
        const auto length = static_cast<std::size_t>(encode(code, text_.get() + size_) - to);
        append(word ? (1u << length) - 1 : 0, length);
    }

    // The runs of set bits from byte `first` on, before which no word is open.
    void find_spans(std::size_t first) {
        std::uint64_t open = 0;  // the last bit of the block before
        std::uint32_t begin = 0;
        for (std::size_t b = first / 64; b <= size_ / 64; ++b) {
            const std::uint64_t before = b == first / 64 ? ~std::uint64_t{0} << first % 64 : ~std::uint64_t{0};
            const std::uint64_t bits = inside_[b] & before, moved = bits << 1 | open;
            const auto at = [&](std::uint64_t edges) { return static_cast<std::uint32_t>(64 * b) + static_cast<std::uint32_t>(std::countr_zero(edges)); };
            std::uint64_t begins = bits & ~moved, ends = ~bits & moved;
            for (; ends; ends &= ends - 1) {
                if (!open) begin = at(begins), begins &= begins - 1;
                spans_.push_back({begin, at(ends)});
                open = 0;
            }
            if (begins) begin = at(begins);
            open = bits >> 63;
        }
        if (open) spans_.push_back({begin, static_cast<std::uint32_t>(size_)});
    }

    std::unique_ptr<std::uint8_t[]> text_;
    std::unique_ptr<std::uint64_t[]> inside_;
    std::size_t room_ = 0, size_ = 0;
    std::vector<Span> spans_;
};

}  // namespace rosenblatt::words
