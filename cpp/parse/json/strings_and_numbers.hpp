// Strings, numbers and literals of JSON, as Python's json reads them. Compiled once per instruction set.
//
// Every function takes the first byte and returns the byte after the last, or nullptr where it is something else. The
// text ends with a newline, which nothing here reads past, and `padding` bytes after it are readable.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>

#include "core/simd.hpp"
#include "parse/number.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

// A bit for each of the next bytes: those that end a plain stretch of a string (a quote, a backslash, a control
// character), and those that are not ASCII.
struct StringBits {
#if defined(__AVX512BW__)
    static constexpr unsigned width = 64;
#elif defined(__AVX2__)
    static constexpr unsigned width = 32;
#else
    static constexpr unsigned width = 16;
#endif
    std::uint64_t ends, high;

    ROSENBLATT_INLINE explicit StringBits(const char* p) {
#if defined(__AVX512BW__)
        const __m512i bytes = _mm512_loadu_si512(p);
        ends = _cvtmask64_u64(_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"'))) | _cvtmask64_u64(_mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'))) |
               _cvtmask64_u64(_mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(' ')));
        high = _cvtmask64_u64(_mm512_movepi8_mask(bytes));
#elif defined(__AVX2__)
        const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(31)), bytes);
        const __m256i marks = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('"')), _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\\')));
        ends = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_or_si256(marks, control)));
        high = static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
#elif defined(__SSE2__)
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(31)), bytes);
        const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
        ends = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(marks, control)));
        high = static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
#else
        ends = high = 0;
        for (unsigned i = 0; i < width; ++i) {
            const auto byte = static_cast<unsigned char>(p[i]);
            ends |= static_cast<std::uint64_t>((byte == '"') | (byte == '\\') | (byte < ' ')) << i;
            high |= static_cast<std::uint64_t>(byte >> 7) << i;
        }
#endif
    }
};

// The bytes of the first character of UTF-8, or minus those that begin one and are not followed by the rest of it.
inline int utf8_length(const unsigned char* p, const unsigned char* end) {
    const unsigned char lead = *p;
    if (lead < 0x80) return 1;
    const int length = lead >= 0xC2 && lead <= 0xDF ? 2 : lead >= 0xE0 && lead <= 0xEF ? 3 : lead >= 0xF0 && lead <= 0xF4 ? 4 : 1;
    if (length == 1) return -1;
    for (int i = 1; i < length; ++i) {
        if (p + i == end) return -i;
        unsigned char low = 0x80, high = 0xBF;  // the second byte of some is bounded: no surrogates, nothing overlong
        if (i == 1 && lead == 0xE0) low = 0xA0;
        if (i == 1 && lead == 0xED) high = 0x9F;
        if (i == 1 && lead == 0xF0) low = 0x90;
        if (i == 1 && lead == 0xF4) high = 0x8F;
        if (p[i] < low || p[i] > high) return -i;
    }
    return length;
}

inline bool is_utf8(const char* first, const char* last) {
    const auto* p = reinterpret_cast<const unsigned char*>(first);
    const auto* const end = reinterpret_cast<const unsigned char*>(last);
    while (p < end) {
        const int length = utf8_length(p, end);
        if (length < 0) return false;
        p += length;
    }
    return true;
}

// Bytes as UTF-8, with U+FFFD in place of what is not, as Python's errors="replace" does it.
inline void append_utf8(const char* first, const char* last, std::string& to) {
    const auto* p = reinterpret_cast<const unsigned char*>(first);
    const auto* const end = reinterpret_cast<const unsigned char*>(last);
    while (p < end) {
        const int length = utf8_length(p, end);
        if (length > 0) to.append(reinterpret_cast<const char*>(p), static_cast<std::size_t>(length));
        else to.append("\xEF\xBF\xBD");
        p += length > 0 ? length : -length;
    }
}

inline void append_code_point(std::uint32_t code, std::string& to) {
    if (code >= 0xD800 && code <= 0xDFFF) code = 0xFFFD;  // half of a pair
    const auto add = [&](std::uint32_t byte) { to.push_back(static_cast<char>(byte)); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            add(0xE0 | code >> 12);
        } else {
            add(0xF0 | code >> 18);
            add(0x80 | (code >> 12 & 0x3F));
        }
        add(0x80 | (code >> 6 & 0x3F));
    }
    add(0x80 | (code & 0x3F));
}

// Four hexadecimal digits; -1 where they are not.
inline std::int32_t hexadecimal(const char* p) {
    std::int32_t code = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = p[i], lower = static_cast<char>(c | 0x20);
        if (c >= '0' && c <= '9') code = code << 4 | (c - '0');
        else if (lower >= 'a' && lower <= 'f') code = code << 4 | (lower - 'a' + 10);
        else return -1;
    }
    return code;
}

// One escape, from the byte after the backslash.
inline const char* read_escape(const char* p, std::string& to) {
    switch (*p) {
        case '"': case '\\': case '/': to.push_back(*p); return p + 1;
        case 'b': to.push_back('\b'); return p + 1;
        case 'f': to.push_back('\f'); return p + 1;
        case 'n': to.push_back('\n'); return p + 1;
        case 'r': to.push_back('\r'); return p + 1;
        case 't': to.push_back('\t'); return p + 1;
        case 'u': break;
        default: return nullptr;
    }
    const std::int32_t code = hexadecimal(p + 1);
    if (code < 0) return nullptr;
    p += 5;
    if (code >= 0xD800 && code < 0xDC00 && p[0] == '\\' && p[1] == 'u') {
        const std::int32_t low = hexadecimal(p + 2);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            append_code_point(0x10000 + (static_cast<std::uint32_t>(code - 0xD800) << 10) + static_cast<std::uint32_t>(low - 0xDC00), to);
            return p + 6;
        }
    }
    append_code_point(static_cast<std::uint32_t>(code), to);
    return p;
}

// A string from the byte after its opening quote to the byte after its closing one. `text` is what it holds: where it
// lies, or in `scratch` if it has escapes or is not UTF-8.
__attribute__((noinline)) inline const char* read_long_string(const char* first, std::string_view& text, std::string& scratch) {
    scratch.clear();
    const char *p = first, *plain = first;  // `plain`: from here on nothing was copied
    bool ascii = true;
    for (;;) {
        const StringBits bits(p);
        const unsigned at = bits.ends ? static_cast<unsigned>(std::countr_zero(bits.ends)) : StringBits::width;
        ascii = ascii && !(bits.high & (at == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << at) - 1));
        p += at;
        if (at == StringBits::width) continue;
        if (*p == '"' && plain == first && (ascii || is_utf8(first, p))) {
            text = {first, static_cast<std::size_t>(p - first)};
            return p + 1;
        }
        if (*p != '"' && *p != '\\') return nullptr;  // a control character
        append_utf8(plain, p, scratch);
        if (*p == '"') {
            text = scratch;
            return p + 1;
        }
        p = plain = read_escape(p + 1, scratch);
        if (!p) return nullptr;
    }
}

ROSENBLATT_INLINE const char* read_string(const char* first, std::string_view& text, std::string& scratch) {
    const StringBits bits(first);
    if (!bits.ends) [[unlikely]] return read_long_string(first, text, scratch);
    const auto at = static_cast<unsigned>(std::countr_zero(bits.ends));
    if (first[at] != '"' || (bits.high & ((std::uint64_t{1} << at) - 1))) [[unlikely]] return read_long_string(first, text, scratch);
    text = {first, at};
    return first + at + 1;
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

inline const char* literal(const char* p, std::string_view word) {
    for (const char c : word)
        if (*p++ != c) return nullptr;
    return p;
}

// Any number, and the words NaN, Infinity and -Infinity, which Python writes.
__attribute__((noinline)) inline const char* read_any_number(const char* first, double& number) {
    constexpr std::ptrdiff_t most_digits = 4300;  // of an integer that Python converts
    const bool negative = *first == '-';
    const char* p = first + negative;
    if (*p == 'I') {
        number = negative ? -HUGE_VAL : HUGE_VAL;
        return literal(p, "Infinity");
    }
    if (*p == 'N' && !negative) {
        number = std::nan("");
        return literal(p, "NaN");
    }
    const char* const digits = p;
    if (*p == '0') ++p;
    else while (is_digit(*p)) ++p;
    if (p == digits) return nullptr;
    const char* const whole_end = p;
    if (*p == '.') {
        if (!is_digit(*++p)) return nullptr;
        while (is_digit(*p)) ++p;
    }
    if ((*p | 0x20) == 'e') {
        ++p;
        p += *p == '-' || *p == '+';
        if (!is_digit(*p)) return nullptr;
        while (is_digit(*p)) ++p;
    }
    if (p == whole_end && p - digits > most_digits) return nullptr;
    parse_any_number(first, p, number);  // infinite where it is too large
    return p;
}

// Up to seven digits, a point, and up to sixteen more, which covers nearly all; m / 10^k is exact for m up to 10^19.
ROSENBLATT_INLINE const char* read_number(const char* first, double& number) {
    const bool negative = *first == '-';
    const char* p = first + negative;
    const DigitRun whole = leading_digits(load8(p));
    if (whole.count == 0 || whole.count == 8 || (*p == '0' && whole.count > 1)) [[unlikely]] return read_any_number(first, number);
    p += whole.count;
    if (*p != '.') {
        if ((*p | 0x20) == 'e') [[unlikely]] return read_any_number(first, number);
        number = with_sign(static_cast<double>(whole.value), negative);
        return p;
    }
    const DigitRun high = leading_digits(load8(++p));
    if (high.count < 8) {
        if (high.count == 0 || (p[high.count] | 0x20) == 'e') [[unlikely]] return read_any_number(first, number);
        const std::uint64_t m = whole.value * integer_powers_of_ten[high.count] + high.value;
        number = with_sign(static_cast<double>(m) / powers_of_ten[high.count], negative);
        return p + high.count;
    }
    const DigitRun low = leading_digits(load8(p += 8));
    const unsigned places = 8 + low.count;
    p += low.count;
    std::uint64_t m = whole.value * integer_powers_of_ten[8] + high.value;
    unsigned last = 0;
    if (low.count == 8 && is_digit(*p)) last = static_cast<unsigned>(*p++ - '0') + 1;  // a seventeenth digit
    if ((*p | 0x20) == 'e' || is_digit(*p) || whole.count + places + (last != 0) > 19) [[unlikely]] return read_any_number(first, number);
    m = m * integer_powers_of_ten[low.count] + low.value;
    if (last) m = m * 10 + last - 1;
    number = with_sign(divide_by_power_of_ten(m, places + (last != 0)), negative);
    return p;
}

// The fewest digits that give the number back, in scientific notation.
inline std::string_view shortest(double number, char* text, std::size_t size) {
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    return {text, static_cast<std::size_t>(std::to_chars(text, text + size, number, std::chars_format::scientific).ptr - text)};
#else
    const PlainLocale plain;
    int precision = 0;
    do std::snprintf(text, size, "%.*e", precision++, number);
    while (std::strtod(text, nullptr) != number);
    return text;
#endif
}

// A number in a list as a word: an integer as it is written, others with as many digits as they need, as Python does it.
inline void append_number(const char* first, const char* last, double number, std::string& to) {
    const bool integer = is_digit(last[-1]) && std::string_view(first, static_cast<std::size_t>(last - first)).find_first_of(".eE") == std::string_view::npos;
    if (integer) {
        to.append(number == 0 ? last - 1 : first, last);  // -0 is 0
        return;
    }
    if (std::isnan(number)) return void(to.append("NaN"));
    if (std::isinf(number)) return void(to.append(number < 0 ? "-Infinity" : "Infinity"));
    if (std::fabs(number) < static_cast<double>(max_exact_integer) && number == std::trunc(number))
        return void(to.append(std::to_string(static_cast<std::int64_t>(number))));
    char text[32];
    const std::string_view all = shortest(number, text, sizeof text);  // [-]d[.ddd]e+-dd
    const std::size_t mark = all.find('e');
    int exponent = 0;
    std::from_chars(all.data() + mark + (all[mark + 1] == '+' ? 2 : 1), all.data() + all.size(), exponent);
    if (exponent < -4 || exponent >= 16) return void(to.append(all));
    std::string digits;
    for (const char c : all.substr(0, mark))
        if (is_digit(c)) digits.push_back(c);
    if (number < 0) to.push_back('-');
    if (exponent < 0) {
        to.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
        return;
    }
    const auto before = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= before) to.append(digits).append(before - digits.size(), '0').append(".0");
    else to.append(digits, 0, before).append(1, '.').append(digits, before);
}

}  // namespace rosenblatt::ROSENBLATT_ISA
