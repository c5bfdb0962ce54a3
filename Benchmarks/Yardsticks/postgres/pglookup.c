// Looks up rows with a prepared statement and libpq alone, with several concurrent callers. Each caller has its own
// thread and connection.
//
//     pglookup URI SQL KEYS CALLERS SECONDS
//
// KEYS is a file with one parameter value in each line. Prints the elapsed seconds divided by the number of look-ups.
#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char **keys;
static size_t key_count;
static const char *uri, *sql;
static atomic_bool is_over;
static atomic_long total;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *message) {
    fprintf(stderr, "pglookup: %s\n", message);
    exit(1);
}

static PGconn *connect_and_prepare(void) {
    PGconn *connection = PQconnectdb(uri);
    if (PQstatus(connection) != CONNECTION_OK) fail(PQerrorMessage(connection));
    PGresult *result = PQprepare(connection, "lookup", sql, 1, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail(PQerrorMessage(connection));
    PQclear(result);
    return connection;
}

// Reads the values of the found row, as a caller would.
static size_t look_up(PGconn *connection, const char *key) {
    const char *values[] = {key};
    int lengths[] = {(int)strlen(key)}, formats[] = {1};
    PGresult *result = PQexecPrepared(connection, "lookup", 1, values, lengths, formats, 1);
    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1) fail(PQerrorMessage(connection));
    size_t bytes = 0;
    for (int column = 0; column < PQnfields(result); column++) {
        if (!PQgetisnull(result, 0, column)) {
            char *copy = malloc((size_t)PQgetlength(result, 0, column) + 1);
            memcpy(copy, PQgetvalue(result, 0, column), (size_t)PQgetlength(result, 0, column));
            bytes += (size_t)copy[0];
            free(copy);
        }
    }
    PQclear(result);
    return bytes;
}

static void *caller(void *argument) {
    PGconn *connection = connect_and_prepare();
    size_t key = (size_t)argument * 7919 % key_count;
    long count = 0;
    size_t bytes = 0;
    while (!is_over) {
        bytes += look_up(connection, keys[key]);
        key = (key + 1) % key_count;
        count++;
    }
    total += count;
    PQfinish(connection);
    return (void *)bytes;
}

int main(int count, char **arguments) {
    if (count != 6) return 64;
    uri = arguments[1];
    sql = arguments[2];
    int callers = atoi(arguments[4]);
    double seconds = atof(arguments[5]);
    FILE *file = fopen(arguments[3], "r");
    if (!file) fail("the file of keys cannot be read");
    char *line = NULL;
    size_t room = 0, capacity = 0;
    ssize_t length;
    while ((length = getline(&line, &room, file)) > 0) {
        line[length - 1] = 0;
        if (key_count == capacity) keys = realloc(keys, (capacity = capacity * 2 + 1024) * sizeof *keys);
        keys[key_count++] = strdup(line);
    }
    fclose(file);
    pthread_t threads[256];
    if (callers < 1 || callers > 256 || key_count == 0) return 64;
    double start = now();
    for (long number = 0; number < callers; number++) pthread_create(&threads[number], NULL, caller, (void *)number);
    nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}, NULL);
    is_over = 1;
    for (int number = 0; number < callers; number++) pthread_join(threads[number], NULL);
    printf("{\"seconds\": %.9f}\n", (now() - start) / (double)total);
    return 0;
}
