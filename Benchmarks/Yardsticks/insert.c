// Measures how long SQLite takes to insert rows that are already parsed. This is the minimum for an import.
//
//     insert DATABASE CSV INSERT-SQL [--keep-indexes BATCH] [--pragma PRAGMA]…
//
// INSERT-SQL has one parameter for each CSV column, ?1 ?2 … in the file's order, and optionally one more for the row's
// id. By default, everything is one transaction. It drops the indexes of `profiles` and later creates them again.
// With --keep-indexes, the indexes stay, and a transaction is committed every BATCH rows. Reading and parsing the file
// are not measured. The database uses WAL. At the end it is checkpointed (TRUNCATE).
#include "database.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { max_columns = 16 };
struct cell { const char *bytes; int length; };

static char *read_file(const char *path, size_t *size) {
    struct stat status;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0) exit(66);
    char *bytes = malloc((size_t)status.st_size + 1);
    for (*size = 0; *size < (size_t)status.st_size;) {
        ssize_t got = read(file, bytes + *size, (size_t)status.st_size - *size);
        if (got <= 0) exit(74);
        *size += (size_t)got;
    }
    bytes[*size] = '\n';
    close(file);
    return bytes;
}

/// Parses the output of `generate`: quoted values without doubled quotes, and LF line ends. Skips the header.
static struct cell *split(char *bytes, size_t size, int columns, size_t *rows) {
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
    struct cell *cells = malloc((lines + 1) * (size_t)columns * sizeof *cells), *next = cells;
    char *at = memchr(bytes, '\n', size), *end = bytes + size;
    for (at = at ? at + 1 : end; at < end; at++) {
        int quoted = *at == '"';
        char *start = at += quoted;
        while (quoted ? *at != '"' : *at != ',' && *at != '\n') at++;
        *next++ = (struct cell){start, (int)(at - start)};
        at += quoted;
    }
    *rows = (size_t)(next - cells) / (size_t)columns;
    return cells;
}

/// Drops the indexes that CREATE INDEX made. Stores their SQL in `sql` and returns their number.
static int drop_indexes(char *sql[], int limit) {
    sqlite3_stmt *statement;
    char *drops[32];
    int count = 0;
    check(sqlite3_prepare_v2(database, "SELECT sql, format('DROP INDEX \"%w\"', name) FROM sqlite_schema"
        " WHERE type = 'index' AND tbl_name = 'profiles' AND sql IS NOT NULL", -1, &statement, NULL));
    while (sqlite3_step(statement) == SQLITE_ROW && count < limit) {
        sql[count] = strdup((const char *)sqlite3_column_text(statement, 0));
        drops[count++] = strdup((const char *)sqlite3_column_text(statement, 1));
    }
    sqlite3_finalize(statement);
    for (int i = 0; i < count; i++) run(drops[i]);
    return count;
}

static sqlite3_int64 largest_id(void) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v2(database, "SELECT max(id) FROM profiles", -1, &statement, NULL));
    check(sqlite3_step(statement));
    sqlite3_int64 id = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return id;
}

int main(int count, char **arguments) {
    if (count < 4) return fprintf(stderr, "usage: insert DATABASE CSV INSERT-SQL [--keep-indexes BATCH] [--pragma P]\n"), 64;
    size_t size, rows, batch = 0;
    char *bytes = read_file(arguments[2], &size);
    int columns = 1;
    for (char *at = bytes; *at != '\n'; at++) columns += *at == ',';
    struct cell *cells = split(bytes, size, columns, &rows), *cell = cells;

    double start = now();
    check(sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
    run("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0");
    for (int i = 4; i + 1 < count; i += 2) {
        char pragma[256];
        if (strcmp(arguments[i], "--keep-indexes") == 0) { batch = strtoull(arguments[i + 1], NULL, 10); continue; }
        snprintf(pragma, sizeof pragma, "PRAGMA %s", arguments[i + 1]);
        run(pragma);
    }
    char *indexes[32];
    run("BEGIN IMMEDIATE");
    int index_count = batch ? 0 : drop_indexes(indexes, 32);
    sqlite3_int64 id = largest_id();
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(database, arguments[3], -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
    int binds_id = sqlite3_bind_parameter_count(statement) > columns;
    for (size_t row = 0; row < rows; row++) {
        for (int column = 1; column <= columns; column++, cell++)
            check(sqlite3_bind_text(statement, column, cell->bytes, cell->length, SQLITE_STATIC));
        if (binds_id) check(sqlite3_bind_int64(statement, columns + 1, ++id));
        check(sqlite3_step(statement));
        check(sqlite3_reset(statement));
        if (batch && (row + 1) % batch == 0) run("COMMIT; BEGIN IMMEDIATE");
    }
    check(sqlite3_finalize(statement));
    double inserted = now();
    printf("{\"rows\": %zu, \"insert\": %.3f", rows, inserted - start);
    for (int i = 0; i < index_count; i++) {
        double before = now();
        run(indexes[i]);
        printf(", \"index_%d\": %.3f", i + 1, now() - before);
    }
    double indexed = now();
    run("COMMIT");
    double committed = now();
    check(sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL));
    double checkpointed = now();
    check(sqlite3_close(database));
    printf(", \"commit\": %.3f, \"checkpoint\": %.3f, \"seconds\": %.3f}\n", committed - indexed, checkpointed - committed, now() - start);
    return 0;
}
