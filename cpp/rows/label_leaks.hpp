// The columns of sparse rows that tell the class of an example by themselves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/rows.hpp"

namespace rosenblatt {

// What one column says about some rows is judged by guessing the class of each from the others: the commonest class of the
// rows with the same value; of a value that no other row has, the class of the neighbour in sorted order. Most rows have no
// entry in most columns, and these are all guessed to be of their commonest class: so a column with few wrong guesses
// occurs in many rows, and the others need not be sorted.
class TellingColumns {
public:
    struct Column {
        std::uint64_t column;
        std::size_t wrong;  // guesses
    };

    // `classes[i]` is the class of the i-th of the rows. If k of n rows have an entry in a column, at most those of the
    // commonest class are guessed right among the other n - k: so a telling column has at least `fewest_` entries.
    TellingColumns(std::vector<std::uint32_t> classes, std::size_t n_classes, std::size_t most_wrong)
        : classes_(std::move(classes)), total_(n_classes, 0), most_wrong_(most_wrong) {
        for (const std::uint32_t c : classes_) ++total_[c];
        const std::size_t right = *std::max_element(total_.begin(), total_.end()) + most_wrong;
        fewest_ = classes_.size() > right ? classes_.size() - right : 0;
    }

    // First every entry is counted, then every entry is added.
    void count(std::uint64_t column) { ++count_[bucket_of(column)]; }

    void add(std::uint32_t row, std::uint64_t column, double value) {
        if (value != 0.0 && count_[bucket_of(column)] >= fewest_) entries_.push_back({column, value, row});
    }

    // The columns with at most so many wrong guesses, in ascending order.
    std::vector<Column> columns() {
        std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.column != b.column ? a.column < b.column : a.row < b.row; });
        std::vector<Column> columns;
        for (std::size_t from = 0, to = 0; from < entries_.size(); from = to) {
            while (to < entries_.size() && entries_[to].column == entries_[from].column) ++to;
            const std::size_t end = sum_repeated(from, to);
            const std::size_t wrong = wrong_guesses(from, end);
            if (wrong <= most_wrong_) columns.push_back({entries_[from].column, wrong});
        }
        return columns;
    }

private:
    struct Entry {
        std::uint64_t column;
        double value;
        std::uint32_t row;
    };
    static constexpr std::size_t buckets = std::size_t{1} << 12;  // counted in the first cache

    static std::size_t bucket_of(std::uint64_t column) { return (column * 0x9E3779B97F4A7C15u) >> 52; }

    // A column may occur twice in a row: its values add up. Returns the end of what is left.
    std::size_t sum_repeated(std::size_t from, std::size_t to) {
        std::size_t end = from;
        for (std::size_t k = from + 1; k < to; ++k) {
            if (entries_[k].row == entries_[end].row) entries_[end].value += entries_[k].value;
            else entries_[++end] = entries_[k];
        }
        return end + 1;
    }

    std::size_t wrong_guesses(std::size_t from, std::size_t to) {
        std::vector<std::size_t> without(total_);
        for (std::size_t k = from; k < to; ++k) --without[classes_[entries_[k].row]];
        const std::size_t n_without = classes_.size() - (to - from);
        std::size_t wrong = n_without - *std::max_element(without.begin(), without.end());
        if (wrong > most_wrong_) return wrong;
        // The rows without an entry are one value among the others, 0.
        std::vector<Value> values;
        if (n_without) values.push_back({0.0, last_without(from, to), n_without});
        for (std::size_t k = from; k < to; ++k) values.push_back({entries_[k].value, entries_[k].row, 1});
        std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) { return a.value != b.value ? a.value < b.value : a.row < b.row; });
        for (std::size_t k = 0, end = 0; k < values.size(); k = end) {
            std::size_t size = 0;
            while (end < values.size() && values[end].value == values[k].value) size += values[end++].rows;
            if (size == 1) wrong += k > 0 && classes_[values[k].row] != classes_[values[k - 1].row];
            else if (end - k > 1) wrong += wrong_among(values, k, end, without);
        }
        return wrong;
    }

    struct Value {
        double value;
        std::uint32_t row;  // the last of them
        std::size_t rows;
    };

    // The wrong guesses in a group of equal values. If the rows without an entry are in the group, their wrong guesses are
    // counted already, and this is what is added to them.
    std::size_t wrong_among(const std::vector<Value>& values, std::size_t from, std::size_t to, const std::vector<std::size_t>& without) const {
        std::vector<std::size_t> count(total_.size(), 0);
        std::size_t size = 0, before = 0;
        for (std::size_t k = from; k < to; ++k) {
            if (values[k].rows == 1) ++count[classes_[values[k].row]], ++size;
            else {
                for (std::size_t c = 0; c < count.size(); ++c) count[c] += without[c];
                before = values[k].rows - *std::max_element(without.begin(), without.end());
                size += values[k].rows;
            }
        }
        return size - *std::max_element(count.begin(), count.end()) - before;
    }

    std::uint32_t last_without(std::size_t from, std::size_t to) const {
        std::size_t row = classes_.size();
        for (std::size_t k = to; k > from && entries_[k - 1].row == row - 1; --k) --row;
        return static_cast<std::uint32_t>(row - 1);
    }

    std::vector<std::uint32_t> classes_;
    std::vector<std::size_t> total_;  // rows of each class
    std::size_t most_wrong_, fewest_;
    std::vector<std::uint32_t> count_ = std::vector<std::uint32_t>(buckets, 0);  // entries, by bucket
    std::vector<Entry> entries_;
};

}  // namespace rosenblatt
