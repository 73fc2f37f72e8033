// Running text -> lower-cased words: UTF-8 becomes lower-cased bytes and a bit for each byte that belongs to a word; words are
// the runs of set bits. Compiled once per instruction set.
//
// ASCII, the common case, is folded sixty-four bytes at a time. Other characters are decoded one by one; bytes that are
// not UTF-8 (overlong forms and surrogates included) separate words. A character that is a word by itself (Han, kana,
// emoji, a Thai letter with its marks) is separated from its neighbours by a byte that is not in the text.
#include "words/lower_case_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "core/simd.hpp"
#include "words/unicode_tables.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

using words::FoldedText;
using words::Splitting;

// The Unicode tables expanded for lookup: one byte for each character, the number of its class.
class CharacterTable {
public:
    struct Class {
        unicode::Kind kind;
        std::int32_t difference;
        bool operator==(const Class&) const = default;
    };

    static const CharacterTable& instance(Splitting splitting) {
        if (splitting == Splitting::plain) {
            static const CharacterTable plain(false);
            return plain;
        }
        static const CharacterTable scripts(true);
        return scripts;
    }

    Class operator()(std::uint32_t code) const { return code < table_size ? classes_[class_of_[code]] : search(code); }

private:
    static constexpr std::uint32_t table_size = 0x33480;  // only variation selectors lie beyond

    explicit CharacterTable(bool scripts) : scripts_(scripts), class_of_(table_size, 0), classes_{{unicode::separator, 0}} {
        fill(unicode::joining_ranges, unicode::joining);
        fill(unicode::alone_ranges, unicode::alone);
        if (scripts) {
            fill(unicode::cluster_ranges, unicode::alone);
            fill(unicode::mark_ranges, unicode::mark);
            fill(unicode::composing_ranges, unicode::composing);
            fill(unicode::invisible_ranges, unicode::invisible);
        }
        for (std::uint32_t c = 'A'; c <= 'Z'; ++c) class_of_[c] = number_of({unicode::joining, 'a' - 'A'});
        for (const auto& shift : unicode::shifts)
            for (std::uint32_t c = shift.first; c <= shift.last && c < table_size; c += shift.stride)
                class_of_[c] = number_of({classes_[class_of_[c]].kind, shift.difference});
    }

    void fill(std::span<const unicode::Range> ranges, unicode::Kind kind) {
        for (const auto& range : ranges)
            for (std::uint32_t c = range.first; c <= range.last && c < table_size; ++c) class_of_[c] = number_of({kind, 0});
    }

    std::uint8_t number_of(Class wanted) {
        const auto at = std::find(classes_.begin(), classes_.end(), wanted) - classes_.begin();
        if (static_cast<std::size_t>(at) == classes_.size()) classes_.push_back(wanted);
        return static_cast<std::uint8_t>(at);
    }

    Class search(std::uint32_t code) const {
        if (scripts_ && contains(unicode::invisible_ranges, code)) return {unicode::invisible, 0};
        if (contains(unicode::joining_ranges, code)) return {unicode::joining, 0};
        return {contains(unicode::alone_ranges, code) ? unicode::alone : unicode::separator, 0};
    }

    static bool contains(std::span<const unicode::Range> ranges, std::uint32_t code) {
        const auto next = std::upper_bound(ranges.begin(), ranges.end(), code, [](std::uint32_t c, const unicode::Range& range) { return c < range.first; });
        return next != ranges.begin() && code <= next[-1].last;
    }

    bool scripts_;
    std::vector<std::uint8_t> class_of_;
    std::vector<Class> classes_;
};

// The character at p and its length in bytes; length 0 where the bytes up to `end` are not UTF-8 (RFC 3629).
struct Decoded {
    std::uint32_t code;
    unsigned length;
};

Decoded decode(const std::uint8_t* p, const std::uint8_t* end) {
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

std::uint8_t* encode(std::uint32_t code, std::uint8_t* p) {
    const auto put = [&](std::uint32_t byte) { *p++ = static_cast<std::uint8_t>(byte); };
    const auto tail = [&](int shift) { put(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) return put(code), p;
    if (code < 0x800) return put(0xC0 | code >> 6), tail(0), p;
    if (code < 0x10000) return put(0xE0 | code >> 12), tail(6), tail(0), p;
    return put(0xF0 | code >> 18), tail(12), tail(6), tail(0), p;
}

void reserve(FoldedText& text, std::size_t size) {
    size = (size + 63) / 64 * 64 + 256;
    if (size <= text.capacity) return;
    text.capacity = std::max(size, 2 * text.capacity) / 64 * 64;
    std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[text.capacity]);  // not initialised
    std::unique_ptr<std::uint64_t[]> in_word(new std::uint64_t[text.capacity / 64]);
    std::copy_n(text.bytes.get(), text.size, bytes.get());
    if (text.in_word) std::copy_n(text.in_word.get(), text.size / 64 + 1, in_word.get());
    text.bytes = std::move(bytes);
    text.in_word = std::move(in_word);
}

// The next n bytes have been written; `bits` are set where they belong to words, and 0 from n on.
void append_bits(FoldedText& text, std::uint64_t bits, std::size_t n) {
    const std::size_t block = text.size / 64, shift = text.size % 64;
    text.in_word[block] |= bits << shift;
    text.in_word[block + 1] = shift ? bits >> (64 - shift) : 0;
    text.size += n;
}

// Up to sixty-four bytes, as far as they are ASCII; returns how many.
std::size_t fold_ascii(FoldedText& text, const std::uint8_t* from, const std::uint8_t* end) {
    std::size_t length = 64;
    std::uint8_t padded[64];
    if (end - from < 64) {
        length = static_cast<std::size_t>(end - from);
        std::memset(padded, 0, 64);
        std::memcpy(padded, from, length);
        from = padded;
    }
    alignas(64) std::uint8_t is_word[64];
    std::uint8_t* const to = text.bytes.get() + text.size;
    for (int i = 0; i < 64; ++i) {
        const std::uint8_t c = from[i];
        const std::uint8_t lower = static_cast<std::uint8_t>(c + (static_cast<std::uint8_t>(c - 'A') < 26 ? 0x20 : 0));
        const bool letter = static_cast<std::uint8_t>(lower - 'a') < 26;
        const bool digit = static_cast<std::uint8_t>(c - '0') < 10;
        to[i] = lower;
        is_word[i] = (letter | digit | (c == '_')) ? 0xFF : 0;
    }
    const std::uint64_t non_ascii = top_bits(from), in_word = top_bits(is_word);
    if (non_ascii) length = std::min<std::size_t>(length, static_cast<std::size_t>(std::countr_zero(non_ascii)));
    append_bits(text, length < 64 ? in_word & ~(~std::uint64_t{0} << length) : in_word, length);
    return length;
}

// A byte that belongs to no word.
void append_byte(FoldedText& text, std::uint8_t byte) {
    text.bytes[text.size] = byte;
    append_bits(text, 0, 1);
}

void append(FoldedText& text, std::uint32_t code, bool in_word) {
    std::uint8_t* const to = text.bytes.get() + text.size;
    const auto length = static_cast<std::size_t>(encode(code, to) - to);
    append_bits(text, in_word ? (1u << length) - 1 : 0, length);
}

// Takes back the last bytes.
void remove(FoldedText& text, std::size_t n) {
    text.size -= n;
    text.in_word[text.size / 64] &= ~(~std::uint64_t{0} << text.size % 64);
}

// The one character that is canonically equal to two (Unicode's NFC), or 0. Hangul is composed by arithmetic.
std::uint32_t compose(std::uint32_t first, std::uint32_t second) {
    constexpr std::uint32_t L = 0x1100, V = 0x1161, T = 0x11A7, S = 0xAC00, n_l = 19, n_v = 21, n_t = 28;
    if (first - L < n_l && second - V < n_v) return S + ((first - L) * n_v + (second - V)) * n_t;
    if (first - S < n_l * n_v * n_t && (first - S) % n_t == 0 && second - T - 1 < n_t - 1) return first + second - T;
    const auto key = [](const unicode::Pair& pair) { return std::uint64_t{pair.first} << 32 | pair.second; };
    const std::span pairs(unicode::pairs);
    const auto at = std::lower_bound(pairs.begin(), pairs.end(), std::uint64_t{first} << 32 | second,
                                     [&](const unicode::Pair& pair, std::uint64_t both) { return key(pair) < both; });
    return at != pairs.end() && at->first == first && at->second == second ? at->composed : 0;
}

// Character by character, until eight in a row were ASCII; returns where it stopped.
const std::uint8_t* fold_characters(FoldedText& text, std::size_t first, const std::uint8_t* from, const std::uint8_t* end) {
    const CharacterTable& table = CharacterTable::instance(Splitting::scripts);
    constexpr std::uint8_t other_side = 0xFE;  // between a character that is a word and a word of several
    const bool in_word = text.size > first && text.in_word[(text.size - 1) / 64] >> (text.size - 1) % 64 & 1;
    std::uint32_t last = in_word ? text.bytes[text.size - 1] : 0;  // the last character of the word so far; before this, ASCII
    bool alone = false;                                             // it is a word by itself
    for (int ascii = 0; from < end && ascii < 8;) {
        const Decoded next = decode(from, end);
        from += std::max(next.length, 1u);
        ascii = next.length == 1 ? ascii + 1 : 0;
        const auto [kind, difference] = table(next.length ? next.code : ' ');
        if (kind == unicode::invisible) continue;
        if (kind == unicode::separator) {
            append(text, ' ', false);
            last = 0, alone = false;
            continue;
        }
        std::uint32_t code = next.code + static_cast<std::uint32_t>(difference);
        if (kind == unicode::composing && last) {
            if (const std::uint32_t composed = compose(last, code)) {
                std::uint8_t bytes[4];
                remove(text, static_cast<std::size_t>(encode(last, bytes) - bytes));
                code = composed;
            }
        } else if (kind == unicode::alone) {
            if (last) append_byte(text, alone ? words::between_characters : other_side);
            alone = true;
        } else if (kind == unicode::joining && alone) {
            append_byte(text, other_side);
            alone = false;
        }
        append(text, code, true);
        last = code;
    }
    return from;
}

// The same for models that split texts by the first version.
const std::uint8_t* fold_plain_characters(FoldedText& text, const std::uint8_t* from, const std::uint8_t* end) {
    const CharacterTable& table = CharacterTable::instance(Splitting::plain);
    for (int ascii = 0; from < end && ascii < 8;) {
        const Decoded next = decode(from, end);
        from += std::max(next.length, 1u);
        ascii = next.length == 1 ? ascii + 1 : 0;
        const auto [kind, difference] = table(next.length ? next.code : ' ');
        if (kind != unicode::joining) append(text, ' ', false);
        if (kind != unicode::separator) append(text, next.code + static_cast<std::uint32_t>(difference), true);
        if (kind == unicode::alone) append(text, ' ', false);
    }
    return from;
}

// Writes the positions of the bits that are set in a block, and returns the end of them. It may write up to 64 numbers.
std::uint32_t* write_positions(std::uint64_t bits, std::uint32_t block, std::uint32_t* to) {
#if defined(__AVX512VBMI2__)
    alignas(64) static constexpr auto numbers = [] {
        std::array<std::uint8_t, 64> each{};
        for (std::size_t i = 0; i < 64; ++i) each[i] = static_cast<std::uint8_t>(i);
        return each;
    }();
    const __m512i positions = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(numbers.data())), first = _mm512_set1_epi32(static_cast<int>(64 * block));
    const auto write = [&](int k, __m128i sixteen) { _mm512_storeu_si512(to + 16 * k, _mm512_add_epi32(_mm512_cvtepu8_epi32(sixteen), first)); };
    write(0, _mm512_castsi512_si128(positions));
    write(1, _mm512_extracti32x4_epi32(positions, 1));
    const int n = std::popcount(bits);
    if (n > 32) {
        write(2, _mm512_extracti32x4_epi32(positions, 2));
        write(3, _mm512_extracti32x4_epi32(positions, 3));
    }
    return to + n;
#else
    for (; bits; bits &= bits - 1) *to++ = 64 * block + static_cast<std::uint32_t>(std::countr_zero(bits));
    return to;
#endif
}

// The runs of set bits from byte `first` on; no word is open before it. A bit that differs from the one before it begins a word
// or ends one, in turn.
void find_words(FoldedText& text, std::size_t first) {
    const std::size_t most = text.n_words + (text.size - first) / 2 + 64;
    if (text.spans.size() < most) text.spans.resize(2 * most);
    auto* const begin = reinterpret_cast<std::uint32_t*>(text.spans.data() + text.n_words);
    auto* to = begin;
    std::uint64_t open = 0;  // the last bit of the previous block
    for (std::size_t block = first / 64; block <= text.size / 64; ++block) {
        const std::uint64_t from_first = block == first / 64 ? ~std::uint64_t{0} << first % 64 : ~std::uint64_t{0};
        const std::uint64_t bits = text.in_word[block] & from_first;
        to = write_positions(bits ^ (bits << 1 | open), static_cast<std::uint32_t>(block), to);
        open = bits >> 63;
    }
    if (open) *to++ = static_cast<std::uint32_t>(text.size);
    text.n_words += static_cast<std::size_t>(to - begin) / 2;
}

void fold(FoldedText& text, const std::uint8_t* from, std::size_t length, Splitting splitting) {
    reserve(text, text.size + 2 * length);
    if (text.size == 0) text.in_word[0] = 0;
    const std::uint8_t* const end = from + length;
    const std::size_t first = text.size;
    while (from < end) {
        const std::size_t ascii = fold_ascii(text, from, end);
        from += ascii;
        if (ascii == 64 || from == end) continue;
        from = splitting == Splitting::plain ? fold_plain_characters(text, from, end) : fold_characters(text, first, from, end);
    }
    find_words(text, first);
    append(text, ' ', false);  // the next text begins with a new word
}

}  // namespace

extern const WordFunctions word_functions{fold};

}  // namespace rosenblatt::ROSENBLATT_ISA
