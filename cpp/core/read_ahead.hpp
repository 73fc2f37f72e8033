// Things made one after another, such as the chunks of a file, ahead of who asks for them: by threads that need nothing of
// Python, and given in order. Who asks for one that is not ready makes another meanwhile, so that there are as many threads
// at work as were asked for.
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

template <class Thing>
class Ahead {
public:
    using Make = std::function<void(std::size_t number, Thing&)>;

    // Until somebody asks for the first one, as many as `early` may be made.
    Ahead(Make make, std::size_t count, int threads, std::size_t early = 0)
        : make(std::move(make)), count(count), ahead(2 * static_cast<std::size_t>(threads)), room(std::max(ahead, early)) {
        try {
            for (int i = 1; i < threads; ++i) team.emplace_back([this] { work(); });
        } catch (const std::system_error&) {
            // No more threads to be had: those there are, the asking one at least, do all the work.
        }
    }
    Ahead(const Ahead&) = delete;
    ~Ahead() {
        {
            std::lock_guard hold(mutex);
            begun = count;
            room = 0;
        }
        changed.notify_all();
        for (std::thread& thread : team) thread.join();
    }

    // The next one; none after the last. What went wrong in making it is thrown in its place.
    std::unique_ptr<Thing> next() {
        std::unique_lock hold(mutex);
        room = ahead;
        for (;;) {
            if (slots.empty() && begun >= count) return nullptr;
            if (!slots.empty() && slots.front()->filled) break;
            if (may_begin()) begin_one(hold);
            else changed.wait(hold);
        }
        const std::unique_ptr<Slot> slot = std::move(slots.front());
        slots.pop_front();
        // Whoever waits for room is woken for several at once: to wake a thread takes longer than to make some things. Nobody
        // sleeps for want of it: who asks waits for one that is begun, and its end wakes everybody.
        if (2 * slots.size() <= room) changed.notify_all();
        if (slot->fault) std::rethrow_exception(slot->fault);
        return std::move(slot->thing);
    }

private:
    struct Slot {
        std::unique_ptr<Thing> thing;
        std::exception_ptr fault;
        bool filled = false;
    };

    bool may_begin() const { return begun < count && slots.size() < room; }

    void begin_one(std::unique_lock<std::mutex>& hold) {
        slots.push_back(std::make_unique<Slot>());
        Slot& slot = *slots.back();
        const std::size_t number = begun++;
        hold.unlock();
        try {
            slot.thing = std::make_unique<Thing>();
            make(number, *slot.thing);
        } catch (...) {
            slot.fault = std::current_exception();
        }
        hold.lock();
        slot.filled = true;
        changed.notify_all();
    }

    void work() {
        std::unique_lock hold(mutex);
        while (begun < count) {
            if (may_begin()) begin_one(hold);
            else changed.wait(hold);
        }
    }

    const Make make;
    const std::size_t count, ahead;
    std::size_t room;                          // begun and not yet given at most, so that memory is bounded
    std::size_t begun = 0;                     // the first one that nobody has begun
    std::deque<std::unique_ptr<Slot>> slots;   // begun and not yet given, in order
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::thread> team;
};

}  // namespace rosenblatt
