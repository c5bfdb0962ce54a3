#pragma once
#include <sys/prctl.h>

// Swift cannot call variadic C functions, such as prctl(2).
static inline int profiles_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
