// Memory for what the parsers produce, recycled through a pool: fresh pages for every chunk of a file cost as much as
// parsing it.
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

// Free blocks by powers of two. Blocks larger than a chunk of a usual file needs go back to the system at once.
class Pool {
public:
    static Pool& shared();

    void* take(std::size_t bytes) {
        const unsigned size = log_of(bytes);
        if (size <= largest) {
            std::lock_guard lock(mutex_);
            auto& blocks = free_[size];
            if (!blocks.empty()) {
                void* block = blocks.back();
                blocks.pop_back();
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
            std::lock_guard lock(mutex_);
            if (free_[size].size() < max_blocks) {
                free_[size].push_back(block);  // reserved: cannot fail
                return;
            }
        }
        std::free(block);
    }

    static std::size_t rounded_up(std::size_t bytes) { return std::size_t{1} << log_of(bytes); }

private:
    static constexpr unsigned smallest = 12, largest = 22;  // 4 KB to 4 MB
    static constexpr std::size_t max_blocks = 24;           // of one size

    Pool();
    static unsigned log_of(std::size_t bytes) {
        const unsigned log = bytes <= 1 ? 0 : static_cast<unsigned>(std::bit_width(bytes - 1));
        return log < smallest ? smallest : log;
    }

    std::mutex mutex_;
    std::array<std::vector<void*>, largest + 1> free_;
};

// A growing array of plain numbers in pooled memory.
template <class T>
class PooledVector {
    static_assert(std::is_trivial_v<T>);

public:
    PooledVector() = default;
    PooledVector(PooledVector&& other) noexcept { *this = std::move(other); }
    PooledVector& operator=(PooledVector&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~PooledVector() {
        if (data_) Pool::shared().give_back(data_, capacity_ * sizeof(T));
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    void resize(std::size_t n) {  // leaves new elements uninitialised
        reserve(n);
        size_ = n;
    }
    T& operator[](std::size_t i) { return data_[i]; }

    void push(T value) {
        if (size_ == capacity_) reserve(size_ + 1);
        data_[size_++] = value;
    }

    void reserve(std::size_t n) {
        if (n <= capacity_) return;
        const std::size_t bytes = Pool::rounded_up((n > capacity_ + capacity_ / 2 ? n : capacity_ + capacity_ / 2) * sizeof(T));
        T* larger = static_cast<T*>(Pool::shared().take(bytes));
        if (size_) std::memcpy(larger, data_, size_ * sizeof(T));
        if (data_) Pool::shared().give_back(data_, capacity_ * sizeof(T));
        data_ = larger;
        capacity_ = bytes / sizeof(T);
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace rosenblatt
