// Rows one after the other, from every layout, in the order asked for. A reader hands out views; only where a layout
// cannot be read as it lies (strided columns, unsorted CSR) does it copy, a few rows at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "rows/polynomial.hpp"
#include "core/rows.hpp"
#include "core/simd.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

template <class V>
struct DenseRow {
    const V* value;
    std::size_t features;
    const std::uint32_t* block;  // first features of the blocks of eight that are not all zero, where asked for
    std::size_t blocks;
};

template <class I, class V>
struct SparseRow {
    const I* index;
    const V* value;
    std::size_t entries;
};

// Position in the epoch -> row of the matrix. No array means the given order.
struct Order {
    const std::uint32_t* index;
    std::size_t count;
    std::size_t operator[](std::size_t p) const { return index ? index[p] : p; }
};

ROSENBLATT_INLINE void fetch(const void* from, const void* to) {
    for (auto* p = static_cast<const char*>(from); p < to; p += 64) __builtin_prefetch(p, 0, 2);
}

// As many cache lines of every row, whatever its length: a loop that never surprises the processor.
template <bool near>
ROSENBLATT_INLINE void fetch_lines(const void* from, std::size_t pairs) {
    auto* p = static_cast<const char*>(from);
    for (; pairs > 0; --pairs, p += 128) {
        __builtin_prefetch(p, 0, near ? 3 : 2);
        __builtin_prefetch(p + 64, 0, near ? 3 : 2);
    }
}

// How many rows ahead memory is asked for, so that about this many bytes are under way.
inline std::size_t distance(std::size_t row_bytes) {
    return std::clamp<std::size_t>(16384 / std::max<std::size_t>(row_bytes, 1), 4, 32);
}

// Several units score a dense row together; blocks of it that are zero add nothing to any of them, so they are found
// once. Without several units there is nothing to find.
template <class V>
class Blocks {
public:
    Blocks(std::size_t features, bool wanted) : list_(wanted ? (features + 7) / 8 : 0) {}

    DenseRow<V> operator()(const V* value, std::size_t features) {
        if (list_.empty()) return {value, features, nullptr, 0};
        std::size_t found = 0, j = 0;
        for (; j + 8 <= features; j += 8) {
            const vec<8> x = widen(value + j);
            mask<8> bits;
            std::memcpy(&bits, &x, sizeof x);
            list_[found] = static_cast<std::uint32_t>(j);
            found += any(bits);
        }
        if (j < features) list_[found++] = static_cast<std::uint32_t>(j);
        return {value, features, list_.data(), found};
    }

private:
    std::vector<std::uint32_t> list_;
};

template <class V>
class DenseReader {
public:
    using Value = V;

    DenseReader(const Rows& rows, Order order, bool several)
        : rows_(rows), order_(order), blocks_(rows.features, several), ahead_(distance(rows.features * sizeof(V))) {}

    DenseRow<V> operator[](std::size_t p) {
        if (p + ahead_ < order_.count) {
            const V* next = at(p + ahead_);
            fetch(next, next + rows_.features);
        }
        return blocks_(at(p), rows_.features);
    }
    const V* hold(std::size_t p, std::size_t) { return at(p); }  // rows stay where they are
    const V* at(std::size_t p) const {
        return static_cast<const V*>(rows_.values) + static_cast<std::ptrdiff_t>(order_[p]) * rows_.row_stride;
    }

private:
    const Rows& rows_;
    Order order_;
    Blocks<V> blocks_;
    std::size_t ahead_;
};

// Columns lie apart (Fortran order, slices): the next rows are gathered into a tile, column by column, so that the
// loads are independent and neighbouring rows share their cache lines.
template <class V>
class TileReader {
public:
    using Value = V;

    TileReader(const Rows& rows, Order order, bool several)
        : rows_(rows), order_(order), blocks_(rows.features, several),
          height_(std::clamp<std::size_t>(65536 / std::max<std::size_t>(rows.features * sizeof(V), 1), 8, 64)),
          tile_(height_ * rows.features) {}

    DenseRow<V> operator[](std::size_t p) {
        if (p < first_ || p >= first_ + filled_) fill(p);
        return blocks_(at(p), rows_.features);
    }
    // The next rows will be used together: the tile must hold them all. There is nothing to fetch ahead.
    const V* hold(std::size_t p, std::size_t count) {
        if (p < first_ || p + count > first_ + filled_) fill(p);
        return nullptr;
    }
    const V* at(std::size_t p) const { return tile_.data() + (p - first_) * rows_.features; }

private:
    void fill(std::size_t p) {
        first_ = p;
        filled_ = std::min(height_, order_.count - p);
        const auto* values = static_cast<const V*>(rows_.values);
        for (std::size_t j = 0; j < rows_.features; ++j) {
            const V* column = values + static_cast<std::ptrdiff_t>(j) * rows_.column_stride;
            for (std::size_t i = 0; i < filled_; ++i)
                tile_[i * rows_.features + j] = column[static_cast<std::ptrdiff_t>(order_[p + i]) * rows_.row_stride];
        }
    }
    const Rows& rows_;
    Order order_;
    Blocks<V> blocks_;
    std::size_t height_;
    std::vector<V> tile_;
    std::size_t first_ = 0, filled_ = 0;
};

// Products of columns, made for a few rows at a time and forgotten: the expanded matrix is never written out.
template <class V>
class ProductReader {
public:
    using Value = V;

    ProductReader(const Rows& rows, Order order, bool several)
        : rows_(rows), order_(order), blocks_(rows.features, several), products_(rows.columns, rows.degree),
          height_(std::clamp<std::size_t>(65536 / std::max<std::size_t>(rows.features * sizeof(V), 1), 4, 64)),
          column_(rows.columns), tile_(height_ * rows.features) {}

    DenseRow<V> operator[](std::size_t p) {
        if (p < first_ || p >= first_ + filled_) fill(p);
        return blocks_(at(p), rows_.features);
    }
    const V* hold(std::size_t p, std::size_t count) {
        if (p < first_ || p + count > first_ + filled_) fill(p);
        return nullptr;
    }
    const V* at(std::size_t p) const { return tile_.data() + (p - first_) * rows_.features; }

private:
    void fill(std::size_t p) {
        first_ = p;
        filled_ = std::min(height_, order_.count - p);
        for (std::size_t i = 0; i < filled_; ++i) {
            const V* const row = static_cast<const V*>(rows_.values) +
                                 static_cast<std::ptrdiff_t>(order_[p + i]) * rows_.row_stride;
            for (std::size_t j = 0; j < rows_.columns; ++j)
                column_[j] = row[static_cast<std::ptrdiff_t>(j) * rows_.column_stride];
            products_.write(column_.data(), tile_.data() + i * rows_.features);
        }
    }
    const Rows& rows_;
    Order order_;
    Blocks<V> blocks_;
    ProductsOfColumns products_;
    std::size_t height_;
    std::vector<V> column_, tile_;
    std::size_t first_ = 0, filled_ = 0;
};

template <class I, class V>
class CsrReader {
public:
    CsrReader(const Rows& rows, Order order)
        : starts_(rows.starts), index_(static_cast<const I*>(rows.indices)), value_(static_cast<const V*>(rows.values)),
          order_(order),
          ahead_(distance(rows.entries() * (sizeof(I) + sizeof(V)) / std::max<std::size_t>(rows.count, 1))) {
        const std::size_t mean = rows.entries() / std::max<std::size_t>(rows.count, 1);
        index_lines_ = std::min<std::size_t>(mean * sizeof(I) / 128 + 1, 16);
        value_lines_ = std::min<std::size_t>(mean * sizeof(V) / 128 + 1, 16);
    }

    // Memory is asked for twice: from afar to the second cache, and, where rows do not lie one after the other, a
    // little before its use to the first.
    SparseRow<I, V> operator[](std::size_t p) {
        if (p + ahead_ < order_.count) {
            ask<false>(p + ahead_);
            if (order_.index) {
                ask<true>(p + 2);
                if (p + 2 * ahead_ < order_.count) __builtin_prefetch(starts_ + order_[p + 2 * ahead_]);
            }
        }
        return at(p);
    }
    SparseRow<I, V> at(std::size_t p) const {
        const std::size_t row = order_[p];
        const std::int64_t from = starts_[row];
        return {index_ + from, value_ + from, static_cast<std::size_t>(starts_[row + 1] - from)};
    }

private:
    template <bool near>
    ROSENBLATT_INLINE void ask(std::size_t p) const {
        const std::int64_t from = starts_[order_[p]];
        fetch_lines<near>(index_ + from, index_lines_);
        fetch_lines<near>(value_ + from, value_lines_);
    }

    const std::int64_t* starts_;
    const I* index_;
    const V* value_;
    Order order_;
    std::size_t ahead_, index_lines_, value_lines_;  // rows ahead; lines of a row, in pairs
};

template <class Reader>
inline constexpr bool is_csr = false;
template <class I, class V>
inline constexpr bool is_csr<CsrReader<I, V>> = true;

// Rows whose entries are unsorted or repeated: sorted by column, repeated entries added in the order they are stored.
template <class I, class V>
class MessyCsrReader {
public:
    MessyCsrReader(const Rows& rows, Order order) : rows_(rows), order_(order) {}

    SparseRow<std::int64_t, double> operator[](std::size_t p) {
        const std::size_t row = order_[p];
        const std::int64_t from = rows_.starts[row], to = rows_.starts[row + 1];
        const auto* index = static_cast<const I*>(rows_.indices);
        const auto* value = static_cast<const V*>(rows_.values);
        entry_.clear();
        for (std::int64_t k = from; k < to; ++k) entry_.push_back({index[k], k});
        std::sort(entry_.begin(), entry_.end());
        index_.clear();
        value_.clear();
        for (const auto& [column, k] : entry_) {
            if (index_.empty() || index_.back() != column) {
                index_.push_back(column);
                value_.push_back(0.0);
            }
            value_.back() += static_cast<double>(value[k]);
        }
        return {index_.data(), value_.data(), index_.size()};
    }

private:
    const Rows& rows_;
    Order order_;
    std::vector<std::pair<std::int64_t, std::int64_t>> entry_;
    std::vector<std::int64_t> index_;
    std::vector<double> value_;
};

// Calls f with the reader that fits the layout; `several`: the rows will be scored by more than one unit at a time.
template <class F>
auto with_reader(const Rows& rows, Order order, bool several, F&& f) {
    const auto values = [&](auto value) {
        using V = decltype(value);
        if (rows.sparse) {
            const auto indices = [&](auto index) {
                using I = decltype(index);
                return rows.canonical ? f(CsrReader<I, V>(rows, order)) : f(MessyCsrReader<I, V>(rows, order));
            };
            return rows.wide_indices ? indices(std::int64_t{}) : indices(std::int32_t{});
        }
        if (rows.degree > 1) return f(ProductReader<V>(rows, order, several));
        return rows.column_stride == 1 ? f(DenseReader<V>(rows, order, several)) : f(TileReader<V>(rows, order, several));
    };
    return rows.single ? values(float{}) : values(double{});
}

}  // namespace rosenblatt::ROSENBLATT_ISA
