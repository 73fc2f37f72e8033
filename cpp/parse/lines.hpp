// The lines that begin in a part of a file, handed over in pieces that stay in the cache.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace rosenblatt {

inline constexpr std::size_t piece_size = 1 << 17;
inline constexpr std::size_t longest_line = std::size_t{1} << 31;
inline constexpr std::size_t padding = 64;  // bytes before and after a piece that may be read

// A regular file, read at any place.
struct FromFile {
    int fd;
    static constexpr bool may_have_mark = true;
    std::size_t operator()(char* to, std::size_t size, std::int64_t at) const {
        for (;;) {
            const ssize_t got = ::pread(fd, to, size, static_cast<off_t>(at));
            if (got >= 0) return static_cast<std::size_t>(got);
            if (errno != EINTR) throw std::system_error(errno, std::generic_category());
        }
    }
};

// Bytes in memory.
struct FromBytes {
    const char* bytes;
    std::size_t count;
    static constexpr bool may_have_mark = false;
    std::size_t operator()(char* to, std::size_t size, std::int64_t at) const {
        const std::size_t left = count - static_cast<std::size_t>(at), take = size < left ? size : left;
        std::memcpy(to, bytes + at, take);
        return take;
    }
};

// Thrown where a file ends before the end it had when it was opened.
struct Shrunk {};

inline char* last_newline(char* first, std::size_t count) {
    while (count > 0)
        if (first[--count] == '\n') return first + count;
    return nullptr;
}

// Calls f(first, last) for pieces of whole lines, in order: all lines whose first byte is at begin or later and before
// end. Each piece ends with a newline (one is added to a last line without it), and `padding` bytes before and after it
// may be read. f returns false to stop. A line of any length is in one piece.
template <class Source, class F>
void each_piece(const Source& read, std::int64_t begin, std::int64_t end, F f) {
    // Kept by the thread from call to call, unless one long line made it large.
    thread_local std::vector<char> buffer;
    if (buffer.size() < 2 * (piece_size + padding)) buffer.resize(2 * (piece_size + padding));
    struct Shrink {
        ~Shrink() {
            if (buffer.size() > 16 * piece_size) std::vector<char>().swap(buffer);
        }
    } shrink;

    // The byte before `begin` says whether a line begins there.
    std::int64_t at = begin > 0 ? begin - 1 : 0;  // of the first byte not yet read
    bool inside = begin > 0;                       // inside a line that began earlier
    std::size_t have = 0, tail = 4096;             // bytes of an unfinished line; how much to read beyond the end
    for (;;) {
        std::size_t want = piece_size;
        if (at >= end) {
            if (inside) return;  // the line that covers all of this part began before it
            want = tail;
            tail = tail < piece_size ? tail * 2 : piece_size;
        } else if (static_cast<std::int64_t>(want) > end - at) {
            want = static_cast<std::size_t>(end - at);
        }
        if (buffer.size() < have + want + 2 * padding) buffer.resize((have + want + padding) * 2);
        char* const start = buffer.data() + padding;
        char* const fresh = start + have;
        std::size_t got = read(fresh, want, at);
        const bool over = got == 0;
        if (over && at < end) throw Shrunk();
        if (Source::may_have_mark && at == 0 && got >= 3 && std::memcmp(fresh, "\xEF\xBB\xBF", 3) == 0) {
            std::memmove(fresh, fresh + 3, got -= 3);  // the byte order mark of UTF-8
            at = 3;
            if (got == 0) continue;
        }
        if (over) {
            if (have == 0 || inside) return;
            fresh[got++] = '\n';
        }
        if (inside) {
            const char* newline = static_cast<const char*>(std::memchr(fresh, '\n', got));
            const std::size_t skip = newline ? static_cast<std::size_t>(newline + 1 - fresh) : got;
            at += static_cast<std::int64_t>(skip);
            if (!newline) continue;
            if (at >= end) return;
            inside = false;
            std::memmove(fresh, fresh + skip, got - skip);
            got -= skip;
            if (got == 0) continue;
        }
        // Up to the last newline; when the end is reached, up to the first newline at end - 1 or later.
        const std::int64_t fresh_at = at;
        at += static_cast<std::int64_t>(got);
        char* cut = nullptr;
        bool finished = over;
        if (at >= end && !over) {
            const std::size_t from = end - 1 > fresh_at ? static_cast<std::size_t>(end - 1 - fresh_at) : 0;
            cut = static_cast<char*>(std::memchr(fresh + from, '\n', got - from));
            finished = cut != nullptr;
        }
        if (!cut) cut = last_newline(fresh, got);
        have += got;
        if (!cut && have > longest_line) throw std::length_error("a line is longer than 2 GB");
        if (!cut) continue;
        const std::size_t whole = static_cast<std::size_t>(cut + 1 - start);
        if (!f(static_cast<const char*>(start), static_cast<const char*>(cut + 1)) || finished) return;
        have -= whole;
        std::memmove(start, start + whole, have);
    }
}

}  // namespace rosenblatt
