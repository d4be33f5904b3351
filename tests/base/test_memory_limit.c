/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Limits of memory as control groups state them, in trees of files as systems have them. */

#include "check.h"

#include <opevo/memory.h>

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "memory-limit-XXXXXX";

/* Write root/PATH with its folders. */
static void put(const char *path, const char *text)
{
    char whole[512];
    FILE *file = NULL;

    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *at = whole + 1; *at; at++) {
        if (*at == '/') {
            *at = '\0';
            mkdir(whole, 0755);
            *at = '/';
        }
    }
    file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void check_limit(uint64_t limit)
{
    assert_int_equal(opevo_memory_group_limit(root), limit);
}

/* The least on the way up; a group beside it does not count. */
CHECK_TEST(test_unified)
{
    check_limit(UINT64_MAX); /* without any files */
    put("proc/self/mountinfo", "30 23 0:26 / /proc rw - proc proc rw\n"
                               "31 23 0:27 / /cg rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
    check_limit(UINT64_MAX);
    put("proc/self/cgroup", "0::/one/two\n");
    put("cg/one/two/memory.max", "max\n");
    put("cg/other/memory.max", "5\n");
    check_limit(UINT64_MAX);
    put("cg/one/memory.max", "3000000000\n");
    check_limit(3000000000);
    put("cg/one/two/memory.max", "4000000000\n");
    check_limit(3000000000);
    put("cg/one/two/memory.max", "2000000000\n");
    check_limit(2000000000);
    put("cg/memory.max", "1000000000\n"); /* as a container's own root has it */
    check_limit(1000000000);
}

/* Version 1, and a mount that shows a part of the hierarchy. */
CHECK_TEST(test_first_version)
{
    put("proc/self/mountinfo", "33 23 0:29 /docker/7 /v1/cpu rw - cgroup cgroup rw,cpu\n"
                               "34 23 0:30 /docker/7 /v1/memory rw - cgroup cgroup rw,memory\n");
    put("proc/self/cgroup", "5:cpu:/docker/7\n4:memory:/docker/7/own\n0::/\n");
    put("v1/cpu/memory.limit_in_bytes", "7\n");
    put("v1/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("v1/memory/own/memory.limit_in_bytes", "6000000000\n");
    check_limit(6000000000);
    put("proc/self/cgroup", "4:memory:/elsewhere\n");
    check_limit(9223372036854771712u);
}

/* What limits this process itself counts, too. */
CHECK_TEST(test_own)
{
    pid_t child = 0;
    int status = 0;

    if (CHECK_ADDRESSES)
        skip();
    child = fork();
    if (child == 0) {
        const struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};

        _exit(setrlimit(RLIMIT_AS, &limit) || opevo_memory_limit() > limit.rlim_cur);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(opevo_memory_limit() > 0);
    assert_true(opevo_memory_limit() <= opevo_memory_group_limit(""));
}

static int remove_tree(void **state)
{
    char command[64];

    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command); // NOLINT(cert-env33-c,concurrency-mt-unsafe)
}

int main(void)
{
    if (!mkdtemp(root))
        return 1;
    return check_tests(NULL, remove_tree);
}
