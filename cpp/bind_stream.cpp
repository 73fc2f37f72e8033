// What a stream needs besides its learners: a checksum as fast as memory, and numbers in fewer bytes for its cache.
#include <algorithm>
#include <cstring>

#include "bind_lines.hpp"
#include "kernels.hpp"
#include "pages.hpp"

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

template <class To, class From, class Make>
nb::object each_as(const In<From>& from, Make make) {
    Grown<To> found;
    {
        nb::gil_scoped_release free;
        found.reserve(from.shape(0));
        found.resize(from.shape(0));
        make(from.data(), from.shape(0), found.data());
    }
    return array_of(std::move(found));
}

bool all_whole(const In<double>& values, double power, Grown<std::int32_t>& wide, std::int32_t& most) {
    nb::gil_scoped_release free;
    const std::size_t count = values.shape(0), step = 4096;  // most values that are not whole are among the first
    wide.reserve(count);
    wide.resize(count);
    for (std::size_t i = 0; i < count; i += step)
        if (!kernels().pages->whole(values.data() + i, std::min(step, count - i), power, wide.data() + i, most)) return false;
    return true;
}

// Values as whole numbers of two or four bytes that are to be divided by power; none where that is not exact.
nb::object to_whole(const In<double>& values, double power) {
    Grown<std::int32_t> wide;
    std::int32_t most = 0;
    if (!all_whole(values, power, wide, most)) return nb::none();
    if (most > 32767) return array_of(std::move(wide));
    Grown<std::int16_t> narrow;
    narrow.reserve(wide.size());
    narrow.resize(wide.size());
    kernels().pages->shortened(wide.data(), wide.size(), narrow.data());
    return array_of(std::move(narrow));
}

nb::object room(std::size_t bytes) {
    Grown<std::uint8_t> found;
    found.reserve(bytes);
    found.resize(bytes);
    return array_of(std::move(found));
}

}  // namespace

void bind_stream(nb::module_& m) {
    m.def("checksum", &checksum, "bytes"_a);
    m.def("room", &room, "bytes"_a);
    m.def("to_whole", &to_whole, "values"_a, "power"_a);
    const auto divided = [](const auto& whole, double power, auto make) {
        return each_as<double>(whole, [=](auto* m, std::size_t count, double* value) { make(m, count, power, value); });
    };
    m.def("divided", [=](const In<std::int16_t>& whole, double power) { return divided(whole, power, kernels().pages->divided_short); },
          "whole"_a, "power"_a);
    m.def("divided", [=](const In<std::int32_t>& whole, double power) { return divided(whole, power, kernels().pages->divided); },
          "whole"_a, "power"_a);
    m.def("narrowed", [](const In<std::int32_t>& indices) { return each_as<std::uint16_t>(indices, kernels().pages->narrowed); },
          "indices"_a);
    m.def("widened", [](const In<std::uint16_t>& indices) { return each_as<std::int32_t>(indices, kernels().pages->widened); },
          "indices"_a);
}

}  // namespace rosenblatt
