#include "RawWrites.h"

#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

static int run(sqlite3_stmt *statement) {
    int status = sqlite3_step(statement);
    sqlite3_reset(statement);
    return status == SQLITE_DONE;
}

static int write_all(sqlite3_stmt *begin, sqlite3_stmt *insert, sqlite3_stmt *commit, const char *hash, int count) {
    for (int i = 1; i <= count; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "raw%d", i);
        sqlite3_bind_text(insert, 1, name, length, SQLITE_STATIC);
        sqlite3_bind_text(insert, 2, "7876-1241", -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, "12 Main St", -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 6, hash, -1, SQLITE_STATIC);
        sqlite3_bind_int(insert, 7, i);
        if (!run(begin) || !run(insert) || !run(commit)) return 0;
    }
    return 1;
}

double raw_writes(const char *path, const char *sql, const char *hash, int count) {
    sqlite3 *database = NULL;
    sqlite3_stmt *begin = NULL, *insert = NULL, *commit = NULL;
    double seconds = -1;
    // Excludes checkpoints from the measurement.
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK
        && sqlite3_exec(database, "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0", NULL, NULL, NULL) == SQLITE_OK
        && sqlite3_prepare_v3(database, "BEGIN IMMEDIATE", -1, SQLITE_PREPARE_PERSISTENT, &begin, NULL) == SQLITE_OK
        && sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &insert, NULL) == SQLITE_OK
        && sqlite3_prepare_v3(database, "COMMIT", -1, SQLITE_PREPARE_PERSISTENT, &commit, NULL) == SQLITE_OK) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        int succeeded = write_all(begin, insert, commit, hash, count);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (succeeded) seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    }
    sqlite3_finalize(begin);
    sqlite3_finalize(insert);
    sqlite3_finalize(commit);
    sqlite3_close(database);
    return seconds;
}
