/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A partial point is kept as its completion: the parameters that are not decided yet are drawn anew
 * at each step. */

#include "ansor_internal.h"

#include <opevo/space_listed.h>

#include <string.h>

enum { COMPLETIONS_MOST = 16 }; /* drawn until the constraints allow one */

/* Complete a row decided up to `first`; false if no allowed completion was found. */
static bool complete(opevo_i_tvm_ansor *self, size_t first, opevo_index *row, opevo_index *point)
{
    opevo_i_tvm_evolution *evolution = &self->super;

    for (int i = 0; i < COMPLETIONS_MOST; i++) {
        opevo_i_tvm_genome_sample(self->genome, first, &evolution->rng, row);
        if (opevo_i_tvm_evolution_settle(evolution, row, point))
            return true;
        if (opevo_space_is_sparse(evolution->space) &&
            opevo_space_nearest_listed(evolution->space, row, NULL, NULL, point)) {
            opevo_space_decode(evolution->space, *point, row);
            return true;
        }
    }
    return false;
}

/* Extend one partial point by at most `most` values of parameter i, evenly spread. */
static void extend(opevo_i_tvm_ansor *self, const opevo_index *partial, size_t i, size_t most)
{
    opevo_i_tvm_evolution *evolution = &self->super;
    bool active = opevo_space_is_active(evolution->space, i, partial);
    opevo_index size =
        active ? opevo_parameter_size(opevo_space_parameter(evolution->space, i)) : 1;
    size_t count = size < most ? (size_t)size : most;

    for (size_t k = 0; k < count; k++) {
        opevo_index *row = evolution->vertices + evolution->now_count * evolution->width;
        opevo_index low = size / count * k + size % count * k / count;
        opevo_index next = size / count * (k + 1) + size % count * (k + 1) / count;

        memcpy(row, partial, evolution->width * sizeof *row);
        row[i] = active ? low + opevo_rng_below_wide(&evolution->rng, next - low) : OPEVO_INACTIVE;
        if (active && !opevo_i_tvm_genome_admits(self->genome, i, row[i]))
            continue;
        if (complete(self, i + 1, row, &evolution->points[evolution->now_count]))
            evolution->now_count++;
    }
}

/* Score the extensions and keep the best as the next partial points; returns their number. */
static opevo_status prune(opevo_i_tvm_ansor *self, size_t *kept, opevo_error *err)
{
    opevo_i_tvm_evolution *evolution = &self->super;
    size_t row = evolution->width * sizeof *evolution->vertices;
    opevo_status status =
        opevo_i_tvm_evolution_score(evolution, evolution->points, evolution->vertices,
                                    evolution->now_count, evolution->scores, err);

    if (status != OPEVO_OK)
        return status;
    *kept = 0;
    for (size_t k = 0; k < evolution->now_count; k++)
        opevo_i_tvm_scored_insert(
            self->beam, kept, self->beam_width,
            (opevo_i_tvm_scored){.score = (double)evolution->scores[k], .point = k});
    for (size_t k = 0; k < *kept; k++)
        memcpy(evolution->next_vertices + k * evolution->width,
               evolution->vertices + (size_t)self->beam[k].point * evolution->width, row);
    return OPEVO_OK;
}

opevo_status opevo_i_tvm_ansor_beam(opevo_i_tvm_ansor *self, opevo_error *err)
{
    opevo_i_tvm_evolution *evolution = &self->super;
    opevo_status status = OPEVO_OK;
    size_t partials = 1; /* in next_vertices */

    evolution->now_count = 0;
    opevo_i_tvm_genome_sample(self->genome, 0, &evolution->rng, evolution->next_vertices);
    for (size_t i = 0; i < evolution->width && partials > 0; i++) {
        size_t most = evolution->plan.population / partials;

        if (opevo_parameter_size(opevo_space_parameter(evolution->space, i)) == 1)
            continue;
        evolution->now_count = 0;
        for (size_t k = 0; k < partials; k++)
            extend(self, evolution->next_vertices + k * evolution->width, i, most);
        OPEVO_TRY(prune(self, &partials, err));
    }
    opevo_i_tvm_evolution_list(evolution);
cleanup:
    return status;
}
