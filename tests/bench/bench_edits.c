/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits of LLVM modules: what a candidate costs to draw, and to apply and verify, on each kernel
 * that opevo comes with. Times are processor time. */

#include "bench.h"

#include <opevo/edits.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 500, EDITS = 10, PATH_SIZE = 1024, NAME_SIZE = 300 };

static void stop(const opevo_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* Lists of 1 to EDITS edits. */
static void measure(bench *self, const char *name, const char *path)
{
    opevo_edit_settings settings = OPEVO_EDIT_SETTINGS_DEFAULT;
    opevo_edits *lists[CANDIDATES];
    opevo_module *module = NULL;
    opevo_error err = {0};
    char row[NAME_SIZE + 64];
    double start;
    int rejected = 0;

    if (opevo_module_load(path, &module, &err))
        stop(&err);
    start = opevo_clock_process_s();
    for (size_t i = 0; i < CANDIDATES; i++) {
        opevo_rng rng;

        opevo_rng_init(&rng, 1, "bench", i);
        if (opevo_edits_sample(module, &settings, 1 + i % EDITS, &rng, &lists[i], &err))
            stop(&err);
    }
    snprintf(row, sizeof row, "%s (%zu instructions): draw 1 to %d edits", name,
             opevo_module_instruction_count(module), EDITS);
    bench_note(row, (opevo_clock_process_s() - start) / CANDIDATES * 1e3, "ms");
    start = opevo_clock_process_s();
    for (size_t i = 0; i < CANDIDATES; i++) {
        opevo_variant *variant = NULL;

        if (opevo_variant_create(module, lists[i], &variant, &err))
            stop(&err);
        rejected += opevo_variant_fault(variant) != NULL;
        opevo_variant_destroy(variant);
    }
    snprintf(row, sizeof row, "%s: apply and verify them", name);
    bench_at_most(self, row, (opevo_clock_process_s() - start) / CANDIDATES * 1e3, 0.5, "ms");
    if (rejected > 0)
        bench_at_most(self, "rejected by the verifier", rejected, 0, "lists");
    for (size_t i = 0; i < CANDIDATES; i++)
        opevo_edits_destroy(lists[i]);
    opevo_module_destroy(module);
}

int main(void)
{
    bench self = {0};
    struct dirent **entries = NULL;
    int count = scandir(OPEVO_BENCH_KERNELS, &entries, NULL, alphasort);

    bench_title("edits of LLVM modules, milliseconds of a candidate");
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        char path[PATH_SIZE];

        snprintf(path, sizeof path, "%s/%s", OPEVO_BENCH_KERNELS, entries[i]->d_name);
        if (dot && strcmp(dot, ".ll") == 0)
            measure(&self, entries[i]->d_name, path);
        free(entries[i]);
    }
    free(entries);
    return self.missed > 0;
}
