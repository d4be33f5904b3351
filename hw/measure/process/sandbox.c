/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every step is checked: a process that could not give up what it must is not fit to run a
 * kernel. */

#include "sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MORE_TASKS = 64 }; /* than those that must be */

/* The limit, or the tighter one that the process has already. */
static bool limit(int resource, uint64_t value)
{
    struct rlimit rule;

    if (getrlimit((__rlimit_resource_t)resource, &rule) < 0)
        return false;
    if (rule.rlim_max > value)
        rule.rlim_max = value;
    rule.rlim_cur = rule.rlim_max;
    return setrlimit((__rlimit_resource_t)resource, &rule) == 0;
}

/* Bytes of address space that the process has; 0 where that is not known. */
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

bool opevo_i_process_limit_memory(uint64_t bytes)
{
    uint64_t mapped = mapped_bytes();

    return mapped && limit(RLIMIT_AS, mapped + bytes);
}

/* Tasks of the machine, so no fewer than those of this user; 0 where that is not known. */
static uint64_t task_count(void)
{
    FILE *file = fopen("/proc/loadavg", "re");
    unsigned long count = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%*s %*s %*s %*u/%lu", &count) != 1) /* NOLINT(cert-err34-c): of the system */
        count = 0;
    fclose(file);
    return count;
}

static bool redirect(int kept)
{
    int null = open("/dev/null", O_RDWR);

    for (int i = 0; i < 3; i++) {
        if (null < 0 || dup2(null, i) < 0)
            return false;
    }
    return syscall(SYS_close_range, (unsigned)kept, ~0U, 0U) == 0;
}

static bool limit_all(const opevo_i_process_limits *limits)
{
    /* All tasks of the user count, not only those of this process. */
    uint64_t tasks = MORE_TASKS + (limits->threads > 1 ? task_count() + limits->threads : 0);

    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_NPROC, tasks) &&
           limit(RLIMIT_CPU, (uint64_t)ceil(limits->processor_s)) &&
           opevo_i_process_limit_memory(limits->memory_bytes);
}

opevo_status opevo_i_process_sandbox_enter(const opevo_i_process_limits *limits, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    cpu_set_t set;

    setpgid(0, 0);
    for (int i = 1; i < 32; i++)
        signal(i, SIG_DFL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "Cannot request a signal at the end of the worker: %s.",
                          strerror(errno));
    if (!redirect(limits->kept))
        return OPEVO_FAIL(err, OPEVO_IO, "The files of the worker cannot be closed: %s.",
                          strerror(errno));
    if (limits->cores) {
        CPU_ZERO(&set);
        for (size_t i = 0; i < limits->core_count; i++)
            CPU_SET((size_t)limits->cores[i], &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    if (!limit_all(limits))
        return OPEVO_FAIL(err, OPEVO_IO, "Limits of memory, time and files cannot be set: %s.",
                          strerror(errno));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "Privileges cannot be dropped: %s.", strerror(errno));
    status = opevo_i_process_landlock_restrict(limits->object, err);
    return status == OPEVO_OK ? opevo_i_process_filter_calls(err) : status;
}
