// The floating-point environment in which every result is defined: rounding to nearest, subnormal numbers kept, no traps.
#pragma once

#include <cstdint>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <cfenv>
#endif

namespace rosenblatt {

// Sets it, and restores that of the host at the end. A host may have another one: a library that was built with -ffast-math
// flushes subnormal numbers to zero in the thread that loads it, and anybody may call fesetround().
class FloatEnvironment {
public:
    FloatEnvironment() : saved_(read()) {
        if (!is_usual(saved_)) write(usual);
    }
    ~FloatEnvironment() {
        if (!is_usual(saved_)) write(saved_);
    }
    FloatEnvironment(const FloatEnvironment&) = delete;

private:
    // The clobbered memory keeps the compiler from moving loads, and what is computed from them, across.
#if defined(__x86_64__)
    using Control = std::uint32_t;  // MXCSR
    static constexpr Control usual = 0x1F80, sticky = 0x3F;
    static Control read() {
        Control control;
        asm volatile("stmxcsr %0" : "=m"(control) : : "memory");
        return control;
    }
    static void write(Control control) { asm volatile("ldmxcsr %0" : : "m"(control) : "memory"); }
    static bool is_usual(Control control) { return (control & ~sticky) == usual; }
#elif defined(__aarch64__)
    using Control = std::uint64_t;  // FPCR
    static constexpr Control usual = 0;
    static Control read() {
        Control control;
        asm volatile("mrs %0, fpcr" : "=r"(control) : : "memory");
        return control;
    }
    static void write(Control control) { asm volatile("msr fpcr, %0" : : "r"(control) : "memory"); }
    static bool is_usual(Control control) { return control == usual; }
#else
    using Control = int;
    static constexpr Control usual = FE_TONEAREST;
    static Control read() { return std::fegetround(); }
    static void write(Control control) { std::fesetround(control); }
    static bool is_usual(Control control) { return control == usual; }
#endif

    const Control saved_;
};

}  // namespace rosenblatt
