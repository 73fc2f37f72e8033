// What a stream needs besides its learners: a checksum as fast as memory.
#include <cstring>

#include "bind.hpp"

namespace rosenblatt {
namespace {

// Eight sums of words, each multiplied by an odd constant between two words, so that every bit and its place count;
// then the rest byte by byte.
std::uint64_t checksum(const In<std::uint8_t>& bytes) {
    nb::gil_scoped_release free;
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    std::uint64_t sum[8];
    for (std::uint64_t i = 0; i < 8; ++i) sum[i] = i;
    const std::uint8_t* at = bytes.data();
    std::size_t left = bytes.shape(0);
    for (; left >= 64; left -= 64, at += 64) {
        std::uint64_t word[8];
        std::memcpy(word, at, 64);
        for (int i = 0; i < 8; ++i) sum[i] = (sum[i] ^ word[i]) * odd;
    }
    std::uint64_t total = bytes.shape(0);
    for (const std::uint64_t part : sum) total = (total ^ (part ^ (part >> 29))) * odd;
    for (; left > 0; --left, ++at) total = (total ^ *at) * odd;
    return total ^ (total >> 32);
}

}  // namespace

void bind_stream(nb::module_& m) { m.def("checksum", &checksum, "bytes"_a); }

}  // namespace rosenblatt
