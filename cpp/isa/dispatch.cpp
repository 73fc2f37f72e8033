// Which instruction set to run: the widest this machine has, unless another is chosen. Compiled once, for any machine.
#include "isa/dispatch.hpp"

#include <cstring>

namespace rosenblatt {

namespace baseline {
extern const Native table;
}
namespace avx2 {
extern const Native table;
}
namespace avx512 {
extern const Native table;
}

namespace {

// Widest first. ROSENBLATT_HAS_*: what CMake compiled.
std::vector<const Native*> runnable() {
    std::vector<const Native*> tables;
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
#if defined(ROSENBLATT_HAS_avx512)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2"))
        tables.push_back(&avx512::table);
#endif
#if defined(ROSENBLATT_HAS_avx2)
    if (__builtin_cpu_supports("avx2")) tables.push_back(&avx2::table);
#endif
    tables.push_back(&baseline::table);
    return tables;
}

const Native*& chosen() {
    static const Native* table = runnable().front();
    return table;
}

}  // namespace

const Native& native() { return *chosen(); }

std::vector<const char*> instruction_sets() {
    std::vector<const char*> names;
    for (const Native* table : runnable()) names.push_back(table->name);
    return names;
}

bool use_instruction_set(const char* name) {
    for (const Native* table : runnable())
        if (std::strcmp(table->name, name) == 0) {
            chosen() = table;
            return true;
        }
    return false;
}

}  // namespace rosenblatt
