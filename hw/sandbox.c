/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Limits of resources do not bind the superuser's processes, whose number has no limit, so forking
 * is refused by a filter of system calls. The filter names what a computation needs; all else fails
 * with EPERM, which libraries that merely look around survive. */

#include "sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
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
    MOST = 2 * (ALLOWED + DEADLY) + 64
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

/* The low half of an argument, on a machine that stores that first. */
static uint32_t argument(unsigned i)
{
    return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * i);
}

/* If the call is `number`: look at its argument; `yes` if the comparison holds, otherwise `no`. */
static void rule_on(filter *self, int number, unsigned which, uint16_t compare, uint32_t value,
                    uint32_t yes, uint32_t no)
{
    emit(self, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
    emit(self, BPF_LD | BPF_W | BPF_ABS, argument(which), 0, 0);
    emit(self, BPF_JMP | compare | BPF_K, value, 0, 1);
    answer(self, yes);
    answer(self, no);
}

static void write_filter(filter *self)
{
    const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM;
    const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

    emit(self, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
    emit(self, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(self, SECCOMP_RET_KILL_PROCESS);
    emit(self, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    for (size_t i = 0; i < ALLOWED; i++)
        rule(self, allowed[i], SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < DEADLY; i++)
        rule(self, deadly[i], SECCOMP_RET_KILL_PROCESS);
    rule_on(self, SYS_clone, 0, BPF_JSET, CLONE_THREAD, SECCOMP_RET_ALLOW,
            SECCOMP_RET_KILL_PROCESS);
    rule(self, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS); /* then libraries take clone */
    rule_on(self, SYS_openat, 2, BPF_JSET, writing, SECCOMP_RET_ERRNO | EACCES, SECCOMP_RET_ALLOW);
    rule_on(self, SYS_tgkill, 0, BPF_JEQ, (uint32_t)getpid(), SECCOMP_RET_ALLOW, refuse);
    rule_on(self, SYS_prlimit64, 2, BPF_JEQ, 0, SECCOMP_RET_ALLOW, refuse); /* only asking */
    answer(self, refuse);
}

static void filter_calls(void)
{
    filter self = {.length = 0};
    struct sock_fprog program = {.filter = self.code};

    write_filter(&self);
    program.len = self.length;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

static void filter_calls(void)
{
}

#endif

static void limit(int resource, uint64_t value)
{
    struct rlimit rule = {.rlim_cur = value, .rlim_max = value};

    setrlimit((__rlimit_resource_t)resource, &rule);
}

/* Bytes of address space that the process has. */
static uint64_t mapped_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    char line[128] = "";

    if (!file)
        return 0;
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    return strtoull(line, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void opevo_i_limit_memory(uint64_t bytes)
{
    uint64_t mapped = mapped_bytes();

    if (mapped)
        limit(RLIMIT_AS, mapped + bytes);
}

static void redirect(int kept)
{
    int null = open("/dev/null", O_RDWR);

    for (int i = 0; i < 3; i++)
        dup2(null, i);
    syscall(SYS_close_range, (unsigned)kept, ~0U, 0U);
}

void opevo_i_sandbox_enter(const opevo_i_limits *limits)
{
    cpu_set_t set;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 1; i < 32; i++)
        signal(i, SIG_DFL);
    redirect(limits->kept);
    if (limits->core >= 0) {
        CPU_ZERO(&set);
        CPU_SET((size_t)limits->core, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NPROC, 64);
    limit(RLIMIT_CPU, (uint64_t)ceil(limits->processor_s));
    opevo_i_limit_memory(limits->memory_bytes);
    filter_calls();
}
