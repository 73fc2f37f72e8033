// Items such as the chunks of a file, made ahead of the caller by threads that do not use Python, and delivered in order.
// A caller whose next item is not ready makes another one meanwhile, so that as many threads work as were requested.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rosenblatt {

template <class Item>
class ReadAhead {
public:
    using Make = std::function<void(std::size_t number, Item&)>;

    // Until the first call of next(), up to `early` items may be made.
    ReadAhead(Make make, std::size_t count, int threads, std::size_t early = 0)
        : make_(std::move(make)), count_(count), usual_limit_(2 * static_cast<std::size_t>(threads)), limit_(std::max(usual_limit_, early)) {
        try {
            for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
            // The system refuses more threads: those that run, the caller's at least, do all the work.
        }
    }
    ReadAhead(const ReadAhead&) = delete;
    ~ReadAhead() {
        {
            std::lock_guard lock(mutex_);
            started_ = count_;
            limit_ = 0;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    // The next item; null after the last. An exception of its making is thrown in its place.
    std::unique_ptr<Item> next() {
        std::unique_lock lock(mutex_);
        limit_ = usual_limit_;
        for (;;) {
            if (slots_.empty() && started_ >= count_) return nullptr;
            if (!slots_.empty() && slots_.front()->done) break;
            if (may_start()) make_one(lock);
            else changed_.wait(lock);
        }
        const std::unique_ptr<Slot> slot = std::move(slots_.front());
        slots_.pop_front();
        // Waiting threads are woken when several items may be started: waking a thread takes longer than making a few. None
        // sleeps forever: the caller only waits for an item that was started, and finishing that wakes every thread.
        if (2 * slots_.size() <= limit_) changed_.notify_all();
        if (slot->error) std::rethrow_exception(slot->error);
        return std::move(slot->item);
    }

private:
    struct Slot {
        std::unique_ptr<Item> item;
        std::exception_ptr error;
        bool done = false;
    };

    bool may_start() const { return started_ < count_ && slots_.size() < limit_; }

    void make_one(std::unique_lock<std::mutex>& lock) {
        slots_.push_back(std::make_unique<Slot>());
        Slot& slot = *slots_.back();
        const std::size_t number = started_++;
        lock.unlock();
        try {
            slot.item = std::make_unique<Item>();
            make_(number, *slot.item);
        } catch (...) {
            slot.error = std::current_exception();
        }
        lock.lock();
        slot.done = true;
        changed_.notify_all();
    }

    void work() {
        std::unique_lock lock(mutex_);
        while (started_ < count_) {
            if (may_start()) make_one(lock);
            else changed_.wait(lock);
        }
    }

    const Make make_;
    const std::size_t count_, usual_limit_;
    std::size_t limit_;                         // of items started and not yet delivered, so that memory is bounded
    std::size_t started_ = 0;
    std::deque<std::unique_ptr<Slot>> slots_;   // started and not yet delivered, in order
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::thread> threads_;
};

}  // namespace rosenblatt
