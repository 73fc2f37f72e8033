// The parsers of lines, as the rest of the core sees them: one table of functions per instruction set.
#pragma once

#include "parse/crossing.hpp"
#include "parse/names.hpp"
#include "parse/parsed.hpp"

namespace rosenblatt {

struct Svmlight {
    std::int64_t base = 1;        // where feature indices begin
    std::int64_t limit = std::int64_t{1} << 31;  // columns from here on are left out
    bool guess_base = false;      // an index 0 is no bad row: it says that the base was guessed wrongly
    bool skip = false;            // leave bad rows out, instead of stopping at the first
};

struct Vw {
    unsigned bits = 22;            // 2^bits columns
    const Names* names = nullptr;  // to look names up in, or none
    bool skip = false;
    const Crossing* crossing = nullptr;  // namespaces to cross, or none
};

// A piece of whole lines, as each_piece gives it, is added to what was parsed. False: stopped at a bad line.
struct ParserFunctions {
    bool (*svmlight)(const char* first, const char* last, const Svmlight&, Parsed&);
    bool (*vw)(const char* first, const char* last, const Vw&, Parsed&, Candidates& unknown);
};

}  // namespace rosenblatt
