/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs of two contenders on a landscape, paired by their seeds. */

#include "study_internal.h"

#include <stdlib.h>

static int by_seed(const void *a, const void *b)
{
    const opevo_i_analysis_entry *x = a, *y = b;

    return (x->seed > y->seed) - (x->seed < y->seed);
}

void opevo_i_analysis_sort_entries(opevo_i_analysis_entry *entries, size_t count)
{
    qsort(entries, count, sizeof *entries, by_seed);
}

size_t opevo_i_analysis_entries(const opevo_i_analysis_study *self, size_t cell, uint64_t trials,
                                opevo_i_analysis_entry *entries)
{
    const opevo_study_place *place = &self->analysis->places[self->analysis->cells[cell].landscape];
    size_t count = opevo_i_analysis_known_count(self, cell, trials);

    for (size_t i = 0; i < count; i++) {
        const opevo_analysed_run *run = self->runs[self->first[cell] + i].run;

        entries[i] =
            (opevo_i_analysis_entry){run->seed, opevo_i_analysis_fraction(place, run, trials)};
    }
    opevo_i_analysis_sort_entries(entries, count);
    return count;
}

size_t opevo_i_analysis_match(const opevo_i_analysis_entry *a, size_t a_count,
                              const opevo_i_analysis_entry *b, size_t b_count, double *of_a,
                              double *of_b)
{
    size_t count = 0;

    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        if (a[i].seed < b[j].seed) {
            i++;
        } else if (a[i].seed > b[j].seed) {
            j++;
        } else {
            of_a[count] = a[i++].fraction;
            of_b[count++] = b[j++].fraction;
        }
    }
    return count;
}
