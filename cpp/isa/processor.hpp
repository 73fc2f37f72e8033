// Which instruction sets this processor can run. CMake uses this file too, to build for only one of them.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstdint>
#endif

namespace rosenblatt {

#if defined(__x86_64__)
// Whether the operating system saves these registers when it switches threads (the bits of XCR0).
// __builtin_cpu_supports would know, but the runtime library that comes with zig lacks the table it reads.
inline bool saves_registers(std::uint32_t bits) {
    std::uint32_t a, b, c, d;
    constexpr std::uint32_t osxsave = 1u << 27;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & osxsave)) return false;
    std::uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & bits) == bits;
}

// Whether leaf 7 of CPUID has all of these bits in EBX and ECX.
inline bool has_features(std::uint32_t in_ebx, std::uint32_t in_ecx) {
    std::uint32_t a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & in_ebx) == in_ebx && (c & in_ecx) == in_ecx;
}

inline bool supports_avx2() {
    constexpr std::uint32_t avx2 = 1u << 5, xmm_and_ymm = 0x6;
    return has_features(avx2, 0) && saves_registers(xmm_and_ymm);
}

inline bool supports_avx512() {
    constexpr std::uint32_t f = 1u << 16, dq = 1u << 17, bw = 1u << 30, vl = 1u << 31, vbmi2 = 1u << 6, zmm_and_masks = 0xe0;
    return supports_avx2() && has_features(f | dq | bw | vl, vbmi2) && saves_registers(zmm_and_masks);
}
#endif

}  // namespace rosenblatt
