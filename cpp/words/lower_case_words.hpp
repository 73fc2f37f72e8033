// Running text -> lower-cased words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rosenblatt {

namespace words {

struct Span {
    std::uint32_t begin, end;
};

// How text is split into words. A model stores the one it was learned with and keeps it: its words are its columns.
//
//   plain     a Han or kana character and a symbol are each a word; everything else without spaces is one
//   scripts   scripts without spaces (Thai, Lao, Khmer, Myanmar) are split as well, into letters with their marks; marks stay
//             with the character before them, and make one character with it where there is one (NFC); invisible characters
//             (soft hyphens, joiners, directions, variation selectors) are left out
enum class Splitting : std::uint8_t { plain = 1, scripts = 2 };
inline constexpr Splitting latest_splitting = Splitting::scripts;

// Between two characters side by side that are each a word; no byte of UTF-8.
inline constexpr std::uint8_t between_characters = 0xFF;

// A text in lower case; a word is a span of its bytes. At least sixteen bytes after the last are readable.
struct FoldedText {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::unique_ptr<std::uint64_t[]> in_word;  // one bit per byte
    std::size_t capacity = 0, size = 0;
    std::vector<Span> spans;  // of the words: the first n_words
    std::size_t n_words = 0;

    std::span<const Span> words() const { return {spans.data(), n_words}; }

    // Whether two words, each a character by itself, have nothing between them.
    bool side_by_side(Span left, Span right) const { return right.begin == left.end + 1 && bytes[left.end] == between_characters; }

    void clear() {
        size = 0;
        n_words = 0;
    }
};

}  // namespace words

struct WordFunctions {
    // Appends a text. Several texts of one row stand one after another, at most 1 GB in all: callers must ensure this.
    void (*fold)(words::FoldedText&, const std::uint8_t* text, std::size_t length, words::Splitting);
};

}  // namespace rosenblatt
