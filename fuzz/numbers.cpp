// Fuzzes number parsing: whatever the fast paths accept, the slow path accepts too, and all give the same double as strtod.
// The SIMD path: g++ -DROSENBLATT_ISA=avx2 -mavx2.
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
    const char* v = padded.data() + 64;
    const char* e = v + text.size();
    double quick = 0, wide = 0, slow = 0;
    const Number kind = any_number(v, e, slow);
    // A space ends a number, so the fast paths only ever get words.
    const bool word = text.find_first_of(" \n\r\t\v\f:") == text.npos && text.find('\0') == text.npos;
    if (kind == Number::fine && !same(slow, std::strtod(text.c_str(), nullptr))) fuzz::fail("a different double than strtod", text);
    if (word && usual_number(v, e, quick) && (kind != Number::fine || !same(quick, slow))) fuzz::fail("the fast path differs", text);
    if (word && isa::short_number(v, e, wide) && (kind != Number::fine || !same(wide, slow))) fuzz::fail("the SIMD path differs", text);
    if (word && long_number(v, e, wide) && (kind != Number::fine || !same(wide, slow))) fuzz::fail("the path for long numbers differs", text);
    std::uint32_t whole = 0;
    if (word && !text.empty() && text.size() <= 8 && isa::short_whole(v, static_cast<unsigned>(text.size()), whole) &&
        (kind != Number::fine || slow != whole))
        fuzz::fail("the integer path differs", text);
}

}  // namespace

int main(int argc, char** argv) { return fuzz::run(argc, argv, numbers, parts, target); }
