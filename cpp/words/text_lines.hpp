// Lines of text, `label<TAB>text` or text alone -> labels and sparse rows.
#pragma once

#include "parse/split_at_lines.hpp"
#include "parse/parsed_lines.hpp"
#include "words/text_to_columns.hpp"

namespace rosenblatt::words {

enum class TextFormat {
    labelled,  // label<TAB>text; an empty line is not an example
    several,   // the same, with any number of labels before the tab
    either,    // a line without a tab is text without a label
    plain,     // every line is text without a label
};

inline std::string_view strip(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\r'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

class TextParser {
public:
    TextParser(TextFormat format, bool skip, Hasher& hasher, Parsed& out)
        : format_(format), skip_(skip), hasher_(hasher), out_(out), rows_{out.starts, out.indices, out.values} {}

    // Parses whole lines, as each_piece passes them. False: stopped at a bad line.
    bool parse(const char* first, const char* last) {
        if (out_.indices.size() == 0) {  // for about eight pieces; a word takes about six bytes
            const std::size_t bytes = std::min(static_cast<std::size_t>(last - first), piece_size);
            out_.indices.reserve(bytes * (1 + hasher_.features_per_word()));
            out_.values.reserve(bytes * (1 + hasher_.features_per_word()));
        }
        while (first < last && !out_.stopped) {
            const char* const end = static_cast<const char*>(std::memchr(first, '\n', static_cast<std::size_t>(last - first)));
            ++out_.lines;
            parse_line({first, static_cast<std::size_t>(end - first)});
            first = end + 1;
        }
        return !out_.stopped;
    }

private:
    void parse_line(std::string_view line) {
        const std::size_t tab = format_ == TextFormat::plain ? line.npos : line.find('\t');
        std::int32_t code = -1;
        if (tab != line.npos) {
            const std::string_view label = strip(line.substr(0, tab));
            if (!label.empty()) code = code_of(label);
            else if (format_ == TextFormat::labelled) return add_fault(LineFault::empty_label, line, 0);
            line.remove_prefix(tab + 1);
        } else if (format_ == TextFormat::labelled || format_ == TextFormat::several) {
            return strip(line).empty() ? void() : add_fault(LineFault::no_tab, line, line.size());
        }
        const Text text{reinterpret_cast<const std::uint8_t*>(line.data()), line.size(), 0};
        hasher_.add_row(std::span(&text, 1), rows_);
        out_.labels.push(code);
    }

    // Labels of texts may contain any byte, but the label table pads short ones with zero bytes: trailing ones are dropped.
    std::int32_t code_of(std::string_view label) {
        while (!label.empty() && label.back() == '\0') label.remove_suffix(1);
        return out_.table.code_of(label.data(), label.size());
    }

    void add_fault(LineFault fault, std::string_view line, std::size_t at) {
        out_.add_fault(fault, line.data(), line.data() + at, line);
        out_.stopped = !skip_;
    }

    TextFormat format_;
    bool skip_;
    Hasher& hasher_;
    Parsed& out_;
    SparseRows rows_;
};

}  // namespace rosenblatt::words
