// Fuzzes the line parsers: no memory error, a consistent result, and the same rows wherever the bytes are cut.
// For the wide instruction sets: g++ -DROSENBLATT_ISA=avx2 -mavx2 (or avx512 and its flags in CMakeLists.txt).
#ifndef ROSENBLATT_ISA
#define ROSENBLATT_ISA baseline
#endif
#include "parse/svmlight/svmlight.cpp"
#include "parse/vw.cpp"

#include "check_parsed.hpp"

using namespace rosenblatt;
using fuzz::check_when_cut, fuzz::parse_whole;
namespace isa = rosenblatt::ROSENBLATT_ISA;

namespace {

const std::vector<std::string> svmlight_texts = {
    "+1 1:0.5 3:1 17:-2.25e-3\n-1 2:1 # comment: 3:4\n\n0 qid:4 7:12345678.12345678\n",
    "spam 1:1\r\nham 2:1\r\n1.5 3:+.5 4:5. 2147483647:1\n1:1 2:2\n",
    "1 1:0.70833300000000001 2:9007199254740993 3:1e308 4:4.9e-324 5:1e-400\n",
    "1 1:0.5 2:1 3:0.1234 10:12.5 204:-3 1093:1.0 47236:0.0001 12345678:7 5:1 6:2 7:3 8:4 9:5 10:6 11:7.25 12:8\n-1 3:1 4:1\n",
    "# only a comment\n1\n-1 \n1 3:nan\n1 x:2\n1 3\n1,2 3:1\n1 0:1\n1 -1:1\n1 99999999999:1",
};
const std::vector<std::string> vw_texts = {
    "1 2.0 'tag|user:2 age:30 male |item http://a.b:0.5\n-1 |f 1:0.5 2 3:1e-2\n| a b c\n",
    "1 0.5 x|ns:2 a\n\n|a x |b y\n1,2 |f a\n1 2 3 4 |f\n1 |f a:nan b:x :1 |\n0:1 |f a\n",
};
const std::vector<std::string> parts = {":", "|", "#", "qid:", " ", "\n", "\r\n", "nan", "-inf", "1e999", "2147483648:", "0:",
                                        "0.1234567890123456789", "e-5", "\xEF\xBB\xBF", "\xC3\xA9", std::string(1, '\0'), "'", "1,2",
                                        std::string(1001, '7')};

void target(const std::string& text, fuzz::Random& random) {
    const std::uint64_t bits = random.next();
    const SvmlightOptions options{static_cast<std::int64_t>(bits & 1), bits & 2 ? 40 : std::int64_t{1} << 31, false, true};
    const auto svmlight = [&](const char* first, const char* last, Parsed& out) { return isa::parse_svmlight(first, last, options, out); };
    Parsed examples = parse_whole(text, svmlight);
    if (bits & 8) {
        check_when_cut(text, static_cast<std::int64_t>(random.below(text.size() + 1)), examples, svmlight);
    } else {
        const SvmlightOptions strict{1, std::int64_t{1} << 31, (bits & 4) != 0, false};
        parse_whole(text, [&](const char* first, const char* last, Parsed& out) { return isa::parse_svmlight(first, last, strict, out); });
    }

    Names names(10, 64);
    Candidates unknown;
    const VwOptions hashed{10, &names, true};
    const auto vw = [&](const char* first, const char* last, Parsed& out) { return isa::parse_vw(first, last, hashed, out, unknown); };
    Parsed vw_examples = parse_whole(text, vw);
    check_when_cut(text, static_cast<std::int64_t>(random.below(text.size() + 1)), vw_examples, vw);
    names.merge(unknown);
}

// Rows of common form, enough of them that many are read in one stretch.
std::string common_rows() {
    std::string text;
    for (int row = 0; row < 100; ++row) {
        text += row % 3 ? "+1" : "-1";
        for (int i = 0; i < 5 + row % 17; ++i) text += " " + std::to_string(i * i + 1) + (row % 10 ? ":0." : ":-") + std::to_string(row * 37 % 1000);
        text += row % 7 ? "\n" : row % 2 ? " \n" : "\r\n";
    }
    return text;
}

}  // namespace

int main(int count, char** arguments) {
    std::vector<std::string> corpus = svmlight_texts;
    corpus.push_back(common_rows());
    corpus.insert(corpus.end(), vw_texts.begin(), vw_texts.end());
    return fuzz::run(count, arguments, corpus, parts, fuzz::Inputs::lines, target);
}
