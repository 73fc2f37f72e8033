// Functions that must be inlined wherever they are called: the loops around them are too short for a call.
#pragma once

#define ROSENBLATT_ALWAYS __attribute__((always_inline))
#define ROSENBLATT_INLINE inline ROSENBLATT_ALWAYS
