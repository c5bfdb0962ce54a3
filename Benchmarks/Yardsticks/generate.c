// Writes rows of the benchmarks' standard file to standard output. The same arguments give the same bytes.
//
//     generate ROWS [FIRST] [plain]
//
// FIRST is the number of the first row (0 by default). Each row number has its own username, also if case is ignored.
// So two files without a common row number share no username. `plain` writes a `password` column in place of
// `password_hash`. A row takes about 160 bytes. Every row is valid under the built-in schema. FIRST + ROWS is at most
// 11,000,000.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
static uint64_t next_random(void) {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static unsigned below(unsigned bound) { return (unsigned)((next_random() >> 32) * bound >> 32); }

/// Maps a value by a permutation of 0..<count. The steps permute the range up to the next power of two. They are repeated
/// until the result is below `count`.
static uint64_t scatter(uint64_t value, uint64_t count) {
    unsigned bits = 64 - (unsigned)__builtin_clzll(count - 1);
    uint64_t mask = (1ull << bits) - 1;
    do {
        for (int round = 0; round < 3; round++) {
            value = (value * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019) & mask;
            value ^= value >> (bits / 2);
        }
    } while (value >= count);
    return value;
}

/// Prints a username of four to ten letters and digits. The row number modulo 7 selects the length, and the quotient
/// selects the name of that length.
static void print_username(uint64_t row) {
    unsigned length = 4 + (unsigned)(row % 7);
    uint64_t count = 1;
    for (unsigned i = 0; i < length; i++) count *= 36;
    uint64_t rest = scatter(row / 7, count);
    char name[10];
    for (unsigned i = 0; i < length; i++, rest /= 36) name[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[rest % 36];
    if (name[0] >= 'a' && below(2)) name[0] -= 'a' - 'A';
    fwrite(name, 1, length, stdout);
}

static void print_base64(unsigned bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[64];
    unsigned length = 0;
    for (int bits = (int)bytes * 8; bits > 0; bits -= 6) {
        unsigned digit = below(64);
        if (bits < 6) digit &= 0x3f << (6 - bits);  // the bits past the last byte are zero, RFC 4648 section 3.5
        text[length++] = digits[digit & 63];
    }
    fwrite(text, 1, length, stdout);
}

static void print_birthday(void) {
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned month = below(12);
    printf("%u-%02u-%02u", 1900 + below(125), month + 1, 1 + below(days[month]));
}

int main(int count, char **arguments) {
    uint64_t rows = count > 1 ? strtoull(arguments[1], NULL, 10) : 1000000;
    uint64_t first = count > 2 ? strtoull(arguments[2], NULL, 10) : 0;
    int plain = count > 3 && strcmp(arguments[3], "plain") == 0;
    if (first + rows > 11000000) return fprintf(stderr, "generate: at most 11,000,000 rows\n"), 64;
    static const char *const names[] = {"Main", "Oak", "Lake Shore", "Cedar", "Washington", "Old Mill", "Church", "Elm",
        "River", "Sunset", "Park", "Station", "Franklin", "Cherry Hill", "Harbour", "King George"};
    static const char *const kinds[] = {"Street", "Avenue", "Road", "Lane", "Court", "Boulevard"};
    static char buffer[1 << 20];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    state = 0x70726f66696c6573 ^ first;
    printf("username,phone,address,postal_code,birthday,%s\n", plain ? "password" : "password_hash");
    for (uint64_t row = first; row < first + rows; row++) {
        print_username(row);
        printf(",%04u-%04u,%u %s %s", below(10000), below(10000), 1 + below(9999), names[below(16)], kinds[below(6)]);
        if (below(3) == 0) printf(" Apt %u", 1 + below(99));
        printf(",%05u,", below(100000));
        print_birthday();
        if (plain) {
            printf(",%c%u%c%u\n", 'A' + below(26), below(100000), 'a' + below(26), below(10));
            continue;
        }
        fputs(",\"$argon2id$v=19$m=19456,t=2,p=1$", stdout);
        print_base64(16);
        putchar('$');
        print_base64(32);
        fputs("\"\n", stdout);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 74;
}
