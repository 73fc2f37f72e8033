#include "core/hash_secret.hpp"

#include <random>

namespace rosenblatt {

std::uint64_t hash_secret() {
    static const std::uint64_t key = [] {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device() | 1;
    }();
    return key;
}

}  // namespace rosenblatt
