#include "learn/batch/squared_minimum.hpp"

#include "core/minimise.hpp"
#include "learn/rules/joint_classes.hpp"
#include "learn/scores/score_rows.hpp"

namespace rosenblatt::ROSENBLATT_ISA {
namespace {

using Vector = std::vector<double>;

constexpr double least_residual = 1e-14;  // of the squared length of the residual, against that at the start

// visit(row, its number, its share of the weight) for each example that has a weight.
template <class Visit>
void each_example(const Examples& examples, bool interleaved, Visit&& visit) {
    const Order order{examples.order, examples.count, examples.rows.count};
    const auto weight_of = [&](std::size_t row) { return examples.sample_weight ? examples.sample_weight[row] : 1.0; };
    double total = 0.0;
    for (std::size_t p = 0; p < examples.count; ++p) total += weight_of(order[p]);
    with_reader(examples.rows, order, interleaved, [&](auto reader) {
        for (std::size_t p = 0; p < examples.count; ++p) {
            const auto row = reader[p];
            const double share = weight_of(order[p]) / total;
            if (share != 0.0) visit(row, order[p], share);
        }
    });
}

// The equations H x = c of the minimum. Without products the matrix H is never built, only multiplied with vectors.
class Equations {
public:
    Equations(const Examples& examples, const double* targets, const double* products, double alpha)
        : examples_(examples), targets_(targets), products_(products), alpha_(alpha), features_(examples.rows.features) {}

    std::size_t size() const { return features_ + 1; }

    Vector product(const Vector& x) const { return with_penalty(x, products_ ? product_of_columns(x) : product_of_rows(x, nullptr)); }

    // c - H x
    Vector residual(const Vector& x) const {
        Vector result = with_penalty(x, products_ ? product_of_columns(x) : product_of_rows(x, targets_));
        const double* const c = products_ ? products_ + size() * size() : nullptr;
        for (std::size_t j = 0; j < size(); ++j) result[j] = (c ? c[j] : 0.0) - result[j];
        return result;
    }

    Vector diagonal() const {
        Vector squares(size(), 0.0);
        if (products_)
            for (std::size_t j = 0; j < size(); ++j) squares[j] = products_[j * size() + j];
        else
            each_example(examples_, false, [&](const auto& row, std::size_t, double share) {
                each(row, [&](std::size_t j, double value) { squares[j] += share * value * value; });
            });
        for (std::size_t j = 0; j < features_; ++j) squares[j] += alpha_;
        squares[features_] = 1.0;
        for (double& part : squares) part = part > 0.0 ? part : 1.0;
        return squares;
    }

private:
    Vector product_of_columns(const Vector& x) const {
        Vector sum(size(), 0.0);
        for (std::size_t i = 0; i < size(); ++i) {
            const double* const row = products_ + i * size();
            for (std::size_t j = 0; j < size(); ++j) sum[j] += x[i] * row[j];
        }
        return sum;
    }

    // Less the targets, where there are any.
    Vector product_of_rows(const Vector& x, const double* targets) const {
        const Learner learner = scoring_learner(
            1, features_, [&](std::size_t, std::size_t j) { return x[j]; }, [&](std::size_t) { return x[features_]; });
        Vector sum(size(), 0.0);
        each_example(examples_, learner.has_interleaved_units(), [&](const auto& row, std::size_t number, double share) {
            double s[8];
            for (const Group& group : learner.groups)
                with_width(group.width, [&](auto W) { store(s + group.first, score<W()>(row, group)); });
            const double factor = share * (targets ? s[0] - targets[number] : s[0]);
            each(row, [&](std::size_t j, double value) { sum[j] += factor * value; });
            sum[features_] += factor;
        });
        return sum;
    }

    Vector with_penalty(const Vector& x, Vector product) const {
        for (std::size_t j = 0; j < features_; ++j) product[j] += alpha_ * x[j];
        return product;
    }

    const Examples& examples_;
    const double *targets_, *products_;
    double alpha_;
    std::size_t features_;
};

Vector divided(const Vector& x, const Vector& by) {
    Vector result(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) result[j] = x[j] / by[j];
    return result;
}

}  // namespace

void column_products(const Examples& examples, const double* targets, double* products) {
    const std::size_t n = examples.rows.features + 1;
    std::fill_n(products, (n + 1) * n, 0.0);
    Vector x(n);
    each_example(examples, false, [&](const auto& row, std::size_t number, double share) {
        std::fill(x.begin(), x.end(), 0.0);
        each(row, [&](std::size_t j, double value) { x[j] += value; });
        x[n - 1] = 1.0;
        for (std::size_t i = 0; i <= n; ++i) {  // the targets last
            const double factor = share * (i < n ? x[i] : targets[number]);
            if (factor == 0.0) continue;
            double* const to = products + i * n;
            for (std::size_t j = 0, end = std::min(i + 1, n); j < end; ++j) to[j] += factor * x[j];
        }
    });
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) products[j * n + i] = products[i * n + j];
}

std::size_t minimise_squared(const Examples& examples, const double* targets, const double* products, double alpha, std::size_t steps,
                             double* weights) {
    const Equations equations(examples, targets, products, alpha);
    const std::size_t n = equations.size();
    Vector x(weights, weights + n);
    const Vector diagonal = equations.diagonal();
    Vector residual = equations.residual(x);
    Vector direction = divided(residual, diagonal);
    double before = dot(residual, direction);
    const double enough = least_residual * before;
    std::size_t visits = 2;
    for (std::size_t step = 0; step < steps && before > enough; ++step, ++visits) {
        const Vector moved = equations.product(direction);
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
