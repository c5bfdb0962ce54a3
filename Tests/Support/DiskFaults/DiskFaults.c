#define _GNU_SOURCE
#include "DiskFaults.h"

#include "../DiskRecords/DiskRecords.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// This file calls the kernel directly, because its own functions replace those of libc. Nothing here allocates memory. One
// lock surrounds each call and its record, so that the records have the order of the calls.

enum { PATH_SIZE = 4096 };

static char root[PATH_SIZE];
static size_t root_size;
static int log_descriptor = -1;
static char count_path[PATH_SIZE];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int armed;
static int64_t armed_after, armed_times, calls, failures;

void disk_faults_arm(int kind, int64_t after, int64_t times) {
  pthread_mutex_lock(&lock);
  armed = kind;
  armed_after = after;
  armed_times = times;
  calls = failures = 0;
  pthread_mutex_unlock(&lock);
}

int64_t disk_faults_disarm(void) {
  pthread_mutex_lock(&lock);
  armed = DISK_FAULTS_NONE;
  int64_t count = failures;
  pthread_mutex_unlock(&lock);
  return count;
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("DISK_FAULTS_ROOT");
  if (!folder || strlen(folder) >= sizeof root) return;
  strcpy(root, folder);
  root_size = strlen(root);
  const char *log = getenv("DISK_FAULTS_LOG");
  if (log) {
    int opened = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    // A high descriptor, so that the program's own descriptors have the same numbers as without the library.
    log_descriptor = syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 900);
    syscall(SYS_close, opened);
  }
  const char *count = getenv("DISK_FAULTS_COUNT");
  if (count && strlen(count) < sizeof count_path) strcpy(count_path, count);
  const char *fault = getenv("DISK_FAULTS_FAIL");
  int kind;
  long long after, times;
  if (fault && sscanf(fault, "%d %lld %lld", &kind, &after, &times) == 3) disk_faults_arm(kind, after, times);
}

__attribute__((destructor)) static void end(void) {
  if (!count_path[0]) return;
  char line[64];
  int size = snprintf(line, sizeof line, "%lld %lld\n", (long long)calls, (long long)failures);
  int opened = syscall(SYS_openat, AT_FDCWD, count_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (opened >= 0) {
    syscall(SYS_write, opened, line, size);
    syscall(SYS_close, opened);
  }
}

// MARK: Which file

static int is_under_root(const char *path) {
  return root_size && strncmp(path, root, root_size) == 0 && (path[root_size] == '/' || !path[root_size]);
}

/// Whether an open descriptor leads to the folder or a file in it, with or without a name.
static int is_watched(int descriptor) {
  if (!root_size || descriptor < 0) return 0;
  char link[64], path[PATH_SIZE];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return is_under_root(path);
}

static uint64_t inode_of(int descriptor) {
  struct stat status;
  return syscall(SYS_newfstatat, descriptor, "", &status, AT_EMPTY_PATH) == 0 ? status.st_ino : 0;
}

static uint64_t inode_at(int folder, const char *path, int flags) {
  struct stat status;
  return syscall(SYS_newfstatat, folder, path, &status, flags) == 0 ? status.st_ino : 0;
}

/// A name in a folder under the watched one.
typedef struct {
  uint64_t folder;
  char name[256];
} place;

/// Finds the folder and the last part of a path. Returns whether the folder is a watched one.
static int find(int folder, const char *path, place *found) {
  if (!root_size || !path || strlen(path) >= PATH_SIZE) return 0;
  char parent[PATH_SIZE];
  strcpy(parent, path);
  size_t size = strlen(parent);
  while (size > 1 && parent[size - 1] == '/') parent[--size] = 0;
  char *slash = strrchr(parent, '/');
  const char *name = slash ? slash + 1 : parent;
  if (strlen(name) >= sizeof found->name) return 0;
  strcpy(found->name, name);
  if (!slash)
    strcpy(parent, ".");
  else
    slash[1] = 0;
  int descriptor = syscall(SYS_openat, folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  int is_found = is_watched(descriptor);
  found->folder = inode_of(descriptor);
  syscall(SYS_close, descriptor);
  return is_found;
}

// MARK: Recording

static void put(const void *bytes, size_t size) {
  const char *rest = bytes;
  while (size) {
    ssize_t count = syscall(SYS_write, log_descriptor, rest, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) abort();
    rest += count;
    size -= count;
  }
}

static void record(
    disk_record_kind kind, uint64_t folder, const char *name, uint64_t inode, uint64_t offset, const void *data,
    size_t size) {
  if (log_descriptor < 0) return;
  int code = errno;
  disk_record head = {kind, name ? strlen(name) : 0, folder, inode, offset, size};
  put(&head, sizeof head);
  if (name) put(name, strlen(name));
  put(data, size);
  errno = code;
}

static void record_unknown(int descriptor, const char *call) {
  if (is_watched(descriptor)) record(DISK_RECORD_UNKNOWN, 0, NULL, inode_of(descriptor), 0, call, strlen(call));
}

// MARK: Failing

typedef enum { CALL_READ, CALL_WRITE, CALL_NAME, CALL_SYNC, CALL_OTHER } call_kind;

/// Counts a call on a watched file.
///
/// Returns 0 if the call must be made, -1 if it must fail (errno is set), and 1 if a write must store half of its bytes.
static int fault(call_kind call) {
  switch (armed) {
  case DISK_FAULTS_ERROR: break;
  case DISK_FAULTS_FULL:
    if (call != CALL_WRITE && call != CALL_NAME) return 0;
    break;
  case DISK_FAULTS_SHORT:
    if (call != CALL_WRITE) return 0;
    break;
  case DISK_FAULTS_SYNC:
    if (call != CALL_SYNC) return 0;
    break;
  default: return 0;
  }
  int64_t number = calls++;
  if (number < armed_after) return 0;
  if (armed_times >= 0 && number - armed_after >= armed_times) return 0;
  failures++;
  if (armed == DISK_FAULTS_SHORT && number == armed_after) return 1;
  errno = armed == DISK_FAULTS_ERROR || armed == DISK_FAULTS_SYNC ? EIO : ENOSPC;
  return -1;
}

/// Begins a call on a descriptor: takes the lock if the file is watched. Returns whether it is.
static int enter(int descriptor) {
  int code = errno;
  int watched = is_watched(descriptor);
  errno = code;
  if (watched) pthread_mutex_lock(&lock);
  return watched;
}

static long leave(long result) {
  int code = errno;
  pthread_mutex_unlock(&lock);
  errno = code;
  return result;
}

// MARK: Opening and closing

static int open_file(int folder, const char *path, int flags, mode_t mode) {
  place found;
  int code = errno;
  int is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
  int is_found = find(folder, path, &found);
  if (!is_found && root_size) {
    // The watched folder itself.
    int descriptor = syscall(SYS_openat, folder, path, O_PATH | O_CLOEXEC);
    is_found = is_watched(descriptor);
    if (descriptor >= 0) syscall(SYS_close, descriptor);
  }
  errno = code;
  if (!is_found) return syscall(SYS_openat, folder, path, flags, mode);
  pthread_mutex_lock(&lock);
  int creates = (flags & O_CREAT) || is_unnamed;
  int was_there = !is_unnamed && inode_at(folder, path, 0) != 0;
  errno = code;
  if (fault(creates && !was_there ? CALL_NAME : CALL_OTHER)) return leave(-1);
  int opened = syscall(SYS_openat, folder, path, flags, mode);
  if (opened >= 0) {
    uint64_t inode = inode_of(opened);
    if (is_unnamed)
      record(DISK_RECORD_CREATE, 0, NULL, inode, 0, NULL, 0);
    else if (!was_there)
      record(DISK_RECORD_CREATE, found.folder, found.name, inode, 0, NULL, 0);
    else if (flags & O_TRUNC)
      record(DISK_RECORD_TRUNCATE, 0, NULL, inode, 0, NULL, 0);
  }
  return leave(opened);
}

static mode_t mode_of(int flags, va_list list) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

#define OPEN(name)                                                                                                     \
  int name(const char *path, int flags, ...) {                                                                         \
    va_list list;                                                                                                      \
    va_start(list, flags);                                                                                             \
    mode_t mode = mode_of(flags, list);                                                                                \
    va_end(list);                                                                                                      \
    return open_file(AT_FDCWD, path, flags, mode);                                                                     \
  }
#define OPENAT(name)                                                                                                   \
  int name(int folder, const char *path, int flags, ...) {                                                             \
    va_list list;                                                                                                      \
    va_start(list, flags);                                                                                             \
    mode_t mode = mode_of(flags, list);                                                                                \
    va_end(list);                                                                                                      \
    return open_file(folder, path, flags, mode);                                                                       \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
int creat(const char *path, mode_t mode) { return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int descriptor) {
  if (descriptor >= 0 && descriptor == log_descriptor) return 0;
  if (!enter(descriptor)) return syscall(SYS_close, descriptor);
  int is_failing = fault(CALL_OTHER);
  int result = syscall(SYS_close, descriptor);
  if (is_failing) {
    errno = EIO;
    result = -1;
  }
  return leave(result);
}

// MARK: Reading

ssize_t read(int descriptor, void *buffer, size_t size) {
  if (!enter(descriptor)) return syscall(SYS_read, descriptor, buffer, size);
  return leave(fault(CALL_READ) ? -1 : syscall(SYS_read, descriptor, buffer, size));
}

static ssize_t read_at(int descriptor, void *buffer, size_t size, off64_t offset) {
  if (!enter(descriptor)) return syscall(SYS_pread64, descriptor, buffer, size, offset);
  return leave(fault(CALL_READ) ? -1 : syscall(SYS_pread64, descriptor, buffer, size, offset));
}
ssize_t pread(int descriptor, void *buffer, size_t size, off_t offset) {
  return read_at(descriptor, buffer, size, offset);
}
ssize_t pread64(int descriptor, void *buffer, size_t size, off64_t offset) {
  return read_at(descriptor, buffer, size, offset);
}

// MARK: Writing

/// Writes at an offset, or where the descriptor stands if the offset is negative. The caller has the lock.
static ssize_t write_locked(int descriptor, const void *bytes, size_t size, off64_t offset) {
  int outcome = fault(CALL_WRITE);
  if (outcome < 0) return -1;
  if (outcome > 0 && size > 1) size /= 2;
  off64_t start = offset;
  if (offset < 0) {
    int code = errno;
    struct stat status;
    int flags = syscall(SYS_fcntl, descriptor, F_GETFL);
    start = syscall(SYS_lseek, descriptor, 0, SEEK_CUR);
    if (flags & O_APPEND && syscall(SYS_newfstatat, descriptor, "", &status, AT_EMPTY_PATH) == 0) start = status.st_size;
    errno = code;
  }
  ssize_t count = offset < 0 ? syscall(SYS_write, descriptor, bytes, size)
                             : syscall(SYS_pwrite64, descriptor, bytes, size, offset);
  if (count > 0) record(DISK_RECORD_WRITE, 0, NULL, inode_of(descriptor), start, bytes, count);
  return count;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (enter(descriptor)) return leave(write_locked(descriptor, bytes, size, -1));
  ssize_t count = syscall(SYS_write, descriptor, bytes, size);
  if (descriptor == STDOUT_FILENO && count > 0 && log_descriptor >= 0) {
    pthread_mutex_lock(&lock);
    record(DISK_RECORD_OUTPUT, 0, NULL, 0, 0, bytes, count);
    return leave(count);
  }
  return count;
}

static ssize_t write_at(int descriptor, const void *bytes, size_t size, off64_t offset) {
  if (!enter(descriptor)) return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
  return leave(write_locked(descriptor, bytes, size, offset));
}
ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  return write_at(descriptor, bytes, size, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
  return write_at(descriptor, bytes, size, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (!enter(descriptor)) return syscall(SYS_writev, descriptor, parts, count);
  ssize_t total = 0;
  for (int i = 0; i < count; i++) {
    if (!parts[i].iov_len) continue;
    ssize_t written = write_locked(descriptor, parts[i].iov_base, parts[i].iov_len, -1);
    if (written < 0) return leave(total ? total : -1);
    total += written;
    if ((size_t)written < parts[i].iov_len) break;
  }
  return leave(total);
}

static int truncate_file(int descriptor, off64_t size) {
  if (!enter(descriptor)) return syscall(SYS_ftruncate, descriptor, size);
  if (fault(CALL_OTHER)) return leave(-1);
  int result = syscall(SYS_ftruncate, descriptor, size);
  if (result == 0) record(DISK_RECORD_TRUNCATE, 0, NULL, inode_of(descriptor), size, NULL, 0);
  return leave(result);
}
int ftruncate(int descriptor, off_t size) { return truncate_file(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) { return truncate_file(descriptor, size); }

static int sync_file(int descriptor, long call) {
  if (!enter(descriptor)) return syscall(call, descriptor);
  if (fault(CALL_SYNC)) return leave(-1);
  int result = syscall(call, descriptor);
  if (result == 0) record(DISK_RECORD_SYNC, 0, NULL, inode_of(descriptor), 0, NULL, 0);
  return leave(result);
}
int fsync(int descriptor) { return sync_file(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return sync_file(descriptor, SYS_fdatasync); }

// MARK: Names

static int unlink_file(int folder, const char *path, int flags) {
  place found;
  int code = errno;
  int is_found = find(folder, path, &found);
  errno = code;
  if (!is_found) return syscall(SYS_unlinkat, folder, path, flags);
  pthread_mutex_lock(&lock);
  if (fault(CALL_OTHER)) return leave(-1);
  uint64_t inode = inode_at(folder, path, AT_SYMLINK_NOFOLLOW);
  errno = code;
  int result = syscall(SYS_unlinkat, folder, path, flags);
  if (result == 0) record(DISK_RECORD_UNLINK, found.folder, found.name, inode, 0, NULL, 0);
  return leave(result);
}
int unlink(const char *path) { return unlink_file(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return unlink_file(folder, path, flags); }
int rmdir(const char *path) { return unlink_file(AT_FDCWD, path, AT_REMOVEDIR); }

static int rename_file(int folder, const char *path, int new_folder, const char *new_path, unsigned flags) {
  place old, new;
  int code = errno;
  int is_found = find(folder, path, &old) & find(new_folder, new_path, &new);
  errno = code;
  if (!is_found) return syscall(SYS_renameat2, folder, path, new_folder, new_path, flags);
  pthread_mutex_lock(&lock);
  if (fault(CALL_NAME)) return leave(-1);
  uint64_t inode = inode_at(folder, path, AT_SYMLINK_NOFOLLOW);
  errno = code;
  int result = syscall(SYS_renameat2, folder, path, new_folder, new_path, flags);
  if (result == 0) record(DISK_RECORD_RENAME, old.folder, old.name, inode, new.folder, new.name, strlen(new.name));
  return leave(result);
}
int rename(const char *path, const char *new_path) { return rename_file(AT_FDCWD, path, AT_FDCWD, new_path, 0); }
int renameat(int folder, const char *path, int new_folder, const char *new_path) {
  return rename_file(folder, path, new_folder, new_path, 0);
}
int renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned flags) {
  return rename_file(folder, path, new_folder, new_path, flags);
}

static int link_file(int folder, const char *path, int new_folder, const char *new_path, int flags) {
  place found;
  int code = errno;
  int is_found = find(new_folder, new_path, &found);
  errno = code;
  if (!is_found) return syscall(SYS_linkat, folder, path, new_folder, new_path, flags);
  pthread_mutex_lock(&lock);
  if (fault(CALL_NAME)) return leave(-1);
  int result = syscall(SYS_linkat, folder, path, new_folder, new_path, flags);
  if (result == 0) {
    uint64_t inode = inode_at(new_folder, new_path, AT_SYMLINK_NOFOLLOW);
    record(DISK_RECORD_LINK, found.folder, found.name, inode, 0, NULL, 0);
  }
  return leave(result);
}
int link(const char *path, const char *new_path) { return link_file(AT_FDCWD, path, AT_FDCWD, new_path, 0); }
int linkat(int folder, const char *path, int new_folder, const char *new_path, int flags) {
  return link_file(folder, path, new_folder, new_path, flags);
}

static int make_folder(int folder, const char *path, mode_t mode) {
  place found;
  int code = errno;
  int is_found = find(folder, path, &found);
  errno = code;
  if (!is_found) return syscall(SYS_mkdirat, folder, path, mode);
  pthread_mutex_lock(&lock);
  if (fault(CALL_NAME)) return leave(-1);
  int result = syscall(SYS_mkdirat, folder, path, mode);
  if (result == 0)
    record(
        DISK_RECORD_FOLDER, found.folder, found.name, inode_at(folder, path, AT_SYMLINK_NOFOLLOW), 0, NULL, 0);
  return leave(result);
}
int mkdir(const char *path, mode_t mode) { return make_folder(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char *path, mode_t mode) { return make_folder(folder, path, mode); }

// MARK: Calls that no program of ours makes today

int fallocate(int descriptor, int mode, off_t offset, off_t size) {
  record_unknown(descriptor, "fallocate");
  return syscall(SYS_fallocate, descriptor, mode, offset, size);
}
int posix_fallocate(int descriptor, off_t offset, off_t size) {
  record_unknown(descriptor, "posix_fallocate");
  return syscall(SYS_fallocate, descriptor, 0, offset, size) == 0 ? 0 : errno;
}
ssize_t copy_file_range(int from, off64_t *start, int to, off64_t *offset, size_t size, unsigned flags) {
  record_unknown(to, "copy_file_range");
  return syscall(SYS_copy_file_range, from, start, to, offset, size, flags);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t size) {
  record_unknown(to, "sendfile");
  return syscall(SYS_sendfile, to, from, offset, size);
}
ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  record_unknown(descriptor, "pwritev");
  return syscall(SYS_pwritev, descriptor, parts, count, offset, 0);
}
