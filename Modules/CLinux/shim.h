#pragma once
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Swift cannot call variadic C functions, such as prctl(2).
static inline int profiles_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// Each of these functions sets one option of mallopt(3).
static inline int profiles_use_one_arena(void) { return mallopt(M_ARENA_MAX, 1); }
static inline int profiles_map_larger_blocks_alone(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }

// Glibc declares renameat2(2) only if _GNU_SOURCE is defined before all headers, and a module cannot define it there.
int renameat2(int old_folder, const char *old, int new_folder, const char *new_, unsigned int flags);

// renameat2(2) with RENAME_NOREPLACE.
static inline int profiles_rename_without_replacing(const char *old, const char *new_) {
  return renameat2(-100 /* AT_FDCWD */, old, -100, new_, 1);
}
