#include "FaultVFS.h"

#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

enum { RULE_COUNT = 64, PATH_SIZE = 512 };

typedef struct {
  char path[PATH_SIZE]; // Empty: the place is free.
  fault_vfs_kind kind;
  int64_t after, times, calls, failures;
} rule;

static rule rules[RULE_COUNT];
static pthread_mutex_t rules_mutex = PTHREAD_MUTEX_INITIALIZER;

static rule *rule_for(const char *path) {
  for (int i = 0; i < RULE_COUNT; i++)
    if (rules[i].path[0] && strcmp(rules[i].path, path) == 0) return &rules[i];
  return NULL;
}

void fault_vfs_arm(const char *path, fault_vfs_kind kind, int64_t after, int64_t times) {
  if (strlen(path) >= PATH_SIZE) return;
  pthread_mutex_lock(&rules_mutex);
  rule *place = rule_for(path);
  for (int i = 0; !place && i < RULE_COUNT; i++)
    if (!rules[i].path[0]) place = &rules[i];
  if (place) {
    *place = (rule){.kind = kind, .after = after, .times = times};
    strcpy(place->path, path);
  }
  pthread_mutex_unlock(&rules_mutex);
}

int64_t fault_vfs_disarm(const char *path) {
  pthread_mutex_lock(&rules_mutex);
  rule *armed = rule_for(path);
  int64_t failures = armed ? armed->failures : -1;
  if (armed) armed->path[0] = 0;
  pthread_mutex_unlock(&rules_mutex);
  return failures;
}

int64_t fault_vfs_calls(const char *path) {
  pthread_mutex_lock(&rules_mutex);
  rule *armed = rule_for(path);
  int64_t calls = armed ? armed->calls : -1;
  pthread_mutex_unlock(&rules_mutex);
  return calls;
}

/// The result with which this call fails, or SQLITE_OK if it is to go through.
static int fault(const char *path, int is_sync) {
  int result = SQLITE_OK;
  if (!path) return result;
  pthread_mutex_lock(&rules_mutex);
  for (int i = 0; i < RULE_COUNT && result == SQLITE_OK; i++) {
    rule *armed = &rules[i];
    if (!armed->path[0] || strncmp(armed->path, path, strlen(armed->path)) != 0) continue;
    if ((armed->kind == FAULT_VFS_SYNC) != is_sync) continue;
    int64_t number = armed->calls++;
    if (number < armed->after) continue;
    if (armed->times >= 0 && number - armed->after >= armed->times) continue;
    armed->failures++;
    result = armed->kind == FAULT_VFS_SYNC ? SQLITE_IOERR_FSYNC
           : armed->kind == FAULT_VFS_FULL ? SQLITE_FULL
                                           : SQLITE_IOERR_WRITE;
  }
  pthread_mutex_unlock(&rules_mutex);
  return result;
}

// A file of ours is followed in memory by the file of the VFS below.
typedef struct {
  sqlite3_file base;
  const char *path; // SQLite keeps it for as long as the file is open; NULL for a temporary file.
} fault_file;

static sqlite3_vfs *below;
static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((fault_file *)file + 1); }

static int file_close(sqlite3_file *f) {
  return real(f)->pMethods ? real(f)->pMethods->xClose(real(f)) : SQLITE_OK;
}
static int file_read(sqlite3_file *f, void *to, int count, sqlite3_int64 at) {
  return real(f)->pMethods->xRead(real(f), to, count, at);
}
static int file_write(sqlite3_file *f, const void *from, int count, sqlite3_int64 at) {
  int result = fault(((fault_file *)f)->path, 0);
  return result == SQLITE_OK ? real(f)->pMethods->xWrite(real(f), from, count, at) : result;
}
static int file_truncate(sqlite3_file *f, sqlite3_int64 size) { return real(f)->pMethods->xTruncate(real(f), size); }
static int file_sync(sqlite3_file *f, int flags) {
  int result = fault(((fault_file *)f)->path, 1);
  return result == SQLITE_OK ? real(f)->pMethods->xSync(real(f), flags) : result;
}
static int file_size(sqlite3_file *f, sqlite3_int64 *size) { return real(f)->pMethods->xFileSize(real(f), size); }
static int file_lock(sqlite3_file *f, int level) { return real(f)->pMethods->xLock(real(f), level); }
static int file_unlock(sqlite3_file *f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
static int file_check_reserved(sqlite3_file *f, int *out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
static int file_control(sqlite3_file *f, int op, void *arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); }
static int file_sector_size(sqlite3_file *f) { return real(f)->pMethods->xSectorSize(real(f)); }
static int file_characteristics(sqlite3_file *f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
static int file_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out) {
  return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}
static int file_shm_lock(sqlite3_file *f, int offset, int count, int flags) {
  return real(f)->pMethods->xShmLock(real(f), offset, count, flags);
}
static void file_shm_barrier(sqlite3_file *f) { real(f)->pMethods->xShmBarrier(real(f)); }
static int file_shm_unmap(sqlite3_file *f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); }

// Version 2 has shared memory, but no memory-mapped pages. So every write calls `file_write`.
static const sqlite3_io_methods methods = {
    2,           file_close,   file_read,           file_write,   file_truncate,    file_sync,
    file_size,   file_lock,    file_unlock,         file_check_reserved, file_control, file_sector_size,
    file_characteristics, file_shm_map, file_shm_lock, file_shm_barrier, file_shm_unmap, NULL, NULL};

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
  (void)vfs;
  ((fault_file *)file)->path = path;
  real(file)->pMethods = NULL;
  int result = below->xOpen(below, path, real(file), flags, out_flags);
  // SQLite calls xClose if and only if `pMethods` is set, so it must be set if the VFS below has set its own.
  file->pMethods = real(file)->pMethods ? &methods : NULL;
  return result;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registration = SQLITE_ERROR;
static sqlite3_vfs fault_vfs;

static void register_once(void) {
  below = sqlite3_vfs_find(NULL);
  if (!below) return;
  fault_vfs = *below; // All functions but xOpen stay those of the default VFS. They need only its data, which is copied.
  fault_vfs.zName = "fault";
  fault_vfs.pNext = NULL;
  fault_vfs.szOsFile = (int)sizeof(fault_file) + below->szOsFile;
  fault_vfs.xOpen = vfs_open;
  registration = sqlite3_vfs_register(&fault_vfs, 0);
}

int fault_vfs_register(void) {
  pthread_once(&once, register_once);
  return registration;
}
