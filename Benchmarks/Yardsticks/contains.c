// Measures a hand-written search for a text in some columns of every profile. SQLite reads the columns. The search
// ignores the case of ASCII letters.
//
//     contains DATABASE COLUMNS TEXT
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(int count, char **arguments) {
    sqlite3 *database;
    sqlite3_stmt *statement;
    char sql[4096];
    struct timespec start, end;
    if (count != 4) return 64;
    snprintf(sql, sizeof sql, "SELECT %s FROM profiles", arguments[2]);
    if (sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL)
        || sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return 66;
    int columns = sqlite3_column_count(statement), code;
    long long found = 0;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (int column = 0; column < columns; column++) {
            const char *text = (const char *)sqlite3_column_text(statement, column);
            if (text && strcasestr(text, arguments[3])) {
                found++;
                break;
            }
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("{\"found\": %lld, \"seconds\": %.6f}\n", found,
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
    sqlite3_finalize(statement);
    return sqlite3_close(database) == SQLITE_OK && code == SQLITE_DONE ? 0 : 74;
}
