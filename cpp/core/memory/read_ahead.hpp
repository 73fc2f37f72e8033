// Items such as the chunks of a file, made ahead of the caller by threads that do not use Python, and delivered in order.
// A caller whose next item is not ready makes another one meanwhile, so that as many threads work as were requested.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/float_environment.hpp"

namespace rosenblatt {

template <class Item>
class ReadAhead {
public:
    using Make = std::function<void(std::size_t number, Item&)>;

    // Until the first call of next(), up to `early` items may be made.
    ReadAhead(Make make, std::size_t count, int threads, std::size_t early = 0)
        : queue_(std::make_unique<Queue>(std::move(make), count, threads, early)) {}
    ReadAhead(const ReadAhead&) = delete;
    // A process that was forked has none of the threads, and may have a locked mutex: it leaves both alone.
    ~ReadAhead() {
        if (is_forked()) static_cast<void>(queue_.release());
    }

    // The next item; null after the last. An exception of its making is thrown in its place.
    std::unique_ptr<Item> next() {
        if (is_forked()) throw std::runtime_error("The process was forked while it read a file: read it again, from the beginning, in the new process.");
        return queue_->next();
    }

private:
    class Queue {
    public:
        Queue(Make make, std::size_t count, int threads, std::size_t early)
            : make_(std::move(make)), count_(count), usual_limit_(2 * static_cast<std::size_t>(threads)), limit_(std::max(usual_limit_, early)) {
            threads_.reserve(static_cast<std::size_t>(threads));
            try {
                for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { work(); });
            } catch (const std::exception&) {
                // There is no memory or no thread left: those that run, the caller's at least, do all the work.
            }
        }
        ~Queue() {
            {
                std::lock_guard lock(mutex_);
                started_ = count_;
                limit_ = 0;
            }
            changed_.notify_all();
            for (std::thread& thread : threads_) thread.join();
        }

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

        // Throws bad_alloc where there is no memory for a slot; nothing is started then.
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

        void work() noexcept {
            const FloatEnvironment environment;
            std::unique_lock lock(mutex_);
            try {
                while (started_ < count_) {
                    if (may_start()) make_one(lock);
                    else changed_.wait(lock);
                }
            } catch (const std::bad_alloc&) {
                // The caller goes on alone, and raises the error if it meets it too.
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

    bool is_forked() const { return getpid() != process_; }

    const pid_t process_ = getpid();
    std::unique_ptr<Queue> queue_;
};

}  // namespace rosenblatt
