// Dense rows and units that decide together, looked at as floats: an example is right for certain where the score of its
// class is ahead of all the others by more than they can err. Where it is not, the unit of its class is scored exactly,
// and those that may be the best of the others; the rest cannot be it.
#pragma once

#include "learn/filter/loops.hpp"

namespace rosenblatt::ROSENBLATT_ISA {

class NarrowJointly {
public:
    NarrowJointly(const Examples& examples, Learner& learner)
        : examples_(examples), learner_(learner), packed_(examples.rows.features), most_(learner.groups.size()) {
        for (Group& group : learner.groups) columns_.emplace_back(learner, group, examples.rows.largest);
        scratch_.scores.resize(learner.sign_stride);
    }
    std::size_t units() const { return columns_.size(); }
    std::size_t scored() const { return scored_; }  // exactly

    template <class V>
    void visit_four(const V* const (&value)[rows_together], const Order& order, std::size_t p, Fetching& ahead) {
        pack_and_look(packed_, columns_, value, ahead);
        for (std::size_t r = 0; r < rows_together; ++r) {
            const std::size_t row = order[p + r], label = static_cast<std::size_t>(examples_.labels[row]);
            const double weight = weight_of(examples_, learner_, row, label);
            if (weight == 0.0) continue;
            if (certainly_right(label, r)) pass();
            else learn(packed_.row(value[r]), {row, label, weight, std::max(1.0, examples_.rows.largest)}, r);
        }
    }

private:
    // Also notes the most each score may be, and the least that the best of the others is.
    ROSENBLATT_INLINE bool certainly_right(std::size_t label, std::size_t r) {
        const double required = learner_.rule.required;
        const double distance = relative_distance(packed_.lines()) * norm_at_least(packed_.product(r, r), packed_.features);
        double mine = 0.0;
        best_ = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < units(); ++k) {
            const double bias = columns_[k].group->weights.bias[0], s = static_cast<double>(columns_[k].s[r]) + bias;
            const double off = distance * columns_[k].norm + 0x1p-50 * (std::fabs(bias) + required);
            most_[k] = s + off;
            if (k == label) mine = s - off;
            else best_ = std::max(best_, s - off);
        }
        bool right = true;
        for (std::size_t k = 0; k < units(); ++k) right &= k == label || mine - most_[k] > required;
        return right;
    }

    void pass() {
        ++learner_.groups.front().pockets[0].run;
        for (Group& group : learner_.groups) seen(learner_.rule, group);
    }

    template <class V>
    void learn(const DenseRow<V>& row, const Example& example, std::size_t r) {
        double* const s = scratch_.scores.data();
        for (std::size_t k = 0; k < units(); ++k) {
            const bool counts = k == example.label || !(most_[k] < best_);
            s[k] = counts ? score<1>(row, *columns_[k].group) : -std::numeric_limits<double>::infinity();
            scored_ += counts;
        }
        visit_jointly(learner_, row, example, s, scratch_.room, [&](Group& group) {
            columns_[group.first].round();
            look_at_rest(packed_, columns_[group.first], r);
        });
    }

    const Examples& examples_;
    Learner& learner_;
    std::vector<NarrowColumn> columns_;
    Packed<float> packed_;
    Scratch scratch_;
    std::vector<double> most_;
    double best_ = 0.0;
    std::size_t scored_ = 0;
};

inline bool looks_jointly(const Examples& examples, const std::vector<Job>& jobs) {
    const Learner& learner = *jobs.front().learner;
    return jobs.size() == 1 && !jobs.front().group && learner.rule.batch == 1 &&
           Looking(learner, examples.rows.largest).allowed();
}

template <class Reader>
std::size_t work_narrowly_jointly(const Examples& examples, Reader& reader, Learner& learner, std::size_t from,
                                  std::size_t to) {
    const Order order{examples.order, examples.count};
    NarrowJointly narrow(examples, learner);
    std::size_t p = from;
    for (; p + rows_together <= to; p += rows_together) {
        Four<Reader> four(reader, examples, order, p);
        narrow.visit_four(four.row, order, p, four.ahead);
        // As for units that decide apart.
        if (narrow.scored() * 8 > (p + 64 - from) * narrow.units()) return p + rows_together;
    }
    return p;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
