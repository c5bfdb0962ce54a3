#include "SyncCost.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static sqlite3_vfs *below;
static sqlite3_vfs costly;
static atomic_long cost;
// The methods of the underlying VFS, with another xSync. The VFS has several kinds of files, each with its own methods.
static struct { const sqlite3_io_methods *original; sqlite3_io_methods methods; } kinds[8];
static pthread_mutex_t kinds_mutex = PTHREAD_MUTEX_INITIALIZER;

static int take_time(sqlite3_file *file, int flags) {
    (void)file, (void)flags;
    long microseconds = atomic_load(&cost);
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    if (microseconds > 0) nanosleep(&time, NULL);
    return SQLITE_OK;
}

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags) {
    (void)vfs;
    int result = below->xOpen(below, path, file, flags, out_flags);
    if (!file->pMethods) return result;
    pthread_mutex_lock(&kinds_mutex);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].original) {
            kinds[i].original = file->pMethods;
            kinds[i].methods = *file->pMethods;
            kinds[i].methods.xSync = take_time;
        }
        if (kinds[i].original == file->pMethods) {
            file->pMethods = &kinds[i].methods;
            break;
        }
    }
    pthread_mutex_unlock(&kinds_mutex);
    return result;
}

int sync_cost_vfs_register(void) {
    below = sqlite3_vfs_find(NULL);
    if (!below) return SQLITE_ERROR;
    costly = *below;
    costly.zName = "sync cost";
    costly.pNext = NULL;
    costly.xOpen = open_file;
    return sqlite3_vfs_register(&costly, 1);
}

void sync_cost_set(long microseconds) { atomic_store(&cost, microseconds); }
