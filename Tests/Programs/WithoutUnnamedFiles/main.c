// Runs a program as if no file system had unnamed files: every openat(2) with O_TMPFILE fails with EOPNOTSUPP.
// With --without-links, file systems have no hard links either: link(2) and linkat(2) fail with EPERM.
//
//     WithoutUnnamedFiles [--without-links] PROGRAM ARGUMENT…
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The bit that tells O_TMPFILE from O_DIRECTORY.
#define UNNAMED (O_TMPFILE & ~O_DIRECTORY)

// A number that no system call has. A comparison with it never matches.
#define NO_CALL 0xffffffff
#ifndef SYS_link
#define SYS_link NO_CALL
#endif

int main(int count, char *arguments[]) {
    int withoutLinks = count > 1 && strcmp(arguments[1], "--without-links") == 0;
    if (withoutLinks) arguments++;
    if (count - withoutLinks < 2) return 64;
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, withoutLinks ? SYS_linkat : NO_CALL, 6, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, withoutLinks ? SYS_link : NO_CALL, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        // Loads the lower 32 bits of the third argument, the flags. They come first, because the machine is little-endian.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, UNNAMED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog filter = {sizeof instructions / sizeof *instructions, instructions};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("seccomp");
        return 125;
    }
    execv(arguments[1], arguments + 1);
    perror(arguments[1]);
    return 127;
}
