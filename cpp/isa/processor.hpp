// What this processor can run. CMake asks too, for a build of one instruction set.
#pragma once

namespace rosenblatt {

#if defined(__x86_64__)
inline bool supports_avx2() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}

inline bool supports_avx512() {
    return supports_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2");
}
#endif

}  // namespace rosenblatt
