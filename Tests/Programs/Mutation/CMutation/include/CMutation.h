#ifndef CMUTATION_H
#define CMUTATION_H
#include <stdbool.h>

extern long mutant_chosen;
extern unsigned char *mutant_trace;

/// Whether the mutant with this number is the one that PROFILES_MUTANT names. Records that it was reached.
static inline __attribute__((always_inline)) bool mutant_is_chosen(long number) {
    if (__builtin_expect(mutant_trace != 0, 0)) mutant_trace[number] = 1;
    return __builtin_expect(mutant_chosen == number, 0);
}

#endif
