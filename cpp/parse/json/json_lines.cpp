// JSON lines to columns.
//
// Lines of one file mostly have the same keys in the same order, spaced alike. So the bytes from one value to the next,
// `, "price": `, are compared as a whole with those of an earlier line, and only where they differ is a key read and looked up.
// A line with a fault, or with anything rare (a key twice, a list in a list), is left out as an OddLine.
#include "parse/json/json_lines.hpp"

#include "parse/json/strings_and_numbers.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

constexpr int max_depth = 500;  // of nested values that have no column

// The type of a value.
enum class Value : std::uint8_t { null, number, flag, word, list, object };

class JsonReader {
protected:
    const char* p = nullptr;  // the next byte
    std::string scratch;

    ROSENBLATT_INLINE void skip_space() {
        while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
    }

    bool advance(const char* to) {
        p = to ? to : p;
        return to != nullptr;
    }

    bool read_literal(std::string_view word) { return advance(literal(p, word)); }

    // The key at p, which is '{' or ','; then p is at its value. False where there is none.
    bool read_key(std::string_view& key) {
        ++p;
        skip_space();
        if (*p != '"' || !advance(read_string(p + 1, key, scratch))) return false;
        skip_space();
        if (*p != ':') return false;
        ++p;
        skip_space();
        return true;
    }

    // After a value: true where the object or list goes on, with p at the comma. Otherwise p is after its end.
    bool goes_on(char end, bool& ok) {
        skip_space();
        if (*p == ',') return true;
        ok = *p == end;
        p += ok;
        return false;
    }

    bool is_empty(char end) {
        const char* next = p + 1;
        while (*next == ' ' || *next == '\t' || *next == '\r') ++next;
        return *next == end && advance(next + 1);
    }

    bool skip_value(Value& kind, int depth) {
        std::string_view text;
        double number;
        switch (*p) {
            case '"': kind = Value::word; return advance(read_string(p + 1, text, scratch));
            case 'n': kind = Value::null; return read_literal("null");
            case 't': kind = Value::flag; return read_literal("true");
            case 'f': kind = Value::flag; return read_literal("false");
            case '[': kind = Value::list; return skip_items(']', depth);
            case '{': kind = Value::object; return skip_items('}', depth);
            default: kind = Value::number; return advance(read_number(p, number));
        }
    }

    bool skip_items(char end, int depth) {
        if (depth >= max_depth) return false;
        if (is_empty(end)) return true;
        for (bool ok = false;;) {
            std::string_view key;
            if (end == '}') {
                if (!read_key(key)) return false;
            } else {
                ++p;
                skip_space();
            }
            Value kind;
            if (!skip_value(kind, depth + 1)) return false;
            if (!goes_on(end, ok)) return ok;
        }
    }

    // The object that began at '{' has been read: nothing follows but space.
    bool at_line_end() {
        skip_space();
        return *p == '\n';
    }

    static bool is_blank(const char* line, const char* end) {
        while (line < end && (*line == ' ' || (*line >= '\t' && *line <= '\r'))) ++line;
        return line == end;
    }

    static const char* line_end(const char* line, const char* last) {
        return static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(last - line)));
    }
};

ROSENBLATT_INLINE bool matches(const JsonLead& lead, const char* at) {
    if (lead.size == 0) return false;
    std::uint64_t other = (load8(at) ^ lead.words[0]) & lead.masks[0];
    for (unsigned i = 1; i < lead.used; ++i) other |= (load8(at + 8 * i) ^ lead.words[i]) & lead.masks[i];
    return other == 0;
}

void learn(JsonLead& lead, const char* first, const char* last) {
    const auto size = static_cast<std::size_t>(last - first);
    lead.size = size <= 8 * JsonLead::most_words ? size : 0;
    lead.used = static_cast<unsigned>((lead.size + 7) / 8);
    for (unsigned i = 0; i < lead.used; ++i) {
        lead.words[i] = load8(first + 8 * i);
        const std::size_t left = lead.size - 8 * i;
        lead.masks[i] = left >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * left) - 1;
    }
}

class RowParser : JsonReader {
public:
    RowParser(const JsonShape& shape, JsonRows& out) : shape_(shape), out_(out) {}

    void parse(const char* first, const char* last) {
        while (first < last) {
            ++out_.lines;
            p = first;
            skip_space();
            if (*p == '{' && object(0) && at_line_end()) [[likely]] {
                ++out_.rows;
                first = p + 1;
                continue;
            }
            const char* const end = line_end(first, last);
            if (is_blank(first, end)) {
                out_.blank.push_back(out_.lines);
            } else {
                for (JsonColumn& column : out_.columns) column.cut(out_.rows);
                out_.odd.push_back({out_.lines, out_.rows, std::string(first, end)});
            }
            first = end + 1;
        }
    }

private:
    // p is at '{'.
    bool object(std::int32_t at) {
        const JsonShape::Key& object = shape_.keys[static_cast<std::size_t>(at)];
        if (is_empty('}')) return true;
        std::size_t expected = 0;
        for (bool ok = false;;) {
            std::size_t key;
            if (expected < object.keys.size() && matches(out_.leads[key = static_cast<std::size_t>(object.keys[expected])], p)) [[likely]] {
                p += out_.leads[key].size;
                skip_space();  // spaced otherwise than before
            } else {
                const char* const lead = p;
                std::string_view name;
                if (!read_key(name)) return false;
                const std::int32_t position = shape_.find(at, name);
                if (position < 0) {
                    const std::string late(name);  // skipping may overwrite it
                    Value kind;
                    if (!skip_value(kind, 0)) return false;
                    if (kind != Value::null) out_.add_late(shape_, at, late);
                    if (!goes_on('}', ok)) return ok;
                    continue;
                }
                expected = static_cast<std::size_t>(position);
                key = static_cast<std::size_t>(object.keys[expected]);
                learn(out_.leads[key], lead, p);
            }
            ++expected;
            if (out_.last_lines[key] == out_.lines) return false;  // a key twice
            out_.last_lines[key] = out_.lines;
            if (!value(static_cast<std::int32_t>(key))) return false;
            if (!goes_on('}', ok)) return ok;
        }
    }

    bool value(std::int32_t at) {
        const JsonShape::Key& key = shape_.keys[static_cast<std::size_t>(at)];
        if (key.kind == JsonKind::object) return *p == '{' ? object(at) : read_literal("null");
        if (*p == 'n') return read_literal("null");
        if (key.kind == JsonKind::unknown) {
            Value kind;
            if (!skip_value(kind, 0)) return false;
            out_.add_late(shape_, key.parent, key.name);
            return true;
        }
        JsonColumn& column = out_.columns[static_cast<std::size_t>(key.column)];
        if (column.rows < out_.rows) column.add_nulls(out_.rows);
        ++column.rows;
        switch (key.kind) {
            case JsonKind::numbers: {
                double number;
                if (!advance(read_number(p, number))) return false;
                column.numbers.push(number);
                return true;
            }
            case JsonKind::flags:
                column.flags.push(*p == 't');
                return read_literal(*p == 't' ? "true" : "false");
            case JsonKind::words: {
                std::string_view text;
                if (*p != '"' || !advance(read_string(p + 1, text, scratch))) return false;
                add_word(column, text);
                return true;
            }
            case JsonKind::numerals: return numeral(column);
            default: return list(column);
        }
    }

    // Short texts that lie in the piece are copied without a branch on their length.
    ROSENBLATT_INLINE void add_word(JsonColumn& column, std::string_view text) {
        constexpr std::size_t slack = 32;
        const std::size_t size = column.bytes.size();
        if (text.size() <= slack && text.data() != scratch.data()) [[likely]] {
            column.bytes.reserve(size + slack);
            std::memcpy(column.bytes.data() + size, text.data(), slack);
            column.bytes.resize(size + text.size());
            column.end_word();
        } else {
            column.add_word(text);
        }
    }

    bool list(JsonColumn& column) {
        if (*p != '[') return false;
        bool ok = is_empty(']');
        while (!ok) {
            ++p;
            skip_space();
            if (!item(column)) return false;
            if (!goes_on(']', ok) && !ok) return false;
        }
        column.list_ends.push(static_cast<std::int32_t>(column.ends.size() - 1));
        return true;
    }

    bool item(JsonColumn& column) {
        std::string_view text;
        switch (*p) {
            case '"':
                if (!advance(read_string(p + 1, text, scratch))) return false;
                column.add_word(text);
                return true;
            case 'n': return read_literal("null");
            case 't': column.add_word("true"); return read_literal("true");
            case 'f': column.add_word("false"); return read_literal("false");
            case '[': case '{': return false;
            default: return numeral(column);
        }
    }

    bool numeral(JsonColumn& column) {
        const char* const first = p;
        double number;
        if (!advance(read_any_number(p, number))) return false;
        scratch.clear();
        append_number(first, p, number, scratch);
        column.add_word(scratch);
        return true;
    }

    const JsonShape& shape_;
    JsonRows& out_;
};

class KeyFinder : JsonReader {
public:
    explicit KeyFinder(JsonShape& shape) : shape_(shape) {}

    bool find(const char* first, const char* last) {
        for (; first < last; first = line_end(first, last) + 1) {
            p = first;
            ++line_;
            skip_space();
            const char* const begin = p;
            Value kind;
            if (*p != '{' || !skip_value(kind, 0) || !at_line_end()) continue;  // refused or skipped where it is read
            p = begin;
            if (!object(0, 0)) return false;
        }
        return true;
    }

private:
    bool object(std::int32_t at, int depth) {
        if (depth >= max_depth) return false;
        if (is_empty('}')) return true;
        std::int32_t position = -1;
        for (bool ok = false;;) {
            std::string_view name;
            if (!read_key(name)) return false;
            if (!is_key(at, ++position, name)) position = shape_.find(at, name);
            if (position < 0) {
                shape_.add(at, std::string(name), JsonKind::unknown);
                position = static_cast<std::int32_t>(shape_.keys[static_cast<std::size_t>(at)].keys.size()) - 1;
            }
            const std::int32_t key = shape_.keys[static_cast<std::size_t>(at)].keys[static_cast<std::size_t>(position)];
            last_lines_.resize(shape_.keys.size(), 0);
            if (last_lines_[static_cast<std::size_t>(key)] == line_) return false;  // a key twice
            last_lines_[static_cast<std::size_t>(key)] = line_;
            if (!value(key, depth)) return false;
            if (!goes_on('}', ok)) return ok;
        }
    }

    bool is_key(std::int32_t at, std::int32_t position, std::string_view name) const {
        const auto& keys = shape_.keys[static_cast<std::size_t>(at)].keys;
        return static_cast<std::size_t>(position) < keys.size() && shape_.keys[static_cast<std::size_t>(keys[static_cast<std::size_t>(position)])].name == name;
    }

    // Of two kinds the first stays: the line of the second is refused later.
    bool value(std::int32_t key, int depth) {
        const auto kind_of = [&]() -> JsonKind& { return shape_.keys[static_cast<std::size_t>(key)].kind; };
        if (*p == '{' && (kind_of() == JsonKind::unknown || kind_of() == JsonKind::object)) {
            kind_of() = JsonKind::object;
            return object(key, depth + 1);
        }
        Value value;
        if (!skip_value(value, depth)) return false;
        if (kind_of() == JsonKind::unknown) kind_of() = static_cast<JsonKind>(value);
        return true;
    }

    JsonShape& shape_;
    std::vector<std::int64_t> last_lines_;  // by key: the line that had it last
    std::int64_t line_ = 0;
};
static_assert(static_cast<int>(Value::list) == static_cast<int>(JsonKind::lists) && static_cast<int>(Value::object) == static_cast<int>(JsonKind::object));

}  // namespace

void parse_json(const char* first, const char* last, const JsonShape& shape, JsonRows& out) { RowParser(shape, out).parse(first, last); }

bool find_json_keys(const char* first, const char* last, JsonShape& shape) { return KeyFinder(shape).find(first, last); }

extern const JsonFunctions json_functions{parse_json, find_json_keys};

}  // namespace rosenblatt::ROSENBLATT_ISA
