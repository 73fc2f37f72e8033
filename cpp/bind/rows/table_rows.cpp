// Columns of a table from Python, in Arrow's layout, to a matrix, and that to sparse rows.
#include "rows/table_rows.hpp"

#include <algorithm>
#include <memory>

#include "bind/arrays.hpp"
#include "rows/table_cells.hpp"

namespace rosenblatt {
namespace {

using Column = std::tuple<In<std::int32_t>, std::optional<In<std::int32_t>>, std::optional<In<double>>>;

nb::tuple encode_table(InMatrix numbers, std::optional<In<double>> shift, std::optional<In<double>> scale, const std::vector<Column>& columns) {
    const std::size_t rows = numbers.shape(0), n_numbers = numbers.shape(1);
    if (shift.has_value() != scale.has_value() || (shift && (shift->shape(0) != n_numbers || scale->shape(0) != n_numbers)))
        throw nb::value_error("shift and scale must have a number for each column of numbers");
    std::vector<TableColumn> table;
    for (const auto& [codes, features, values] : columns) {
        if (codes.shape(0) != rows || (values && values->shape(0) != rows)) throw nb::value_error("every column must have the same rows");
        const auto most = static_cast<std::int64_t>(features ? features->shape(0) : INT32_MAX);
        std::int32_t largest = -1;
        for (std::size_t i = 0; i < rows; ++i) largest = std::max(largest, codes.data()[i]);
        if (largest >= most) throw nb::value_error("a code has no feature");
        table.push_back({codes.data(), features ? features->data() : nullptr, values ? values->data() : nullptr});
    }
    TableRows out;
    {
        const WithoutGil free;
        out = table_rows(numbers.data(), rows, n_numbers, shift ? shift->data() : nullptr, scale ? scale->data() : nullptr, table);
    }
    return nb::make_tuple(to_array(std::move(out.starts)), to_array(std::move(out.indices)), to_array(std::move(out.values)));
}

nb::tuple codes_in_order(In<std::int32_t> codes, std::size_t n_codes) {
    for (std::size_t i = 0; i < codes.shape(0); ++i)
        if (codes.data()[i] >= static_cast<std::int64_t>(n_codes)) throw nb::value_error("a code is too large");
    CodesInOrder result(codes.data(), codes.shape(0), n_codes);
    return nb::make_tuple(to_array(std::move(result.order)), to_array(std::move(result.counts)));
}

using Bytes = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Validity validity(const std::optional<Bytes>& bits, std::size_t offset, std::size_t rows) {
    if (bits && 8 * bits->nbytes() < offset + rows) throw nb::value_error("the validity bitmap has fewer bits than offset and rows together");
    return {bits ? static_cast<const std::uint8_t*>(bits->data()) : nullptr, offset};
}

using Floats = std::tuple<std::size_t, std::optional<Bytes>, std::optional<Bytes>, std::size_t>;

// Floats of Arrow, (column of the matrix, numbers, validity bits, offset) each. Returns the columns with an
// infinite number.
std::vector<std::size_t> put_numbers_in(InOutMatrix matrix, const std::vector<Floats>& columns) {
    const std::size_t rows = matrix.shape(0), n_columns = matrix.shape(1);
    std::vector<NumberColumn> table;
    for (const auto& [j, numbers, valid, offset] : columns) {
        if (j >= n_columns || (rows && (!numbers || numbers->nbytes() < 8 * (offset + rows))))
            throw nb::value_error("there is no such column, or it has too few numbers");
        if (rows) table.push_back({j, static_cast<const double*>(numbers->data()) + offset, validity(valid, offset, rows)});
    }
    const auto infinite = std::make_unique<bool[]>(n_columns);
    {
        const WithoutGil free;
        put_numbers(table, rows, matrix.data(), n_columns, infinite.get());
    }
    std::vector<std::size_t> result;
    for (std::size_t j = 0; j < n_columns; ++j)
        if (infinite[j]) result.push_back(j);
    return result;
}

// (position of each cell's word or -1, the distinct words) of strings of Arrow, `rows` of them from `offset` on.
template <class Offset>
nb::tuple encode_words_of(const Bytes& starts, const std::optional<Bytes>& data, Validity valid, std::size_t offset, std::size_t rows) {
    const auto* const first = static_cast<const Offset*>(starts.data()) + offset;
    const std::size_t size = data ? data->nbytes() : 0;
    bool ordered = starts.nbytes() >= (offset + rows + 1) * sizeof(Offset) && first[0] >= 0 && static_cast<std::size_t>(first[rows]) <= size;
    for (std::size_t i = 0; i < rows && ordered; ++i) ordered = first[i] <= first[i + 1];
    if (!ordered) throw nb::value_error("the starts of words must be ascending and within their bytes");
    DistinctWords distinct;
    PooledVector<std::int32_t> codes;
    {
        const WithoutGil free;
        codes = encode_words(first, data ? static_cast<const char*>(data->data()) : "", valid, rows, distinct);
    }
    nb::list words;
    for (const std::string_view word : distinct.words) words.append(nb::str(word.data(), word.size()));
    return nb::make_tuple(to_array(std::move(codes)), words);
}

nb::tuple encode_words_in(std::optional<Bytes> starts, std::optional<Bytes> data, std::optional<Bytes> valid, std::size_t offset, std::size_t rows, bool wide) {
    if (rows == 0 || !starts) return nb::make_tuple(to_array(PooledVector<std::int32_t>()), nb::list());
    const Validity validity_of = validity(valid, offset, rows);
    return wide ? encode_words_of<std::int64_t>(*starts, data, validity_of, offset, rows)
                : encode_words_of<std::int32_t>(*starts, data, validity_of, offset, rows);
}

}  // namespace

void bind_table_rows(Module& m) {
    m.def("encode_table", &encode_table, "numbers"_a, "shift"_a.none(), "scale"_a.none(), "columns"_a);
    m.def("put_numbers", &put_numbers_in, "matrix"_a, "columns"_a);
    m.def("encode_words", &encode_words_in, "starts"_a.none(), "data"_a.none(), "valid"_a.none(), "offset"_a, "rows"_a, "wide"_a);
    m.def("codes_in_order", &codes_in_order, "codes"_a, "n_codes"_a);
}

}  // namespace rosenblatt
