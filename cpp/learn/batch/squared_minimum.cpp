#include "learn/batch/squared_minimum.hpp"

#include "core/minimise.hpp"
#include "learn/rules/joint_classes.hpp"
#include "learn/scores/score_rows.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

using Vector = std::vector<double>;

constexpr double least_residual = 1e-14;  // of the squared length of the residual, against that at the start

// The equations H x = c of the minimum: the matrix H is never built, only multiplied with vectors.
class Equations {
public:
    Equations(const Examples& examples, double alpha) : examples_(examples), alpha_(alpha), features_(examples.rows.features) {
        for (std::size_t p = 0; p < examples.count; ++p) total_ += weight_of(order()[p]);
    }

    std::size_t size() const { return features_ + 1; }

    // H x, or H x - c if targets are given.
    Vector product(const Vector& x, const double* targets) const {
        const Learner learner = scoring_learner(
            1, features_, [&](std::size_t, std::size_t j) { return x[j]; }, [&](std::size_t) { return x[features_]; });
        Vector sum(size(), 0.0);
        const Order rows = order();
        with_reader(examples_.rows, rows, learner.has_interleaved_units(), [&](auto reader) {
            for (std::size_t p = 0; p < examples_.count; ++p) {
                const auto row = reader[p];
                const double weight = weight_of(rows[p]) / total_;
                if (weight == 0.0) continue;
                double s[8];
                for (const Group& group : learner.groups)
                    with_width(group.width, [&](auto W) { store(s + group.first, score<W()>(row, group)); });
                const double factor = weight * (targets ? s[0] - targets[rows[p]] : s[0]);
                each(row, [&](std::size_t j, double value) { sum[j] += factor * value; });
                sum[features_] += factor;
            }
        });
        for (std::size_t j = 0; j < features_; ++j) sum[j] += alpha_ * x[j];
        return sum;
    }

    Vector diagonal() const {
        Vector squares(size(), 0.0);
        const Order rows = order();
        with_reader(examples_.rows, rows, false, [&](auto reader) {
            for (std::size_t p = 0; p < examples_.count; ++p) {
                const double weight = weight_of(rows[p]) / total_;
                each(reader[p], [&](std::size_t j, double value) { squares[j] += weight * value * value; });
            }
        });
        for (std::size_t j = 0; j < features_; ++j) squares[j] += alpha_;
        squares[features_] = 1.0;
        for (double& part : squares) part = part > 0.0 ? part : 1.0;
        return squares;
    }

private:
    Order order() const { return {examples_.order, examples_.count, examples_.rows.count}; }
    double weight_of(std::size_t row) const { return examples_.sample_weight ? examples_.sample_weight[row] : 1.0; }

    const Examples& examples_;
    double alpha_, total_ = 0.0;
    std::size_t features_;
};

Vector divided(const Vector& x, const Vector& by) {
    Vector result(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) result[j] = x[j] / by[j];
    return result;
}

}  // namespace

std::size_t minimise_squared(const Examples& examples, const double* targets, double alpha, std::size_t steps, double* weights) {
    const Equations equations(examples, alpha);
    const std::size_t n = equations.size();
    Vector x(weights, weights + n);
    const Vector diagonal = equations.diagonal();
    Vector residual = equations.product(x, targets);
    for (double& part : residual) part = -part;
    Vector direction = divided(residual, diagonal);
    double before = dot(residual, direction);
    const double enough = least_residual * before;
    std::size_t visits = 2;
    for (std::size_t step = 0; step < steps && before > enough; ++step, ++visits) {
        const Vector moved = equations.product(direction, nullptr);
        const double curvature = dot(direction, moved);
        if (!(curvature > 0.0)) break;
        const double size = before / curvature;
        for (std::size_t j = 0; j < n; ++j) {
            x[j] += size * direction[j];
            residual[j] -= size * moved[j];
        }
        const Vector scaled = divided(residual, diagonal);
        const double after = dot(residual, scaled);
        const double factor = after / before;
        for (std::size_t j = 0; j < n; ++j) direction[j] = scaled[j] + factor * direction[j];
        before = after;
    }
    std::copy(x.begin(), x.end(), weights);
    return visits;
}

}  // namespace rosenblatt::ROSENBLATT_ISA
