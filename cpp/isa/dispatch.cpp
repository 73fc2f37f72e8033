// Which instruction set to run: the widest this machine has, unless another is chosen. Compiled once, for any machine.
#include "isa/dispatch.hpp"

#include <cstring>

#include "isa/processor.hpp"

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
#if defined(ROSENBLATT_HAS_avx512)
    if (supports_avx512()) tables.push_back(&avx512::table);
#endif
#if defined(ROSENBLATT_HAS_avx2)
    if (supports_avx2()) tables.push_back(&avx2::table);
#endif
#if defined(ROSENBLATT_HAS_baseline)
    tables.push_back(&baseline::table);
#endif
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
