// What fitting and predicting a file ask of labels, scores and weights without numpy, whose loading takes longer than
// learning 100 MB of svmlight. Everything comes in as any kind of array, and goes out as plain numbers or as memory.
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "bind/lines.hpp"
#include "learn/decide.hpp"

namespace rosenblatt {
namespace {

using Numbers = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;  // of any shape

// table[label] for each label, and the least of them; a negative label stays as it is. (No label at all: the least is 0.)
nb::tuple coded(const In<std::int32_t>& labels, const std::vector<std::int32_t>& table) {
    const std::size_t count = labels.shape(0);
    Grown<std::int32_t> codes;
    codes.reserve(count);
    codes.resize(count);
    std::int32_t least = count ? std::numeric_limits<std::int32_t>::max() : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t label = labels.data()[i];
        if (label >= static_cast<std::int64_t>(table.size())) throw nb::value_error("the table lacks a label");
        codes[i] = label < 0 ? label : table[static_cast<std::size_t>(label)];
        least = std::min(least, codes[i]);
    }
    return nb::make_tuple(memory_of(codes), least);
}

// Whole numbers from `least` to `most`: those that occur, in order, and the index of each number among them. None where
// some number is no such one.
template <class T>
nb::object ranked(const In<T>& numbers, std::int64_t least, std::int64_t most) {
    const std::size_t count = numbers.shape(0);
    const T low = static_cast<T>(least), high = static_cast<T>(most);
    std::vector<std::int32_t> place(static_cast<std::size_t>(most - least) + 1);
    Grown<std::int32_t> index;
    index.reserve(count);
    index.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const T number = numbers.data()[i];
        if (!(number >= low && number <= high)) return nb::none();
        const auto above = static_cast<std::int32_t>(number - low);
        if (static_cast<T>(above) != number - low) return nb::none();
        index[i] = above;
        place[static_cast<std::size_t>(above)] = 1;
    }
    std::vector<std::int64_t> occurring;
    for (std::size_t k = 0; k < place.size(); ++k)
        if (std::exchange(place[k], static_cast<std::int32_t>(occurring.size())))
            occurring.push_back(least + static_cast<std::int64_t>(k));
    if (occurring.size() < place.size())
        for (std::size_t i = 0; i < count; ++i) index[i] = place[static_cast<std::size_t>(index[i])];
    return nb::make_tuple(occurring, array_of(std::move(index)));
}

// How often a label differs from the one before it, which for the first is `last`; how many there are of each of the
// classes; the last label. Negative ones are passed over.
auto turns(const In<std::int32_t>& labels, std::size_t classes, std::int32_t last) {
    std::vector<std::int64_t> counts(classes);
    std::int64_t made = 0;
    for (std::size_t i = 0; i < labels.shape(0); ++i) {
        const std::int32_t label = labels.data()[i];
        if (label < 0) continue;
        const std::size_t k = static_cast<std::size_t>(label);
        if (k >= counts.size()) counts.resize(k + 1);
        ++counts[k];
        made += last >= 0 && label != last;
        last = label;
    }
    return std::make_tuple(made, counts, last);
}

// Which numbers are not `usual` to the bit, and these; none where writing all of them takes no more bytes.
nb::object unusual(const Numbers& numbers, double usual) {
    const std::size_t size = numbers.size();
    const auto is_usual = [bits = std::bit_cast<std::uint64_t>(usual)](double x) { return std::bit_cast<std::uint64_t>(x) == bits; };
    const double* const all = numbers.data();
    Grown<std::uint32_t> index;
    Grown<double> value;
    const std::size_t count = size - static_cast<std::size_t>(std::count_if(all, all + size, is_usual));
    if (12 * count >= 8 * size || size > std::numeric_limits<std::uint32_t>::max()) return nb::none();
    index.reserve(count);
    value.reserve(count);
    for (std::size_t i = 0; i < size; ++i) {
        if (is_usual(all[i])) continue;
        index.push(static_cast<std::uint32_t>(i));
        value.push(all[i]);
    }
    return nb::make_tuple(memory_of(index), memory_of(value));
}

// The other way: a matrix of `usual` but for the values at the indices; none unless these ascend and lie within it.
nb::object spread(const In<std::uint32_t>& index, const In<double>& value, double usual, std::size_t rows, std::size_t columns) {
    const std::uint32_t *const first = index.data(), *const last = first + index.shape(0);
    if (value.shape(0) != index.shape(0) || std::adjacent_find(first, last, std::greater_equal<>()) != last ||
        (first != last && last[-1] >= rows * columns))
        return nb::none();
    double* whole;
    auto matrix = give<double, nb::memview>(rows, columns, whole);
    if (usual != 0.0) std::fill_n(whole, rows * columns, usual);  // zeros are there already
    for (const std::uint32_t* at = first; at != last; ++at) whole[*at] = value.data()[at - first];
    return nb::cast(matrix);
}

// Where the first number is that does not lie between the least and the most; -1 where all of them do.
std::int64_t outside(const Numbers& numbers, double least, double most) {
    const double *const first = numbers.data(), *const last = first + numbers.size();
    const auto* found = std::find_if_not(first, last, [=](double x) { return least <= x && x <= most; });
    return found == last ? -1 : found - first;
}

// Which column of each row is the highest, the first of equals; of a single one, whether it is above 0.
auto highest_of(const InMatrix& scores) {
    const std::size_t rows = scores.shape(0), columns = scores.shape(1);
    if (columns == 0) throw nb::value_error("scores of no class");
    std::int64_t* found;
    auto result = give<std::int64_t, nb::memview>(rows, found);
    const double* s = scores.data();
    for (std::size_t i = 0; i < rows; ++i, s += columns)
        found[i] = columns == 1 ? *s > 0 : static_cast<std::int64_t>(highest(s, columns));
    return result;
}

// The votes for each class, from the scores of one-vs-one units.
auto majority_of(const InMatrix& scores, std::size_t classes) {
    const std::size_t rows = scores.shape(0), units = scores.shape(1);
    if (classes == 0 || 2 * units != classes * (classes - 1)) throw nb::value_error("one unit for each pair of classes");
    double* votes;
    auto result = give<double, nb::memview>(rows, classes, votes);
    std::vector<double> sums(classes);
    for (std::size_t i = 0; i < rows; ++i) majority(scores.data() + i * units, classes, votes + i * classes, sums.data());
    return result;
}

// The places and sizes of the largest numbers above 0, or of the smallest below 0, the furthest from 0 first.
auto strongest(const In<double>& numbers, bool below, std::size_t most) {
    std::vector<std::pair<std::size_t, double>> found;
    const auto before = [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; };
    for (std::size_t i = 0; i < numbers.shape(0); ++i) {
        const double size = below ? -numbers.data()[i] : numbers.data()[i];
        if (!(size > 0.0) || most == 0 || (found.size() == most && size <= found.front().second)) continue;
        if (found.size() == most) {
            std::pop_heap(found.begin(), found.end(), before);
            found.pop_back();
        }
        found.emplace_back(i, size);
        std::push_heap(found.begin(), found.end(), before);
    }
    std::sort_heap(found.begin(), found.end(), before);
    return found;
}

// The sum of the squares of the first so many numbers.
double squares(const In<double>& numbers, std::size_t count) {
    double sum = 0.0;
    for (std::size_t i = 0; i < std::min(count, numbers.shape(0)); ++i) sum += numbers.data()[i] * numbers.data()[i];
    return sum;
}

// The parts that are chosen, one after another.
nb::bytes joined(const std::vector<nb::bytes>& parts, const In<std::int64_t>& which) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < which.shape(0); ++i) {
        const auto part = static_cast<std::uint64_t>(which.data()[i]);
        if (part >= parts.size()) throw nb::index_error("there is no such part");
        size += parts[part].size();
    }
    nb::object all = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!all.is_valid()) throw nb::python_error();
    char* to = PyBytes_AsString(all.ptr());
    for (std::size_t i = 0; i < which.shape(0); ++i) {
        const nb::bytes& part = parts[static_cast<std::size_t>(which.data()[i])];
        std::memcpy(to, part.c_str(), part.size());
        to += part.size();
    }
    return nb::borrow<nb::bytes>(all);
}

// Where it lies.
std::uintptr_t address(const nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.data());
}

}  // namespace

void bind_memory(nb::module_& m) {
    m.def("address", &address, "memory"_a);
    m.def("coded", &coded, "labels"_a, "table"_a);
    m.def("highest", &highest_of, "scores"_a);
    m.def("joined", &joined, "parts"_a, "which"_a);
    m.def("majority", &majority_of, "scores"_a, "classes"_a);
    m.def("outside", &outside, "numbers"_a, "least"_a, "most"_a);
    m.def("ranked", &ranked<std::int64_t>, "numbers"_a, "least"_a, "most"_a);
    m.def("ranked", &ranked<double>, "numbers"_a, "least"_a, "most"_a);
    m.def("spread", &spread, "index"_a, "value"_a, "usual"_a, "rows"_a, "columns"_a);
    m.def("turns", &turns, "labels"_a, "classes"_a, "last"_a);
    m.def("unusual", &unusual, "numbers"_a, "usual"_a);
    m.def("strongest", &strongest, "numbers"_a, "below"_a, "most"_a);
    m.def("squares", &squares, "numbers"_a, "count"_a);
}

}  // namespace rosenblatt
