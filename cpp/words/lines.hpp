// Lines of text, `label<TAB>text` or text alone -> labels and sparse rows.
#pragma once

#include "parse/lines.hpp"
#include "parse/parsed.hpp"
#include "words/rows.hpp"

namespace rosenblatt::words {

enum class Lines {
    labelled,  // label<TAB>text; an empty line is no example
    either,    // a line without a tab is all text, without a label
    plain,     // every line is all text
};

inline std::string_view stripped(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\r'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

class LineReader {
public:
    LineReader(Lines kind, bool skip, Hasher& hasher, Parsed& out)
        : kind_(kind), skip_(skip), hasher_(hasher), out_(out), rows_{out.starts, out.indices, out.values} {}

    // Whole lines, as each_piece gives them. False: stopped at a bad line.
    bool read(const char* first, const char* last) {
        if (out_.indices.size() == 0) {  // the first of about eight pieces; a word takes about six bytes
            const std::size_t bytes = std::min(static_cast<std::size_t>(last - first), piece_size);
            out_.indices.reserve(bytes * (1 + hasher_.ngrams()));
            out_.values.reserve(bytes * (1 + hasher_.ngrams()));
        }
        while (first < last && !out_.stopped) {
            const char* const end = static_cast<const char*>(std::memchr(first, '\n', static_cast<std::size_t>(last - first)));
            ++out_.lines;
            line({first, static_cast<std::size_t>(end - first)});
            first = end + 1;
        }
        return !out_.stopped;
    }

private:
    void line(std::string_view line) {
        const std::size_t tab = kind_ == Lines::plain ? line.npos : line.find('\t');
        std::int32_t code = -1;
        if (tab != line.npos) {
            const std::string_view label = stripped(line.substr(0, tab));
            if (!label.empty()) code = number(label);
            else if (kind_ == Lines::labelled) return refuse(Fault_of_line::empty_label, line, 0);
            line.remove_prefix(tab + 1);
        } else if (kind_ == Lines::labelled) {
            return stripped(line).empty() ? void() : refuse(Fault_of_line::no_tab, line, line.size());
        }
        const Text text{reinterpret_cast<const std::uint8_t*>(line.data()), line.size(), 0};
        hasher_.row(std::span(&text, 1), rows_);
        out_.labels.push(code);
    }

    // Labels of texts may hold any byte; the table of labels takes one that ends in zero bytes for a shorter one.
    std::int32_t number(std::string_view label) {
        while (!label.empty() && label.back() == '\0') label.remove_suffix(1);
        return out_.table.code(label.data(), label.size());
    }

    void refuse(Fault_of_line kind, std::string_view line, std::size_t at) {
        out_.note(kind, line.data(), line.data() + at, line);
        out_.stopped = !skip_;
    }

    Lines kind_;
    bool skip_;
    Hasher& hasher_;
    Parsed& out_;
    SparseRows rows_;
};

}  // namespace rosenblatt::words
