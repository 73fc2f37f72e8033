// The chunks of a file, parsed ahead by threads that need nothing of Python, and given in order. Who asks for a chunk
// that is not ready parses another one meanwhile, so that there are as many threads at work as were asked for.
#pragma once

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

#include "parsed.hpp"

namespace rosenblatt {

class Ahead {
public:
    using Parse = std::function<void(std::int64_t begin, std::int64_t end, Parsed&)>;

    // The chunks of `size` bytes: those that begin at a multiple of `chunk`.
    Ahead(Parse parse, std::int64_t size, std::int64_t chunk, int threads)
        : parse(std::move(parse)), size(size), chunk(chunk), room(2 * static_cast<std::size_t>(threads)) {
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
            begun = size;
            room = 0;
        }
        changed.notify_all();
        for (std::thread& thread : team) thread.join();
    }

    // The next chunk and where it ends; none after the last. What went wrong in a chunk is thrown in its place.
    std::pair<std::unique_ptr<Parsed>, std::int64_t> next() {
        std::unique_lock hold(mutex);
        for (;;) {
            if (slots.empty() && begun >= size) return {nullptr, size};
            if (!slots.empty() && slots.front()->filled) break;
            if (may_begin()) begin_one(hold);
            else changed.wait(hold);
        }
        const std::unique_ptr<Slot> slot = std::move(slots.front());
        slots.pop_front();
        changed.notify_all();
        if (slot->fault) std::rethrow_exception(slot->fault);
        return {std::move(slot->parsed), slot->end};
    }

private:
    struct Slot {
        std::int64_t end;
        std::unique_ptr<Parsed> parsed;
        std::exception_ptr fault;
        bool filled = false;
    };

    bool may_begin() const { return begun < size && slots.size() < room; }

    void begin_one(std::unique_lock<std::mutex>& hold) {
        const std::int64_t begin = begun, end = size - begin > chunk ? begin + chunk : size;
        slots.push_back(std::make_unique<Slot>());
        Slot& slot = *slots.back();
        slot.end = begun = end;
        hold.unlock();
        try {
            slot.parsed = std::make_unique<Parsed>();
            parse(begin, end, *slot.parsed);
        } catch (...) {
            slot.fault = std::current_exception();
        }
        hold.lock();
        slot.filled = true;
        changed.notify_all();
    }

    void work() {
        std::unique_lock hold(mutex);
        while (begun < size) {
            if (may_begin()) begin_one(hold);
            else changed.wait(hold);
        }
    }

    const Parse parse;
    const std::int64_t size, chunk;
    std::size_t room;                          // chunks begun and not yet given, so that memory is bounded
    std::int64_t begun = 0;                    // where the first chunk begins that nobody has begun
    std::deque<std::unique_ptr<Slot>> slots;   // begun and not yet given, in order
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::thread> team;
};

}  // namespace rosenblatt
