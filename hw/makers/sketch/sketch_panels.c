/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operands of a register tile that may lie in panels: element by element as the innermost loops
 * read them, as wide as the tile. A constant is packed before the kernel is called, everything else
 * is copied where it is used. Source: Goto, van de Geijn, "Anatomy of high-performance matrix
 * multiplication", ACM TOMS 34 (2008). */

#include "sketch_internal.h"

#include <opevo/computation_access.h>

/* A panel makes vectors of elements that lie apart, of fewer than SHORTEST_PANEL no useful ones.
 * One along a sum turns its operand, which pays only for sums of SHORTEST_SUM terms or more, with a
 * whole vector of LANES along the axis, beside an operand that is streamed: that is one whose
 * elements are read less than MOST_REUSE times each. */
enum { SHORTEST_PANEL = 4, SHORTEST_SUM = 64, MOST_REUSE = 16, LANES = 16 };

typedef struct search {
    const opevo_pipeline *pipeline;
    const opevo_i_pipeline_stage *reader;
    const opevo_definition *definition;
    int reads;
    const opevo_expression *read[OPEVO_I_PANELS];
} search;

static void find_read(void *context, const opevo_expression *read)
{
    search *self = context;

    if (self->reads < OPEVO_I_PANELS)
        self->read[self->reads] = read;
    self->reads++;
}

/* How many terms of an index have an axis in them. */
static int count_terms(const opevo_affine *index, int axis)
{
    int count = 0;

    for (int t = 0; t < index->count; t++)
        count += index->term[t].atom == OPEVO_ATOM_AXIS ? index->term[t].axis == axis
                                                        : count_terms(index->term[t].inner, axis);
    return count;
}

static int count_in_read(const opevo_expression *read, int axis)
{
    int count = 0;

    for (int d = 0; d < read->tensor->dims; d++)
        count += count_terms(&read->index[d], axis);
    return count;
}

/* Whether the dimension is one axis, which some other read does not have unless this is a constant
 * with long rows, and some long axis is not in this read: then each element is read again by rows
 * of the tile. */
static bool is_panel(const search *self, int number, int d, bool constant, int *axis)
{
    const opevo_expression *read = self->read[number];
    const opevo_affine *index = &read->index[d];
    const opevo_definition *definition = self->definition;
    bool shared = true;
    bool reused = false;

    if (index->count != 1 || index->constant || index->term[0].atom != OPEVO_ATOM_AXIS ||
        index->term[0].factor != 1)
        return false;
    *axis = index->term[0].axis;
    if (*axis >= definition->spatial || definition->axis[*axis].extent < SHORTEST_PANEL ||
        count_in_read(read, *axis) != 1)
        return false;
    for (int i = 0; i < self->reads; i++)
        shared &= count_in_read(self->read[i], *axis) > 0;
    for (int a = 0; a < definition->spatial; a++)
        reused |= definition->axis[a].extent > 1 && count_in_read(read, a) == 0;
    shared &=
        !constant || *axis + 1 < definition->spatial || definition->axis[*axis].extent <= 2 * LANES;
    return !shared && reused;
}

bool opevo_i_sketch_can_be_packed(const opevo_pipeline *pipeline, int key)
{
    int before = 0; /* arguments */

    if (pipeline->stage[key]->kind != OPEVO_STAGE_INPUT ||
        pipeline->computation->tensor[key]->role != OPEVO_ROLE_CONSTANT)
        return false;
    for (int t = 0; t < key; t++)
        before += pipeline->stage[t]->kind == OPEVO_STAGE_INPUT;
    return before < OPEVO_OPERANDS;
}

int opevo_i_sketch_panels(const opevo_pipeline *pipeline, int stage, bool layouts,
                          opevo_i_sketch_panel *out)
{
    const opevo_i_pipeline_stage *reader = opevo_i_pipeline_at(pipeline, stage);
    search self = {.pipeline = pipeline, .reader = reader};
    int count = 0;

    self.definition = pipeline->computation->tensor[reader->tensor]->definition;
    opevo_expression_reads(self.definition->value, find_read, &self);
    if (self.reads > OPEVO_I_PANELS)
        return 0;
    for (int i = 0; i < self.reads; i++) {
        int key = opevo_i_pipeline_target(reader, self.read[i]->tensor);
        int axis = 0;

        bool constant = layouts && opevo_i_sketch_can_be_packed(pipeline, key);

        for (int d = 0; d < self.read[i]->tensor->dims && count < OPEVO_I_PANELS; d++) {
            if (pipeline->stage[key]->dims <= OPEVO_I_DIMS &&
                is_panel(&self, i, d, constant, &axis))
                out[count++] = (opevo_i_sketch_panel){key, d, axis, constant};
        }
    }
    return count;
}

opevo_status opevo_i_sketch_pack(opevo_pipeline *pipeline, int *reader,
                                 const opevo_i_sketch_panel *panel, opevo_error *err)
{
    int number = opevo_i_pipeline_number(pipeline, panel->key);
    int dims = pipeline->stage[panel->key]->dims;
    int64_t pieces[2 * (OPEVO_I_DIMS + 1)] = {panel->dim, 1};
    int count = 2;
    opevo_status status = OPEVO_OK;

    for (int d = 0; d < dims; d++) {
        if (d == panel->dim)
            continue;
        pieces[count++] = d;
        pieces[count++] = 1;
    }
    pieces[count++] = panel->dim;
    pieces[count++] = 1;
    if (!panel->constant) {
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_CACHE_READ, number, 2,
                                      (int64_t[]){OPEVO_SCOPE_PACKED, *reader}, err));
        ++*reader;
        number++;
    }
    status = opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_LAYOUT, number, count, pieces, err);
cleanup:
    return status;
}

/* ---- Vectors along rows that nothing is read again for ---- */

bool opevo_i_sketch_has_rows(const opevo_pipeline *pipeline, int stage)
{
    const opevo_i_pipeline_stage *reader = opevo_i_pipeline_at(pipeline, stage);
    const opevo_definition *definition = pipeline->computation->tensor[reader->tensor]->definition;
    search self = {.pipeline = pipeline, .reader = reader, .definition = definition};
    int axis = reader->dims - 1;

    if (reader->kind != OPEVO_STAGE_DEFINED || reader->map || axis < 0 ||
        definition->axis[axis].extent < SHORTEST_PANEL)
        return false;
    opevo_expression_reads(definition->value, find_read, &self);
    for (int i = 0; i < self.reads; i++) {
        const opevo_expression *read = i < OPEVO_I_PANELS ? self.read[i] : NULL;
        int last = read ? read->tensor->dims - 1 : -1;
        int64_t factor = 0;

        for (int t = 0; last >= 0 && t < read->index[last].count; t++) {
            if (read->index[last].term[t].atom == OPEVO_ATOM_AXIS &&
                read->index[last].term[t].axis == axis)
                factor = read->index[last].term[t].factor;
        }
        if ((factor != 1 && factor != 2) || count_in_read(read, axis) != 1)
            return false;
    }
    return self.reads > 0;
}

/* ---- Vectors along a sum ---- */

/* Whether neighbours along an axis lie side by side in what is read; one element has none. */
static bool is_adjacent(const opevo_expression *read, int axis)
{
    int64_t inside = 1;
    int d = read->tensor->dims - 1;

    while (d > 0 && count_terms(&read->index[d], axis) == 0)
        inside *= read->tensor->extent[d--];
    return d >= 0 && inside == 1 && read->index[d].count == 1 &&
           count_terms(&read->index[d], axis) == 1 &&
           read->index[d].term[0].atom == OPEVO_ATOM_AXIS && read->index[d].term[0].factor == 1;
}

/* Results that each element of a read is for. */
static double reuse_of(const search *self, const opevo_expression *read)
{
    double reuse = 1;

    for (int a = 0; a < self->definition->spatial; a++)
        reuse *= count_in_read(read, a) ? 1 : (double)self->definition->axis[a].extent;
    return reuse;
}

/* The last of the axes that a definition sums over, axes of extent 1 aside, and the terms of the
 * sum; -1 where it does not sum. */
static int summed_axis(const opevo_definition *definition, double *terms)
{
    int found = -1;

    *terms = 1;
    for (int a = definition->spatial; a < definition->axes; a++) {
        *terms *= (double)definition->axis[a].extent;
        found = definition->axis[a].extent > 1 ? a : found;
    }
    return definition->reducer == OPEVO_REDUCER_SUM ? found : -1;
}

int opevo_i_sketch_long_sum(const opevo_pipeline *pipeline, int stage, bool layouts,
                            opevo_i_sketch_panel *panel)
{
    const opevo_i_pipeline_stage *reader = opevo_i_pipeline_at(pipeline, stage);
    const opevo_definition *definition = pipeline->computation->tensor[reader->tensor]->definition;
    search self = {.pipeline = pipeline, .reader = reader, .definition = definition};
    double terms = 0;
    int axis = summed_axis(definition, &terms);
    bool streamed = false;

    panel->key = -1;
    if (axis < 0 || terms < SHORTEST_SUM || definition->axis[axis].extent < LANES)
        return -1;
    opevo_expression_reads(definition->value, find_read, &self);
    if (self.reads > OPEVO_I_PANELS)
        return -1;
    for (int i = 0; i < self.reads; i++) {
        const opevo_expression *read = self.read[i];
        int key = opevo_i_pipeline_target(reader, read->tensor);

        if (is_adjacent(read, axis)) {
            streamed |= reuse_of(&self, read) < MOST_REUSE;
            continue;
        }
        for (int d = 0; d < read->tensor->dims; d++) {
            if (count_terms(&read->index[d], axis) && read->tensor->dims <= OPEVO_I_DIMS)
                *panel = (opevo_i_sketch_panel){
                    key, d, axis, layouts && opevo_i_sketch_can_be_packed(pipeline, key)};
        }
    }
    return streamed ? axis : -1;
}
