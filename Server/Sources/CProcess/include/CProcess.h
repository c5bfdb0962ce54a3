#pragma once
#include <sys/prctl.h>

// prctl(2) is variadic, and Swift calls no variadic C.
static inline int profiles_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
