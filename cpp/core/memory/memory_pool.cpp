// The one pool of the process. Compiled once, for any machine: what one instruction set allocates another may give back.
#include "core/memory/memory_pool.hpp"

#include <pthread.h>

namespace rosenblatt {

Pool& Pool::shared() {
    static Pool* const pool = new Pool;  // never destroyed: arrays may outlive every static
    return *pool;
}

// The thread that forks holds the lock meanwhile. Otherwise, if another thread used the pool then, the new process
// would have a lock that nobody releases.
Pool::Pool() {
    for (auto& blocks : free_) blocks.reserve(max_blocks);
    pthread_atfork([] { shared().mutex_.lock(); }, [] { shared().mutex_.unlock(); }, [] { shared().mutex_.unlock(); });
}

}  // namespace rosenblatt
