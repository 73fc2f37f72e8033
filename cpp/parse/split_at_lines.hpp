// The lines that begin in a part of a file, passed on in pieces small enough for the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "parse/byte_sources.hpp"

namespace rosenblatt {

inline constexpr std::size_t piece_size = 1 << 17;
inline constexpr std::size_t max_line_size = std::size_t{1} << 28;  // as in readers/formats/line_source.py
inline constexpr std::size_t padding = 64;  // readable bytes before and after a piece

inline char* last_newline(char* first, std::size_t count) {
    while (count > 0)
        if (first[--count] == '\n') return first + count;
    return nullptr;
}

// Calls use(first, last) for pieces of whole lines, in order: all lines whose first byte is at begin or later and before
// end. Each piece ends with a newline (added to a last line without one), and `padding` bytes before and after it
// are readable. use returns false to stop. A line of any length is in one piece.
template <class Source, class Use>
void each_piece(const Source& read, std::int64_t begin, std::int64_t end, Use use) {
    // Kept by the thread from call to call, unless one long line made it large.
    thread_local std::vector<char> buffer;
    if (buffer.size() < 2 * (piece_size + padding)) buffer.resize(2 * (piece_size + padding));
    struct ShrinkBuffer {
        ~ShrinkBuffer() {
            if (buffer.size() > 16 * piece_size) std::vector<char>().swap(buffer);
        }
    } shrink_buffer;

    // The byte before `begin` tells whether a line begins there.
    std::int64_t offset = begin > 0 ? begin - 1 : 0;  // of the first byte not yet read
    bool in_earlier_line = begin > 0;                  // inside a line that began before `begin`
    std::size_t unfinished = 0;                        // bytes of a line whose end has not been read
    std::size_t overrun = 4096;                        // bytes to read next beyond `end`, to finish the last line
    for (;;) {
        std::size_t to_read = piece_size;
        if (offset >= end) {
            if (in_earlier_line) return;  // it covers all of this part
            to_read = overrun;
            overrun = overrun < piece_size ? overrun * 2 : piece_size;
        } else if (static_cast<std::int64_t>(to_read) > end - offset) {
            to_read = static_cast<std::size_t>(end - offset);
        }
        if (buffer.size() < unfinished + to_read + 2 * padding) buffer.resize((unfinished + to_read + padding) * 2);
        char* const start = buffer.data() + padding;
        char* const fresh = start + unfinished;
        std::size_t count = read(fresh, to_read, offset);
        const bool at_end_of_file = count == 0;
        if (at_end_of_file && offset < end) throw FileShrank();
        if (Source::may_have_byte_order_mark && offset == 0 && count >= 3 && std::memcmp(fresh, "\xEF\xBB\xBF", 3) == 0) {
            std::memmove(fresh, fresh + 3, count -= 3);
            offset = 3;
            if (count == 0) continue;
        }
        if (at_end_of_file) {
            if (unfinished == 0 || in_earlier_line) return;
            fresh[count++] = '\n';
        }
        if (in_earlier_line) {
            const char* newline = static_cast<const char*>(std::memchr(fresh, '\n', count));
            const std::size_t skipped = newline ? static_cast<std::size_t>(newline + 1 - fresh) : count;
            offset += static_cast<std::int64_t>(skipped);
            if (!newline) continue;
            if (offset >= end) return;
            in_earlier_line = false;
            std::memmove(fresh, fresh + skipped, count - skipped);
            count -= skipped;
            if (count == 0) continue;
        }
        // Up to the last newline; when `end` is reached, up to the first newline at end - 1 or later.
        const std::int64_t fresh_offset = offset;
        offset += static_cast<std::int64_t>(count);
        char* cut = nullptr;
        bool finished = at_end_of_file;
        if (offset >= end && !at_end_of_file) {
            const std::size_t from = end - 1 > fresh_offset ? static_cast<std::size_t>(end - 1 - fresh_offset) : 0;
            cut = static_cast<char*>(std::memchr(fresh + from, '\n', count - from));
            finished = cut != nullptr;
        }
        if (!cut) cut = last_newline(fresh, count);
        unfinished += count;
        if (!cut && unfinished > max_line_size) throw std::length_error("a line is longer than 256 MB, which is not a line of text");
        if (!cut) continue;
        const std::size_t complete = static_cast<std::size_t>(cut + 1 - start);
        if (!use(static_cast<const char*>(start), static_cast<const char*>(cut + 1)) || finished) return;
        unfinished -= complete;
        std::memmove(start, start + complete, unfinished);
    }
}

}  // namespace rosenblatt
