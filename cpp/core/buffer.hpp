// Doubles that grow, aligned to a cache line.
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

// Many doubles lie in pages of their own, where the system gives such: they grow by moving the pages and not what is in
// them, zeros that nobody has looked at take no memory, and huge pages are asked for, since weights are visited at random.
class Buffer {
public:
    Buffer() = default;
    Buffer(std::size_t size, double fill) { resize(size, fill); }
    Buffer(const Buffer& other) : Buffer(other.size_, 0.0) { std::copy_n(other.data_, size_, data_); }
    Buffer(Buffer&& other) noexcept { *this = std::move(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
        std::swap(own_pages_, other.own_pages_);
        return *this;
    }
    Buffer& operator=(const Buffer& other) { return *this = Buffer(other); }
    ~Buffer() { drop(); }

    // It never becomes smaller.
    void resize(std::size_t size, double fill) {
        if (size <= size_) return;
        reserve(size);
        if (!own_pages_ || fill != 0.0) std::fill(data_ + size_, data_ + size, fill);
        size_ = size;
    }

    // Room for this many without moving; what is there stays as it is, also where there is no memory.
    void reserve(std::size_t size) {
        if (size <= room_) return;
        if (size > (std::size_t{1} << 48)) throw std::bad_alloc();
#ifdef __linux__
        if (size * sizeof(double) >= many) return reserve_pages(size);
#endif
        constexpr std::size_t line = 64;
        auto* const fresh = static_cast<double*>(std::aligned_alloc(line, (size * sizeof(double) + line - 1) / line * line));
        if (!fresh) throw std::bad_alloc();
        replace(fresh, size, false);
    }

    double* data() { return data_; }
    const double* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t room() const { return room_; }
    double& operator[](std::size_t i) { return data_[i]; }
    double operator[](std::size_t i) const { return data_[i]; }

private:
    static constexpr std::size_t many = std::size_t{1} << 17, huge = std::size_t{1} << 21;  // bytes

#ifdef __linux__
    void reserve_pages(std::size_t size) {
        void* const fresh = own_pages_ ? mremap(data_, room_ * sizeof(double), size * sizeof(double), MREMAP_MAYMOVE)
                                       : mmap(nullptr, size * sizeof(double), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fresh == MAP_FAILED) throw std::bad_alloc();
        if (size * sizeof(double) >= huge) madvise(fresh, size * sizeof(double), MADV_HUGEPAGE);
        if (own_pages_) {
            data_ = static_cast<double*>(fresh);
            room_ = size;
        } else replace(static_cast<double*>(fresh), size, true);
    }
#endif

    void replace(double* fresh, std::size_t room, bool pages) {
        std::copy_n(data_, size_, fresh);
        drop();
        data_ = fresh;
        room_ = room;
        own_pages_ = pages;
    }

    void drop() {
#ifdef __linux__
        if (own_pages_) munmap(data_, room_ * sizeof(double));
        else
#endif
            std::free(data_);
    }

    double* data_ = nullptr;
    std::size_t size_ = 0, room_ = 0;
    bool own_pages_ = false;
};

}  // namespace rosenblatt
