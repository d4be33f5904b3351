/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Limits of time for variants, from the times that their base took. */

#include <opevo/hash.h>
#include <opevo/kernel_harness.h>
#include <opevo/memory.h>

#include <math.h>
#include <string.h>

struct opevo_case_times {
    opevo_index_map *base_s; /* bits of the time of a case, by the hash of its label */
};

static uint64_t key_of(const opevo_case *what)
{
    const char *label = opevo_case_label(what);

    return opevo_hash_bytes(OPEVO_HASH_START, label, strlen(label));
}

opevo_case_times *opevo_case_times_create(void)
{
    opevo_case_times *self = opevo_calloc(1, sizeof *self);

    if (self && !(self->base_s = opevo_index_map_create())) {
        opevo_free(self);
        self = NULL;
    }
    return self;
}

void opevo_case_times_destroy(opevo_case_times *times)
{
    if (!times)
        return;
    opevo_index_map_destroy(times->base_s);
    opevo_free(times);
}

void opevo_case_times_note(opevo_case_times *times, const opevo_case *what, double elapsed_s)
{
    uint64_t bits;

    memcpy(&bits, &elapsed_s, sizeof bits);
    (void)opevo_index_map_put(times->base_s, key_of(what), bits);
}

double opevo_case_times_limit(const opevo_case_times *times, const opevo_case *what, double most_s)
{
    uint64_t bits = 0;
    double base_s;

    if (!opevo_index_map_get(times->base_s, key_of(what), &bits))
        return most_s;
    memcpy(&base_s, &bits, sizeof base_s);
    return fmin(most_s, 10 * base_s + 0.1);
}
