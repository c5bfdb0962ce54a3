// Runs a program as if no file system had unnamed files: the kernel answers every open with O_TMPFILE by EOPNOTSUPP.
//
//     WithoutUnnamedFiles PROGRAM ARGUMENT…
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The bit that tells O_TMPFILE from O_DIRECTORY.
#define UNNAMED (O_TMPFILE & ~O_DIRECTORY)

int main(int count, char *arguments[]) {
    if (count < 2) return 64;
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        // The flags are the third argument; their lower half comes first on every machine that Swift runs on.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, UNNAMED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
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
