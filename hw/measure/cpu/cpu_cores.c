/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which processors measure. Two of them may be threads of one core (SMT), and would slow each other
 * down. */

#include "cpu_internal.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* "0-1,16": a list as in sysfs, into a set. */
static void parse_list(const char *text, cpu_set_t *out)
{
    char *end = NULL;

    for (; *text >= '0' && *text <= '9'; text = *end == ',' ? end + 1 : end) {
        unsigned long first = strtoul(text, &end, 10);
        unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

        for (unsigned long i = first; i <= last && i < CPU_SETSIZE; i++)
            CPU_SET(i, out);
    }
}

/* The processors on the core of this one, itself among them. */
static void read_siblings(const char *root, int processor, cpu_set_t *out)
{
    char path[512];
    char line[4096] = "";
    FILE *file = NULL;

    CPU_ZERO(out);
    CPU_SET((size_t)processor, out);
    snprintf(path, sizeof path, "%s/cpu%d/topology/thread_siblings_list", root, processor);
    file = fopen(path, "re");
    if (file && fgets(line, sizeof line, file))
        parse_list(line, out);
    if (file)
        fclose(file);
}

/* Move cores[at] before the `taken` last ones. */
static void take(int *cores, size_t count, size_t at, size_t taken)
{
    int chosen = cores[at];

    for (size_t i = at; i + 1 < count - taken; i++)
        cores[i] = cores[i + 1];
    cores[count - taken - 1] = chosen;
}

void opevo_i_cpu_choose(int *cores, size_t count, size_t threads, const char *root)
{
    cpu_set_t busy;
    size_t taken = 0;

    CPU_ZERO(&busy);
    for (size_t left = count; left > 0 && taken < threads; left--) {
        cpu_set_t siblings;

        if (CPU_ISSET((size_t)cores[left - 1], &busy))
            continue;
        read_siblings(root, cores[left - 1], &siblings);
        CPU_OR(&busy, &busy, &siblings);
        take(cores, count, left - 1, taken++);
    }
}

size_t opevo_i_cpu_share(int *cores, size_t threads)
{
    cpu_set_t set;
    size_t count = 0;

    if (sched_getaffinity(0, sizeof set, &set) < 0)
        return 0;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET((size_t)i, &set))
            cores[count++] = i;
    }
    if (count >= threads)
        opevo_i_cpu_choose(cores, count, threads, OPEVO_I_PROCESSORS);
    return count;
}
