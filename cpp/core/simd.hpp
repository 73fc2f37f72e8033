// Fixed-width vectors of doubles, in the compiler's own notation: one source, and every instruction set computes the
// same IEEE operations element by element. No fused multiply-add (see CMakeLists.txt: -ffp-contract=off).
//
// This header and those that include it live in one namespace per instruction set, because the same templates compiled
// with different flags must never be merged by the linker.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/inline.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

template <int W>
struct vector_of {
    typedef double type __attribute__((vector_size(W * sizeof(double))));
    typedef float narrow __attribute__((vector_size(W * sizeof(float))));
    typedef std::int64_t bits __attribute__((vector_size(W * sizeof(double))));
};
template <>
struct vector_of<1> {
    using type = double;
    using bits = std::int64_t;
};
template <int W>
using vec = typename vector_of<W>::type;

// Doubles in a register. Vectors of this width compile to single instructions; comparisons of others do not.
#if defined(__AVX512F__)
inline constexpr int natural = 8;
#elif defined(__AVX__)
inline constexpr int natural = 4;
#else
inline constexpr int natural = 2;
#endif

template <class T>
inline constexpr int width_of = sizeof(T) / sizeof(double);

template <class T>
ROSENBLATT_INLINE T load(const double* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <class T>
ROSENBLATT_INLINE void store(double* to, T value) {
    std::memcpy(to, &value, sizeof(T));
}

// Every element equal to x. (x + 0 would turn -0 into +0; subtracting +0 leaves every number as it is.)
template <class T>
ROSENBLATT_INLINE T splat(double x) {
    if constexpr (std::is_same_v<T, double>) return x;
    else return x - T{};
}

template <class T>
ROSENBLATT_INLINE T root(T value) {
    if constexpr (std::is_same_v<T, double>) return std::sqrt(value);
    else {
        for (int i = 0; i < width_of<T>; ++i) value[i] = std::sqrt(value[i]);
        return value;
    }
}

// Neighbouring values of a row, widened to double.
template <int W = 8, class V>
ROSENBLATT_INLINE vec<W> widen(const V* from) {
    if constexpr (std::is_same_v<V, double>) return load<vec<W>>(from);
    else {
        typename vector_of<W>::narrow value;
        std::memcpy(&value, from, sizeof value);
        return __builtin_convertvector(value, vec<W>);
    }
}

template <int W>
ROSENBLATT_INLINE typename vector_of<W>::narrow store_narrow(float* to, vec<W> value) {
    const auto narrowed = __builtin_convertvector(value, typename vector_of<W>::narrow);
    std::memcpy(to, &narrowed, sizeof narrowed);
    return narrowed;
}

// The one reduction tree of every sum: ((0+4)+(2+6)) + ((1+5)+(3+7)).
template <class T>
ROSENBLATT_INLINE T tree(const T* lane) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

ROSENBLATT_INLINE double tree(vec<8> lane) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

template <int W>
using mask = typename vector_of<W>::bits;

// Is any bit set in any element? The compilers' vectors have no operation for it, so each instruction set has its own.
ROSENBLATT_INLINE bool any(mask<4> m) {
#if defined(__AVX__)
    return !_mm256_testz_si256((__m256i)m, (__m256i)m);
#else
    return ((m[0] | m[1]) | (m[2] | m[3])) != 0;
#endif
}

ROSENBLATT_INLINE bool any(mask<8> m) {
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0;
#else
    mask<4> half[2];
    std::memcpy(half, &m, sizeof m);
    return any(half[0] | half[1]);
#endif
}

// Which elements are set, a bit for each.
ROSENBLATT_INLINE unsigned set_elements(mask<4> m) {
#if defined(__AVX__)
    return static_cast<unsigned>(_mm256_movemask_pd((__m256d)m));
#else
    unsigned bits = 0;
    for (unsigned i = 0; i < 4; ++i) bits |= static_cast<unsigned>(m[i] & 1) << i;
    return bits;
#endif
}

// The highest bit of each of sixty-four bytes. (Comparing bytes, the compilers vectorise; this they do not.)
ROSENBLATT_INLINE std::uint64_t top_bits(const std::uint8_t* bytes) {
#if defined(__AVX512BW__)
    return _cvtmask64_u64(_mm512_movepi8_mask(_mm512_loadu_si512(bytes)));
#else
    std::uint64_t bits = 0;
#if defined(__AVX2__)
    for (int i = 0; i < 2; ++i) {
        const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes) + i);
        bits |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm256_movemask_epi8(part))) << 32 * i;
    }
#elif defined(__SSE2__)
    for (int i = 0; i < 4; ++i) {
        const __m128i part = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + i);
        bits |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(part))) << 16 * i;
    }
#else
    for (int i = 0; i < 64; ++i) bits |= static_cast<std::uint64_t>(bytes[i] >> 7) << i;
#endif
    return bits;
#endif
}

// The bits of each element as an integer, and back.
template <class T>
using bits_of = typename vector_of<width_of<T>>::bits;

template <class To, class From>
ROSENBLATT_INLINE To same_bits(From value) {
    To bits;
    static_assert(sizeof bits == sizeof value);
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Added to a double below 2^51 it rounds it to an integer, which is then in the lowest bits of the sum. Unlike a conversion to
// integers every instruction set can do that to a whole vector.
inline constexpr double integer_shift = 0x1.8p52;

// exp with the same bits on every machine (the C library's differ): Cody and Waite's reduction x = n ln 2 + r, then
// Taylor's series in r, |r| <= ln 2 / 2, to degree 13 (truncation below 2^-57). T is double or a vector.
template <class T>
ROSENBLATT_INLINE T exponential(T x) {
    constexpr double factor[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                                 1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
                                 1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        0.5,
                                 1.0,                1.0};
    x = x < 708.0 ? x : splat<T>(708.0);  // NaN too
    x = x > -708.0 ? x : splat<T>(-708.0);
    const T scaled = x * 1.4426950408889634 + 0.5, rounded = (scaled + integer_shift) - integer_shift;
    const T n = rounded > scaled ? rounded - 1.0 : rounded;
    const T r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    T p = splat<T>(factor[0]);
    for (int k = 1; k < 14; ++k) p = p * r + factor[k];
    return p * same_bits<T>((same_bits<bits_of<T>>(n + integer_shift) + 1023) << 52);
}

// log of positive normal numbers with the same bits on every machine: x = m 2^e, log m = 2 artanh((m-1)/(m+1)).
template <class T>
ROSENBLATT_INLINE T logarithm(T x) {
    constexpr std::int64_t mantissa = (std::int64_t{1} << 52) - 1, half = std::int64_t{1022} << 52;
    const bits_of<T> bits = same_bits<bits_of<T>>(x), shift = same_bits<bits_of<T>>(splat<T>(integer_shift));
    T m = same_bits<T>((bits & mantissa) | half);
    T exponent = same_bits<T>((bits >> 52) - 1022 + shift) - integer_shift;
    exponent = m < 0.7071067811865476 ? exponent - 1.0 : exponent;
    m = m < 0.7071067811865476 ? m * 2.0 : m;
    const T t = (m - 1.0) / (m + 1.0), square = t * t;
    T sum = splat<T>(0.0);
    for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return 2.0 * t * sum + exponent * 0.6931471805599453;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
