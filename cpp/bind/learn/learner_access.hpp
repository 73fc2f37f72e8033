// Methods of a learner that wait for their turn (learn/state/thread_access.hpp).
#pragma once

#include "bind/arrays.hpp"

namespace rosenblatt {

// Waits for a lock without holding the interpreter's: the thread that has the learner may be waiting for that one.
template <class Lock>
Lock locked(Access& access) {
    Lock lock(access, std::try_to_lock);
    if (!lock) {
        const WithoutGil free;
        lock.lock();
    }
    return lock;
}

template <class Result, class... Arguments>
auto reading(Result (*method)(const CompactLearner&, Arguments...)) {
    return [method](const CompactLearner& learner, Arguments... arguments) {
        const auto lock = locked<std::shared_lock<Access>>(learner.access);
        return method(learner, std::forward<Arguments>(arguments)...);
    };
}

template <class Result, class... Arguments>
auto changing(Result (*method)(CompactLearner&, Arguments...)) {
    return [method](CompactLearner& learner, Arguments... arguments) {
        const auto lock = locked<std::unique_lock<Access>>(learner.access);
        return method(learner, std::forward<Arguments>(arguments)...);
    };
}

// A pass of several learners: no other thread may begin one with any of them before it ends.
class Pass {
public:
    explicit Pass(const std::vector<CompactLearner*>& learners) {
        for (CompactLearner* learner : learners) {
            if (!learner->access.begin_pass()) {
                end();
                throw std::runtime_error("Another thread is learning with this model: let one thread learn, and the others predict, or give each a model of its own.");
            }
            learners_.push_back(learner);
        }
    }
    Pass(const Pass&) = delete;
    ~Pass() { end(); }

    // Locks all learners. Call it without the interpreter's lock.
    std::vector<std::unique_lock<Access>> lock() const {
        std::vector<std::unique_lock<Access>> locks;
        for (CompactLearner* learner : learners_) locks.emplace_back(learner->access);
        return locks;
    }

private:
    void end() {
        for (CompactLearner* learner : learners_) learner->access.end_pass();
    }

    std::vector<CompactLearner*> learners_;
};

}  // namespace rosenblatt
