// Measures how long libsodium takes to hash passwords on a number of threads, with the parameters of our policy.
//
//     hash PASSWORDS THREADS
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int left;
static atomic_int failed;

static void *hash(void *unused) {
    char phc[crypto_pwhash_argon2id_STRBYTES];
    for (int n; (n = atomic_fetch_sub(&left, 1)) > 0;) {
        char password[32];
        int length = snprintf(password, sizeof password, "Pass%dword", n);
        if (crypto_pwhash_argon2id_str(phc, password, (unsigned long long)length, 2, 19456 * 1024) != 0) failed = 1;
    }
    return unused;
}

int main(int count, char **arguments) {
    if (count != 3 || sodium_init() < 0) return 64;
    int threads = atoi(arguments[2]);
    left = atoi(arguments[1]);
    if (threads < 1 || threads > 256) return 64;
    pthread_t thread[256];
    for (int i = 0; i < threads; i++) if (pthread_create(&thread[i], NULL, hash, NULL) != 0) return 71;
    for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    return failed;
}
