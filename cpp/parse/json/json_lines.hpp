// JSON lines, an object on each, to columns: the functions of each instruction set.
#pragma once

#include "parse/json/shape_and_columns.hpp"

namespace rosenblatt {

struct JsonFunctions {
    // Adds a piece of whole lines, as each_piece passes it.
    void (*parse)(const char* first, const char* last, const JsonShape&, JsonRows& out);
    // Adds the keys of a piece to the shape, and what they hold. False: a line has a key twice, or is nested too deeply.
    bool (*find_keys)(const char* first, const char* last, JsonShape&);
};

}  // namespace rosenblatt
