/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Limits of resources do not bind the superuser's processes, whose number has no limit, so forking
 * is refused by a filter of system calls. The filter names what a computation needs; all else fails
 * with EPERM, which libraries that merely look around survive.
 *
 * A register has 64 bits, and a filter compares 32 at a time: an argument is compared in both
 * halves, whatever the kernel makes of the upper one. Calls of another architecture, and those of
 * x32, have numbers of their own and are deadly. */

#include "sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define X32_CALLS 0x40000000U /* numbers from here on */
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

static const int allowed[] = {
    SYS_read,
    SYS_write,
    SYS_close,
    SYS_fstat,
    SYS_newfstatat,
    SYS_lseek,
    SYS_pread64,
    SYS_readv,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_mincore,
    SYS_brk,
    SYS_futex,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_getcpu,
    SYS_exit,
    SYS_exit_group,
    SYS_getrandom,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_getrusage,
    SYS_uname,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_membarrier,
    SYS_ppoll,
    SYS_pselect6,
    SYS_set_tid_address,
    SYS_sysinfo,
    SYS_restart_syscall,
#ifdef __x86_64__
    SYS_arch_prctl,
    SYS_access,
    SYS_readlink,
    SYS_stat,
    SYS_poll,
    SYS_time,
#endif
};

/* Nothing that a kernel may ever do; the signal says more than a failed call would. */
static const int deadly[] = {
    SYS_execve, SYS_execveat, SYS_kill, SYS_ptrace,
#ifdef __x86_64__
    SYS_fork,   SYS_vfork,
#endif
};

enum {
    ALLOWED = sizeof allowed / sizeof *allowed,
    DEADLY = sizeof deadly / sizeof *deadly,
    MOST = 2 * (ALLOWED + DEADLY) + 96
};

typedef struct filter {
    struct sock_filter code[MOST];
    unsigned short length;
} filter;

static void emit(filter *self, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
    self->code[self->length++] = (struct sock_filter){code, jt, jf, k};
}

static void answer(filter *self, uint32_t what)
{
    emit(self, BPF_RET | BPF_K, what, 0, 0);
}

/* If the number of the call, which is loaded, is `number`: answer `what`. */
static void rule(filter *self, int number, uint32_t what)
{
    emit(self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
    answer(self, what);
}

/* That an argument agrees with `value` in all bits of `mask`. */
typedef struct condition {
    unsigned argument;
    uint64_t mask, value;
} condition;

enum { PER_CONDITION = 6 }; /* instructions: load, mask and compare each half */

/* If the call is `number`: allow it where all conditions hold, else answer `otherwise`. */
static void rule_if(filter *self, int number, const condition *conditions, unsigned count,
                    uint32_t otherwise)
{
    unsigned left = PER_CONDITION * count; /* instructions up to the two answers */

    emit(self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, (uint8_t)(left + 2));
    for (unsigned i = 0; i < 2 * count; i++) {
        const condition *it = &conditions[i / 2];
        unsigned half = i % 2; /* the lower one is stored first */

        left -= PER_CONDITION / 2;
        emit(self, BPF_LD | BPF_W | BPF_ABS,
             (uint32_t)(offsetof(struct seccomp_data, args) + 8 * it->argument + 4 * half), 0, 0);
        emit(self, BPF_ALU | BPF_AND | BPF_K, (uint32_t)(it->mask >> 32 * half), 0, 0);
        emit(self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(it->value >> 32 * half), 0,
             (uint8_t)(left + 1));
    }
    answer(self, SECCOMP_RET_ALLOW);
    answer(self, otherwise);
}

/* What the C library asks for when it starts a thread, and what it may. */
#define THREAD_FLAGS                                                                               \
    ((uint64_t)(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | \
                CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID |   \
                CLONE_DETACHED))

/* The number of the call stays loaded until a rule applies. */
static void begin(filter *self)
{
    emit(self, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    emit(self, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(self, SECCOMP_RET_KILL_PROCESS);
    emit(self, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
#ifdef X32_CALLS
    emit(self, BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 0, 1);
    answer(self, SECCOMP_RET_KILL_PROCESS);
#endif
}

static void write_filter(filter *self)
{
    const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
    const condition thread = {0, ~THREAD_FLAGS | CLONE_THREAD, CLONE_THREAD};
    const condition reading = {2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0};
    const condition itself = {0, UINT64_MAX, (uint64_t)getpid()};
    const condition asking[] = {{0, UINT64_MAX, 0}, {2, UINT64_MAX, 0}};
    const condition sealing[] = {{0, UINT64_MAX, PR_SET_SECCOMP},
                                 {1, UINT64_MAX, SECCOMP_MODE_FILTER}};

    begin(self);
    for (size_t i = 0; i < ALLOWED; i++)
        rule(self, allowed[i], SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < DEADLY; i++)
        rule(self, deadly[i], SECCOMP_RET_KILL_PROCESS);
    rule_if(self, SYS_clone, &thread, 1, SECCOMP_RET_KILL_PROCESS);
    rule(self, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS); /* then libraries take clone */
    rule_if(self, SYS_openat, &reading, 1, SECCOMP_RET_ERRNO | EACCES);
    rule_if(self, SYS_tgkill, &itself, 1, refuse);
    rule_if(self, SYS_prlimit64, asking, 2, refuse); /* only asking, only of itself */
    rule_if(self, SYS_prctl, sealing, 2, refuse);
    answer(self, refuse);
}

static opevo_status install(filter *self, opevo_error *err)
{
    struct sock_fprog program = {.len = self->length, .filter = self->code};

    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "Cannot install the system call filter: %s.",
                          strerror(errno));
    return OPEVO_OK;
}

opevo_status opevo_i_process_filter_calls(opevo_error *err)
{
    filter self = {.length = 0};

    write_filter(&self);
    return install(&self, err);
}

opevo_status opevo_i_process_sandbox_seal(opevo_error *err)
{
    filter self = {.length = 0};

    begin(&self);
    rule(&self, SYS_openat, SECCOMP_RET_ERRNO | EACCES);
    answer(&self, SECCOMP_RET_ALLOW); /* as far as the first filter does */
    return install(&self, err);
}

bool opevo_i_process_filter_present(void)
{
    const uint32_t action = SECCOMP_RET_KILL_PROCESS;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

#else

opevo_status opevo_i_process_filter_calls(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_IO,
                      "System calls are filtered on x86-64 and ARM64 only, not on this processor.");
}

opevo_status opevo_i_process_sandbox_seal(opevo_error *err)
{
    return opevo_i_process_filter_calls(err);
}

bool opevo_i_process_filter_present(void)
{
    return false;
}

#endif
