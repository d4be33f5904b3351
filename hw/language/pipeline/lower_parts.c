/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which part of a stage is computed at its compute_at point, inferred backwards: readers first. An
 * index of a read is a sum of terms of loops. Terms of loops outside the compute_at point are fixed
 * there; the others range over an interval. Where the fixed terms of all reads of a dimension
 * differ by constants, the part is the bounding interval of these, and otherwise the whole
 * dimension.
 *
 * A part may reach beyond the stage where loops were split unevenly or a reader guards its reads;
 * what lies there is not computed. */

#include "lower_pipeline_internal.h"

#include <opevo/memory.h>

#include <limits.h>
#include <string.h>

/* ---- What is fixed ---- */

/* Threads that share memory fill it together: to it, their loops are inside. */
static bool is_shared_by(const opevo_i_pipeline_lowering *self, opevo_scope scope,
                         const opevo_i_pipeline_owner *owner)
{
    opevo_annotation what = self->part[owner->key]->own.loop[owner->loop].annotation;

    return scope == OPEVO_SCOPE_SHARED &&
           (opevo_i_nest_is_thread(what) || what == OPEVO_ANNOTATION_VTHREAD);
}

/* Whether an index that a term of this atom is in stays the same while the part of a stage is
 * computed: all its loops are outside the compute_at point. */
static bool is_fixed(const opevo_i_pipeline_lowering *self, int key, int atom)
{
    const opevo_i_affine_atom *one = &self->nest->atoms.item[atom];
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_pipeline_owner *owner = &self->owner[atom];

    if (!one->is_loop) {
        for (int i = 0; i < one->inner.count; i++) {
            if (!is_fixed(self, key, one->inner.term[i].atom))
                return false;
        }
        return true;
    }
    for (const opevo_i_pipeline_stage *at = stage; at->place == OPEVO_PLACE_AT;
         at = self->pipeline->stage[at->at]) {
        if (owner->key == at->at && owner->loop <= at->at_loop)
            return !is_shared_by(self, self->part[key]->scope, owner);
    }
    return false;
}

/* ---- Reads ---- */

/* Whether a stage is computed inside the compute_at point of another. */
static bool is_inside(const opevo_i_pipeline_lowering *self, int reader,
                      const opevo_i_pipeline_stage *stage)
{
    int loop = INT_MAX;
    int key = reader;

    while (key != stage->at) {
        const opevo_i_pipeline_stage *one = self->pipeline->stage[key];

        if (one->place != OPEVO_PLACE_AT)
            return false;
        loop = one->at_loop;
        key = one->at;
    }
    return loop >= stage->at_loop;
}

static void look_at(opevo_i_pipeline_lowering *self, int key, int d, const opevo_i_affine *index)
{
    const opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_pipeline_part *part = self->part[key];
    opevo_i_affine fixed = opevo_i_affine_constant(0);
    opevo_i_affine free = opevo_i_affine_constant(index->constant);
    int64_t least = 0;
    int64_t most = 0;

    for (int t = 0; t < index->count; t++) {
        opevo_i_affine term = opevo_i_affine_of_atom(index->term[t].atom);
        bool stays = is_fixed(self, key, index->term[t].atom);

        *(stays ? &fixed : &free) =
            opevo_i_affine_add(atoms, stays ? fixed : free, index->term[t].factor, &term);
    }
    least = opevo_i_affine_least(atoms, &free);
    most = opevo_i_affine_most(atoms, &free);
    for (int t = 0; t < free.count; t++) {
        if (atoms->item[free.term[t].atom].extent > 1)
            part->spacing[d] = opevo_i_affine_gcd(free.term[t].factor, part->spacing[d]);
    }
    if (part->seen)
        part->spacing[d] = opevo_i_affine_gcd(least - part->least[d], part->spacing[d]);
    if (part->seen && !opevo_i_affine_equal(&part->fixed[d], &fixed))
        part->whole[d] = true;
    if (!part->seen || least < part->least[d])
        part->least[d] = least;
    if (!part->seen || most > part->most[d])
        part->most[d] = most;
    part->fixed[d] = fixed;
}

/* A constant in a layout of its own has room for zeros where a reader goes on beyond it. */
static void look_beyond(opevo_i_pipeline_lowering *self, int key, const opevo_i_affine *index)
{
    opevo_i_pipeline_part *part = self->part[key];

    for (int d = 0; d < self->pipeline->stage[key]->dims; d++) {
        int64_t most = opevo_i_affine_most(&self->nest->atoms, &index[d]) + 1;

        part->extent[d] = most > part->extent[d] ? most : part->extent[d];
    }
}

static void look(opevo_i_pipeline_lowering *self, void *context, int key,
                 const opevo_i_affine *index)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    int reader = *(const int *)context;
    bool is_copy = self->pipeline->stage[reader]->kind == OPEVO_STAGE_COPY;
    bool beyond = self->pipeline->stage[reader]->extended || self->pipeline->stage[reader]->exact;

    if (beyond && stage->pieces && stage->kind == OPEVO_STAGE_INPUT)
        look_beyond(self, key, index);
    if (stage->place != OPEVO_PLACE_AT)
        return;
    for (int d = 0; d < stage->dims && is_copy; d++) {
        int64_t needed = self->part[reader]->needed[d]; /* 0: all that it has */

        if (!needed || needed > self->part[key]->needed[d])
            self->part[key]->needed[d] = needed ? needed : INT64_MAX;
    }
    if (!is_inside(self, reader, stage)) {
        OPEVO_I_PIPELINE_REFUSE(
            self, INVALID, "%s is computed at a loop of %s, but %s reads it outside.", stage->name,
            self->pipeline->stage[stage->at]->name, self->pipeline->stage[reader]->name);
        return;
    }
    for (int d = 0; d < stage->dims; d++)
        look_at(self, key, d, &index[d]);
    self->part[key]->seen = true;
}

/* ---- Parts ---- */

/* How many indices of a dimension there are in the part, and where they begin. */
static int64_t part_of(opevo_i_pipeline_lowering *self, int key, int d)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_i_pipeline_part *part = self->part[key];
    int64_t extent = part->most[d] - part->least[d] + 1;

    part->base[d] = opevo_i_affine_constant(0);
    part->step[d] = 1;
    if (stage->place != OPEVO_PLACE_AT || part->whole[d])
        return stage->own.axis_extent[d];
    if (stage->exact && part->spacing[d] > 1)
        part->step[d] = part->spacing[d];
    if (stage->exact && part->needed[d] && part->needed[d] < extent)
        extent = part->needed[d];
    extent = (extent - 1) / part->step[d] + 1;
    if (!stage->exact && extent >= stage->own.axis_extent[d])
        return stage->own.axis_extent[d];
    part->base[d] = part->fixed[d];
    part->base[d].constant += part->least[d];
    return extent;
}

static void own_atoms(opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;

    if (!opevo_reserve((void **)&self->owner, &self->owner_capacity, self->nest->atoms.count,
                       sizeof *self->owner)) {
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
        return;
    }
    while (self->owners < self->nest->atoms.count)
        self->owner[self->owners++] = (opevo_i_pipeline_owner){-1, -1};
    for (int i = 0; i < own->loops; i++)
        self->owner[own->loop[i].atom] = (opevo_i_pipeline_owner){key, i};
}

/* What the loops over an axis of a part run over: all of its `extent`, and where sums gather in
 * vectors along it, whole ones. */
static int64_t run_over(const opevo_i_pipeline_stage *stage, int axis, int64_t extent)
{
    for (int i = 0; i < stage->own.loops && stage->accumulate >= 0 && axis < stage->dims; i++) {
        const opevo_i_nest_loop *loop = &stage->own.loop[i];

        if (loop->annotation == OPEVO_ANNOTATION_VECTORIZE &&
            opevo_i_affine_factor(&stage->own.axis[axis], loop->atom) == 1)
            return (extent + loop->extent - 1) / loop->extent * loop->extent;
    }
    return extent;
}

/* The loops over the part: those of the axes, changed as the steps say. */
static opevo_status set_loops(opevo_i_pipeline_lowering *self, int key, bool shrink,
                              opevo_error *err)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_nest_loops *own = &self->part[key]->own;
    opevo_status status = OPEVO_OK;
    bool reduces = false;

    own->loops = own->axes = 0;
    for (int a = 0; a < stage->own.axes; a++) {
        int64_t extent = a < stage->dims ? part_of(self, key, a) : stage->own.axis_extent[a];

        reduces = stage->axis_reduces[a];
        OPEVO_TRY(opevo_i_nest_loops_add(own, atoms, stage->axis_name[a],
                                         run_over(stage, a, extent), reduces, err));
        own->axis_extent[a] = extent;
        own->axis[a] = opevo_i_affine_of_atom(own->loop[a].atom);
        own->axes++;
    }
    for (int i = 0; i < stage->changes; i++)
        OPEVO_TRY(opevo_i_pipeline_loop_change_apply(&stage->change[i], own, shrink, atoms,
                                                     stage->name, err));
cleanup:
    return status;
}

static void find_vthreads(opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_i_pipeline_part *part = self->part[key];

    for (size_t atom = 0; atom < self->owners; atom++) {
        const opevo_i_pipeline_owner *owner = &self->owner[atom];
        bool used = false;

        if (!self->nest->atoms.item[atom].is_loop || !is_fixed(self, key, (int)atom) ||
            self->part[owner->key]->own.loop[owner->loop].annotation != OPEVO_ANNOTATION_VTHREAD)
            continue;
        for (int d = 0; d < stage->dims; d++)
            used |= opevo_i_affine_uses(&self->nest->atoms, &part->base[d], (int)atom);
        if (used && part->vthreads < 3)
            part->vthread[part->vthreads++] = (int)atom;
    }
}

enum { LARGEST_LOCAL = 16384 }; /* elements of a copy on the stack of a CPU kernel */

/* With what the outermost piece of a layout holds beyond it. */
static int64_t room_of(const opevo_i_pipeline_stage *stage, int dim, int64_t extent)
{
    int64_t largest = 1;

    for (int i = 0; i < stage->pieces; i++) {
        if (stage->piece[i].dim == dim && stage->piece[i].divisor > largest)
            largest = stage->piece[i].divisor;
    }
    return (extent + largest - 1) / largest * largest;
}

/* Elements of an array with these extents; 2^40 or more where they are too many. */
static double size_of(const opevo_i_pipeline_stage *stage, const int64_t *extent)
{
    double size = 1;

    for (int i = stage->pieces - 1; i >= 0 && size <= 0x1p40; i--)
        size = (double)opevo_i_pipeline_piece_stride(stage, i, (int64_t)size) *
               (double)opevo_i_pipeline_piece(stage, i, extent).extent;
    if (stage->pieces)
        return size;
    for (int d = stage->dims - 1; d >= 0 && size <= 0x1p40; d--)
        size = (double)opevo_i_pipeline_stride(stage, d, (int64_t)size) * (double)extent[d];
    return size;
}

static void set_buffer(opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_i_pipeline_part *part = self->part[key];
    opevo_i_nest_buffer *buffer = NULL;
    double size = 1;

    for (int d = 0; d < stage->dims; d++) {
        /* What loops reach beyond a whole dimension is cut off by guards. */
        part->extent[d] = stage->exact || part->own.axis_extent[d] == stage->own.axis_extent[d]
                              ? part->own.axis_extent[d]
                              : opevo_i_affine_most(&self->nest->atoms, &part->own.axis[d]) + 1;
        part->extent[d] = room_of(stage, d, part->extent[d]);
    }
    if (part->buffer >= 0)
        return;
    size = size_of(stage, part->extent);
    if (self->buffers == OPEVO_I_BUFFERS || size > 0x1p40) {
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT,
                                "%s would have more than 2^40 elements, or be one buffer of "
                                "more than %d.",
                                stage->name, OPEVO_I_BUFFERS);
        return;
    }
    part->buffer = self->buffers++;
    buffer = &self->nest->buffer[part->buffer];
    buffer->scope = part->scope;
    buffer->element = opevo_i_pipeline_element(self->pipeline, key);
    if (part->scope == OPEVO_SCOPE_GLOBAL || part->scope == OPEVO_SCOPE_LOCAL)
        buffer->scope = stage->place == OPEVO_PLACE_AT && size <= LARGEST_LOCAL
                            ? OPEVO_SCOPE_LOCAL
                            : OPEVO_SCOPE_PACKED;
    buffer->size = (int64_t)size;
    buffer->launch = part->launch;
    buffer->whole = stage->place == OPEVO_PLACE_ROOT && buffer->scope == OPEVO_SCOPE_PACKED;
    if (size > self->nest->reach)
        self->nest->reach = size;
    if (stage->place == OPEVO_PLACE_AT && buffer->scope != OPEVO_SCOPE_SHARED)
        find_vthreads(self, key);
    for (int i = 0; i < part->vthreads; i++)
        buffer->size *= self->nest->atoms.item[part->vthread[i]].extent;
    buffer->size *= stage->double_buffer ? 2 : 1;
}

/* ---- All ---- */

/* How many indices the reads of a stage are for: kept axes end where the stage does, sums where the
 * loops do. */
static void look_needed(opevo_i_pipeline_lowering *self, void *context, int key,
                        const opevo_i_affine *index)
{
    const opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_pipeline_part *part = self->part[key];

    (void)context;
    for (int d = 0; d < self->pipeline->stage[key]->dims; d++) {
        int64_t count =
            opevo_i_affine_most(atoms, &index[d]) - opevo_i_affine_least(atoms, &index[d]) + 1;

        part->needed[d] = count > part->needed[d] ? count : part->needed[d];
    }
}

static void find_needed(opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_pipeline_part *part = self->part[key];
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_affine axis[OPEVO_I_AXES];

    if (!self->exact || stage->kind != OPEVO_STAGE_DEFINED)
        return;
    for (int a = 0; a < part->own.axes; a++) {
        int64_t extent = stage->axis_reduces[a] ? opevo_i_affine_most(atoms, &part->value[a]) + 1
                                                : stage->own.axis_extent[a];

        axis[a] = opevo_i_affine_of_atom(opevo_i_affine_atoms_loop(atoms, extent));
    }
    opevo_i_pipeline_walk(self, key, axis, look_needed, NULL);
}

/* The part of a stage whose readers are all known. */
static void infer(opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_i_pipeline_part *part = self->part[key];
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (stage->kind == OPEVO_STAGE_INPUT) {
        for (int d = 0; d < stage->dims; d++) {
            int64_t extent = stage->own.axis_extent[d];

            part->extent[d] = extent > part->extent[d] ? extent : part->extent[d];
        }
        return;
    }
    if (stage->place == OPEVO_PLACE_AT)
        part->turn = opevo_i_affine_of_atom(self->part[stage->at]->own.loop[stage->at_loop].atom);
    /* A loop that has shrunk may not split evenly any more. The loops of whole stages stay: other
     * stages count on their threads. */
    status = set_loops(self, key, stage->place == OPEVO_PLACE_AT && !stage->exact, NULL);
    if (status != OPEVO_OK)
        status = set_loops(self, key, false, &inner);
    if (status != OPEVO_OK) {
        if (self->status == OPEVO_OK)
            self->status = OPEVO_FAIL(self->err, status, "%s", inner.message);
        return;
    }
    own_atoms(self, key);
    if (self->status != OPEVO_OK)
        return;
    set_buffer(self, key);
    for (int a = 0; a < part->own.axes; a++) {
        part->value[a] = part->own.axis[a];
        if (a < stage->dims)
            part->value[a] = opevo_i_affine_add(&self->nest->atoms, part->base[a], part->step[a],
                                                &part->own.axis[a]);
    }
    opevo_i_pipeline_walk(self, key, part->value, look, &key);
    find_needed(self, key);
}

static bool any_exact(const opevo_pipeline *pipeline)
{
    bool any = false;

    for (int i = 0; i < pipeline->stages; i++)
        any |= pipeline->stage[i]->exact;
    return any;
}

void opevo_i_pipeline_infer(opevo_i_pipeline_lowering *self)
{
    self->exact = any_exact(self->pipeline);
    for (int number = self->pipeline->stages - 1; number >= 0 && self->status == OPEVO_OK;
         number--) {
        int key = self->pipeline->order[number];

        if (self->part[key])
            infer(self, key);
    }
}
