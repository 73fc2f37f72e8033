// Lines of text, `label<TAB>text` or text alone -> labels and sparse rows.
#pragma once

#include "words_rows.hpp"

namespace rosenblatt::words {

enum class Lines {
    labelled,  // label<TAB>text; an empty line is no example
    either,    // a line without a tab is all text, without a label
    plain,     // every line is all text
};

// The distinct labels of a chunk in the order met; texts of one class tend to follow each other.
class Labels {
public:
    std::vector<std::string_view> tokens;

    std::int32_t number(std::string_view token) {
        if (!tokens.empty() && tokens[static_cast<std::size_t>(last_)] == token) return last_;
        const auto [found, is_new] = numbers_.try_emplace(token, static_cast<std::int32_t>(tokens.size()));
        if (is_new) tokens.push_back(token);
        return last_ = found->second;
    }

private:
    std::unordered_map<std::string_view, std::int32_t> numbers_;
    std::int32_t last_ = 0;
};

struct BadLine {
    std::size_t line, column;  // from 0, in the chunk
    const char* what;
};

struct TextChunk {
    SparseRows rows;
    Labels labels;
    std::vector<std::int32_t> codes;   // of each row, -1 where it has no label
    std::vector<std::int32_t> lines;   // of each row, from 0, in the chunk
    std::vector<BadLine> bad;
    std::size_t line_count = 0;
};

inline std::string_view stripped(std::string_view text) {
    const auto is_space = [](char c) { return c == ' ' || c == '\r'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

class LineReader {
public:
    LineReader(Lines kind, Hasher& hasher, TextChunk& chunk) : kind_(kind), hasher_(hasher), chunk_(chunk) {}

    // Whole lines; the last may lack its end.
    void read(std::string_view data) {
        while (!data.empty()) {
            const std::size_t end = std::min(data.find('\n'), data.size());
            line(data.substr(0, end));
            data.remove_prefix(std::min(end + 1, data.size()));
            ++chunk_.line_count;
        }
    }

private:
    void line(std::string_view line) {
        const std::size_t tab = kind_ == Lines::plain ? line.npos : line.find('\t');
        std::int32_t code = -1;
        if (tab != line.npos) {
            const std::string_view label = stripped(line.substr(0, tab));
            if (!label.empty()) code = chunk_.labels.number(label);
            else if (kind_ == Lines::labelled) return refuse(0, "no label");
            line.remove_prefix(tab + 1);
        } else if (kind_ == Lines::labelled) {
            return stripped(line).empty() ? void() : refuse(line.size(), "no tab");
        }
        const Text text{reinterpret_cast<const std::uint8_t*>(line.data()), line.size(), 0};
        hasher_.row(std::span(&text, 1), chunk_.rows);
        chunk_.rows.end_row();
        chunk_.codes.push_back(code);
        chunk_.lines.push_back(static_cast<std::int32_t>(chunk_.line_count));
    }

    void refuse(std::size_t column, const char* what) { chunk_.bad.push_back({chunk_.line_count, column, what}); }

    Lines kind_;
    Hasher& hasher_;
    TextChunk& chunk_;
};

}  // namespace rosenblatt::words
