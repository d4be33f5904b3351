/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What this machine's processor is. */

#include "cpu_internal.h"

#include <opevo/hash.h>
#include <opevo/parallel.h>

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "rapl_internal.h"
#include "sandbox_internal.h"

/* The value of the first line of /proc/cpuinfo that begins with `key`; "" if no line does. */
static void read_fact(const char *key, char *out, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[4096];

    *out = '\0';
    while (file && !*out && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');

        if (!strncmp(line, key, strlen(key)) && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(out, size, "%.*s", (int)size - 1, colon[1] ? colon + 2 : "");
        }
    }
    if (file)
        fclose(file);
}

void opevo_i_cpu_title(char *out, size_t size)
{
    struct utsname machine;
    char model[160];

    read_fact("model name", model, sizeof model);
    uname(&machine);
    snprintf(out, size, "%s%s%s", model, *model ? ", " : "", machine.machine);
}

enum { FLAGS_LENGTH = 4096 };

/* What a host or its hypervisor lets programs use, which may be less than the model has. */
static void read_flags(char flags[FLAGS_LENGTH])
{
    read_fact("flags", flags, FLAGS_LENGTH);
    if (!*flags)
        read_fact("Features", flags, FLAGS_LENGTH); /* as ARM has it */
}

void opevo_i_cpu_identity(char *out, size_t size)
{
    char title[256];
    char flags[FLAGS_LENGTH];
    uint64_t hash = OPEVO_HASH_START;

    opevo_i_cpu_title(title, sizeof title);
    read_flags(flags);
    hash = opevo_hash_bytes(hash, flags, strlen(flags));
    snprintf(out, size, "%.110s, features %08x, %s", title, (unsigned)(opevo_hash_mix(hash) >> 32),
             opevo_i_cpu_compiler_identity(NULL));
}

static unsigned vector_bits(void)
{
    char flags[FLAGS_LENGTH];
    char words[FLAGS_LENGTH + 4];

    read_flags(flags);
    snprintf(words, sizeof words, " %s ", flags);
    if (strstr(words, " avx512f "))
        return 512;
    if (strstr(words, " avx "))
        return 256;
    if (strstr(words, " sse "))
        return 128;
    return strstr(flags, "asimd") ? 128 : 0;
}

/* 0 if unknown. */
static uint64_t cache_bytes(int name)
{
    long bytes = sysconf(name);

    return bytes > 0 ? (uint64_t)bytes : 0;
}

void opevo_i_cpu_list(void (*add)(void *context, const opevo_hardware *row), void *context)
{
    char title[256];
    char facts[256];
    char identity[256];
    bool filter = opevo_i_process_filter_present();
    bool compiles = false;
    opevo_i_cpu_rapl rapl;
    opevo_text why = {0};
    bool energy = opevo_i_cpu_rapl_find(OPEVO_I_POWERCAP, &rapl, &why);
    long pages = sysconf(_SC_PHYS_PAGES);
    uint64_t l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE);
    uint64_t l3 = cache_bytes(_SC_LEVEL3_CACHE_SIZE);

    opevo_i_cpu_title(title, sizeof title);
    opevo_i_cpu_identity(identity, sizeof identity);
    snprintf(facts, sizeof facts, "L2 %llu KiB, L3 %llu KiB, compiler %s%s",
             (unsigned long long)l2 >> 10, (unsigned long long)l3 >> 10,
             opevo_i_cpu_compiler_identity(&compiles),
             opevo_i_process_landlock_present() ? ""
                                                : "; no Landlock: kernels may read your files");
    if (!filter)
        snprintf(title, sizeof title, "%s", OPEVO_I_NO_FILTER);
    add(context,
        &(opevo_hardware){.name = "cpu",
                          .present = filter,
                          .title = title,
                          .identity = identity,
                          .no_compiler = compiles ? NULL : opevo_i_cpu_compiler(),
                          .cores = opevo_processor_count(),
                          .vector_bits = vector_bits(),
                          .memory_bytes =
                              pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0,
                          .facts = facts,
                          .l1_bytes = cache_bytes(_SC_LEVEL1_DCACHE_SIZE),
                          .l2_bytes = l2,
                          .energy = filter && energy ? "RAPL" : NULL,
                          .no_energy = filter && !energy ? opevo_text_string(&why) : NULL});
    opevo_text_free(&why);
}
