// Work that is shared out over threads.
#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "core/float_environment.hpp"

namespace rosenblatt {

// Calls work(0) ... work(shares - 1), all at once, the first of them here. A share whose thread cannot be started,
// because memory or threads have run out, is done here too. An exception of a share is rethrown once all of them have ended.
template <class Work>
void in_parallel(std::size_t shares, const Work& work) {
    if (shares <= 1) return shares ? work(0) : void();
    std::vector<std::exception_ptr> errors(shares);
    const auto guarded = [&](std::size_t share) noexcept {
        try {
            const FloatEnvironment environment;
            work(share);
        } catch (...) {
            errors[share] = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(shares);
    std::size_t started = 1;
    try {
        for (; started < shares; ++started) threads.emplace_back(guarded, started);
    } catch (const std::exception&) {
    }
    guarded(0);
    for (std::size_t share = started; share < shares; ++share) guarded(share);
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

}  // namespace rosenblatt
