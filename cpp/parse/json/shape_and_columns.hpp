// What JSON lines are read into: the keys that have a column, and the columns, in the layout of Arrow.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/memory/memory_pool.hpp"

namespace rosenblatt {

// unknown: nothing but null so far; numerals: numbers as words, since a float would round a long one.
enum class JsonKind : std::uint8_t { unknown, numbers, flags, words, lists, object, numerals };

// A tree of keys. Key 0 is the object of the line itself; the keys of an object stand in the order of their first appearance.
struct JsonShape {
    struct Key {
        std::string name;
        JsonKind kind = JsonKind::unknown;
        std::int32_t column = -1;  // in the order of the tree; -1 of objects
        std::int32_t parent = 0;
        std::vector<std::int32_t> keys;                              // of an object
        std::unordered_map<std::string_view, std::int32_t> by_name;  // positions in `keys`
    };
    std::vector<Key> keys = std::vector<Key>(1);
    std::vector<JsonKind> columns;  // what each holds

    JsonShape() { keys[0].kind = JsonKind::object; }
    JsonShape(JsonShape&&) = default;  // a copy would look names up in the memory of the original

    std::int32_t find(std::int32_t object, std::string_view name) const {
        const auto at = keys[static_cast<std::size_t>(object)].by_name.find(name);
        return at == keys[static_cast<std::size_t>(object)].by_name.end() ? -1 : at->second;
    }

    std::int32_t add(std::int32_t object, std::string name, JsonKind kind) {
        const auto key = static_cast<std::int32_t>(keys.size());
        keys.emplace_back();
        keys.back().name = std::move(name);
        keys.back().kind = kind;
        keys.back().parent = object;
        keys[static_cast<std::size_t>(object)].keys.push_back(key);
        index(object);
        return key;
    }

    // Called once all keys are there.
    void number_columns() { number_columns(0); }

    // `a.b` for the key b of an object a.
    std::string path(std::int32_t object, std::string_view name) const {
        std::string result(name);
        for (; object > 0; object = keys[static_cast<std::size_t>(object)].parent) result = keys[static_cast<std::size_t>(object)].name + "." + result;
        return result;
    }

private:
    // Names move in memory where `keys` grows; short ones lie inside it. So the views are made anew where that may have happened.
    void index(std::int32_t changed) {
        if (keys.capacity() == indexed_) {
            Key& object = keys[static_cast<std::size_t>(changed)];
            object.by_name.emplace(keys.back().name, static_cast<std::int32_t>(object.keys.size()) - 1);
            return;
        }
        indexed_ = keys.capacity();
        for (Key& object : keys) {
            object.by_name.clear();
            for (std::size_t i = 0; i < object.keys.size(); ++i)
                object.by_name.emplace(keys[static_cast<std::size_t>(object.keys[i])].name, static_cast<std::int32_t>(i));
        }
    }

    void number_columns(std::int32_t object) {
        for (const std::int32_t key : keys[static_cast<std::size_t>(object)].keys) {
            Key& of_key = keys[static_cast<std::size_t>(key)];
            if (of_key.kind == JsonKind::object) {
                number_columns(key);
            } else {
                of_key.column = static_cast<std::int32_t>(columns.size());
                columns.push_back(of_key.kind == JsonKind::numerals ? JsonKind::words : of_key.kind);
            }
        }
    }

    std::size_t indexed_ = 0;
};

// One column. A row without a value is null; nulls are filled in when the next value comes.
struct JsonColumn {
    JsonKind kind;
    std::size_t rows = 0;
    PooledVector<double> numbers;
    PooledVector<std::uint8_t> flags;         // a byte for each
    PooledVector<std::int32_t> list_ends;     // lists: the end of each among the words
    PooledVector<std::int32_t> ends;          // words: the end of each among the bytes
    PooledVector<std::uint8_t> bytes;
    PooledVector<std::uint32_t> nulls;        // rows

    explicit JsonColumn(JsonKind kind) : kind(kind) {
        ends.push(0);
        list_ends.push(0);
    }

    void add_nulls(std::size_t until) {
        for (; rows < until; ++rows) {
            nulls.push(static_cast<std::uint32_t>(rows));
            if (kind == JsonKind::numbers) numbers.push(0.0);
            else if (kind == JsonKind::flags) flags.push(0);
            else if (kind == JsonKind::words) end_word();
            else if (kind == JsonKind::lists) list_ends.push(list_ends[list_ends.size() - 1]);
        }
    }

    void end_word() { ends.push(static_cast<std::int32_t>(bytes.size())); }

    void add_word(std::string_view word) {
        append(word);
        end_word();
    }

    void append(std::string_view text) {
        const std::size_t size = bytes.size();
        bytes.resize(size + text.size());
        if (!text.empty()) std::memcpy(bytes.data() + size, text.data(), text.size());
    }

    // Drops what the row that was begun has added.
    void cut(std::size_t until) {
        if (rows > until) rows = until;
        if (kind == JsonKind::numbers) numbers.resize(rows);
        else if (kind == JsonKind::flags) flags.resize(rows);
        else if (kind == JsonKind::lists) list_ends.resize(rows + 1);
        if (kind == JsonKind::words) ends.resize(rows + 1);
        else if (kind == JsonKind::lists) ends.resize(static_cast<std::size_t>(list_ends[rows]) + 1);
        bytes.resize(static_cast<std::size_t>(ends[ends.size() - 1]));
        while (nulls.size() && nulls[nulls.size() - 1] >= rows) nulls.resize(nulls.size() - 1);
    }
};

// A line that this parser leaves to a slower one, which reads it, or says what is wrong with it.
struct OddLine {
    std::int64_t line;  // of the chunk, from 1
    std::size_t row;    // rows before it
    std::string text;
};

// The bytes before a value, from the comma or brace before its key, in words of eight bytes; none where `size` is 0.
struct JsonLead {
    static constexpr std::size_t most_words = 6;  // the padding after a piece is longer
    std::size_t size = 0;
    unsigned used = 0;
    std::array<std::uint64_t, most_words> words{}, masks{};
};

struct JsonRows {
    std::vector<JsonColumn> columns;
    std::vector<JsonLead> leads;           // by key
    std::vector<std::int64_t> last_lines;  // by key: the line that had it last
    std::size_t rows = 0;
    std::int64_t lines = 0;
    std::vector<std::int64_t> blank;  // lines
    std::vector<OddLine> odd;
    std::unordered_map<std::string, std::int64_t> late_keys;  // that the shape does not have -> values left out
    std::int64_t late_values = 0;

    explicit JsonRows(const JsonShape& shape) : leads(shape.keys.size()), last_lines(shape.keys.size(), 0) {
        for (const JsonKind kind : shape.columns) columns.emplace_back(kind);
    }

    void finish() {
        for (JsonColumn& column : columns)
            if (column.kind != JsonKind::unknown) column.add_nulls(rows);
    }

    void add_late(const JsonShape& shape, std::int32_t object, std::string_view name) {
        constexpr std::size_t max_names = 1000;
        ++late_values;
        if (late_keys.size() < max_names) ++late_keys[shape.path(object, name)];
    }
};

}  // namespace rosenblatt
