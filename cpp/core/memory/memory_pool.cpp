// The one pool of the process. Compiled once, for any machine: what one instruction set allocates another may give back.
#include "core/memory/memory_pool.hpp"

#include <pthread.h>

namespace rosenblatt {

Pool& Pool::shared() {
    static Pool* const pool = new Pool;  // never destroyed: arrays may outlive every static
    return *pool;
}

// A process that is forked while another thread uses the pool gets a lock that nobody opens, unless it is held meanwhile by
// the thread that forks.
Pool::Pool() {
    for (auto& blocks : free_) blocks.reserve(max_blocks);
    pthread_atfork([] { shared().mutex_.lock(); }, [] { shared().mutex_.unlock(); }, [] { shared().mutex_.unlock(); });
}

}  // namespace rosenblatt
