// Arrays from Python and to Python, for all binding files.
#pragma once

#include <optional>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/module.hpp"
#include "core/memory/memory_pool.hpp"
#include "core/rows.hpp"
#include "isa/dispatch.hpp"
#include "rows/compact_columns.hpp"
#include "rows/function_table.hpp"

namespace rosenblatt {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InOutMatrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

inline nb::builtin_exception value_error(const std::string& sentence) { return nb::value_error(sentence.c_str()); }

// A matrix that keeps the Python objects alive whose memory it reads. No loop reads rows that were not checked.
class PyRows {
public:
    PyRows(const Rows& rows, std::vector<AnyArray> arrays) : rows_(rows), arrays_(std::move(arrays)) {}
    // Rows that the caller has checked.
    PyRows(const Rows& rows, nb::object owner) : rows_(rows), owner_(std::move(owner)), checked_(true) {}

    const Rows& unchecked() const { return rows_; }
    const Rows& checked() const {
        if (!checked_) throw nb::value_error("these rows were not checked: call check() first");
        return rows_;
    }
    // For a loop that is about to begin. Where Python has no other thread, nobody can write the indices during it, and they are
    // used in place, which is up to a tenth faster. The stable ABI cannot ask, so there they are checked again at their use.
    Rows readable() const {
        Rows rows = checked();
#if !defined(Py_LIMITED_API)
        const PyThreadState* const first = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
        rows.private_indices = rows.private_indices || !PyThreadState_Next(const_cast<PyThreadState*>(first));
#endif
        return rows;
    }
    Fault check() {
        Rows rows = rows_;
        const Fault fault = native().rows->check(rows);
        rows_ = rows;
        checked_ = fault.kind == Fault::none;
        return fault;
    }
    // The same rows with more features.
    PyRows within(std::size_t features) const {
        PyRows wider = *this;
        if (features < rows_.features || !rows_.sparse) throw nb::value_error("only sparse rows can be given more features, and never fewer");
        wider.rows_.features = features;
        return wider;
    }

    mutable std::shared_ptr<const CompactRows> compact;  // for learners with compact columns, made when first needed
    mutable std::optional<std::size_t> left_out;         // entries without a weight, once scored by compact columns

private:
    Rows rows_;
    std::vector<AnyArray> arrays_;
    nb::object owner_;
    bool checked_ = false;
};

// Whether all numbers are below the limit. Reading all, vectorised, is faster than stopping at the first that is not.
template <class T>
bool all_below(const In<T>& numbers, std::size_t limit) {
    const auto bound = static_cast<std::uint32_t>(std::min<std::size_t>(limit, UINT32_MAX));
    std::uint32_t beyond = 0;
    for (std::size_t i = 0; i < numbers.shape(0); ++i) beyond |= static_cast<std::uint32_t>(numbers.data()[i]) >= bound;
    return beyond == 0;
}

// The index of a name in the list.
template <class T>
T one_of(const std::string& name, std::initializer_list<const char*> names) {
    std::size_t i = 0;
    std::string choices;
    for (const char* known : names) {
        if (name == known) return static_cast<T>(i);
        choices += (i++ ? ", " : "") + std::string(known);
    }
    throw value_error("expected one of " + choices + ", found " + name);
}

// New arrays of zeros: of numpy, or memoryviews (nb::memview) where numpy may not be loaded. Untouched zeros take no memory.
template <class T>
nb::capsule new_zeros(std::size_t count, T*& data) {
    data = static_cast<T*>(std::calloc(count ? count : 1, sizeof(T)));
    if (!data) throw std::bad_alloc();
    return nb::capsule(data, [](void* p) noexcept { std::free(p); });
}

template <class T, class Kind = nb::numpy>
auto new_matrix(std::size_t rows, std::size_t columns, T*& data) {
    const nb::capsule owner = new_zeros(rows * columns, data);
    return nb::ndarray<Kind, T, nb::ndim<2>>(data, {rows, columns}, owner);
}

template <class T, class Kind = nb::numpy>
auto new_array(std::size_t count, T*& data) {
    const nb::capsule owner = new_zeros(count, data);
    return nb::ndarray<Kind, T, nb::ndim<1>>(data, {count}, owner);
}

// A copy of the first `count` values.
template <class T>
auto copy_to_array(const std::vector<T>& values, std::size_t count) {
    T* data;
    auto array = new_array(count, data);
    std::copy_n(values.begin(), count, data);
    return array;
}

template <class T>
auto copy_to_array(const std::vector<T>& values) {
    return copy_to_array(values, values.size());
}

// Pooled memory as an array, without a copy; it returns to the pool when the array is dropped.
template <class T, class Kind = nb::numpy>
nb::object to_array(PooledVector<T>&& values) {
    const std::size_t count = values.size();
    auto* pooled = new PooledVector<T>(std::move(values));
    T none{};
    nb::capsule owner(pooled, [](void* p) noexcept { delete static_cast<PooledVector<T>*>(p); });
    T* data = count ? pooled->data() : &none;
    return nb::cast(nb::ndarray<Kind, T, nb::ndim<1>>(data, {count}, owner));
}

template <class T>
nb::object to_memoryview(PooledVector<T>& values) {
    return to_array<T, nb::memview>(std::move(values));
}

}  // namespace rosenblatt
