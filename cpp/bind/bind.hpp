// What the binding files share: how arrays come in and go out, and the doors that NB_MODULE opens.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "rows/compact_columns.hpp"
#include "core/rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rosenblatt {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

// The matrix with what it lies in, which lives as long as it does.
struct HeldRows : Rows {
    std::vector<AnyArray> held;
    nb::object owner;
    mutable std::shared_ptr<const CompactRows> compact;  // for the learners that have weights for few of its columns
};

// So many zeros, which take no memory before they are looked at.
template <class T>
nb::capsule zeros(std::size_t count, T*& data) {
    data = static_cast<T*>(std::calloc(count ? count : 1, sizeof(T)));
    if (!data) throw std::bad_alloc();
    return nb::capsule(data, [](void* p) noexcept { std::free(p); });
}

template <class T>
T one_of(const std::string& name, std::initializer_list<const char*> names) {
    std::size_t i = 0;
    for (const char* known : names) {
        if (name == known) return static_cast<T>(i);
        ++i;
    }
    throw nb::value_error(("unknown name: " + name).c_str());
}

// New arrays of zeros, of numpy or (nb::memview) as memory that numpy is not needed for.
template <class T, class Kind = nb::numpy>
auto give(std::size_t rows, std::size_t columns, T*& data) {
    const nb::capsule owner = zeros(rows * columns, data);
    return nb::ndarray<Kind, T, nb::ndim<2>>(data, {rows, columns}, owner);
}

template <class T, class Kind = nb::numpy>
auto give(std::size_t count, T*& data) {
    const nb::capsule owner = zeros(count, data);
    return nb::ndarray<Kind, T, nb::ndim<1>>(data, {count}, owner);
}

// Each other binding file offers one door; NB_MODULE opens them.
void bind_rows(nb::module_& m);
void bind_state(nb::class_<CompactLearner>& learner);
void bind_memory(nb::module_& m);
void bind_words(nb::module_& m);
void bind_dual(nb::module_& m);
void bind_certify(nb::module_& m);
void bind_parse(nb::module_& m);
void bind_stream(nb::module_& m);
void bind_panel(nb::module_& m);

}  // namespace rosenblatt
