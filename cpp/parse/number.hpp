// Decimal text -> the nearest double, ties to even: the same double as Python's float() of the same text.
//
// Digits are converted eight at a time inside one 64-bit word. With at most 2^53 for the digits as an integer m and
// |e| <= 22, both m and 10^|e| are doubles, so one multiplication or division rounds once and is exact (Clinger, How to
// read floating point numbers accurately, 1990). Up to nineteen digits are divided as integers. Everything else is
// left to the standard library, which is exact too.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include "core/inline.hpp"

namespace rosenblatt {

static_assert(std::endian::native == std::endian::little, "digits are read from words in address order");

ROSENBLATT_INLINE std::uint64_t load8(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

inline constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
struct IntegerPowers {
    std::uint64_t power[20] = {1};
    constexpr IntegerPowers() {
        for (int k = 1; k < 20; ++k) power[k] = 10 * power[k - 1];
    }
    constexpr std::uint64_t operator[](std::size_t k) const { return power[k]; }
};
inline constexpr IntegerPowers integer_powers_of_ten;
inline constexpr std::uint64_t max_exact_integer = std::uint64_t{1} << 53;  // every integer up to it is a double

inline constexpr std::uint64_t eight_zeros = 0x3030303030303030;  // "00000000"

// `word` holds one digit value 0..9 in each byte. Non-zero: some byte is not one.
ROSENBLATT_INLINE std::uint64_t non_digits(std::uint64_t word) { return ((word + 0x7676767676767676u) | word) & 0x8080808080808080u; }

// The number that eight digit values form, the first at the lowest address: pairs, fours and all eight are joined.
ROSENBLATT_INLINE std::uint32_t join_digits(std::uint64_t word) {
    word = word * 10 + (word >> 8);
    word = ((word & 0x000000FF000000FFu) * 0x000F424000000064u + ((word >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
    return static_cast<std::uint32_t>(word);
}

ROSENBLATT_INLINE double with_sign(double magnitude, bool negative) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | static_cast<std::uint64_t>(negative) << 63);
}

// The digits at the start of a word: how many (0 to 8), and their value.
struct DigitRun {
    unsigned count;
    std::uint32_t value;
};

ROSENBLATT_INLINE DigitRun leading_digits(std::uint64_t word) {
    word ^= eight_zeros;  // a digit is now 0..9; a carry out of another byte reaches only later bytes
    const std::uint64_t others = non_digits(word);
    const unsigned count = others ? static_cast<unsigned>(std::countr_zero(others)) >> 3 : 8;
    return {count, join_digits(count == 8 ? word : (word << (56 - 8 * count)) << 8)};  // zeros before the digits
}

// [+-] up to eight digits [. up to eight digits] from `begin` to exactly `end`. False: some other form.
// Sixteen bytes from `end` must be readable.
ROSENBLATT_INLINE bool parse_simple_number(const char* begin, const char* end, double& number) {
    const bool negative = *begin == '-';
    const char* p = begin + (negative | (*begin == '+'));
    const DigitRun whole = leading_digits(load8(p));
    p += whole.count;
    const bool point = *p == '.';
    p += point;
    const DigitRun fraction = leading_digits(load8(p));
    const std::uint64_t m = whole.value * integer_powers_of_ten[fraction.count] + fraction.value;
    if (p + fraction.count != end || whole.count + fraction.count == 0 || (fraction.count && !point) || m > max_exact_integer)
        return false;
    number = with_sign(static_cast<double>(m) / powers_of_ten[fraction.count], negative);
    return true;
}

// m / 10^k to the nearest double, ties to even, for k up to 19. Both are shifted until their highest bit is set; then a
// quotient of 63 bits and whether there is a remainder are all that rounding to 53 bits needs.
inline double divide_by_power_of_ten(std::uint64_t m, unsigned k) {
    if (m == 0) return 0.0;
    const std::uint64_t power = integer_powers_of_ten[k];
    const int shift_m = std::countl_zero(m), shift_power = std::countl_zero(power);
    const std::uint64_t dividend = m << shift_m, divisor = power << shift_power;
    std::uint64_t quotient, remainder;
#if defined(__x86_64__)
    __asm__("divq %4" : "=a"(quotient), "=d"(remainder) : "a"(dividend << 63), "d"(dividend >> 1), "r"(divisor) : "cc");
#else
    __extension__ using Wide = unsigned __int128;
    const Wide wide = static_cast<Wide>(dividend) << 63;
    quotient = static_cast<std::uint64_t>(wide / divisor);
    remainder = static_cast<std::uint64_t>(wide - static_cast<Wide>(quotient) * divisor);
#endif
    const int shift = std::countl_zero(quotient);  // 0 or 1
    quotient <<= shift;
    // No branch: the direction of rounding cannot be predicted.
    const std::uint64_t below = quotient & 0x7FF, half = 0x400, odd = quotient >> 11 & 1;
    const std::int64_t rounded = static_cast<std::int64_t>((quotient >> 11) + ((below | (remainder != 0) | odd) > half));
    const std::uint64_t exponent = static_cast<std::uint64_t>(1023 + 11 - 63 - shift + shift_power - shift_m);
    return static_cast<double>(rounded) * std::bit_cast<double>(exponent << 52);
}

// `count` digits, 0 to 8, that end before `end`. False: they are not all digits. Eight bytes before `end` must be readable.
ROSENBLATT_INLINE bool digits_before(const char* end, unsigned count, std::uint64_t& value) {
    const std::uint64_t earlier = count < 8 ? ~std::uint64_t{0} >> 8 * count : 0;  // the bytes before the digits
    const std::uint64_t word = (load8(end - 8) ^ eight_zeros) & ~earlier;
    value = join_digits(word);
    return non_digits(word) == 0;
}

// [-]digits.digits with up to eight before the point and up to nineteen in all, from `begin` to exactly `end`. False: some
// other form. The end is known, so no branch depends on the number of digits. 24 bytes before `end` must be readable.
ROSENBLATT_INLINE bool parse_long_number(const char* begin, const char* end, double& number) {
    const bool negative = *begin == '-';
    const char* const first = begin + negative;
    const DigitRun whole = leading_digits(load8(first));
    const std::ptrdiff_t places = end - first - static_cast<std::ptrdiff_t>(whole.count) - 1;
    if (whole.count == 0 || first[whole.count] != '.' || places < 0 || whole.count + places > 19) return false;
    const unsigned n = static_cast<unsigned>(places), n_low = n < 8 ? n : 8, n_middle = n < 16 ? n - n_low : 8, n_high = n - n_low - n_middle;
    std::uint64_t low, middle, high;
    const int valid = digits_before(end, n_low, low) + digits_before(end - 8, n_middle, middle) + digits_before(end - 16, n_high, high);
    if (valid != 3) return false;  // not &&: a branch after each would be mispredicted
    const std::uint64_t fraction = (high * integer_powers_of_ten[8] + middle) * integer_powers_of_ten[8] + low;
    number = with_sign(divide_by_power_of_ten(whole.value * integer_powers_of_ten[n] + fraction, n), negative);
    return true;
}

enum class NumberStatus { ok, malformed, not_finite, too_large };

#if !defined(__cpp_lib_to_chars) || __cpp_lib_to_chars < 201611L
// Older standard libraries leave doubles to the C library, which follows the locale of the process: a comma for the point. While
// this lives, this thread has the plain one.
class PlainLocale {
public:
    PlainLocale() : before_(uselocale(plain())) {}
    ~PlainLocale() { uselocale(before_); }
    PlainLocale(const PlainLocale&) = delete;

private:
    static locale_t plain() {
        static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
        return locale;
    }
    locale_t before_;
};
#endif

// Text that is known to be a decimal number, rounded by the standard library: infinite above the doubles, 0 below them.
inline double parse_with_library(const char* begin, const char* end, bool large) {
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    double number = 0;
    if (std::from_chars(*begin == '+' ? begin + 1 : begin, end, number).ec == std::errc()) return number;
    return std::copysign(large ? HUGE_VAL : 0.0, *begin == '-' ? -1.0 : 1.0);
#else
    static_cast<void>(large);
    const PlainLocale plain;
    return std::strtod(std::string(begin, end).c_str(), nullptr);
#endif
}

inline bool equals_ignoring_case(const char* begin, const char* end, const char* word) {
    for (; begin < end && *word; ++begin, ++word)
        if ((*begin | 0x20) != *word) return false;
    return begin == end && !*word;
}

// Any decimal number from `begin` to exactly `end`. Not inlined, so that the loops of the parsers keep their registers.
__attribute__((noinline)) inline NumberStatus parse_any_number(const char* begin, const char* end, double& number) {
    const bool negative = begin < end && *begin == '-';
    const char* p = begin + (negative || (begin < end && *begin == '+'));
    for (const char* word : {"nan", "inf", "infinity"})
        if (equals_ignoring_case(p, end, word)) return NumberStatus::not_finite;
    constexpr int max_digits = 19;  // that fit into m
    std::uint64_t m = 0;
    int places = 0;       // digits of m after the point
    int significant = 0;  // digits from the first that is not 0
    int dropped = 0;      // digits before the point that are not in m
    bool has_digit = false, has_point = false;
    for (; p < end; ++p) {
        const unsigned digit = static_cast<unsigned char>(*p) - '0';
        if (digit <= 9) {
            has_digit = true;
            significant += significant > 0 || digit > 0;
            if (significant <= max_digits) {
                m = m * 10 + digit;
                places += has_point;
            } else {
                dropped += !has_point;
            }
        } else if (*p == '.' && !has_point) {
            has_point = true;
        } else {
            break;
        }
    }
    if (!has_digit) return NumberStatus::malformed;
    std::int64_t exponent = 0;
    if (p < end && (*p | 0x20) == 'e') {
        ++p;
        const bool negative_exponent = p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        if (p == end) return NumberStatus::malformed;
        for (; p < end && *p >= '0' && *p <= '9'; ++p)
            if (exponent < 100000) exponent = exponent * 10 + (*p - '0');
        if (negative_exponent) exponent = -exponent;
    }
    if (p != end) return NumberStatus::malformed;
    exponent += dropped - places;
    if (significant <= max_digits && m <= max_exact_integer && exponent >= -22 && exponent <= 22) {
        const auto integer = static_cast<double>(m);
        number = with_sign(exponent < 0 ? integer / powers_of_ten[-exponent] : integer * powers_of_ten[exponent], negative);
        return NumberStatus::ok;
    }
    if (significant <= max_digits && exponent >= -19 && exponent <= 0) {
        number = with_sign(divide_by_power_of_ten(m, static_cast<unsigned>(-exponent)), negative);
        return NumberStatus::ok;
    }
    number = parse_with_library(begin, end, exponent + (significant < max_digits ? significant : max_digits) > 0);
    return std::isfinite(number) ? NumberStatus::ok : NumberStatus::too_large;
}

}  // namespace rosenblatt
