#include "CMutation.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

long mutant_chosen = -1;
unsigned char *mutant_trace;

/// Reads the environment before `main`, so that constants of the whole process can be mutants too. The trace is a shared
/// file with a byte for each mutant: the processes that a test starts write to the same one.
__attribute__((constructor)) static void mutant_start(void) {
    const char *number = getenv("PROFILES_MUTANT");
    if (number) mutant_chosen = atol(number);
    const char *path = getenv("PROFILES_MUTANT_TRACE");
    if (!path) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) return;
    void *bytes = mmap(0, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED) mutant_trace = bytes;
    close(file);
}
