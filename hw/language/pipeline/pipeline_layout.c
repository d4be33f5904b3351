/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Layouts: of copies and constants pieces (index / divisor) of their dimensions, outer piece first;
 * of stages in memory of the kernel padded rows. The extents of a part are known only when it is
 * lowered, and are found then. */

#include "pipeline_internal.h"

/* The next larger divisor of the same dimension, 0 where it is the largest. Of equal ones the first
 * is the larger. */
static int64_t outer_divisor(const opevo_i_pipeline_stage *stage, int piece)
{
    const opevo_i_nest_piece *inner = &stage->piece[piece];
    int64_t divisor = 0;

    for (int i = 0; i < stage->pieces; i++) {
        const opevo_i_nest_piece *one = &stage->piece[i];

        if (one->dim == inner->dim &&
            (one->divisor > inner->divisor || (one->divisor == inner->divisor && i < piece)) &&
            (!divisor || one->divisor < divisor))
            divisor = one->divisor;
    }
    return divisor;
}

opevo_i_nest_piece opevo_i_pipeline_piece(const opevo_i_pipeline_stage *stage, int piece,
                                          const int64_t *extent)
{
    opevo_i_nest_piece one = stage->piece[piece];
    int64_t outer = outer_divisor(stage, piece);

    one.outermost = outer == 0;
    one.extent = outer ? outer / one.divisor : (extent[one.dim] + one.divisor - 1) / one.divisor;
    return one;
}

/* The divisors of each dimension are 1 and others, each of which divides the next larger one. */
static bool is_whole(const opevo_i_pipeline_stage *stage)
{
    bool ends[OPEVO_I_DIMS] = {false};

    for (int i = 0; i < stage->pieces; i++) {
        int64_t outer = outer_divisor(stage, i);

        if (stage->piece[i].divisor < 1 || (outer && outer % stage->piece[i].divisor != 0))
            return false;
        ends[stage->piece[i].dim] |= stage->piece[i].divisor == 1;
    }
    for (int d = 0; d < stage->dims; d++) {
        if (!ends[d])
            return false;
    }
    return true;
}

opevo_status opevo_i_pipeline_layout(opevo_pipeline *self, const opevo_pipeline_step *step,
                                     opevo_error *err)
{
    opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(self, step->stage);
    opevo_i_pipeline_stage with = *stage;
    bool is_constant = stage->kind == OPEVO_STAGE_INPUT &&
                       self->computation->tensor[stage->tensor]->role == OPEVO_ROLE_CONSTANT;

    if (!is_constant && (stage->kind != OPEVO_STAGE_COPY ||
                         opevo_i_pipeline_is_output(self, self->order[step->stage])))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has the layout that it is passed in: only copies and constants have "
                          "layouts of their own.",
                          stage->name);
    for (int d = 0; d < stage->dims; d++) {
        if (stage->align_factor[d])
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s has aligned rows, which a layout would not have.", stage->name);
    }
    if (step->count < 2 || step->count % 2 || step->count / 2 > OPEVO_I_PIECES ||
        stage->dims > OPEVO_I_DIMS)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A layout is one to %d pieces of two numbers, of at most %d dimensions.",
                          OPEVO_I_PIECES, OPEVO_I_DIMS);
    with.pieces = step->count / 2;
    for (int i = 0; i < with.pieces; i++) {
        if (step->number[2 * i] < 0 || step->number[2 * i] >= stage->dims)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s has %d dimensions, from 0 on.", stage->name,
                              stage->dims);
        with.piece[i] = (opevo_i_nest_piece){.dim = (int)step->number[2 * i],
                                             .divisor = step->number[2 * i + 1]};
    }
    if (!is_whole(&with))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The pieces of each dimension of %s have divisors that divide one "
                          "another, down to 1.",
                          stage->name);
    *stage = with;
    return OPEVO_OK;
}

int64_t opevo_i_pipeline_piece_stride(const opevo_i_pipeline_stage *stage, int piece,
                                      int64_t inside)
{
    int dim = stage->piece[piece].dim;

    for (int i = 0; i < piece; i++) {
        if (stage->piece[i].dim == dim)
            return inside;
    }
    return opevo_i_pipeline_stride(stage, dim, inside);
}

/* ---- Padding ---- */

int64_t opevo_i_pipeline_stride(const opevo_i_pipeline_stage *stage, int dim, int64_t inside)
{
    int64_t factor = stage->align_factor[dim];

    if (!factor)
        return inside;
    return inside + (factor + stage->align_offset[dim] % factor - inside % factor) % factor;
}

/* The dimension that a loop is the whole of, -1 for any other loop. */
static int dimension_of(const opevo_i_pipeline_stage *stage, int64_t loop)
{
    for (int d = 0; d < stage->dims && loop >= 0 && loop < stage->own.loops; d++) {
        opevo_i_affine whole = opevo_i_affine_of_atom(stage->own.loop[loop].atom);

        if (opevo_i_affine_equal(&stage->own.axis[d], &whole))
            return d;
    }
    return -1;
}

opevo_status opevo_i_pipeline_storage_align(opevo_pipeline *self, const opevo_pipeline_step *step,
                                            opevo_error *err)
{
    enum { MOST = 1 << 16 };
    opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(self, step->stage);
    int dim = step->count == 3 ? dimension_of(stage, step->number[0]) : -1;

    if (opevo_i_pipeline_is_output(self, self->order[step->stage]))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has the layout that it is passed in, so its rows cannot be padded.",
                          stage->name);
    if (dim < 0)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "storage_align takes a loop that is a whole dimension of %s, a factor and "
            "an offset.",
            stage->name);
    if (step->number[1] < 1 || step->number[1] > MOST || step->number[2] < 0 ||
        step->number[2] > MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "storage_align takes a factor from 1 to %d and an offset from 0 to %d.",
                          (int)MOST, (int)MOST);
    stage->align_factor[dim] = step->number[1];
    stage->align_offset[dim] = step->number[2];
    return OPEVO_OK;
}
