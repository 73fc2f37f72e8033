// What a stream needs besides its learners: the pages of its cache, and their checksum for what else must not change.
#include <nanobind/stl/unique_ptr.h>

#include "core/read_ahead.hpp"
#include "bind/lines.hpp"
#include "cache/page.hpp"

namespace rosenblatt {
namespace {

nb::object page_of(Packer& packer, const HeldRows& rows, const In<std::int32_t>& labels, const std::optional<In<double>>& weights) {
    const bool whole = rows.sparse ? rows.starts[0] == 0 && rows.entries() == rows.stored
                                   : rows.column_stride == 1 && rows.row_stride == static_cast<std::ptrdiff_t>(rows.features);
    if (!whole || rows.degree > 1 || labels.shape(0) != rows.count || (weights && weights->shape(0) != rows.count))
        throw nb::value_error("a page holds whole matrices with a label for each row");
    Grown<std::uint8_t> page;
    {
        nb::gil_scoped_release free;
        page = packer.page(rows, labels.data(), weights ? weights->data() : nullptr);
    }
    return memory_of(page);
}

std::unique_ptr<Ahead<Page>> pages_ahead(int fd, std::vector<std::pair<std::int64_t, std::size_t>> places, int threads) {
    if (threads < 1) throw nb::value_error("threads must be at least 1");
    const std::size_t count = places.size();
    const auto read = [fd, places = std::move(places)](std::size_t number, Page& page) {
        const auto [offset, size] = places[number];
        page.content.reserve(size);
        page.content.resize(size);
        std::size_t got = 0;
        while (got < size) {
            const std::size_t more = FromFile{fd}(reinterpret_cast<char*>(page.content.data()) + got, size - got,
                                                  offset + static_cast<std::int64_t>(got));
            if (more == 0) throw Shrunk();
            got += more;
        }
        if (!page.open()) throw std::invalid_argument("a page is damaged");
    };
    return std::make_unique<Ahead<Page>>(read, count, threads);
}

// The next page: the arrays of its matrix (row ends, column numbers, values and how many columns; of a dense one the values
// alone), labels, weights, and the matrix as rows that need no check, or none where they do. None after the last.
nb::object next_page(Ahead<Page>& ahead) {
    auto page = without_python([&] { return ahead.next(); });
    if (!page) return nb::none();
    const Rows& found = page->rows;
    const Page& lies = *page;
    nb::capsule owner(page.release(), [](void* p) noexcept { delete static_cast<Page*>(p); });
    const auto memory = [&]<class T>(const T* first, std::initializer_list<std::size_t> shape) {
        return nb::ndarray<nb::memview, const T>(first, shape, owner);
    };
    const auto values = [&](std::initializer_list<std::size_t> shape) {
        return found.single ? nb::cast(memory(static_cast<const float*>(found.values), shape))
                            : nb::cast(memory(static_cast<const double*>(found.values), shape));
    };
    nb::tuple arrays;
    if (found.sparse) {
        const auto* const index = found.indices;
        const nb::object indices = found.wide_indices ? nb::cast(memory(static_cast<const std::int64_t*>(index), {found.stored}))
                                                      : nb::cast(memory(static_cast<const std::int32_t*>(index), {found.stored}));
        arrays = nb::make_tuple(memory(found.starts, {found.count + 1}), indices, values({found.stored}), found.features);
    } else arrays = nb::make_tuple(values({found.count, found.features}));
    const nb::object weights = lies.weights ? nb::cast(memory(lies.weights, {found.count})) : nb::none();
    const nb::object rows = lies.checked ? nb::cast(HeldRows{found, {}, owner, {}}) : nb::none();
    return nb::make_tuple(arrays, memory(lies.labels, {found.count}), weights, rows);
}

}  // namespace

void bind_stream(nb::module_& m) {
    m.def("checksum", [](const In<std::uint8_t>& bytes) {
        nb::gil_scoped_release free;
        return checksum(bytes.data(), bytes.shape(0));
    }, "bytes"_a);
    nb::class_<Packer>(m, "Packer").def(nb::init<>()).def("page", &page_of, "rows"_a, "labels"_a, "weights"_a.none());
    m.def("pages_ahead", &pages_ahead, "fd"_a, "places"_a, "threads"_a);
    nb::class_<Ahead<Page>>(m, "Pages").def("next", &next_page);
}

}  // namespace rosenblatt
