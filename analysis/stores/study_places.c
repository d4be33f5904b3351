/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The landscapes of a study: every point of them by value. */

#include "stored_study_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <string.h>

/* Larger ones are not evaluated whole. */
#define MOST_EVALUATED ((opevo_index)1 << 25)

opevo_status opevo_stored_landscape_evaluate(opevo_stored_landscape *row,
                                             opevo_objective *objective, unsigned threads,
                                             opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (strcmp(objective->name, row->name) != 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH, "the landscape there is %s.", objective->name);
    if (!opevo_unit_agree(objective->unit, row->unit))
        return OPEVO_FAIL(err, OPEVO_MISMATCH, "its fitness is in %s, that of the runs in %s.",
                          opevo_unit_of_fitness(objective->unit), opevo_unit_of_fitness(row->unit));
    if (objective->signature != row->signature)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "its points or outcomes differ from those of the runs (signature %016llx "
                          "instead of %016llx).",
                          (unsigned long long)objective->signature,
                          (unsigned long long)row->signature);
    status = opevo_fitness_table_of(objective, MOST_EVALUATED, threads, &row->table, err);
    row->has_table = status == OPEVO_OK;
    return status;
}

/* Whether two landscapes have the same points, by value, so that only neighbours differ. */
static bool same_points(const opevo_stored_landscape *a, const opevo_stored_landscape *b)
{
    const opevo_fitness_table *x = &a->table, *y = &b->table;

    return a->has_table && b->has_table && !strcmp(a->name, b->name) &&
           opevo_unit_agree(a->unit, b->unit) && x->points == y->points && x->ok == y->ok &&
           x->mean_cost_s == y->mean_cost_s && x->median_cost_s == y->median_cost_s &&
           !memcmp(x->fitness, y->fitness, x->ok * sizeof *x->fitness);
}

/* Runs with one space file and with another are on one landscape where these differ in topologies
 * only. */
void opevo_stored_study_join(opevo_stored_study *data)
{
    for (size_t i = 1; i < data->landscape_count;) {
        size_t first = 0;

        while (first < i && !same_points(&data->landscapes[first], &data->landscapes[i]))
            first++;
        if (first == i) {
            i++;
            continue;
        }
        for (size_t r = 0; r < data->run_count; r++) {
            size_t *landscape = &data->runs[r].landscape;

            *landscape = *landscape == i ? first : *landscape - (*landscape > i);
        }
        opevo_i_stored_landscape_free(&data->landscapes[i]);
        memmove(&data->landscapes[i], &data->landscapes[i + 1],
                (--data->landscape_count - i) * sizeof *data->landscapes);
    }
}
