// The pages of a cache, and their checksum.
#include <nanobind/stl/unique_ptr.h>

#include "bind/parse/parsed_lines.hpp"
#include "cache/page.hpp"
#include "core/memory/read_ahead.hpp"

namespace rosenblatt {
namespace {

std::uint64_t checksum(const In<std::uint8_t>& bytes) {
    const WithoutGil free;
    return native().pages->checksum(bytes.data(), bytes.shape(0));
}

// The rows need not be checked: a page keeps their arrays as they are, and checks them when it is opened.
nb::object pack_page(Packer& packer, const PyRows& py_rows, const In<std::int32_t>& labels, const std::optional<In<double>>& weights,
                     const std::optional<In<double>>& targets) {
    const Rows& rows = py_rows.unchecked();
    const bool whole_matrix = rows.sparse ? rows.starts[0] == 0 && rows.entries() == rows.stored
                                          : rows.column_stride == 1 && rows.row_stride == static_cast<std::ptrdiff_t>(rows.features);
    if (!whole_matrix || rows.degree > 1) throw nb::value_error("a page holds contiguous matrices only, not slices or products of columns");
    const auto fits = [&](const std::optional<In<double>>& numbers) { return !numbers || numbers->shape(0) == rows.count; };
    if (labels.shape(0) != rows.count || !fits(weights) || !fits(targets))
        throw nb::value_error("a page needs one label, and one weight and one target if any, for each row");
    PooledVector<std::uint8_t> page;
    {
        const WithoutGil free;
        page = packer.pack(rows, labels.data(), weights ? weights->data() : nullptr, targets ? targets->data() : nullptr);
    }
    return to_memoryview(page);
}

// `places`: offset and size of each page in the file.
std::unique_ptr<ReadAhead<Page>> pages_ahead(int fd, std::vector<std::pair<std::int64_t, std::size_t>> places, int threads) {
    if (threads < 1) throw nb::value_error("threads must be at least 1");
    const std::size_t count = places.size();
    const auto read = [fd, places = std::move(places)](std::size_t number, Page& page) {
        const auto [offset, size] = places[number];
        page.content.resize(size);
        std::size_t done = 0;
        while (done < size) {
            const std::size_t more = FileSource{fd}(reinterpret_cast<char*>(page.content.data()) + done, size - done,
                                                    offset + static_cast<std::int64_t>(done));
            if (more == 0) throw FileShrank();
            done += more;
        }
        if (!page.open()) throw std::invalid_argument("a page of the cache is damaged");
    };
    return std::make_unique<ReadAhead<Page>>(read, count, threads);
}

// (arrays, labels, weights or None, targets or None, rows). The arrays are those of the matrix: (indptr, indices, values, number of features), or
// (values,) of a dense one. The rows are None where they must be checked first.
nb::object page_to_tuple(std::unique_ptr<Page> opened) {
    const Page& page = *opened;
    const Rows& rows = page.rows;
    nb::capsule owner(opened.release(), [](void* p) noexcept { delete static_cast<Page*>(p); });
    const auto view = [&]<class T>(const T* first, std::initializer_list<std::size_t> shape) {
        return nb::cast(nb::ndarray<nb::memview, const T>(first, shape, owner));
    };
    const auto values = [&](std::initializer_list<std::size_t> shape) {
        return rows.single ? view(static_cast<const float*>(rows.values), shape) : view(static_cast<const double*>(rows.values), shape);
    };
    nb::tuple arrays;
    if (rows.sparse) {
        const nb::object indices = rows.wide_indices ? view(static_cast<const std::int64_t*>(rows.indices), {rows.stored})
                                                     : view(static_cast<const std::int32_t*>(rows.indices), {rows.stored});
        arrays = nb::make_tuple(view(rows.starts, {rows.count + 1}), indices, values({rows.stored}), rows.features);
    } else arrays = nb::make_tuple(values({rows.count, rows.features}));
    const auto numbers = [&](const double* first) { return first ? view(first, {rows.count}) : nb::none(); };
    const nb::object py_rows = page.checked ? nb::cast(PyRows(rows, owner)) : nb::none();
    return nb::make_tuple(arrays, view(page.labels, {rows.count}), numbers(page.weights), numbers(page.targets), py_rows);
}

// None after the last page.
nb::object next_page(ReadAhead<Page>& pages) {
    auto next = without_lock([&] { return pages.next(); });
    return next ? page_to_tuple(std::move(next)) : nb::none();
}

// A page in memory, as another process has sent it.
nb::object open_page(const In<std::uint8_t>& bytes) {
    auto page = std::make_unique<Page>();
    bool valid;
    {
        const WithoutGil free;
        page->content.resize(bytes.shape(0));
        if (bytes.shape(0)) std::memcpy(page->content.data(), bytes.data(), bytes.shape(0));
        valid = page->open();
    }
    if (!valid) throw nb::value_error("a page is damaged");
    return page_to_tuple(std::move(page));
}

}  // namespace

void bind_cache_pages(Module& m) {
    m.def("checksum", &checksum, "bytes"_a);
    Class<Packer>(m, "Packer").def(nb::init<>()).def("page", &pack_page, "rows"_a, "labels"_a, "weights"_a.none(),
                                                                              "targets"_a.none() = nb::none());
    m.def("read_pages_ahead", &pages_ahead, "fd"_a, "places"_a, "threads"_a);
    m.def("open_page", &open_page, "bytes"_a);
    Class<ReadAhead<Page>>(m, "PagesAhead").def("next", &next_page);
}

}  // namespace rosenblatt
