// Fuzzes the parsers of lines: no fault of memory, a sound result, and the same rows wherever the bytes are cut.
// The wide parsers: g++ -DROSENBLATT_ISA=avx2 -mavx2 (or avx512 and its flags in CMakeLists.txt).
#include "../cpp/lines.hpp"

#ifndef ROSENBLATT_ISA
#define ROSENBLATT_ISA baseline
#endif
#include "../cpp/parse_svmlight.hpp"
#include "../cpp/parse_vw.hpp"

#include "mutate.hpp"

using namespace rosenblatt;
namespace isa = rosenblatt::ROSENBLATT_ISA;

namespace {

const std::vector<std::string> svmlight = {
    "+1 1:0.5 3:1 17:-2.25e-3\n-1 2:1 # comment: 3:4\n\n0 qid:4 7:12345678.12345678\n",
    "spam 1:1\r\nham 2:1\r\n1.5 3:+.5 4:5. 2147483647:1\n1:1 2:2\n",
    "1 1:0.70833300000000001 2:9007199254740993 3:1e308 4:4.9e-324 5:1e-400\n",
    "# only a comment\n1\n-1 \n1 3:nan\n1 x:2\n1 3\n1,2 3:1\n1 0:1\n1 -1:1\n1 99999999999:1",
};
const std::vector<std::string> vw = {
    "1 2.0 'tag|user:2 age:30 male |item http://a.b:0.5\n-1 |f 1:0.5 2 3:1e-2\n| a b c\n",
    "1 0.5 x|ns:2 a\n\n|a x |b y\n1,2 |f a\n1 2 3 4 |f\n1 |f a:nan b:x :1 |\n0:1 |f a\n",
};
const std::vector<std::string> parts = {":", "|", "#", "qid:", " ", "\n", "\r\n", "nan", "-inf", "1e999", "2147483648:", "0:",
                                        "0.1234567890123456789", "e-5", "\xEF\xBB\xBF", "\xC3\xA9", std::string(1, '\0'), "'", "1,2"};

void check(const Parsed& out, const std::string& text) {
    const std::size_t rows = out.labels.size();
    Parsed& given = const_cast<Parsed&>(out);
    if (out.starts.size() != rows + 1 || given.starts[0] != 0) fuzz::fail("starts of another length", text);
    if (given.starts[rows] > static_cast<std::int64_t>(out.indices.size())) fuzz::fail("rows beyond the entries", text);
    for (std::size_t i = 0; i < rows; ++i) {
        if (given.starts[i] > given.starts[i + 1]) fuzz::fail("starts that fall", text);
        if (given.labels[i] < -1 || given.labels[i] >= static_cast<std::int32_t>(out.table.tokens.size())) fuzz::fail("a label without a token", text);
    }
    for (std::int64_t k = 0; k < given.starts[rows]; ++k) {
        if (given.indices[k] < 0 || given.indices[k] > out.largest) fuzz::fail("a column out of bounds", text);
        if (!std::isfinite(given.values[k])) fuzz::fail("a value that is not finite", text);
    }
    if (out.weights.size() != 0 && out.weights.size() != rows) fuzz::fail("weights of another length", text);
}

template <class Parse>
Parsed whole(const std::string& text, Parse parse) {
    Parsed out;
    each_piece(FromBytes{text.data(), text.size()}, 0, static_cast<std::int64_t>(text.size()),
               [&](const char* first, const char* last) { return parse(first, last, out); });
    check(out, text);
    return out;
}

// The same lines, cut in two at any byte, give the same rows.
template <class Parse>
void same_when_cut(const std::string& text, std::int64_t at, Parsed& all, Parse parse) {
    std::size_t rows = 0, entries = 0;
    std::int64_t lines = 0, bad = 0;
    for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, at}, {at, static_cast<std::int64_t>(text.size())}}) {
        if (from == to) continue;
        Parsed part;
        each_piece(FromBytes{text.data(), text.size()}, from, to, [&](const char* first, const char* last) { return parse(first, last, part); });
        const std::size_t count = static_cast<std::size_t>(part.starts[part.labels.size()]);
        if (entries + count > all.values.size() || (count && std::memcmp(part.values.data(), all.values.data() + entries, count * 8) != 0))
            fuzz::fail("other values when cut", text);
        rows += part.labels.size();
        entries += count;
        lines += part.lines;
        bad += part.bad_count;
    }
    if (rows != all.labels.size() || lines != all.lines || bad != all.bad_count) fuzz::fail("other rows when cut", text);
}

void target(const std::string& text, fuzz::Random& random) {
    const std::uint64_t bits = random.next();
    const Svmlight how{static_cast<std::int64_t>(bits & 1), bits & 2 ? 40 : std::int64_t{1} << 31, false, true};
    const auto svm = [&](const char* first, const char* last, Parsed& out) { return isa::parse_svmlight(first, last, how, out); };
    Parsed all = whole(text, svm);
    same_when_cut(text, static_cast<std::int64_t>(random.below(text.size() + 1)), all, svm);
    const Svmlight strict{1, std::int64_t{1} << 31, (bits & 4) != 0, false};
    whole(text, [&](const char* first, const char* last, Parsed& out) { return isa::parse_svmlight(first, last, strict, out); });

    Names names(10, 64);
    Candidates unknown;
    const Vw hashed{10, &names, true};
    const auto wabbit = [&](const char* first, const char* last, Parsed& out) { return isa::parse_vw(first, last, hashed, out, unknown); };
    Parsed rows = whole(text, wabbit);
    same_when_cut(text, static_cast<std::int64_t>(random.below(text.size() + 1)), rows, wabbit);
    names.merge(unknown);
}

}  // namespace

int main(int count, char** given) {
    std::vector<std::string> corpus = svmlight;
    corpus.insert(corpus.end(), vw.begin(), vw.end());
    return fuzz::run(count, given, corpus, parts, target);
}
