// How many of the first bytes of a table are whole rows: a newline within a quoted cell ends none.
#pragma once

#include <cstddef>
#include <cstring>

namespace rosenblatt {

// As pyarrow reads it, a quote opens a quoted cell only where the cell begins; within it two quotes stand for one.
inline std::size_t whole_rows(const char* data, std::size_t size, char separator) {
    const char *const end = data + size, *at = data, *rows_end = data;
    while (at < end) {
        const auto* quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
        const char* const plain_end = quote ? quote : end;
        for (const char* newline = plain_end; newline > at;)
            if (*--newline == '\n') {
                rows_end = newline + 1;
                break;
            }
        if (!quote) break;
        at = quote + 1;
        if (quote > data && quote[-1] != separator && quote[-1] != '\n' && quote[-1] != '\r') continue;
        for (;;) {
            const auto* close = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
            if (!close || close + 1 == end) return static_cast<std::size_t>(rows_end - data);  // open, or perhaps doubled
            at = close + 1;
            if (*at != '"') break;
            ++at;
        }
    }
    return static_cast<std::size_t>(rows_end - data);
}

}  // namespace rosenblatt
