#include "RawLookup.h"

#include <sqlite3.h>
#include <stdlib.h>

struct raw_lookup {
    sqlite3 *database;
    sqlite3_stmt *statement;
    int columns;
    volatile long long touched;  // volatile, so that reading the columns is not optimised away
};

struct raw_lookup *raw_lookup_open(const char *path, const char *sql) {
    struct raw_lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup) return NULL;
    if (sqlite3_open_v2(path, &lookup->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK
        || sqlite3_prepare_v3(lookup->database, sql, -1, SQLITE_PREPARE_PERSISTENT, &lookup->statement, NULL) != SQLITE_OK) {
        raw_lookup_close(lookup);
        return NULL;
    }
    lookup->columns = sqlite3_column_count(lookup->statement);
    return lookup;
}

int raw_lookup_find(struct raw_lookup *lookup, const char *name, int length) {
    sqlite3_bind_text(lookup->statement, 1, name, length, SQLITE_STATIC);
    int found = sqlite3_step(lookup->statement) == SQLITE_ROW;
    long long touched = 0;
    for (int column = 0; found && column < lookup->columns; column++) {
        if (sqlite3_column_type(lookup->statement, column) == SQLITE_INTEGER) {
            touched += sqlite3_column_int64(lookup->statement, column);
        } else {
            const unsigned char *text = sqlite3_column_text(lookup->statement, column);
            int length = sqlite3_column_bytes(lookup->statement, column);
            if (length > 0) touched += text[length - 1];
        }
    }
    lookup->touched += touched;
    sqlite3_reset(lookup->statement);
    return found;
}

void raw_lookup_close(struct raw_lookup *lookup) {
    sqlite3_finalize(lookup->statement);
    sqlite3_close(lookup->database);
    free(lookup);
}
