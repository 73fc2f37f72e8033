// All products of up to `degree` columns: x1 ... xd, then x1 x1, x1 x2, ... xd xd, then those of three, and so on.
#pragma once

#include <cstddef>
#include <vector>

namespace rosenblatt::ROSENBLATT_ISA {

class ProductsOfColumns {
public:
    // A product of k columns, the first of them j, is column j times a product of k - 1 columns whose first is j or later;
    // those are contiguous, at the end of the previous degree's.
    ProductsOfColumns(std::size_t columns, unsigned degree) : columns_(columns), features_(columns) {
        std::vector<std::size_t> start(columns + 1);
        for (std::size_t j = 0; j <= columns; ++j) start[j] = j;
        for (unsigned k = 2; k <= degree; ++k) {
            std::vector<std::size_t> next(columns + 1);
            for (std::size_t j = 0; j < columns; ++j) {
                steps_.push_back({j, start[j], start[columns]});
                next[j] = features_;
                features_ += start[columns] - start[j];
            }
            next[columns] = features_;
            start = next;
        }
    }

    // After the columns themselves.
    template <class V>
    void add(V* out) const {
        std::size_t at = columns_;
        for (const Step& step : steps_) {
            const V x = out[step.column];
            for (std::size_t i = step.from; i < step.to; ++i) out[at++] = x * out[i];
        }
    }

private:
    struct Step {
        std::size_t column, from, to;
    };
    std::size_t columns_, features_;
    std::vector<Step> steps_;
};

}  // namespace rosenblatt::ROSENBLATT_ISA
