// The options of the line parsers, and their functions: one table per instruction set.
#pragma once

#include "parse/cross_features.hpp"
#include "parse/name_dictionary.hpp"
#include "parse/parsed_lines.hpp"

namespace rosenblatt {

struct SvmlightOptions {
    std::int64_t base = 1;                       // the first feature index
    std::int64_t limit = std::int64_t{1} << 31;  // columns from here on are left out
    bool guess_base = false;                     // an index 0 shows that the base was guessed wrongly: stop there
    bool skip = false;                           // leave bad rows out, instead of stopping at the first
    bool several = false;                        // a label may name several, with commas between them
};

struct VwOptions {
    unsigned bits = 22;                  // 2^bits columns
    const Names* names = nullptr;        // dictionary to look names up in, or none
    bool skip = false;
    const Crossing* crossing = nullptr;  // namespaces to cross, or none
    bool several = false;                // as above
};

// Each adds a piece of whole lines, as each_piece passes it, to `out`. False: stopped at a bad line.
struct ParserFunctions {
    bool (*svmlight)(const char* first, const char* last, const SvmlightOptions&, Parsed& out);
    bool (*vw)(const char* first, const char* last, const VwOptions&, Parsed& out, Candidates& unknown);
};

}  // namespace rosenblatt
