// svmlight text -> examples: `label [qid:n] index:value index:value ... # comment`, one line each.
// Compiled once for each instruction set; every one gives the same bits.
#pragma once

#include "parse/number_simd.hpp"
#include "parse/svmlight_avx512_short.hpp"
#include "parse/parsers.hpp"
#include "parse/separators.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// One piece of whole lines. Invariant: `stop` is the separator after the last word that was read.
class SvmlightPiece {
public:
    SvmlightPiece(const char* first, const char* last, const Svmlight& how, Parsed& out)
        : how(how), out(out), first(first), last(last), stops(first, last) {
        // A feature and its separator take at least four bytes; eight are written at once.
        const std::size_t most = static_cast<std::size_t>(last - first) / 4 + 8;
        // At first for several pieces: pages that stay empty cost nothing, but growing copies.
        const std::size_t room = out.indices.size() ? out.indices.size() + most : 4 * most;
        out.indices.reserve(room);
        out.values.reserve(room);
        index = out.indices.data();
        value = out.values.data();
        count = out.indices.size();
        first_row = out.labels.size();
        out.looked = true;
    }
    SvmlightPiece(const SvmlightPiece&) = delete;

    // What is known of the rows that were read stays, also where a label is too long and thrown.
    ~SvmlightPiece() {
        out.indices.resize(count);
        out.values.resize(count);
        if (static_cast<std::int64_t>(count) > out.starts[out.starts.size() - 1]) left_out = true;
        out.seen.add(left_out ? out.seen_from(first_row) : seen);
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
        if (!left_out) out.seen.add(seen_by_eight.together());
#endif
    }

    // False: stopped at a bad line.
    bool parse() {
        const char* p = first;
        while (p < last) {
            line = p;
            ++out.lines;
            start = count;
            if (row(p)) {
                few = count - start < 2;
                if (labelled || count > start || bare) end_row();
            } else {
                count = start;
                left_out = true;
                if (out.stopped) break;
                finish_line();
            }
            p = stop + 1;
        }
        return !out.stopped;
    }

private:
    void end_row() {
        if (labelled && code < 0) code = out.table.code(label, static_cast<std::size_t>(label_end - label));
        give_row();
    }

    ROSENBLATT_INLINE void give_row() {
        out.labels.push(code);
        out.starts.push(static_cast<std::int64_t>(count));
    }

    // The column before the next one in this row, or -1.
    std::int64_t column_before() const { return count > start ? index[count - 1] : -1; }

    // The rest of it is a comment, or of no use.
    bool finish_line() {
        while (*stop != '\n') stop = stops.next();
        return true;
    }

    bool bad(Fault_of_line kind, const char* at, const char* end, std::string_view about = {}) {
        out.note(kind, line, at, {at, static_cast<std::size_t>(end - at)}, about);
        out.stopped = !how.skip || (how.guess_base && kind == Fault_of_line::index_zero);
        return false;
    }

    // The label, then features up to the end of the line. False: the line is bad.
    bool row(const char* p) {
        labelled = bare = commented = false;
        code = -1;
        stop = stops.next();
        while (stop == p && *stop != ':') {  // white space before the first word
            if (*stop == '\n') return true;
            if (!is_space(*stop)) return bad(Fault_of_line::odd_byte, stop, stop + 1);
            p = stop + 1;
            stop = stops.next();
        }
        if (*p == '#') return finish_line();
        if (*stop == ':') {  // no label: the first word is a feature already
            bare = true;
            return feature(p, stop) && rest();
        }
        label = p;
        label_end = stop;
        labelled = true;
        code = out.table.known(label, static_cast<std::size_t>(label_end - label));
        if (code >= 0) return features();
        if (const void* mark = std::memchr(label, '#', static_cast<std::size_t>(label_end - label))) {
            label_end = static_cast<const char*>(mark);
            return check_label() && finish_line();
        }
        return check_label() && features();
    }

    bool check_label() {
        if (std::memchr(label, ',', static_cast<std::size_t>(label_end - label)))
            return bad(Fault_of_line::several_labels, label, label_end);
        return true;
    }

    bool features() {
        while (*stop != '\n') {
            if (!is_space(*stop)) return bad(Fault_of_line::odd_byte, stop, stop + 1);
            if (is_space(stop[1])) {  // more white space, or the end of the line
                stop = stops.next();
                continue;
            }
            if (usual_features()) return true;
            const char* p = stop + 1;
            stop = stops.next();
            if (stop == p && *stop != ':') continue;
            if (*stop != ':') {
                if (*p == '#') return finish_line();
                return word_without_colon(p);
            }
            if (!feature(p, stop)) return false;
            if (commented) return finish_line();
        }
        return true;
    }

    // As many usual features as come one after another. True: up to the end of the line. False: the next word is for
    // features() to judge.
    bool usual_features() {
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
        for (;; few = false) {
            if (skipped > 0) --skipped;
            else if (!few) {
                const std::size_t before = count;
                known_eights();
                if (*stop == '\n') return true;
                alone = count > before ? std::max<std::size_t>(alone / 2, 8) : std::min<std::size_t>(2 * alone, 256);
                in_vain = count > before ? 0 : std::min(in_vain + 1, 6u);
                skipped = in_vain < 2 ? 0 : 1u << in_vain;
            }
            if (!one_by_one(alone)) return *stop == '\n';
        }
#else
        one_by_one(std::size_t{1} << 31);
        return *stop == '\n';
#endif
    }

#if defined(__AVX512BW__) && defined(__AVX512DQ__)
    // By the quickest way that reads them, and by that one for a while: unusual features come together.
    void known_eights() {
        if (way == 0 && !eights<ShortEights<false>>()) way = 1, again = 64;
        if (way == 1 && !eights<ShortEights<true>>()) way = 2, again = 64;
        if (way == 2) eights<LongEights>();
        if (again > 0 && --again == 0) way = 0;
    }

    // Eight at a time, up to the end of a line or of what is known. False: stopped at one that is not usual.
    template <class Read>
    __attribute__((noinline)) bool eights() {
        const Read read(how.base);
        const __m256i limit = _mm256_set1_epi32(static_cast<int>(std::clamp<std::int64_t>(how.limit, 0, std::int64_t{1} << 31)));
        std::int32_t* const columns = index;
        double* const numbers = value;
        SeenByEight look = seen_by_eight;
        __m256i before = _mm256_set1_epi32(static_cast<int>(column_before()));
        const char* const origin = stops.first;
        std::size_t left;
        do {
            const std::uint32_t* now = stops.now;
            const std::uint32_t* const end = stops.line_end();
            left = static_cast<std::size_t>(end - now + (end != stops.known)) / 2;
            std::size_t n = count, some = std::min<std::size_t>(left, 8);
            typename Read::Digits digits;
            bool usual = left > 0 && read.digits(origin, now, some, digits);
            while (usual) {
                // The digits of the next ones before the numbers of these: while one step waits for another, there is work.
                const typename Read::Digits these = digits;
                const std::size_t others = std::min<std::size_t>(left - some, 8);
                usual = others > 0 && read.digits(origin, now + 2 * some, others, digits);
                Eight eight = read.numbers(these);
                std::size_t kept = some;
                const __mmask8 beyond = _mm256_mask_cmpge_epu32_mask(eight.those, eight.columns, limit);  // an index below the base too
                if (!_kortestz_mask8_u8(beyond, beyond)) [[unlikely]] {
                    if (_mm256_movepi32_mask(eight.columns) & eight.those) break;
                    kept = keep(static_cast<__mmask8>(~beyond & eight.those), before, eight);
                }
                before = look.see(before, eight);
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(columns + n), eight.columns);
                _mm512_storeu_pd(numbers + n, eight.numbers);
                n += kept;
                left -= some;
                now += 2 * some;
                some = others;
            }
            // A last space, or what else stands before the end of the line, is no feature.
            now += left == 0 && now == end && now < stops.known && *now == now[-1] + 1;
            stops.now = now;
            stop = origin + now[-1];
            count = n;
            before = _mm256_set1_epi32(-1);
        } while (left == 0 && *stop == '\n' && next_row());
        seen_by_eight = look;
        return left == 0;
    }

    // Whether another row begins where one has ended, in the usual way: with a label that was met before. Then parse() and
    // row() need not see to it, and all that is in registers stays there.
    ROSENBLATT_INLINE bool next_row() {
        if (code < 0 || count - start < 2 || again == 1 || stops.known - stops.now < 2) return false;
        const char* const begun = stop + 1;
        const char* const behind = stops.first + *stops.now;
        const std::int32_t next = out.table.met(begun, static_cast<std::size_t>(behind - begun));
        if (next < 0 || *behind != ' ') return false;
        give_row();
        ++out.lines;
        ++stops.now;
        again -= again > 0;
        line = label = begun;
        stop = label_end = behind;
        code = next;
        start = count;
        return true;
    }

    // Only these of eight, one after another: how many they are. The last column, or that before them, fills the rest.
    static ROSENBLATT_INLINE std::size_t keep(__mmask8 these, __m256i before, Eight& eight) {
        const int kept = std::popcount(static_cast<unsigned>(these));
        eight.columns = _mm256_maskz_compress_epi32(these, eight.columns);
        eight.numbers = _mm512_maskz_compress_pd(these, eight.numbers);
        eight.those = static_cast<__mmask8>((1u << kept) - 1);
        const __m256i last = _mm256_permutexvar_epi32(_mm256_set1_epi32(kept - 1), kept > 0 ? eight.columns : before);
        eight.columns = _mm256_mask_mov_epi32(last, eight.those, eight.columns);
        return static_cast<std::size_t>(kept);
    }
#endif

    // Everything in registers, no step waiting for the one before. True: that many were read, and more may come.
    bool one_by_one(std::size_t most) {
        const std::uint32_t* now = stops.now;
        const char* const origin = stops.first;
        const std::int64_t base = how.base, limit = how.limit;
        std::int32_t* const columns = index;
        double* const numbers = value;
        std::size_t n = count, left = most;
        Seen look = seen;
        std::int64_t previous = column_before();
        const char* before = stop;
        for (const std::uint32_t* const known = stops.known; left > 0 && known - now >= 2; now += 2, --left) {
            const char* const colon = origin + now[0];
            const char* const behind = origin + now[1];
            const std::size_t length = static_cast<std::size_t>(colon - before) - 1;
            std::uint32_t digits = 0;
            double number = 0;
            if (*before == '\n' || *colon != ':' || length - 1 >= 8 || !short_whole(before + 1, static_cast<unsigned>(length), digits)) break;
            if (!short_number(colon + 1, behind, number) && !long_number(colon + 1, behind, number) &&
                any_number(colon + 1, behind, number) != Number::fine)
                break;
            const std::int64_t column = static_cast<std::int64_t>(digits) - base;
            if ((*behind != ' ' && *behind != '\n') || column < 0) break;
            columns[n] = static_cast<std::int32_t>(column);
            numbers[n] = number;
            const bool kept = column < limit;
            n += kept;
            if (kept) look.see(std::exchange(previous, column), column, number);
            before = behind;
        }
        stops.now = now;
        count = n;
        seen = look;
        stop = before;
        return left == 0 && *stop != '\n';
    }

    bool rest() { return commented ? finish_line() : features(); }

    // A feature whose index is from p to colon. Afterwards `stop` is behind its value.
    bool feature(const char* p, const char* colon) {
        stop = stops.next();
        const Digits digit = digits(load8(p));
        std::int64_t column = digit.value;
        if (p + digit.count != colon || digit.count - 1u >= 8u) {
            bool over = false;
            if (!other_index(p, colon, column, over)) return false;
            if (over) return true;
        }
        double number = 0;
        if (!usual_number(colon + 1, stop, number) || *stop == ':')
            if (!other_value(p, colon, number)) return false;
        column -= how.base;
        if (column < 0) return bad(Fault_of_line::index_zero, p, colon);
        index[count] = static_cast<std::int32_t>(column);
        value[count] = number;
        if (column < how.limit) {
            seen.see(column_before(), column, number);
            ++count;
        }
        return true;
    }

    // An index of nine digits or more, `qid`, a comment that holds a colon, or a fault.
    bool other_index(const char* p, const char* colon, std::int64_t& column, bool& over) {
        if (const void* mark = std::memchr(p, '#', static_cast<std::size_t>(colon - p))) {
            if (mark != p) return word_without_colon(p);
            over = commented = true;
            return true;
        }
        if (colon - p == 3 && std::memcmp(p, "qid", 3) == 0) {
            over = true;
            return *stop != ':' || bad(Fault_of_line::no_number, colon + 1, stop + 1, "qid");
        }
        const char* d = p + (*p == '-');
        std::uint64_t big = 0;
        const char* q = d;
        for (; q < colon && *q >= '0' && *q <= '9'; ++q)
            if (big < (std::uint64_t{1} << 40)) big = big * 10 + static_cast<std::uint64_t>(*q - '0');
        if (q < colon || d == colon) return bad(Fault_of_line::no_index, p, colon);
        if (d != p && big > 0) return bad(Fault_of_line::negative_index, p, colon);
        if (big > 0x7FFFFFFF) return bad(Fault_of_line::index_beyond, p, colon);
        column = static_cast<std::int64_t>(big);
        return true;
    }

    // A value with an exponent, with many digits, with a comment right behind it, or a fault.
    bool other_value(const char* p, const char* colon, double& number) {
        const char* v = colon + 1;
        const char* e = stop;
        const std::string_view about(p, static_cast<std::size_t>(colon - p));
        if (const void* mark = std::memchr(v, '#', static_cast<std::size_t>(e - v))) {
            e = static_cast<const char*>(mark);
            commented = true;
        } else if (*e == ':') {
            return bad(Fault_of_line::no_number, v, e + 1, about);
        }
        switch (any_number(v, e, number)) {
            case Number::fine: return true;
            case Number::not_one: return bad(Fault_of_line::no_number, v, e, about);
            case Number::not_finite: return bad(Fault_of_line::not_finite, v, e, about);
            default: return bad(Fault_of_line::too_large, v, e, about);
        }
    }

    // `1093` where `1093:value` should be, or no index at all.
    bool word_without_colon(const char* p) {
        const char* q = p;
        while (q < stop && *q >= '0' && *q <= '9') ++q;
        if (q > p) return bad(Fault_of_line::no_colon, q, q, {p, static_cast<std::size_t>(q - p)});
        return bad(Fault_of_line::no_index, p, stop);
    }

    const Svmlight& how;
    Parsed& out;
    const char* const first;
    const char* const last;
    Separators<':'> stops;
    std::int32_t* index;
    double* value;
    std::size_t count, first_row, start = 0;  // entries; rows when the piece began; entries when the row did
    Seen seen;
#if defined(__AVX512BW__) && defined(__AVX512DQ__)
    SeenByEight seen_by_eight;
#endif
    bool left_out = false;  // a row that was seen and is not among those given
    const char* line = nullptr;
    const char* stop = nullptr;
    const char* label = nullptr;
    const char* label_end = nullptr;
    std::int32_t code = -1;   // of a label that was met before
    std::size_t alone = 8;    // features to read one by one before eight are tried again: unusual ones come together
    unsigned in_vain = 0;     // how many times eight were tried one after another, and nothing was read
    unsigned skipped = 0;     // so many times they are not
    unsigned way = 0;         // to read eight at once: short ones, those with signs too, or longer ones
    unsigned again = 0;       // so many lines before short ones without signs are tried again, where others are read
    bool few = false;         // the line before had so few that eight at once are no gain
    bool labelled = false, bare = false, commented = false;
};

inline bool parse_svmlight(const char* first, const char* last, const Svmlight& how, Parsed& out) {
    return SvmlightPiece(first, last, how, out).parse();
}

}  // namespace rosenblatt::ROSENBLATT_ISA
