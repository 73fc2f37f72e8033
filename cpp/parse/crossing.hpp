// Which namespaces are crossed: of every two that are named together, each feature of the one is learned with each of
// the other, as a feature of its own.
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
    static constexpr std::size_t most = std::size_t{1} << 20;  // products of one line and one pair

    explicit Crossing(const std::vector<std::pair<std::string, std::string>>& pairs) {
        for (const auto& [a, b] : pairs) {
            const std::size_t left = place(a), right = place(b);  // in this order
            pairs_.emplace_back(left, right);
        }
        met_ = std::make_unique<std::atomic<bool>[]>(names_.size());
    }

    const std::vector<std::pair<std::size_t, std::size_t>>& pairs() const { return pairs_; }
    const std::vector<std::string>& names() const { return names_; }

    // The place of a namespace among those that are crossed, or their number. It is remembered that it was met: the
    // same in the end for any number of workers.
    std::size_t met(std::string_view space) const {
        const auto found = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), space) - names_.begin());
        if (found < names_.size() && !met_[found].load(std::memory_order_relaxed)) met_[found].store(true, std::memory_order_relaxed);
        return found;
    }

    std::vector<std::string> lacking() const {
        std::vector<std::string> found;
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (!met_[i].load(std::memory_order_relaxed)) found.push_back(names_[i]);
        return found;
    }

private:
    std::size_t place(const std::string& name) {
        const auto found = std::find(names_.begin(), names_.end(), name);
        if (found == names_.end()) return names_.push_back(name), names_.size() - 1;
        return static_cast<std::size_t>(found - names_.begin());
    }

    std::vector<std::string> names_;
    std::vector<std::pair<std::size_t, std::size_t>> pairs_;
    std::unique_ptr<std::atomic<bool>[]> met_;
};

}  // namespace rosenblatt
