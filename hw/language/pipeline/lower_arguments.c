/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Extents that are arguments of the kernel. All is lowered for their largest values; what lies
 * beyond the values of a call is guarded,
 *
 *     value < n   as   value - n < 0,
 *
 * and loops end where nothing is left: with value = tile v + rest, rest >= 0, iterations of v from
 * ceil(n / tile) on are beyond it, and where value = tile (v / per) + rest, from per ceil(n / tile)
 * on. */

#include "lower_pipeline_internal.h"

#include <stdio.h>

void opevo_i_pipeline_take_arguments(opevo_i_pipeline_lowering *self)
{
    const opevo_pipeline *pipeline = self->pipeline;
    opevo_i_nest *nest = self->nest;

    for (int i = 0; i < pipeline->frees; i++) {
        opevo_i_nest_argument *one = &nest->argument[nest->arguments++];

        snprintf(one->name, sizeof one->name, "%s", pipeline->free[i].name);
        one->most = pipeline->free[i].extent;
        one->atom = opevo_i_affine_atoms_argument(&nest->atoms, one->most);
    }
    for (int key = 0; key < pipeline->stages && pipeline->frees; key++) {
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];
        opevo_i_pipeline_part *part = self->part[key];

        for (int a = 0; part && a < stage->own.axes; a++) {
            part->free[a] = opevo_i_pipeline_free_of(pipeline, stage, a);
            if (!part->free[a] || part->buffer >= nest->operands)
                continue;
            nest->buffer[part->buffer].readable = 0;
            if (stage->pieces)
                OPEVO_I_PIPELINE_REFUSE(self, INVALID,
                                        "%s has a layout of its own, so its extents are constants.",
                                        stage->name);
        }
    }
}

bool opevo_i_pipeline_add_below(const opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                                const opevo_i_affine *value, int free, bool omits)
{
    const opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_affine argument = opevo_i_affine_of_atom(self->nest->argument[free - 1].atom);
    opevo_i_affine below = opevo_i_affine_add(atoms, *value, -1, &argument);
    int before = guards->count;
    bool fits =
        opevo_i_nest_guards_add(atoms, guards, &below, opevo_i_affine_least(atoms, &below), 0);

    if (guards->count > before)
        guards->item[before].omits = omits;
    return fits;
}

bool opevo_i_pipeline_add_extent(const opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                                 const opevo_i_affine *value, int64_t extent, int free, bool omits)
{
    int before = 0;
    bool fits = true;

    if (free) {
        fits = opevo_i_pipeline_add_below(self, guards, value, free, omits);
        extent = opevo_i_affine_most(&self->nest->atoms, value) + 1;
    }
    before = guards->count;
    fits = fits && opevo_i_nest_guards_add(&self->nest->atoms, guards, value, 0, extent);
    if (guards->count > before)
        guards->item[before].omits = omits;
    return fits;
}

/* Whether a value is a term with a positive factor and a rest that is never negative and that does
 * not depend on the loop. */
static bool is_led_by(const opevo_i_affine_atoms *atoms, const opevo_i_affine *value, int term,
                      int loop)
{
    opevo_i_affine one = opevo_i_affine_of_atom(value->term[term].atom);
    opevo_i_affine rest = opevo_i_affine_add(atoms, *value, -value->term[term].factor, &one);

    return value->term[term].factor > 0 && !opevo_i_affine_uses(atoms, &rest, loop) &&
           opevo_i_affine_least(atoms, &rest) >= 0;
}

/* Iterations for each value of an atom that is the loop, or the loop divided by a number; 0 for
 * another one. */
static int64_t iterations_of(const opevo_i_affine_atoms *atoms, int atom, int loop)
{
    const opevo_i_affine_atom *one = &atoms->item[atom];
    opevo_i_affine whole = opevo_i_affine_of_atom(loop);

    if (atom == loop)
        return 1;
    return !one->is_loop && one->divisor && !one->modulus &&
                   opevo_i_affine_equal(&one->inner, &whole)
               ? one->divisor
               : 0;
}

/* The iterations of a loop that may bring something, by the term of a value that it leads; none
 * where the loop is shorter anyway, since it is inside others of the axis. */
static opevo_i_nest_count count_by(const opevo_i_pipeline_lowering *self,
                                   const opevo_i_affine *value, int term, int free,
                                   const opevo_i_nest_loop *loop)
{
    const opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_nest_count count = {.argument = free - 1,
                                .per = iterations_of(atoms, value->term[term].atom, loop->atom),
                                .tile = value->term[term].factor};

    if (!count.per || !is_led_by(atoms, value, term, loop->atom) ||
        count.per * ((self->nest->argument[count.argument].most - 1) / count.tile + 1) >
            loop->extent)
        return (opevo_i_nest_count){0};
    return count;
}

opevo_i_nest_count opevo_i_pipeline_count(const opevo_i_pipeline_lowering *self, int key,
                                          const opevo_i_nest_loop *loop)
{
    const opevo_i_pipeline_part *part = self->part[key];

    /* Zeros of an exact copy are read beyond what it copies. */
    for (int a = 0; a < part->own.axes && !self->pipeline->stage[key]->exact; a++) {
        for (int t = 0; part->free[a] && t < part->value[a].count; t++) {
            opevo_i_nest_count count = count_by(self, &part->value[a], t, part->free[a], loop);

            if (count.tile)
                return count;
        }
    }
    return (opevo_i_nest_count){0};
}
