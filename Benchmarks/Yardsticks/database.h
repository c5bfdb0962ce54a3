// Shared by the yardsticks that write a database: the connection, the clock and the handling of errors.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern char *program_invocation_short_name;

static sqlite3 *database;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, sqlite3_errmsg(database));
    exit(74);
}

static void run(const char *sql) { check(sqlite3_exec(database, sql, NULL, NULL, NULL)); }
