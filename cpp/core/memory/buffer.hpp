// A growing array of doubles, aligned to a cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace rosenblatt {

// On Linux, a large buffer has its own mapped pages: it grows by remapping them without a copy, zeros that were never
// read take no memory, and huge pages are requested, since weights are read at random.
class Buffer {
public:
    Buffer() = default;
    Buffer(std::size_t size, double fill) { resize(size, fill); }
    Buffer(const Buffer& other) : Buffer(other.size_, 0.0) { std::copy_n(other.data_, size_, data_); }
    Buffer(Buffer&& other) noexcept { *this = std::move(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(mapped_, other.mapped_);
        return *this;
    }
    Buffer& operator=(const Buffer& other) { return *this = Buffer(other); }
    ~Buffer() { release(); }

    // Never shrinks.
    void resize(std::size_t size, double fill) {
        if (size <= size_) return;
        reserve(size);
        if (!mapped_ || fill != 0.0) std::fill(data_ + size_, data_ + size, fill);
        size_ = size;
    }

    // Throws bad_alloc where there is no memory, and then leaves everything as it was.
    void reserve(std::size_t size) {
        if (size <= capacity_) return;
        if (size > (std::size_t{1} << 48)) throw std::bad_alloc();
#ifdef __linux__
        if (size * sizeof(double) >= mapped_bytes) return reserve_mapped(size);
#endif
        constexpr std::size_t line = 64;
        auto* const larger = static_cast<double*>(std::aligned_alloc(line, (size * sizeof(double) + line - 1) / line * line));
        if (!larger) throw std::bad_alloc();
        replace(larger, size, false);
    }

    double* data() { return data_; }
    const double* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    double& operator[](std::size_t i) { return data_[i]; }
    double operator[](std::size_t i) const { return data_[i]; }

private:
    static constexpr std::size_t mapped_bytes = std::size_t{1} << 17, huge_page_bytes = std::size_t{1} << 21;

#ifdef __linux__
    void reserve_mapped(std::size_t size) {
        void* const larger = mapped_ ? mremap(data_, capacity_ * sizeof(double), size * sizeof(double), MREMAP_MAYMOVE)
                                     : mmap(nullptr, size * sizeof(double), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (larger == MAP_FAILED) throw std::bad_alloc();
        if (size * sizeof(double) >= huge_page_bytes) madvise(larger, size * sizeof(double), MADV_HUGEPAGE);
        if (mapped_) {
            data_ = static_cast<double*>(larger);
            capacity_ = size;
        } else replace(static_cast<double*>(larger), size, true);
    }
#endif

    void replace(double* larger, std::size_t capacity, bool mapped) {
        std::copy_n(data_, size_, larger);
        release();
        data_ = larger;
        capacity_ = capacity;
        mapped_ = mapped;
    }

    void release() {
#ifdef __linux__
        if (mapped_) munmap(data_, capacity_ * sizeof(double));
        else
#endif
            std::free(data_);
    }

    double* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
    bool mapped_ = false;
};

}  // namespace rosenblatt
