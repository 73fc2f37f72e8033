// Which kernels to run: the widest the machine has, unless another is asked for.
#include <cstring>

#include "isa/tables.hpp"

namespace rosenblatt {

namespace baseline {
extern const Kernels table;
}
#ifndef ROSENBLATT_ONLY_BASELINE
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

namespace {

// Widest first.
std::vector<const Kernels*> runnable() {
    std::vector<const Kernels*> found;
#ifndef ROSENBLATT_ONLY_BASELINE
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
        found.push_back(&avx512::table);
    if (__builtin_cpu_supports("avx2")) found.push_back(&avx2::table);
#endif
    found.push_back(&baseline::table);
    return found;
}

const Kernels*& chosen() {
    static const Kernels* kernels = runnable().front();
    return kernels;
}

}  // namespace

const Kernels& kernels() { return *chosen(); }

std::vector<const char*> instruction_sets() {
    std::vector<const char*> names;
    for (const Kernels* kernels : runnable()) names.push_back(kernels->name);
    return names;
}

bool use_instruction_set(const char* name) {
    for (const Kernels* kernels : runnable())
        if (std::strcmp(kernels->name, name) == 0) {
            chosen() = kernels;
            return true;
        }
    return false;
}

}  // namespace rosenblatt
