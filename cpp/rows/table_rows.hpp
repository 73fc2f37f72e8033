// The columns of a table, side by side, as sparse rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory/memory_pool.hpp"

namespace rosenblatt {

// A column with at most one feature in each row.
struct TableColumn {
    const std::int32_t* codes;     // of each row: a position in `features`, or a feature where there are none; negative: none
    const std::int32_t* features;  // or null; negative: none
    const double* values;          // of each row, or null: 1
};

struct TableRows {
    PooledVector<std::int64_t> starts;
    PooledVector<std::int32_t> indices;
    PooledVector<double> values;
};

// Numbers in row-major order are the first features, as (number - shift) * scale where these are given; a missing one (NaN)
// counts as 0, and zeros are not stored. The features of the other columns follow, each row sorted: of 200,000 rows with 35
// words, learners that sort unsorted rows themselves take a tenth longer.
inline TableRows table_rows(const double* numbers, std::size_t rows, std::size_t n_numbers, const double* shift, const double* scale,
                            const std::vector<TableColumn>& columns) {
    TableRows out;
    const std::size_t most = rows * (n_numbers + columns.size());
    out.starts.resize(rows + 1);
    out.indices.resize(most);
    out.values.resize(most);
    std::int32_t* index = out.indices.data();
    double* value = out.values.data();
    std::size_t count = 0;
    out.starts[0] = 0;
    for (std::size_t row = 0; row < rows; ++row, numbers += n_numbers) {
        // Every entry is written, and the next one overwrites it where it is not stored: no branch to mispredict.
        for (std::size_t j = 0; j < n_numbers; ++j) {
            const double x = shift ? (numbers[j] - shift[j]) * scale[j] : numbers[j];
            index[count] = static_cast<std::int32_t>(j);
            value[count] = x;
            count += (x != 0.0) & (numbers[j] == numbers[j]);
        }
        const std::size_t first_word = count;
        for (const TableColumn& column : columns) {
            const std::int32_t code = column.codes[row], feature = column.features && code >= 0 ? column.features[code] : code;
            const double x = column.values ? column.values[row] : 1.0;
            if (feature < 0 || x == 0.0) continue;
            std::size_t place = count++;
            for (; place > first_word && index[place - 1] > feature; --place) {
                index[place] = index[place - 1];
                value[place] = value[place - 1];
            }
            index[place] = feature;
            value[place] = x;
        }
        out.starts[row + 1] = static_cast<std::int64_t>(count);
    }
    out.indices.resize(count);
    out.values.resize(count);
    return out;
}

// The distinct codes that are not negative in the order of their first appearance, and how often each of `n_codes` occurs.
struct CodesInOrder {
    PooledVector<std::int32_t> order;
    PooledVector<std::int64_t> counts;

    CodesInOrder(const std::int32_t* codes, std::size_t rows, std::size_t n_codes) {
        counts.resize(n_codes);
        for (std::size_t code = 0; code < n_codes; ++code) counts[code] = 0;
        for (std::size_t row = 0; row < rows; ++row)
            if (codes[row] >= 0 && counts[static_cast<std::size_t>(codes[row])]++ == 0) order.push(codes[row]);
    }
};

}  // namespace rosenblatt
