// Which namespaces are crossed: for each pair, every feature of the one is combined with every feature of the other into
// one more feature.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rosenblatt {

class Crossing {
public:
    static constexpr std::size_t max_products = std::size_t{1} << 20;  // of one line and one pair

    explicit Crossing(const std::vector<std::pair<std::string, std::string>>& pairs) {
        for (const auto& [a, b] : pairs) {
            const std::size_t left = add(a), right = add(b);  // in this order
            pairs_.emplace_back(left, right);
        }
        seen_ = std::make_unique<std::atomic<bool>[]>(names_.size());
    }

    const std::vector<std::pair<std::size_t, std::size_t>>& pairs() const { return pairs_; }
    const std::vector<std::string>& names() const { return names_; }

    // The index of a namespace among those that are crossed, or their number. Marks it as seen; the order in which
    // workers do so does not matter.
    std::size_t find_and_mark(std::string_view space) const {
        const auto i = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), space) - names_.begin());
        if (i < names_.size() && !seen_[i].load(std::memory_order_relaxed)) seen_[i].store(true, std::memory_order_relaxed);
        return i;
    }

    std::vector<std::string> never_seen() const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (!seen_[i].load(std::memory_order_relaxed)) names.push_back(names_[i]);
        return names;
    }

private:
    std::size_t add(const std::string& name) {
        const auto at = std::find(names_.begin(), names_.end(), name);
        if (at == names_.end()) return names_.push_back(name), names_.size() - 1;
        return static_cast<std::size_t>(at - names_.begin());
    }

    std::vector<std::string> names_;
    std::vector<std::pair<std::size_t, std::size_t>> pairs_;
    std::unique_ptr<std::atomic<bool>[]> seen_;
};

}  // namespace rosenblatt
