// Decimal text -> the nearest double, ties to even: the same double as Python's float() of the same text.
//
// Digits are converted eight at a time inside one 64-bit word. With at most 2^53 for the digits as an integer m and
// |e| <= 22, both m and 10^|e| are doubles, so one multiplication or division rounds once and is exact (Clinger, How to
// read floating point numbers accurately, 1990). Up to nineteen digits are divided as whole numbers. Everything else is
// left to the standard library, which is exact too.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace rosenblatt {

static_assert(std::endian::native == std::endian::little, "the digits of a word are taken in order of addresses");

#ifndef ROSENBLATT_INLINE  // core/simd.hpp has it too
#define ROSENBLATT_INLINE inline __attribute__((always_inline))
#endif

ROSENBLATT_INLINE std::uint64_t load8(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

inline constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t whole_tens[] = {1,
                                               10,
                                               100,
                                               1000,
                                               10000,
                                               100000,
                                               1000000,
                                               10000000,
                                               100000000,
                                               1000000000,
                                               10000000000,
                                               100000000000,
                                               1000000000000,
                                               10000000000000,
                                               100000000000000,
                                               1000000000000000,
                                               10000000000000000,
                                               100000000000000000,
                                               1000000000000000000,
                                               10000000000000000000u};
inline constexpr std::uint64_t exact = std::uint64_t{1} << 53;

// The first bytes of a word that are digits: how many (0 to 8), and their value.
struct Digits {
    unsigned count;
    std::uint32_t value;
};

ROSENBLATT_INLINE Digits digits(std::uint64_t word) {
    word ^= 0x3030303030303030u;  // a digit is now 0..9; a carry out of a byte that is none touches only later bytes
    const std::uint64_t others = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
    const unsigned count = others ? static_cast<unsigned>(std::countr_zero(others)) >> 3 : 8;
    // The digits go to the end of the word and zeros before them. Then pairs, fours and all eight are joined.
    std::uint64_t w = count == 8 ? word : (word << (56 - 8 * count)) << 8;
    w = w * 10 + (w >> 8);
    w = ((w & 0x000000FF000000FFu) * 0x000F424000000064u + ((w >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32;
    return {count, static_cast<std::uint32_t>(w)};
}

// The usual number, [+-]up to eight digits[.up to eight digits], from v to exactly e. False: something else.
// Sixteen bytes from e must be readable.
ROSENBLATT_INLINE bool usual_number(const char* v, const char* e, double& number) {
    const bool negative = *v == '-';
    v += negative | (*v == '+');
    const Digits whole = digits(load8(v));
    v += whole.count;
    const bool point = *v == '.';
    v += point;
    const Digits part = digits(load8(v));
    const std::uint64_t m = whole.value * whole_tens[part.count] + part.value;
    if (v + part.count != e || whole.count + part.count == 0 || (part.count && !point) || m > exact) return false;
    const double size = static_cast<double>(m) / tens[part.count];
    number = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | static_cast<std::uint64_t>(negative) << 63);
    return true;
}

// m / 10^k to the nearest double, ties to even, for k up to 19. Both are moved up to their highest bit; then a quotient
// of 63 bits and whether anything is left is all that rounding to 53 asks for.
inline double quotient(std::uint64_t m, unsigned k) {
    if (m == 0) return 0.0;
    const int of_m = std::countl_zero(m), of_ten = std::countl_zero(whole_tens[k]);
    const std::uint64_t top = m << of_m, ten = whole_tens[k] << of_ten;
    std::uint64_t q, left;
#if defined(__x86_64__)
    __asm__("divq %4" : "=a"(q), "=d"(left) : "a"(top << 63), "d"(top >> 1), "r"(ten) : "cc");
#else
    __extension__ using Wide = unsigned __int128;
    const Wide all = static_cast<Wide>(top) << 63;
    q = static_cast<std::uint64_t>(all / ten);
    left = static_cast<std::uint64_t>(all - static_cast<Wide>(q) * ten);
#endif
    const int more = std::countl_zero(q);  // 0 or 1
    q <<= more;
    // No branch: no processor can guess which way a number rounds.
    const std::uint64_t below = q & 0x7FF, half = 0x400, odd = q >> 11 & 1;
    const std::int64_t rounded = static_cast<std::int64_t>((q >> 11) + ((below | (left != 0) | odd) > half));
    const std::uint64_t exponent = static_cast<std::uint64_t>(1023 + 11 - 63 - more + of_ten - of_m);
    return static_cast<double>(rounded) * std::bit_cast<double>(exponent << 52);
}

// `count` digits, 0 to 8, that end before e. False: they are not all digits. Eight bytes before e must be readable.
ROSENBLATT_INLINE bool digits_before(const char* e, unsigned count, std::uint64_t& value) {
    const std::uint64_t unasked = count < 8 ? ~std::uint64_t{0} >> 8 * count : 0;  // the first bytes in memory
    std::uint64_t w = (load8(e - 8) ^ 0x3030303030303030u) & ~unasked;
    const bool all = (((w + 0x7676767676767676u) | w) & 0x8080808080808080u) == 0;
    w = w * 10 + (w >> 8);
    value = ((w & 0x000000FF000000FFu) * 0x000F424000000064u + ((w >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >> 32 & 0xFFFFFFFFu;
    return all;
}

// [-]digits.digits with up to eight before the point and up to nineteen in all, from v to exactly e. False: something
// else. Where they end is known, so no branch asks how many there are. 24 bytes before e must be readable.
ROSENBLATT_INLINE bool long_number(const char* v, const char* e, double& number) {
    const bool negative = *v == '-';
    v += negative;
    const Digits whole = digits(load8(v));
    const std::ptrdiff_t places = e - v - static_cast<std::ptrdiff_t>(whole.count) - 1;
    if (whole.count == 0 || v[whole.count] != '.' || places < 0 || whole.count + places > 19) return false;
    const unsigned n = static_cast<unsigned>(places), last = n < 8 ? n : 8, middle = n < 16 ? n - last : 8, first = n - last - middle;
    std::uint64_t a, b, c;
    const bool all = digits_before(e, last, a) & digits_before(e - 8, middle, b) & digits_before(e - 16, first, c);
    if (!all) return false;
    const double size = quotient(whole.value * whole_tens[n] + (c * whole_tens[8] + b) * whole_tens[8] + a, n);
    number = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | static_cast<std::uint64_t>(negative) << 63);
    return true;
}

enum class Number { fine, not_one, not_finite, too_large };

// Text that is known to be a decimal number, rounded by the library. Beyond the doubles it is infinite, or 0 below them.
inline double library_number(const char* v, const char* e, bool large) {
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    double number = 0;
    if (std::from_chars(*v == '+' ? v + 1 : v, e, number).ec == std::errc()) return number;
    return std::copysign(large ? HUGE_VAL : 0.0, *v == '-' ? -1.0 : 1.0);
#else
    static_cast<void>(large);
    return std::strtod(std::string(v, e).c_str(), nullptr);
#endif
}

inline bool is_word(const char* v, const char* e, const char* word) {
    for (; v < e && *word; ++v, ++word)
        if ((*v | 0x20) != *word) return false;
    return v == e && !*word;
}

// Any decimal number from v to exactly e. Apart, so that the loops of the parsers keep their registers.
__attribute__((noinline)) inline Number any_number(const char* v, const char* e, double& number) {
    const char* p = v + (v < e && (*v == '-' || *v == '+'));
    const bool negative = v < e && *v == '-';
    if (is_word(p, e, "nan") || is_word(p, e, "inf") || is_word(p, e, "infinity")) return Number::not_finite;
    std::uint64_t m = 0;
    // Digits after the point that are in m; digits from the first that is not 0; those before the point that are not in m.
    int places = 0, seen = 0, beyond = 0;
    bool any = false, point = false;
    for (; p < e; ++p) {
        const unsigned digit = static_cast<unsigned char>(*p) - '0';
        if (digit <= 9) {
            any = true;
            seen += seen > 0 || digit > 0;
            if (seen <= 19) {
                m = m * 10 + digit;
                places += point;
            } else {
                beyond += !point;
            }
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (!any) return Number::not_one;
    std::int64_t power = 0;
    if (p < e && (*p | 0x20) == 'e') {
        ++p;
        const bool down = p < e && *p == '-';
        p += p < e && (*p == '-' || *p == '+');
        if (p == e) return Number::not_one;
        for (; p < e && *p >= '0' && *p <= '9'; ++p)
            if (power < 100000) power = power * 10 + (*p - '0');
        if (down) power = -power;
    }
    if (p != e) return Number::not_one;
    power += beyond - places;
    if (seen <= 19 && m <= exact && power >= -22 && power <= 22) {
        const double size = power < 0 ? static_cast<double>(m) / tens[-power] : static_cast<double>(m) * tens[power];
        number = negative ? -size : size;
        return Number::fine;
    }
    if (seen <= 19 && power >= -19 && power <= 0) {
        const double size = quotient(m, static_cast<unsigned>(-power));
        number = negative ? -size : size;
        return Number::fine;
    }
    number = library_number(v, e, power + (seen < 19 ? seen : 19) > 0);
    return std::isfinite(number) ? Number::fine : Number::too_large;
}

}  // namespace rosenblatt
