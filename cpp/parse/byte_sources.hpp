// Where parsers read bytes from: a file, bytes in memory, or several files as one.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <vector>

namespace rosenblatt {

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

}  // namespace rosenblatt
