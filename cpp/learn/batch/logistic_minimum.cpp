#include "learn/batch/logistic_minimum.hpp"

#include "core/minimise.hpp"
#include "learn/rules/joint_classes.hpp"
#include "learn/scores/score_rows.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

using Vector = std::vector<double>;

constexpr double tolerance = 1e-9;  // of the objective

class Objective {
public:
    Objective(const Examples& examples, double alpha)
        : examples_(examples), alpha_(alpha), units_(examples.classes == 2 ? 1 : examples.classes), features_(examples.rows.features) {
        for (std::size_t p = 0; p < examples.count; ++p) total_ += weight_of(row_of(p));
    }

    std::size_t size() const { return units_ * (features_ + 1); }

    double operator()(const Vector& weights, Vector& gradient) {
        ++visits;
        const std::size_t stride = features_ + 1;
        const Learner learner = scoring_learner(
            units_, features_, [&](std::size_t u, std::size_t j) { return weights[u * stride + j]; },
            [&](std::size_t u) { return weights[u * stride + features_]; });
        gradient.assign(size(), 0.0);
        Vector s(learner.sign_stride);
        double loss = 0.0;
        const Order order{examples_.order, examples_.count, examples_.rows.count};
        with_reader(examples_.rows, order, learner.has_interleaved_units(), [&](auto reader) {
            for (std::size_t p = 0; p < examples_.count; ++p) {
                const auto row = reader[p];
                const double weight = weight_of(order[p]) / total_;
                if (weight == 0.0) continue;
                for (const Group& group : learner.groups)
                    with_width(group.width, [&](auto W) { store(s.data() + group.first, score<W()>(row, group)); });
                loss += weight * residuals(s.data(), examples_.label_of(order[p]));
                for (std::size_t u = 0; u < units_; ++u) {
                    double* const to = gradient.data() + u * stride;
                    const double factor = weight * s[u];
                    each(row, [&](std::size_t j, double x) { to[j] += factor * x; });
                    to[features_] += factor;
                }
            }
        });
        double squares = 0.0;
        for (std::size_t u = 0; u < units_; ++u)
            for (std::size_t j = 0; j < features_; ++j) {
                const double w = weights[u * stride + j];
                squares += w * w;
                gradient[u * stride + j] += alpha_ * w;
            }
        return loss + 0.5 * alpha_ * squares;
    }

    std::size_t visits = 0;

private:
    std::size_t row_of(std::size_t p) const { return Order{examples_.order, examples_.count, examples_.rows.count}[p]; }
    double weight_of(std::size_t row) const { return examples_.sample_weight ? examples_.sample_weight[row] : 1.0; }

    // Returns the loss of an example, and replaces each score by how much too large that unit's probability is.
    double residuals(double* s, std::size_t label) const {
        if (units_ == 1) {
            const double z = *s, e = exponential(z > 0 ? -z : z), p = (z > 0 ? 1.0 : e) / (1.0 + e);
            *s = p - static_cast<double>(label);
            return (z > 0 ? z : 0.0) + logarithm(1.0 + e) - static_cast<double>(label) * z;
        }
        const double top = *std::max_element(s, s + units_), of_label = s[label];
        double sum = 0.0;
        for (std::size_t k = 0; k < units_; ++k) sum += s[k] = exponential(s[k] - top);
        for (std::size_t k = 0; k < units_; ++k) s[k] /= sum;
        s[label] -= 1.0;
        return logarithm(sum) + top - of_label;
    }

    const Examples& examples_;
    double alpha_, total_ = 0.0;
    std::size_t units_, features_;
};

}  // namespace

std::size_t minimise_logistic(const Examples& examples, double alpha, std::size_t steps, double* weights) {
    Objective objective(examples, alpha);
    const Vector start(weights, weights + objective.size());
    const Vector least = minimise(start, steps, tolerance, [&](const Vector& x, Vector& gradient) { return objective(x, gradient); });
    std::copy(least.begin(), least.end(), weights);
    return objective.visits;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
