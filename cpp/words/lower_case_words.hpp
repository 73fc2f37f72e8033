// Running text -> lower-cased words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rosenblatt {

namespace words {

struct Span {
    std::uint32_t begin, end;
};

// A text in lower case; a word is a span of its bytes. At least sixteen bytes after the last are readable.
struct FoldedText {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::unique_ptr<std::uint64_t[]> in_word;  // one bit per byte
    std::size_t capacity = 0, size = 0;
    std::vector<Span> words;

    void clear() {
        size = 0;
        words.clear();
    }
};

}  // namespace words

struct WordFunctions {
    // Appends a text. Several texts of one row stand one after another, at most 1 GB in all: callers see to that.
    void (*fold)(words::FoldedText&, const std::uint8_t* text, std::size_t length);
};

}  // namespace rosenblatt
