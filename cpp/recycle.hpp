// Blocks of memory that are used again: a reader gives away arrays of a few megabytes for every chunk, and taking them
// fresh from the system each time costs as much as filling them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace rosenblatt {

class Blocks {
public:
    struct Block {
        void* data = nullptr;
        std::size_t bytes = 0;
    };

    static Blocks& all() {
        static auto* const made = new Blocks;  // never taken down: arrays may be given back while the program ends
        return *made;
    }

    Block take(std::size_t bytes) {
        {
            const std::lock_guard lock(mutex_);
            for (Block& block : free_)
                if (block.bytes >= bytes && block.bytes / 8 <= bytes) {
                    std::swap(block, free_.back());
                    const Block found = free_.back();
                    free_.pop_back();
                    held_ -= found.bytes;
                    return found;
                }
        }
        void* const data = std::malloc(bytes);
        if (!data) throw std::bad_alloc();
        return {data, bytes};
    }

    void give(Block block) noexcept {
        {
            const std::lock_guard lock(mutex_);
            if (held_ + block.bytes <= most_bytes && free_.size() < most_blocks) {
                held_ += block.bytes;
                free_.push_back(block);  // room for all of them is reserved
                return;
            }
        }
        std::free(block.data);
    }

private:
    static constexpr std::size_t most_bytes = std::size_t{48} << 20, most_blocks = 64;

    Blocks() { free_.reserve(most_blocks); }

    std::mutex mutex_;
    std::vector<Block> free_;
    std::size_t held_ = 0;
};

// An array of plain numbers that grows, in such a block; not set to zero.
template <class T>
class Recycled {
public:
    Recycled() = default;
    explicit Recycled(std::size_t count) : block_(Blocks::all().take(count * sizeof(T))) {}
    Recycled(Recycled&& other) noexcept : block_(std::exchange(other.block_, {})) {}
    Recycled& operator=(Recycled&& other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    ~Recycled() {
        if (block_.data) Blocks::all().give(block_);
    }

    T* get() const { return static_cast<T*>(block_.data); }
    T& operator[](std::size_t i) const { return get()[i]; }
    std::size_t room() const { return block_.bytes / sizeof(T); }

private:
    Blocks::Block block_;
};

}  // namespace rosenblatt
