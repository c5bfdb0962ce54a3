// Measures how long SQLite takes to read all columns of every profile once. This is the minimum for a revalidation.
// With COLUMNS, it reads only these columns, which is the minimum for a search.
//
//     scan DATABASE [COLUMNS]
#include <sqlite3.h>
#include <stdio.h>

int main(int count, char **arguments) {
    sqlite3 *database;
    sqlite3_stmt *statement;
    char sql[1000];
    if (count < 2 || count > 3) return 64;
    snprintf(sql, sizeof sql, "SELECT %s FROM profiles", count == 3 ? arguments[2] : "*");
    if (sqlite3_open_v2(arguments[1], &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL)
        || sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return 66;
    int columns = sqlite3_column_count(statement), code;
    long long rows = 0, bytes = 0, touched = 0;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        rows++;
        for (int column = 0; column < columns; column++) {
            if (sqlite3_column_type(statement, column) == SQLITE_INTEGER) {
                touched += sqlite3_column_int64(statement, column);
                continue;
            }
            const unsigned char *text = sqlite3_column_text(statement, column);
            int length = sqlite3_column_bytes(statement, column);
            bytes += length;
            if (length > 0) touched += text[length - 1];
        }
    }
    printf("{\"rows\": %lld, \"bytes\": %lld, \"sum\": %lld}\n", rows, bytes, touched);
    sqlite3_finalize(statement);
    return sqlite3_close(database) == SQLITE_OK && code == SQLITE_DONE ? 0 : 74;
}
