// Fuzzes the number parsers: what a fast one accepts the general one accepts too, and all give the double of strtod.
// With vector instructions: g++ -DROSENBLATT_ISA=avx2 -mavx2.
#ifndef ROSENBLATT_ISA
#define ROSENBLATT_ISA baseline
#endif
#include "parse/number_simd.hpp"

#include "mutate.hpp"

using namespace rosenblatt;
namespace isa = rosenblatt::ROSENBLATT_ISA;

namespace {

const std::vector<std::string> numbers = {"0.123456", "-1", "+12.5", "123456789", "12345678.12345678", "0.70833300000000001", "1e-5",
                                          "9007199254740993", "0.5488135039273248", "-12345678.90123456789", ".5", "5.", "4.9e-324", "1.7976931348623157e308", "1e999", "nan", "-inf"};
const std::vector<std::string> parts = {"0", "9", ".", "e", "-", "+", "00000000", "12345678", "e-300", "e+15", " ", ":"};

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

void target(const std::string& input, fuzz::Random& random) {
    const std::string text = random.below(4) ? input.substr(0, input.find_first_of(" \n:")) : input;
    const std::string padded = std::string(64, '7') + text + " " + std::string(64, '7');
    const char* begin = padded.data() + 64;
    const char* end = begin + text.size();
    double fast = 0, general = 0;
    const bool ok = parse_any_number(begin, end, general) == NumberStatus::ok;
    // A space ends a number, so the fast parsers are only ever called with words.
    const bool word = text.find_first_of(" \n\r\t\v\f:") == text.npos && text.find('\0') == text.npos;
    if (ok && !same(general, std::strtod(text.c_str(), nullptr))) fuzz::fail("another double than strtod", text);
    if (word && parse_simple_number(begin, end, fast) && (!ok || !same(fast, general))) fuzz::fail("parse_simple_number differs", text);
    if (word && isa::parse_short_number(begin, end, fast) && (!ok || !same(fast, general))) fuzz::fail("parse_short_number differs", text);
    if (word && parse_long_number(begin, end, fast) && (!ok || !same(fast, general))) fuzz::fail("parse_long_number differs", text);
    std::uint32_t integer = 0;
    if (word && !text.empty() && text.size() <= 8 && isa::parse_short_integer(begin, static_cast<unsigned>(text.size()), integer) &&
        (!ok || general != integer))
        fuzz::fail("parse_short_integer differs", text);
}

}  // namespace

int main(int count, char** arguments) { return fuzz::run(count, arguments, numbers, parts, fuzz::Inputs::whole, target); }
