// Who may use a learner at the same time: any number of threads that read it, or one that changes it. A thread that learns for
// long gives way every few milliseconds, between two examples: what others read is one model, of that moment.
#pragma once

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <new>
#include <shared_mutex>

namespace rosenblatt {

// A lock for std::unique_lock and std::shared_lock. A thread that waits holds the turn, so that none overtakes it: neither
// readers nor the learner can keep the other out. A process that was forked while other threads used the learner has none
// of these threads: it forgets them.
class Access {
public:
    Access() = default;
    Access(const Access&) {}  // nobody uses a copy yet
    Access& operator=(const Access&) { return *this; }

    void lock() {
        std::lock_guard turn(turn_);
        lock_.lock();
    }
    bool try_lock() {
        return attempt([this] {
            const std::unique_lock turn(turn_, std::try_to_lock);
            return turn && lock_.try_lock();
        });
    }
    void unlock() { lock_.unlock(); }

    void lock_shared() {
        std::lock_guard turn(turn_);
        lock_.lock_shared();
    }
    bool try_lock_shared() {
        return attempt([this] {
            const std::unique_lock turn(turn_, std::try_to_lock);
            return turn && lock_.try_lock_shared();
        });
    }
    void unlock_shared() { lock_.unlock_shared(); }

    // For the whole of a pass, between whose parts others may read. False: another thread is in the middle of one.
    bool begin_pass() {
        return attempt([this] { return !in_pass_.exchange(true); });
    }
    void end_pass() { in_pass_ = false; }

private:
    template <class Try>
    bool attempt(Try once) {
        if (once()) return true;
        if (getpid() == process_) return false;
        new (&turn_) std::mutex;
        new (&lock_) std::shared_mutex;
        in_pass_ = false;
        process_ = getpid();
        return once();
    }

    std::mutex turn_;
    std::shared_mutex lock_;
    std::atomic<bool> in_pass_ = false;
    pid_t process_ = getpid();
};

}  // namespace rosenblatt
