// svmlight text -> examples: `label [qid:n] index:value index:value ... # comment`, one per line.
// Compiled once per instruction set; all give the same bits.
#include "parse/number_simd.hpp"
#include "parse/parser_table.hpp"
#include "parse/separators.hpp"
#if defined(__AVX512BW__)
#include "parse/svmlight/long_features_avx512.hpp"
#include "parse/svmlight/short_features_avx512.hpp"
#endif

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

// Parses one piece of whole lines. Invariant: `word_end` is the separator after the last word that was read.
class SvmlightParser {
public:
    SvmlightParser(const char* first, const char* last, const SvmlightOptions& options, Parsed& out)
        : options(options), out(out), first(first), last(last), separators(first, last) {
        // A feature and its separator take at least four bytes; eight features are written at once.
        const std::size_t max_features = static_cast<std::size_t>(last - first) / 4 + 8;
        // The first time for several pieces: untouched pages cost nothing, growing copies.
        const std::size_t capacity = out.indices.size() ? out.indices.size() + max_features : 4 * max_features;
        out.indices.reserve(capacity);
        out.values.reserve(capacity);
        index = out.indices.data();
        value = out.values.data();
        count = out.indices.size();
        first_row = out.labels.size();
        out.summary_complete = true;
    }
    SvmlightParser(const SvmlightParser&) = delete;

    // The finished rows stay consistent even when a label is too long and an exception is thrown.
    ~SvmlightParser() {
        out.indices.resize(count);
        out.values.resize(count);
        if (static_cast<std::int64_t>(count) > out.starts[out.starts.size() - 1]) row_dropped = true;
        out.summary.merge(row_dropped ? out.summarise_from(first_row) : summary);
#if defined(__AVX512BW__)
        if (!row_dropped) out.summary.merge(eights_summary.total());
#endif
    }

    // False: stopped at a bad line.
    bool parse() {
        const char* p = first;
        while (p < last) {
            line = p;
            ++out.lines;
            row_start = count;
            if (parse_row(p)) {
#if defined(__AVX512BW__)
                backoff.short_line = count - row_start < 2;
#endif
                if (has_label || count > row_start || starts_with_feature) finish_row();
            } else {
                count = row_start;
                row_dropped = true;
                if (out.stopped) break;
                skip_to_newline();
            }
            p = word_end + 1;
        }
        return !out.stopped;
    }

private:
    void finish_row() {
        if (has_label && label_code < 0) label_code = out.table.code_of(label, static_cast<std::size_t>(label_end - label));
        push_row();
    }

    ROSENBLATT_INLINE void push_row() {
        out.labels.push(label_code);
        out.starts.push(static_cast<std::int64_t>(count));
    }

    // The last column of the current row, or -1.
    std::int64_t previous_column() const { return count > row_start ? index[count - 1] : -1; }

    bool skip_to_newline() {
        while (*word_end != '\n') word_end = separators.next();
        return true;
    }

    bool fail(LineFault fault, const char* begin, const char* end, std::string_view about = {}) {
        out.add_fault(fault, line, begin, {begin, static_cast<std::size_t>(end - begin)}, about);
        out.stopped = !options.skip || (options.guess_base && fault == LineFault::index_zero);
        return false;
    }

    // The label, then features up to the end of the line. False: the line is bad.
    bool parse_row(const char* p) {
        has_label = starts_with_feature = in_comment = false;
        label_code = -1;
        word_end = separators.next();
        while (word_end == p && *word_end != ':') {  // white space before the first word
            if (*word_end == '\n') return true;
            if (!is_space(*word_end)) return fail(LineFault::odd_byte, word_end, word_end + 1);
            p = word_end + 1;
            word_end = separators.next();
        }
        if (*p == '#') return skip_to_newline();
        if (*word_end == ':') {  // no label
            starts_with_feature = true;
            return parse_feature(p, word_end) && (in_comment ? skip_to_newline() : parse_features());
        }
        label = p;
        label_end = word_end;
        has_label = true;
        label_code = out.table.find_among_first(label, static_cast<std::size_t>(label_end - label));
        if (label_code >= 0) return parse_features();
        const void* const comment = std::memchr(label, '#', static_cast<std::size_t>(label_end - label));
        if (comment) label_end = static_cast<const char*>(comment);
        if (!options.several && std::memchr(label, ',', static_cast<std::size_t>(label_end - label))) return fail(LineFault::several_labels, label, label_end);
        return comment ? skip_to_newline() : parse_features();
    }

    bool parse_features() {
        while (*word_end != '\n') {
            if (!is_space(*word_end)) return fail(LineFault::odd_byte, word_end, word_end + 1);
            if (is_space(word_end[1])) {  // more white space, or the end of the line
                word_end = separators.next();
                continue;
            }
            if (parse_common_features()) return true;
            const char* p = word_end + 1;
            word_end = separators.next();
            if (word_end == p && *word_end != ':') continue;
            if (*word_end != ':') {
                if (*p == '#') return skip_to_newline();
                return fail_without_colon(p);
            }
            if (!parse_feature(p, word_end)) return false;
            if (in_comment) return skip_to_newline();
        }
        return true;
    }

    // As many features of common form as follow each other. True: up to the end of the line. False: parse_features() must
    // look at the next word.
    bool parse_common_features() {
#if defined(__AVX512BW__)
        for (;; backoff.short_line = false) {
            if (backoff.should_try()) {
                const std::size_t before = count;
                parse_eights();
                if (*word_end == '\n') return true;
                backoff.record(count > before);
            }
            if (!parse_one_by_one(backoff.single_run)) return *word_end == '\n';
        }
#else
        parse_one_by_one(std::size_t{1} << 31);
        return *word_end == '\n';
#endif
    }

#if defined(__AVX512BW__)
    void parse_eights() {
        if (backoff.form == Backoff::short_unsigned && !parse_eights_with<ShortFeatures<false>>()) backoff.fall_back_to(Backoff::short_signed);
        if (backoff.form == Backoff::short_signed && !parse_eights_with<ShortFeatures<true>>()) backoff.fall_back_to(Backoff::any_length);
        if (backoff.form == Backoff::any_length) parse_eights_with<LongFeatures>();
        backoff.end_line();
    }

    // Eight at a time, up to the end of a line or of the positions written. False: stopped at a feature of another form.
    template <class Reader>
    __attribute__((noinline)) bool parse_eights_with() {
        const Reader reader(options.base);
        const __m256i limit = _mm256_set1_epi32(static_cast<int>(std::clamp<std::int64_t>(options.limit, 0, std::int64_t{1} << 31)));
        std::int32_t* const columns = index;
        double* const values = value;
        EightsSummary local_summary = eights_summary;
        __m256i previous = _mm256_set1_epi32(static_cast<int>(previous_column()));
        const char* const origin = separators.first;
        std::size_t left;
        do {
            const std::uint32_t* at = separators.begin;
            const std::uint32_t* const line_end = separators.line_end();
            left = static_cast<std::size_t>(line_end - at + (line_end != separators.end)) / 2;
            std::size_t n = count, batch = std::min<std::size_t>(left, 8);
            typename Reader::Digits digits;
            bool common = left > 0 && reader.load(origin, at, batch, digits);
            while (common) {
                // Load the next digits before converting these: independent work hides the latency of both.
                const typename Reader::Digits current = digits;
                const std::size_t next_batch = std::min<std::size_t>(left - batch, 8);
                common = next_batch > 0 && reader.load(origin, at + 2 * batch, next_batch, digits);
                EightFeatures eight = reader.convert(current);
                std::size_t n_features = batch;
                const __mmask8 beyond = _mm256_mask_cmpge_epu32_mask(eight.valid, eight.columns, limit);  // an index below the base too
                if (!_kortestz_mask8_u8(beyond, beyond)) [[unlikely]] {
                    if (_mm256_movepi32_mask(eight.columns) & eight.valid) break;
                    n_features = keep_only(static_cast<__mmask8>(~beyond & eight.valid), previous, eight);
                }
                previous = local_summary.add(previous, eight);
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns + n), eight.columns);
                _mm512_storeu_pd(values + n, eight.values);
                n += n_features;
                left -= batch;
                at += 2 * batch;
                batch = next_batch;
            }
            // A single white-space byte before the newline is no feature.
            at += left == 0 && at == line_end && at < separators.end && *at == at[-1] + 1;
            separators.begin = at;
            word_end = origin + at[-1];
            count = n;
            previous = _mm256_set1_epi32(-1);
        } while (left == 0 && *word_end == '\n' && begin_next_row());
        eights_summary = local_summary;
        return left == 0;
    }

    // Goes on to the next row where it begins with a known label and a space, so that all that is in registers stays
    // there. False: parse() and parse_row() must look at it.
    ROSENBLATT_INLINE bool begin_next_row() {
        if (label_code < 0 || count - row_start < 2 || backoff.lines_until_retry == 1 || separators.end - separators.begin < 2) return false;
        const char* const next_label = word_end + 1;
        const char* const next_end = separators.first + *separators.begin;
        const std::int32_t next_code = out.table.find_short(next_label, static_cast<std::size_t>(next_end - next_label));
        if (next_code < 0 || *next_end != ' ') return false;
        push_row();
        ++out.lines;
        ++separators.begin;
        backoff.end_line();
        line = label = next_label;
        word_end = label_end = next_end;
        label_code = next_code;
        row_start = count;
        return true;
    }

    // Moves the selected features together and returns their number. The rest is filled with the last column kept, or
    // the one before them.
    static ROSENBLATT_INLINE std::size_t keep_only(__mmask8 selected, __m256i previous, EightFeatures& eight) {
        const int n_selected = std::popcount(static_cast<unsigned>(selected));
        eight.columns = _mm256_maskz_compress_epi32(selected, eight.columns);
        eight.values = _mm512_maskz_compress_pd(selected, eight.values);
        eight.valid = static_cast<__mmask8>((1u << n_selected) - 1);
        const __m256i last = _mm256_permutexvar_epi32(_mm256_set1_epi32(n_selected - 1), n_selected > 0 ? eight.columns : previous);
        eight.columns = _mm256_mask_mov_epi32(last, eight.valid, eight.columns);
        return static_cast<std::size_t>(n_selected);
    }
#endif

    // Up to max_count features of common form, all state in registers. True: read that many, and more may follow in the line.
    bool parse_one_by_one(std::size_t max_count) {
        const std::uint32_t* at = separators.begin;
        const char* const origin = separators.first;
        const std::int64_t base = options.base, limit = options.limit;
        std::int32_t* const columns = index;
        double* const values = value;
        std::size_t n = count, left = max_count;
        RowSummary local_summary = summary;
        std::int64_t previous = previous_column();
        const char* before = word_end;
        for (const std::uint32_t* const end = separators.end; left > 0 && end - at >= 2; at += 2, --left) {
            const char* const colon = origin + at[0];
            const char* const after = origin + at[1];
            const std::size_t length = static_cast<std::size_t>(colon - before) - 1;
            std::uint32_t digits = 0;
            double number = 0;
            if (*before == '\n' || *colon != ':' || length - 1 >= 8 || !parse_short_integer(before + 1, static_cast<unsigned>(length), digits)) break;
            if (!parse_short_number(colon + 1, after, number) && !parse_long_number(colon + 1, after, number) &&
                parse_any_number(colon + 1, after, number) != NumberStatus::ok)
                break;
            const std::int64_t column = static_cast<std::int64_t>(digits) - base;
            if ((*after != ' ' && *after != '\n') || column < 0) break;
            columns[n] = static_cast<std::int32_t>(column);
            values[n] = number;
            const bool within_limit = column < limit;
            n += within_limit;
            if (within_limit) local_summary.add_entry(std::exchange(previous, column), column, number);
            before = after;
        }
        separators.begin = at;
        count = n;
        summary = local_summary;
        word_end = before;
        return left == 0 && *word_end != '\n';
    }

    // A feature of any form whose index is from p to colon. Afterwards `word_end` is the separator after its value.
    bool parse_feature(const char* p, const char* colon) {
        word_end = separators.next();
        const DigitRun digits = leading_digits(load8(p));
        std::int64_t column = digits.value;
        if (p + digits.count != colon || digits.count - 1u >= 8u) {
            bool is_feature = true;
            if (!parse_unusual_index(p, colon, column, is_feature)) return false;
            if (!is_feature) return true;
        }
        double number = 0;
        if (!parse_simple_number(colon + 1, word_end, number) || *word_end == ':')
            if (!parse_unusual_value(p, colon, number)) return false;
        column -= options.base;
        if (column < 0) return fail(LineFault::index_zero, p, colon);
        index[count] = static_cast<std::int32_t>(column);
        value[count] = number;
        if (column < options.limit) {
            summary.add_entry(previous_column(), column, number);
            ++count;
        }
        return true;
    }

    // An index of nine digits or more, `qid`, a comment that contains a colon, or a fault.
    bool parse_unusual_index(const char* p, const char* colon, std::int64_t& column, bool& is_feature) {
        if (const void* comment = std::memchr(p, '#', static_cast<std::size_t>(colon - p))) {
            if (comment != p) return fail_without_colon(p);
            in_comment = true;
            is_feature = false;
            return true;
        }
        if (colon - p == 3 && std::memcmp(p, "qid", 3) == 0) {
            is_feature = false;
            return *word_end != ':' || fail(LineFault::no_number, colon + 1, word_end + 1, "qid");
        }
        const char* const digits = p + (*p == '-');
        std::uint64_t number = 0;
        const char* q = digits;
        for (; q < colon && *q >= '0' && *q <= '9'; ++q)
            if (number < (std::uint64_t{1} << 40)) number = number * 10 + static_cast<std::uint64_t>(*q - '0');
        if (q < colon || digits == colon) return fail(LineFault::no_index, p, colon);
        if (digits != p && number > 0) return fail(LineFault::negative_index, p, colon);
        if (number > 0x7FFFFFFF) return fail(LineFault::index_beyond, p, colon);
        column = static_cast<std::int64_t>(number);
        return true;
    }

    // A value with an exponent, with many digits, with a comment directly after it, or a fault.
    bool parse_unusual_value(const char* p, const char* colon, double& number) {
        const char* begin = colon + 1;
        const char* end = word_end;
        const std::string_view about(p, static_cast<std::size_t>(colon - p));
        if (const void* comment = std::memchr(begin, '#', static_cast<std::size_t>(end - begin))) {
            end = static_cast<const char*>(comment);
            in_comment = true;
        } else if (*end == ':') {
            return fail(LineFault::no_number, begin, end + 1, about);
        }
        const NumberStatus status = parse_any_number(begin, end, number);
        return status == NumberStatus::ok || fail(fault_of(status), begin, end, about);
    }

    // `1093` where `1093:value` should be, or no index at all.
    bool fail_without_colon(const char* p) {
        const char* q = p;
        while (q < word_end && *q >= '0' && *q <= '9') ++q;
        if (q > p) return fail(LineFault::no_colon, q, q, {p, static_cast<std::size_t>(q - p)});
        return fail(LineFault::no_index, p, word_end);
    }

    const SvmlightOptions& options;
    Parsed& out;
    const char* const first;
    const char* const last;
    Separators<':'> separators;
    std::int32_t* index;
    double* value;
    std::size_t count;          // entries
    std::size_t first_row;      // rows before this piece
    std::size_t row_start = 0;  // entries before this row
    RowSummary summary;
#if defined(__AVX512BW__)
    EightsSummary eights_summary;
    Backoff backoff;
#endif
    bool row_dropped = false;  // the summaries include a row that was not kept
    const char* line = nullptr;
    const char* word_end = nullptr;
    const char* label = nullptr;
    const char* label_end = nullptr;
    std::int32_t label_code = -1;  // of a known label
    bool has_label = false, starts_with_feature = false, in_comment = false;
};

}  // namespace

bool parse_svmlight(const char* first, const char* last, const SvmlightOptions& options, Parsed& out) {
    return SvmlightParser(first, last, options, out).parse();
}

}  // namespace rosenblatt::ROSENBLATT_ISA
