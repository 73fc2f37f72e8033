// The lines that begin in a part of a file, passed on in pieces small enough for the cache.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace rosenblatt {

inline constexpr std::size_t piece_size = 1 << 17;
inline constexpr std::size_t max_line_size = std::size_t{1} << 28;  // as in readers/formats/line_source.py
inline constexpr std::size_t padding = 64;  // readable bytes before and after a piece

// A regular file, read at any offset.
struct FileSource {
    int fd;
    static constexpr bool may_have_byte_order_mark = true;
    std::size_t operator()(char* to, std::size_t size, std::int64_t offset) const {
        for (;;) {
            const ssize_t count = ::pread(fd, to, size, static_cast<off_t>(offset));
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno != EINTR) throw std::system_error(errno, std::generic_category());
        }
    }
};

struct BytesSource {
    const char* bytes;
    std::size_t count;
    static constexpr bool may_have_byte_order_mark = false;
    std::size_t operator()(char* to, std::size_t size, std::int64_t offset) const {
        const std::size_t available = count - static_cast<std::size_t>(offset), taken = size < available ? size : available;
        std::memcpy(to, bytes + offset, taken);
        return taken;
    }
};

// Several files one after another, read as one file. Bytes at the beginning of a part may be left out, such as a header
// that the first part has, too; a last line without a newline gets one, so that the next part begins a line.
class JoinedFiles {
public:
    static constexpr bool may_have_byte_order_mark = true;

    // No part is empty.
    void add(int fd, std::int64_t skipped, std::int64_t size, bool lacks_newline) {
        parts_.push_back({fd, skipped, size - skipped, this->size_});
        size_ += size - skipped + lacks_newline;
    }
    std::int64_t size() const { return size_; }

    std::size_t operator()(char* to, std::size_t size, std::int64_t offset) const {
        if (offset >= size_) return 0;
        const Part& part = *(std::upper_bound(parts_.begin(), parts_.end(), offset, [](std::int64_t at, const Part& p) { return at < p.begin; }) - 1);
        const std::int64_t at = offset - part.begin, available = part.size - at;
        if (available == 0) {
            *to = '\n';
            return 1;
        }
        if (static_cast<std::int64_t>(size) > available) size = static_cast<std::size_t>(available);
        return FileSource{part.fd}(to, size, part.skipped + at);
    }

private:
    struct Part {
        int fd;
        std::int64_t skipped, size;  // bytes left out, and bytes after them
        std::int64_t begin;          // in the whole
    };
    std::vector<Part> parts_;
    std::int64_t size_ = 0;
};

// Thrown where a file ends before the size it had when it was opened.
struct FileShrank {};

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
