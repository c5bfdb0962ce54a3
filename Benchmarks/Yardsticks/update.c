// Measures how long SQLite takes to change one field of every profile in batches, with an entry of the history for each.
//
//     update DATABASE BATCH VALUE SELECT-SQL UPDATE-SQL HISTORY-SQL
//
// SELECT-SQL has the parameters ?1 (the last id of the previous batch) and ?2 (the size of a batch), and returns the id,
// the revision and the value of the profiles that follow. UPDATE-SQL has ?1 (the id) and ?2 (VALUE). HISTORY-SQL has ?1
// (the id), ?2 (the new revision) and ?3 (the old and the new value as JSON). The indexes stay.
#include "database.h"
#include <string.h>

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
    return statement;
}

static void execute(sqlite3_stmt *statement) {
    check(sqlite3_step(statement));
    check(sqlite3_reset(statement));
}

struct profile { sqlite3_int64 id, revision; char value[256]; };

int main(int count, char **arguments) {
    if (count != 7) return fprintf(stderr, "usage: update DATABASE BATCH VALUE SELECT UPDATE HISTORY\n"), 64;
    int batch = atoi(arguments[2]);
    double start = now();
    check(sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
    run("PRAGMA synchronous = FULL; PRAGMA cache_size = -16000");
    sqlite3_stmt *select = prepare(arguments[4]), *update = prepare(arguments[5]), *history = prepare(arguments[6]);
    struct profile *profiles = malloc((size_t)batch * sizeof *profiles);
    sqlite3_int64 last = 0;
    long rows = 0;
    for (int found = batch; found == batch; rows += found) {
        check(sqlite3_bind_int64(select, 1, last));
        check(sqlite3_bind_int(select, 2, batch));
        for (found = 0; sqlite3_step(select) == SQLITE_ROW; found++) {
            const char *value = (const char *)sqlite3_column_text(select, 2);
            profiles[found].id = last = sqlite3_column_int64(select, 0);
            profiles[found].revision = sqlite3_column_int64(select, 1);
            snprintf(profiles[found].value, sizeof profiles[found].value, "%s", value ? value : "");
        }
        check(sqlite3_reset(select));
        run("BEGIN IMMEDIATE");
        for (int i = 0; i < found; i++) {
            char recorded[600];
            int length = snprintf(recorded, sizeof recorded, "{\"values\":{\"address\":[\"%s\",\"%s\"]}}",
                profiles[i].value, arguments[3]);
            check(sqlite3_bind_int64(update, 1, profiles[i].id));
            check(sqlite3_bind_text(update, 2, arguments[3], -1, SQLITE_STATIC));
            execute(update);
            check(sqlite3_bind_int64(history, 1, profiles[i].id));
            check(sqlite3_bind_int64(history, 2, profiles[i].revision + 1));
            check(sqlite3_bind_text(history, 3, recorded, length, SQLITE_STATIC));
            execute(history);
        }
        run("COMMIT");
    }
    run("PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite3_finalize(select);
    sqlite3_finalize(update);
    sqlite3_finalize(history);
    check(sqlite3_close(database));
    printf("{\"rows\": %ld, \"seconds\": %.6f}\n", rows, now() - start);
    return 0;
}
