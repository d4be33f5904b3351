/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A control group limits all groups below it, so the least limit counts from the process' own group
 * up to the root of what is mounted. Version 2 has one hierarchy, version 1 one for memory alone; a
 * container may see a part of it, which /proc/self/mountinfo names. */

#include <opevo/memory.h>

#include <opevo/text.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_LENGTH = 4096 };

/* One mounted hierarchy that may limit memory. */
typedef struct hierarchy {
    char part[PATH_LENGTH];   /* the group that is mounted: "/" where it is all of them */
    char folder[PATH_LENGTH]; /* where */
    bool unified;             /* version 2 */
} hierarchy;

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The first line of a file, without its end; "" if it is empty or missing. */
static void read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");

    if (!file || !fgets(line, size, file))
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* A line of mountinfo: "36 35 98:0 /part /folder options - cgroup2 source options". */
static bool parse_mount(const char *line, hierarchy *out)
{
    const char *kind = strstr(line, " - ");

    if (!kind || sscanf(line, "%*s %*s %*s %4095s %4095s", out->part, out->folder) != 2)
        return false;
    out->unified = strncmp(kind, " - cgroup2 ", 11) == 0;
    return out->unified || (strncmp(kind, " - cgroup ", 10) == 0 && strstr(kind, "memory"));
}

/* The process' group in a hierarchy, a line of /proc/self/cgroup:
 * "0::/group" or "4:memory:/group". */
static bool find_group(const char *root, bool unified, char *group)
{
    char path[PATH_LENGTH];
    char line[PATH_LENGTH];
    FILE *file = NULL;
    bool found = false;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':');
        char *name = controllers ? strchr(controllers + 1, ':') : NULL;

        line[strcspn(line, "\n")] = '\0';
        if (!name)
            continue;
        *name++ = '\0';
        found = unified ? !strcmp(line, "0:") : strstr(controllers, "memory") != NULL;
        if (found)
            memcpy(group, name, strlen(name) + 1);
    }
    if (file)
        fclose(file);
    return found;
}

/* From the group up to what is mounted. */
static uint64_t limit_of(const char *root, const hierarchy *tree)
{
    char group[PATH_LENGTH];
    size_t part = strcmp(tree->part, "/") != 0 ? strlen(tree->part) : 0;
    uint64_t limit = UINT64_MAX;

    if (!find_group(root, tree->unified, group))
        return limit;
    if (strncmp(group, tree->part, part) != 0)
        group[part = 0] = '\0'; /* a group outside: what is mounted limits it all the same */
    for (;;) {
        char path[3 * PATH_LENGTH];
        char line[64];
        uint64_t here = 0;
        char *slash = NULL;

        snprintf(path, sizeof path, "%s%s%s/%s", root, tree->folder, group + part,
                 tree->unified ? "memory.max" : "memory.limit_in_bytes");
        read_line(path, line, sizeof line);
        if (opevo_parse_u64(line, &here))
            limit = least(limit, here);
        slash = strrchr(group + part, '/');
        if (!slash)
            return limit;
        *slash = '\0';
    }
}

uint64_t opevo_memory_group_limit(const char *root)
{
    char path[PATH_LENGTH];
    char line[2 * PATH_LENGTH];
    uint64_t limit = UINT64_MAX;
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        hierarchy tree;

        if (parse_mount(line, &tree))
            limit = least(limit, limit_of(root, &tree));
    }
    if (file)
        fclose(file);
    return limit;
}

uint64_t opevo_memory_limit(void)
{
    static _Atomic uint64_t known;
    uint64_t limit = atomic_load(&known);
    struct rlimit own;

    if (limit)
        return limit;
    limit = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    limit = least(limit, opevo_memory_group_limit(""));
    if (getrlimit(RLIMIT_AS, &own) == 0)
        limit = least(limit, own.rlim_cur); /* RLIM_INFINITY is the largest number */
    atomic_store(&known, limit);
    return limit;
}
