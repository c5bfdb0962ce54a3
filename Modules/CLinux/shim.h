#pragma once
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// prctl(2) is variadic, and Swift calls no variadic C.
static inline int profiles_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// The name of the option is a macro with a cast.
static inline int profiles_use_one_arena(void) { return mallopt(M_ARENA_MAX, 1); }
