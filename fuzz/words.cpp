// Fuzzes the parser of texts: any bytes are words and separators, rows are sorted and consistent, and the same wherever the
// bytes are cut. For the wide instruction sets: g++ -DROSENBLATT_ISA=avx2 -mavx2.
#ifndef ROSENBLATT_ISA
#define ROSENBLATT_ISA baseline
#endif
#define ROSENBLATT_SEGMENT_SIZE 40
#include "words/lower_case_words.cpp"
#include "words/text_lines.hpp"

#include "check_parsed.hpp"

namespace rosenblatt {

const Native& native() {
    static const Native table = [] {
        Native only{};
        only.words = &ROSENBLATT_ISA::word_functions;
        return only;
    }();
    return table;
}

}  // namespace rosenblatt

using namespace rosenblatt;

namespace {

const std::vector<std::string> corpus = {
    "spam\tBuy now, buy NOW!\nham\tWe meet at 5 o'clock.\n\nham\t\n",
    "a\tStra\xC3\x9F""e \xC3\x89t\xC3\xA9 \xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\x8B\xE3\x81\xAA \xF0\x9F\x98\x80\r\nb\tno newline at the end",
    "no tab here\n\tno label\nlabel\t\xFF\xC0\x80\xED\xA0\x80\xF5\x80 half \xE2\x82\n",
};
const std::vector<std::string> parts = {"\t", "\n", "\r\n", " ", "\xC3", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xCC\x81", "\xEF\xBB\xBF",
                                        "_", "\xC4\xB0", "a b a b a b", std::string(1, '\0'), std::string(300, 'x'),
                                        std::string(1001, 'y')};

struct PooledRows {
    PooledVector<std::int64_t> starts;
    PooledVector<std::int32_t> indices;
    PooledVector<double> values;
};

void check_sorted(Parsed& out, const std::string& text) {
    for (std::size_t i = 0; i < out.labels.size(); ++i)
        for (std::int64_t k = out.starts[i] + 1; k < out.starts[i + 1]; ++k)
            if (out.indices[k - 1] >= out.indices[k]) fuzz::fail("columns are not ascending", text);
}

void target(const std::string& text, fuzz::Random& random) {
    const std::uint64_t bits = random.next();
    const auto shortest = static_cast<unsigned>(random.below(4)), longest = shortest ? shortest + static_cast<unsigned>(random.below(4)) : 0;
    const words::HashingOptions options{1 + static_cast<unsigned>(random.below(12)), 1 + static_cast<unsigned>(random.below(4)),
                             shortest, longest, static_cast<words::Splitting>(1 + random.below(2)), static_cast<words::Value>(random.below(3)), (bits & 1) != 0, static_cast<std::int32_t>(random.below(9))};
    const auto format = static_cast<words::TextFormat>(random.below(3));
    Names names(options.bits, 64);
    words::Hasher hasher(options, bits & 2 ? &names : nullptr);
    const auto parse = [&](const char* first, const char* last, Parsed& out) {
        out.summary.largest_column = static_cast<std::int32_t>((std::int64_t{1} << options.bits) - 1 + options.first);
        return words::TextParser(format, true, hasher, out).parse(first, last);
    };
    Parsed all = fuzz::parse_whole(text, parse);
    check_sorted(all, text);
    fuzz::check_when_cut(text, static_cast<std::int64_t>(random.below(text.size() + 1)), all, parse);
    // Several texts in one row, the first of them longer than a segment: phrases must not reach across texts.
    PooledRows rows;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const std::size_t cut = random.below(text.size() + 1);
    const words::Text texts[] = {{bytes, cut, 1}, {bytes + cut, text.size() - cut, 2}};
    hasher.add_row(std::span(texts), {rows.starts, rows.indices, rows.values});
    names.merge(hasher.candidates);
}

}  // namespace

int main(int count, char** arguments) { return fuzz::run(count, arguments, corpus, parts, fuzz::Inputs::lines, target); }
