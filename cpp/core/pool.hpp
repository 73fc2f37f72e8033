// Memory for what the parsers give: taken from a pool and given back to it, because fresh pages for every chunk of a
// file cost as much as parsing it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace rosenblatt {

// Blocks by powers of two. What is larger than a chunk of a usual file needs goes back to the system at once.
class Pool {
public:
    static Pool& shared() {
        static Pool* pool = new Pool;  // never destroyed: arrays may outlive every static
        return *pool;
    }

    void* take(std::size_t bytes) {
        const unsigned size = log_of(bytes);
        if (size <= largest) {
            std::lock_guard hold(mutex);
            auto& kept = free[size];
            if (!kept.empty()) {
                void* block = kept.back();
                kept.pop_back();
                return block;
            }
        }
        void* block = std::malloc(std::size_t{1} << size);
        if (!block) throw std::bad_alloc();
        return block;
    }

    void give_back(void* block, std::size_t bytes) noexcept {
        const unsigned size = log_of(bytes);
        if (size <= largest) {
            std::lock_guard hold(mutex);
            if (free[size].size() < at_most) {
                free[size].push_back(block);  // reserved: cannot fail
                return;
            }
        }
        std::free(block);
    }

    static std::size_t room(std::size_t bytes) { return std::size_t{1} << log_of(bytes); }

private:
    static constexpr unsigned smallest = 12, largest = 22;  // 4 KB to 4 MB
    static constexpr std::size_t at_most = 24;              // blocks of one size

    Pool() {
        for (auto& kept : free) kept.reserve(at_most);
    }
    static unsigned log_of(std::size_t bytes) {
        const unsigned log = bytes <= 1 ? 0 : static_cast<unsigned>(std::bit_width(bytes - 1));
        return log < smallest ? smallest : log;
    }

    std::mutex mutex;
    std::array<std::vector<void*>, largest + 1> free;
};

// A growing array of plain numbers in pooled memory.
template <class T>
class Grown {
    static_assert(std::is_trivial_v<T>);

public:
    Grown() = default;
    Grown(Grown&& other) noexcept { *this = std::move(other); }
    Grown& operator=(Grown&& other) noexcept {
        std::swap(first, other.first);
        std::swap(count, other.count);
        std::swap(capacity, other.capacity);
        return *this;
    }
    ~Grown() {
        if (first) Pool::shared().give_back(first, capacity * sizeof(T));
    }

    T* data() { return first; }
    const T* data() const { return first; }
    std::size_t size() const { return count; }
    void resize(std::size_t n) { count = n; }  // within what was reserved
    T& operator[](std::size_t i) { return first[i]; }

    void push(T value) {
        if (count == capacity) reserve(count + 1);
        first[count++] = value;
    }

    // Room for n elements; the contents stay.
    void reserve(std::size_t n) {
        if (n <= capacity) return;
        const std::size_t bytes = Pool::room((n > capacity + capacity / 2 ? n : capacity + capacity / 2) * sizeof(T));
        T* larger = static_cast<T*>(Pool::shared().take(bytes));
        if (count) std::memcpy(larger, first, count * sizeof(T));
        if (first) Pool::shared().give_back(first, capacity * sizeof(T));
        first = larger;
        capacity = bytes / sizeof(T);
    }

private:
    T* first = nullptr;
    std::size_t count = 0, capacity = 0;
};

}  // namespace rosenblatt
