// Rows one after the other, from every layout, in any order. A reader hands out views; only where a layout cannot be read
// in place (strided columns, products of columns, unsorted CSR) does it copy, a few rows at a time.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <vector>

#include "core/rows.hpp"
#include "core/simd.hpp"
#include "rows/polynomial.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

template <class V>
struct DenseRow {
    const V* value;
    std::size_t features;
    const std::uint32_t* block;  // first features of the blocks of eight that are not all zero, or null: every block counts
    std::size_t blocks;
};

template <class I, class V>
struct SparseRow {
    const I* index;
    const V* value;
    std::size_t entries;
    std::size_t column(std::size_t k) const { return static_cast<std::size_t>(index[k]); }
};

// Position in the epoch -> row of the matrix. No array means the given order.
struct Order {
    const std::uint32_t* index;
    std::size_t count;
    std::size_t rows;  // of the matrix
    std::size_t operator[](std::size_t p) const { return index ? std::min<std::size_t>(read_once(index + p), rows - 1) : p; }
};

// How many rows ahead memory is prefetched, so that about 16 KB are under way.
inline std::size_t prefetch_rows(std::size_t row_bytes) {
    return std::clamp<std::size_t>(16384 / std::max<std::size_t>(row_bytes, 1), 4, 32);
}

// The same number of cache lines of every row, whatever its length: a loop that the processor predicts.
template <bool to_first_cache>
ROSENBLATT_INLINE void prefetch_lines(const void* from, std::size_t pairs) {
    auto* p = static_cast<const char*>(from);
    for (; pairs > 0; --pairs, p += 128) {
        __builtin_prefetch(p, 0, to_first_cache ? 3 : 2);
        __builtin_prefetch(p + 64, 0, to_first_cache ? 3 : 2);
    }
}

// Where several units score a dense row together, its zero blocks are found once: they add nothing to any of them.
template <class V>
class NonzeroBlocks {
public:
    NonzeroBlocks(std::size_t features, bool wanted) : list_(wanted ? (features + 7) / 8 : 0) {}

    DenseRow<V> operator()(const V* value, std::size_t features) {
        if (list_.empty()) return {value, features, nullptr, 0};
        std::size_t count = 0, j = 0;
        for (; j + 8 <= features; j += 8) {
            const vec<8> x = widen(value + j);
            mask<8> bits;
            std::memcpy(&bits, &x, sizeof x);
            list_[count] = static_cast<std::uint32_t>(j);
            count += any(bits);
        }
        if (j < features) list_[count++] = static_cast<std::uint32_t>(j);
        return {value, features, list_.data(), count};
    }

private:
    std::vector<std::uint32_t> list_;
};

// Rows that must be written out before they can be read: a few of them at a time are gathered into a tile, as doubles (every
// loop is compiled once for each reader). Strided columns (Fortran order, slices) are gathered column by column, so that the
// loads are independent and neighbouring rows share their cache lines. Products of columns are computed here, in the type of
// the columns: the expanded matrix never exists.
class Tile {
public:
    Tile(const Rows& rows, Order order)
        : rows_(rows), order_(order), products_(rows.degree > 1 ? rows.columns : 0, rows.degree),
          height_(std::clamp<std::size_t>(65536 / std::max<std::size_t>(rows.features * sizeof(double), 1), 8, 64)),
          tile_(height_ * rows.features) {}

    static bool is_needed(const Rows& rows) { return !rows.sparse && (rows.degree > 1 || rows.column_stride != 1); }

    void load(std::size_t p, std::size_t count) {
        if (p >= first_ && p + count <= first_ + filled_) return;
        if (rows_.single) fill<float>(p);
        else fill<double>(p);
    }
    const double* at(std::size_t p) const { return tile_.data() + (p - first_) * rows_.features; }

private:
    template <class V>
    const V* value_at(std::size_t p, std::size_t column) const {
        return static_cast<const V*>(rows_.values) + static_cast<std::ptrdiff_t>(order_[p]) * rows_.row_stride +
               static_cast<std::ptrdiff_t>(column) * rows_.column_stride;
    }
    template <class V>
    void fill(std::size_t p) {
        first_ = p;
        filled_ = std::min(height_, order_.count - p);
        const bool continues = !order_.index && p + 2 * height_ <= order_.count;  // each column does so in the next tile
        if (rows_.degree > 1) {
            std::vector<V> products(rows_.features);
            for (std::size_t i = 0; i < filled_; ++i) {
                for (std::size_t j = 0; j < rows_.columns; ++j) products[j] = *value_at<V>(p + i, j);
                products_.add(products.data());
                std::copy(products.begin(), products.end(), tile_.data() + i * rows_.features);
            }
        } else
            for (std::size_t j = 0; j < rows_.features; ++j) {
                for (std::size_t i = 0; continues && i < height_; i += 64 / sizeof(V)) __builtin_prefetch(value_at<V>(p + height_ + i, j));
                for (std::size_t i = 0; i < filled_; ++i) tile_[i * rows_.features + j] = *value_at<V>(p + i, j);
            }
    }

    const Rows& rows_;
    Order order_;
    ProductsOfColumns products_;
    std::size_t height_;
    std::vector<double> tile_;
    std::size_t first_ = 0, filled_ = 0;
};

// Rows in place, or, as doubles, in a tile.
template <class V>
class DenseReader {
public:
    using Value = V;

    DenseReader(const Rows& rows, Order order, bool interleaved)
        : rows_(rows), order_(order), blocks_(rows.features, interleaved), ahead_(prefetch_rows(rows.features * sizeof(V))) {
        if constexpr (std::same_as<V, double>)
            if (Tile::is_needed(rows)) tile_.emplace(rows, order);
    }

    DenseRow<V> operator[](std::size_t p) {
        if (load(p, 1) && p + ahead_ < order_.count) {
            const V* const next = at(p + ahead_);
            for (auto* line = reinterpret_cast<const char*>(next); line < reinterpret_cast<const char*>(next + rows_.features); line += 64)
                __builtin_prefetch(line, 0, 2);
        }
        return blocks_(at(p), rows_.features);
    }
    // Makes at() valid for these rows. True: those after them lie in place too, and may be prefetched.
    bool load(std::size_t p, std::size_t count) {
        if constexpr (std::same_as<V, double>)
            if (tile_) [[unlikely]] {
                tile_->load(p, count);
                return false;
            }
        return true;
    }
    const V* at(std::size_t p) const {
        if constexpr (std::same_as<V, double>)
            if (tile_) [[unlikely]] return tile_->at(p);
        return static_cast<const V*>(rows_.values) + static_cast<std::ptrdiff_t>(order_[p]) * rows_.row_stride;
    }

private:
    const Rows& rows_;
    Order order_;
    NonzeroBlocks<V> blocks_;
    std::size_t ahead_;
    std::optional<Tile> tile_;
};

// Sorted rows. Indices of 32 bits that nobody else can write are read in place; others are copied row
// by row, into 32 bits (every loop is compiled once for each reader) and into the range of the columns.
template <class V>
class CsrReader {
public:
    using Row = SparseRow<std::int32_t, V>;

    CsrReader(const Rows& rows, Order order)
        : rows_(rows), index_(static_cast<const char*>(rows.indices)), value_(static_cast<const V*>(rows.values)),
          index_size_(rows.wide_indices ? sizeof(std::int64_t) : sizeof(std::int32_t)), in_place_(rows.private_indices && !rows.wide_indices),
          order_(order) {
        const std::size_t count = std::max<std::size_t>(rows.count, 1), mean = rows.entries() / count;
        ahead_ = prefetch_rows(rows.entries() * (static_cast<std::size_t>(index_size_) + sizeof(V)) / count);
        index_lines_ = std::min<std::size_t>(mean * static_cast<std::size_t>(index_size_) / 128 + 1, 16);
        value_lines_ = std::min<std::size_t>(mean * sizeof(V) / 128 + 1, 16);
    }

    // A row is prefetched twice: early to the second cache, and, where the order is not that of memory, shortly before its
    // use to the first.
    Row operator[](std::size_t p) {
        if (p + ahead_ < order_.count) {
            prefetch<false>(p + ahead_);
            if (order_.index) {
                prefetch<true>(p + 2);
                if (p + 2 * ahead_ < order_.count) __builtin_prefetch(rows_.starts + order_[p + 2 * ahead_]);
            }
        }
        return at(p);
    }
    // Valid until the next call.
    Row at(std::size_t p) {
        const auto [from, to] = rows_.entries_of(order_[p]);
        const char* const index = index_ + static_cast<std::int64_t>(from) * index_size_;
        if (!in_place_) [[unlikely]]
            return {copied(index, to - from), value_ + from, to - from};
        return {reinterpret_cast<const std::int32_t*>(index), value_ + from, to - from};
    }

private:
    __attribute__((noinline)) const std::int32_t* copied(const char* index, std::size_t entries) {
        if (columns_.size() < entries) columns_.resize(2 * entries);
        if (index_size_ == sizeof(std::int32_t)) copy(reinterpret_cast<const std::uint32_t*>(index), entries);
        else copy(reinterpret_cast<const std::uint64_t*>(index), entries);
        return columns_.data();
    }
    // A register at a time; the last of them overlaps the one before it.
    template <class I>
    ROSENBLATT_INLINE void copy(const I* index, std::size_t entries) {
        constexpr std::size_t width = 2 * natural;
        typedef I Columns __attribute__((vector_size(width * sizeof(I))));
        typedef std::int32_t Narrow __attribute__((vector_size(width * sizeof(std::int32_t))));
        const auto last = static_cast<I>(rows_.features - 1);
        std::int32_t* const columns = columns_.data();
        if (entries < width) {
            for (std::size_t k = 0; k < entries; ++k) columns[k] = static_cast<std::int32_t>(std::min(index[k], last));
            return;
        }
        const auto copy_some = [&](std::size_t k) ROSENBLATT_ALWAYS {
            Columns some;
            std::memcpy(&some, index + k, sizeof some);
            some = some < last ? some : last;
            const Narrow narrow = __builtin_convertvector(some, Narrow);
            std::memcpy(columns + k, &narrow, sizeof narrow);
        };
        for (std::size_t k = 0; k + width <= entries; k += width) copy_some(k);
        copy_some(entries - width);
    }
    template <bool to_first_cache>
    ROSENBLATT_INLINE void prefetch(std::size_t p) const {
        const std::int64_t from = rows_.starts[order_[p]];
        prefetch_lines<to_first_cache>(index_ + from * index_size_, index_lines_);
        prefetch_lines<to_first_cache>(value_ + from, value_lines_);
    }

    const Rows& rows_;
    const char* index_;
    const V* value_;
    std::int64_t index_size_;  // bytes
    bool in_place_;
    Order order_;
    std::size_t ahead_, index_lines_, value_lines_;  // rows ahead; lines of a row, in pairs
    std::vector<std::int32_t> columns_;
};

template <class Reader>
inline constexpr bool is_csr = false;
template <class V>
inline constexpr bool is_csr<CsrReader<V>> = true;

// Rows whose entries are unsorted or repeated: sorted by column, repeated entries added in the order they are stored.
class MessyCsrReader {
public:
    MessyCsrReader(const Rows& rows, Order order) : rows_(rows), order_(order) {}

    CsrReader<double>::Row operator[](std::size_t p) {
        const std::size_t row = order_[p];
        entry_.clear();
        const auto [from, to] = rows_.entries_of(row);
        for (std::size_t k = from; k < to; ++k)
            entry_.push_back({rows_.wide_indices ? rows_.column_of(static_cast<const std::int64_t*>(rows_.indices) + k)
                                                 : rows_.column_of(static_cast<const std::int32_t*>(rows_.indices) + k), k});
        std::sort(entry_.begin(), entry_.end());
        index_.clear();
        value_.clear();
        for (const auto& [column, k] : entry_) {
            if (index_.empty() || index_.back() != static_cast<std::int32_t>(column)) {
                index_.push_back(static_cast<std::int32_t>(column));
                value_.push_back(0.0);
            }
            value_.back() += rows_.single ? static_cast<const float*>(rows_.values)[k] : static_cast<const double*>(rows_.values)[k];
        }
        return {index_.data(), value_.data(), index_.size()};
    }

private:
    const Rows& rows_;
    Order order_;
    std::vector<std::pair<std::int64_t, std::size_t>> entry_;
    std::vector<std::int32_t> index_;
    std::vector<double> value_;
};

// Calls f with the reader that fits the layout; `interleaved`: the rows will be scored by more than one unit at a time.
template <class F>
auto with_reader(const Rows& rows, Order order, bool interleaved, F&& f) {
    if (rows.sparse && !rows.canonical) return f(MessyCsrReader(rows, order));
    if (Tile::is_needed(rows)) return f(DenseReader<double>(rows, order, interleaved));
    const auto with_values = [&](auto value) {
        using V = decltype(value);
        return rows.sparse ? f(CsrReader<V>(rows, order)) : f(DenseReader<V>(rows, order, interleaved));
    };
    return rows.single ? with_values(float{}) : with_values(double{});
}

}  // namespace rosenblatt::ROSENBLATT_ISA
