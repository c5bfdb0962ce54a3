// Measures the time from a key press in a terminal table until the program writes its next output. Some key presses
// come while the program is searching.
//
//     keys COMMAND ARGUMENT...
//     keys --search TEXT WORD COMMAND ARGUMENT...
//
// With --search, the program only types a search for TEXT, without a pause. It measures the time until the output
// contains WORD, which must be part of a hit.
#define _GNU_SOURCE
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int terminal;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

// Returns whether there is output within this number of milliseconds.
static int isDrawn(int milliseconds) {
    struct pollfd waiting = {terminal, POLLIN, 0};
    return poll(&waiting, 1, milliseconds) == 1 && waiting.revents & POLLIN;
}

// Reads until there is no output for this number of milliseconds. Returns whether the output contained a word.
static int drain(int milliseconds, const char *word) {
    static char bytes[65536];
    int isThere = 0;
    ssize_t count;
    while (isDrawn(milliseconds) && (count = read(terminal, bytes, sizeof bytes)) > 0) {
        if (word && memmem(bytes, count, word, strlen(word))) isThere = 1;
    }
    return isThere;
}

static int compare(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

// Types a search, and returns the time until the word is drawn; a negative time if it is not drawn within a minute.
static double search(const char *text, const char *word) {
    static char bytes[65536 + 256];
    size_t kept = 0;
    double start = now();
    if (write(terminal, "/", 1) != 1 || write(terminal, text, strlen(text)) < 0) return -1;
    while (isDrawn(60000)) {
        ssize_t got = read(terminal, bytes + kept, 65536);
        if (got <= 0) return -1;
        kept += (size_t)got;
        if (memmem(bytes, kept, word, strlen(word))) return now() - start;
        // The word may arrive in two parts.
        size_t tail = kept < 256 ? kept : 256;
        memmove(bytes, bytes + kept - tail, tail);
        kept = tail;
    }
    return -1;
}

int main(int count, char **arguments) {
    struct winsize size = {40, 120, 0, 0};
    const char *text = NULL, *word = NULL;
    if (count > 4 && strcmp(arguments[1], "--search") == 0) {
        text = arguments[2];
        word = arguments[3];
        arguments += 3;
    }
    if (count < 2) return 64;
    pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (child < 0) return 71;
    if (child == 0) {
        setenv("TERM", "xterm-256color", 1);
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    static double times[1000];
    int pressed = 0;
    // The first screen of a store is a welcome screen.
    if (drain(1500, "Welcome") && write(terminal, "\r", 1) != 1) return 74;
    drain(300, NULL);
    double found = text ? search(text, word) : 0;
    const char *back[] = {"\033[F", "\033[H"};
    for (int turn = 0; !text && turn < 300; turn++) {
        const char *key = turn < 150 ? "\033[B" : turn < 200 ? "\033[6~" : turn < 220 ? back[turn % 2] : NULL;
        char letter[2] = {"/main st\177\177\177\177elm\177\177"[(turn - 220) % 17], 0};
        if (!key) key = letter;
        double start = now();
        if (write(terminal, key, strlen(key)) < 0) return 74;
        // A key that changes nothing causes no output.
        if (isDrawn(500)) times[pressed++] = now() - start;
        drain(15, NULL);
    }
    if (write(terminal, "\033", 1) != 1) return 74;
    usleep(100000);
    if (write(terminal, "\003", 1) != 1) return 74;
    drain(1000, NULL);
    if (text) {
        if (found >= 0) printf("{\"seconds\": %f}\n", found);
        return found < 0 ? 70 : 0;
    }
    if (pressed < 200) {
        fprintf(stderr, "Only %d keys were drawn.\n", pressed);
        return 70;
    }
    qsort(times, pressed, sizeof *times, compare);
    printf("{\"presses\": %d, \"median\": %f, \"seconds\": %f}\n", pressed, times[pressed / 2], times[pressed - 1]);
    return 0;
}
