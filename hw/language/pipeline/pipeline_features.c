/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pipeline's stages in the order in which they are lowered, as a plain description of loops and
 * stores. Indices stay apart by dimension, where the loop nest has addresses.
 *
 * Quotients and remainders of fused loops are exact as long as each is of one loop; of several
 * loops each has a term of its own, whose range is that of the whole. */

#include <opevo/pipeline_features.h>

#include "lower_pipeline_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum {
    LOOPS_MOST = 512,
    STORES_MOST = 3 * OPEVO_PIPELINE_STAGES,
    BUFFERS_MOST = OPEVO_PIPELINE_ROWS,
    DEPTH_MOST = 64,
    ACCESSES_MOST = 512,
    INDICES_MOST = 2048,
    TERMS_MOST = 8192,
    STAGE_NAMES = 16 /* of loops of one stage */
};

typedef struct builder {
    opevo_i_pipeline_lowering low;
    opevo_statement_loop loops[LOOPS_MOST];
    unsigned names[LOOPS_MOST];
    opevo_statement_buffer buffers[BUFFERS_MOST];
    int64_t shapes[BUFFERS_MOST][OPEVO_I_AXES];
    opevo_statement_store stores[STORES_MOST];
    size_t around[STORES_MOST][DEPTH_MOST];
    opevo_statement_access accesses[ACCESSES_MOST];
    opevo_statement_index indices[INDICES_MOST];
    opevo_statement_term terms[TERMS_MOST];
    size_t loop_count, buffer_count, store_count, access_count, index_count, term_count;
    size_t *loop_of; /* by atom: the loop that it is at present */
    size_t stack[DEPTH_MOST];
    size_t depth;
    unsigned first_name; /* of the stage whose loops are entered */
} builder;

/* One more of a list; 0, with the failure remembered, where there are too many. */
static size_t next(builder *self, size_t *count, size_t most)
{
    if (*count < most)
        return (*count)++;
    OPEVO_I_PIPELINE_REFUSE(&self->low, LIMIT,
                            "The program is too large for features of its statements.");
    return 0;
}

/* ---- Indices ---- */

static int64_t over(int64_t number, int64_t divisor)
{
    return number / divisor > 0 ? number / divisor : 1;
}

static void add_terms(builder *self, const opevo_i_affine *of, int64_t stride, int64_t divisor,
                      int64_t modulus);

/* stride * (factor * atom / divisor % modulus) */
static void add_term(builder *self, int number, int64_t factor, int64_t stride, int64_t divisor,
                     int64_t modulus)
{
    const opevo_i_affine_atom *atom = &self->low.nest->atoms.item[number];
    int64_t size = factor < 0 ? -factor : factor;
    opevo_statement_term *term = NULL;

    if (modulus && size % (divisor * modulus) == 0)
        return;
    if (!atom->is_loop) { /* a division inside a division: the outer one of what the inner one is */
        opevo_i_affine inner = atom->inner;

        if (size >= divisor)
            add_terms(self, &inner, stride * (factor / divisor), atom->divisor, atom->modulus);
        else
            add_terms(self, &inner, stride, atom->divisor * over(divisor, size), modulus);
        return;
    }
    term = &self->terms[next(self, &self->term_count, TERMS_MOST)];
    *term = (opevo_statement_term){.loop = self->loop_of[number],
                                   .stride = size >= divisor ? stride * (factor / divisor) : stride,
                                   .divisor = size >= divisor ? 1 : over(divisor, size),
                                   .modulus = 0};
    if (modulus)
        term->modulus = size >= divisor ? over(modulus, size / divisor) : modulus;
}

static void add_terms(builder *self, const opevo_i_affine *of, int64_t stride, int64_t divisor,
                      int64_t modulus)
{
    for (int t = 0; t < of->count; t++)
        add_term(self, of->term[t].atom, of->term[t].factor, stride, divisor, modulus);
}

static opevo_statement_index index_of(builder *self, const opevo_i_affine *value)
{
    size_t first = self->term_count;

    add_terms(self, value, 1, 1, 0);
    return (opevo_statement_index){.offset = value->constant,
                                   .terms = self->terms + first,
                                   .term_count = self->term_count - first};
}

/* ---- Buffers ---- */

static size_t add_buffer(builder *self, size_t dimensions, const int64_t *extents,
                         opevo_element element)
{
    size_t place = next(self, &self->buffer_count, BUFFERS_MOST);
    opevo_statement_buffer *made = &self->buffers[place];

    memcpy(self->shapes[place], extents, dimensions * sizeof *extents);
    *made = (opevo_statement_buffer){.shape = self->shapes[place],
                                     .dimension_count = dimensions,
                                     .element_bytes = (size_t)opevo_element_bytes(element),
                                     .allocated_elements = 1,
                                     .allocated_inside = self->depth};
    for (size_t d = 0; d < dimensions; d++)
        made->allocated_elements *= extents[d];
    return place;
}

/* The buffers of all stages have their keys as numbers. They are seen as whole tensors, of which a
 * part is allocated, as TVM sees them before it flattens storage. */
static void add_stages(builder *self)
{
    const opevo_pipeline *pipeline = self->low.pipeline;

    for (int key = 0; key < pipeline->stages; key++) {
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];
        const opevo_i_pipeline_part *part = self->low.part[key];
        size_t place = add_buffer(self, (size_t)stage->dims, stage->own.axis_extent,
                                  opevo_i_pipeline_element(pipeline, key));

        self->buffers[place].allocated_elements = 1;
        for (int d = 0; part && d < stage->dims; d++)
            self->buffers[place].allocated_elements *= part->extent[d];
    }
}

static opevo_statement_access access_of(builder *self, int key, const opevo_i_affine *index)
{
    int dimensions = self->low.pipeline->stage[key]->dims;
    size_t first = self->index_count;

    for (int d = 0; d < dimensions; d++)
        self->indices[next(self, &self->index_count, INDICES_MOST)] = index_of(self, &index[d]);
    return (opevo_statement_access){.buffer = (size_t)key, .indices = self->indices + first};
}

/* ---- Operations ---- */

static void count_value(builder *self, int key, const opevo_expression *value, unsigned *ops);

static void count_stage(builder *self, int key, unsigned *ops)
{
    const opevo_i_pipeline_stage *stage = self->low.pipeline->stage[key];

    if (stage->kind == OPEVO_STAGE_DEFINED)
        count_value(self, key,
                    self->low.pipeline->computation->tensor[stage->tensor]->definition->value, ops);
    else if (self->low.pipeline->stage[stage->source]->place == OPEVO_PLACE_INLINED)
        count_stage(self, stage->source, ops);
}

/* The operation on floats, or that on integers in its place in stages that compute these. */
static opevo_statement_op typed(const builder *self, int key, opevo_statement_op op)
{
    bool whole = opevo_i_pipeline_type(&self->low, key) == OPEVO_INT32;

    return whole && op <= OPEVO_STATEMENT_FLOAT_OTHER
               ? (opevo_statement_op)(op + OPEVO_STATEMENT_INT_MAD - OPEVO_STATEMENT_FLOAT_MAD)
               : op;
}

static void count_condition(builder *self, int key, const opevo_condition *condition, unsigned *ops)
{
    if (condition->kind == OPEVO_COND_AND || condition->kind == OPEVO_COND_OR) {
        ops[OPEVO_STATEMENT_BOOL]++;
        count_condition(self, key, condition->left, ops);
        count_condition(self, key, condition->right, ops);
        return;
    }
    ops[condition->x ? typed(self, key, OPEVO_STATEMENT_FLOAT_COMPARE)
                     : OPEVO_STATEMENT_INT_COMPARE]++;
    if (condition->x) {
        count_value(self, key, condition->x, ops);
        count_value(self, key, condition->y, ops);
    }
}

static opevo_statement_op op_of(opevo_expression_kind kind)
{
    switch (kind) {
    case OPEVO_EXPR_ADD:
    case OPEVO_EXPR_SUBTRACT:
    case OPEVO_EXPR_NEGATE:
        return OPEVO_STATEMENT_FLOAT_ADD;
    case OPEVO_EXPR_MULTIPLY:
        return OPEVO_STATEMENT_FLOAT_MULTIPLY;
    case OPEVO_EXPR_DIVIDE:
        return OPEVO_STATEMENT_FLOAT_DIVIDE;
    case OPEVO_EXPR_MAX:
    case OPEVO_EXPR_MIN:
        return OPEVO_STATEMENT_FLOAT_COMPARE;
    case OPEVO_EXPR_SELECT:
        return OPEVO_STATEMENT_SELECT;
    default:
        return OPEVO_STATEMENT_FLOAT_FUNCTION;
    }
}

static void count_value(builder *self, int key, const opevo_expression *value, unsigned *ops)
{
    if (value->kind == OPEVO_EXPR_NUMBER || value->kind == OPEVO_EXPR_WHOLE)
        return;
    if (value->kind == OPEVO_EXPR_READ) {
        int read = opevo_i_pipeline_target(self->low.pipeline->stage[key], value->tensor);

        if (self->low.pipeline->stage[read]->place == OPEVO_PLACE_INLINED)
            count_stage(self, read, ops);
        return;
    }
    ops[typed(self, key, op_of(value->kind))]++;
    if (value->condition)
        count_condition(self, key, value->condition, ops);
    if (value->left)
        count_value(self, key, value->left, ops);
    if (value->right)
        count_value(self, key, value->right, ops);
}

/* Those on the indices of the loads. */
static void count_indices(const builder *self, opevo_statement_store *store)
{
    for (size_t r = 0; r < store->read_count; r++) {
        const opevo_statement_access *read = &store->reads[r];

        for (size_t d = 0; d < self->buffers[read->buffer].dimension_count; d++) {
            const opevo_statement_index *index = &read->indices[d];

            store->ops[OPEVO_STATEMENT_INT_ADD] +=
                (unsigned)(index->term_count ? index->term_count - 1 : 0) + (index->offset != 0);
            for (size_t t = 0; t < index->term_count; t++) {
                store->ops[OPEVO_STATEMENT_INT_MULTIPLY] += index->terms[t].stride != 1;
                store->ops[OPEVO_STATEMENT_INT_DIVIDE] +=
                    (unsigned)(index->terms[t].divisor != 1) + (index->terms[t].modulus != 0);
            }
        }
    }
}

/* ---- Stores ---- */

static void enter(builder *self, const opevo_i_nest_loops *own, int at)
{
    const opevo_i_nest_loop *loop = &own->loop[at];
    size_t place = next(self, &self->loop_count, LOOPS_MOST);

    self->loops[place] = (opevo_statement_loop){.extent = loop->extent, .kind = loop->annotation};
    self->names[place] = self->first_name + (unsigned)(at % STAGE_NAMES);
    self->loop_of[loop->atom] = place;
    self->stack[next(self, &self->depth, DEPTH_MOST)] = place;
}

/* Loops of a stage from `at` on that do not reduce; those of before come back with `leave`. */
static void enter_kept(builder *self, const opevo_i_nest_loops *own, int at)
{
    for (int i = at; i < own->loops; i++) {
        if (!own->loop[i].reduces)
            enter(self, own, i);
    }
}

static opevo_statement_store *add_store(builder *self, opevo_statement_access target)
{
    size_t place = next(self, &self->store_count, STORES_MOST);

    memcpy(self->around[place], self->stack, self->depth * sizeof *self->stack);
    self->stores[place] = (opevo_statement_store){.loops = self->around[place],
                                                  .loop_count = self->depth,
                                                  .target = target,
                                                  .reads = self->accesses + self->access_count};
    return &self->stores[place];
}

static void add_read(builder *self, opevo_statement_store *store, opevo_statement_access read)
{
    self->accesses[next(self, &self->access_count, ACCESSES_MOST)] = read;
    store->read_count++;
}

typedef struct reader {
    builder *self;
    opevo_statement_store *store;
} reader;

static void add_element(opevo_i_pipeline_lowering *low, void *context, int key,
                        const opevo_i_affine *index)
{
    const reader *one = context;

    (void)low;
    add_read(one->self, one->store, access_of(one->self, key, index));
}

/* What the innermost statement of a stage does. */
static void add_update(builder *self, int key, opevo_statement_access target)
{
    opevo_statement_store *store = add_store(self, target);
    opevo_reducer reducer = opevo_i_pipeline_reducer(&self->low, key);
    reader context = {self, store};

    if (reducer != OPEVO_REDUCER_NONE) {
        add_read(self, store, target);
        store->ops[typed(self, key,
                         reducer == OPEVO_REDUCER_SUM ? OPEVO_STATEMENT_FLOAT_ADD
                                                      : OPEVO_STATEMENT_FLOAT_COMPARE)]++;
    }
    opevo_i_pipeline_walk(&self->low, key, self->low.part[key]->value, add_element, &context);
    count_stage(self, key, store->ops);
    count_indices(self, store);
    store->auto_unroll = self->low.pipeline->stage[key]->auto_unroll;
}

/* Registers that gather sums: an element for each iteration of the loops inside that do not
 * reduce. */
static size_t add_registers(builder *self, int key, int at)
{
    const opevo_i_nest_loops *own = &self->low.part[key]->own;
    int64_t extents[OPEVO_I_AXES] = {0};
    size_t dimensions = 0, place = 0;

    for (int i = at; i < own->loops && dimensions < OPEVO_I_AXES; i++) {
        if (!own->loop[i].reduces)
            extents[dimensions++] = own->loop[i].extent;
    }
    place = add_buffer(self, dimensions, extents, opevo_i_pipeline_type(&self->low, key));
    self->buffers[place].allocated = true;
    return place;
}

static opevo_statement_access registers_at(builder *self, const opevo_i_nest_loops *own, int at,
                                           size_t buffer)
{
    size_t first = self->index_count;
    size_t dimensions = 0;

    for (int i = at; i < own->loops; i++) {
        opevo_i_affine atom = opevo_i_affine_of_atom(own->loop[i].atom);

        if (own->loop[i].reduces || dimensions++ >= OPEVO_I_AXES)
            continue;
        self->indices[next(self, &self->index_count, INDICES_MOST)] = index_of(self, &atom);
    }
    return (opevo_statement_access){.buffer = buffer, .indices = self->indices + first};
}

/* A store with loops of its own from `at` on: of the neutral element to the stage or to registers,
 * or of the registers to the stage. */
static void add_other(builder *self, int key, int at, const size_t *registers, bool writes_back)
{
    const opevo_i_nest_loops *own = &self->low.part[key]->own;
    size_t depth = self->depth;
    opevo_statement_store *store = NULL;
    opevo_statement_access target;

    enter_kept(self, own, at);
    target = registers && !writes_back ? registers_at(self, own, at, *registers)
                                       : access_of(self, key, self->low.part[key]->value);
    store = add_store(self, target);
    store->auto_unroll = self->low.pipeline->stage[key]->auto_unroll;
    if (writes_back)
        add_read(self, store, registers_at(self, own, at, *registers));
    self->depth = depth;
}

/* ---- Stages ---- */

static void add_stage(builder *self, int key, int number);

static void add_attached(builder *self, int key, int at)
{
    for (int number = 0; number < self->low.pipeline->stages; number++) {
        const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(self->low.pipeline, number);

        if (stage->place == OPEVO_PLACE_AT && stage->at == key && stage->at_loop == at)
            add_stage(self, self->low.pipeline->order[number], number);
    }
}

static void add_stage(builder *self, int key, int number)
{
    const unsigned first_name = (unsigned)number * STAGE_NAMES;
    const opevo_i_pipeline_stage *stage = self->low.pipeline->stage[key];
    const opevo_i_nest_loops *own = &self->low.part[key]->own;
    int first = 0; /* reduction loop */
    size_t depth = self->depth;
    size_t registers = 0;

    self->buffers[key].allocated = !opevo_i_pipeline_is_output(self->low.pipeline, key);
    self->buffers[key].allocated_inside = depth;
    while (first < own->loops && !own->loop[first].reduces)
        first++;
    for (int at = 0; at < own->loops && self->low.status == OPEVO_OK; at++) {
        if (stage->accumulate < 0 && at == first)
            add_other(self, key, at, NULL, false);
        self->first_name = first_name;
        enter(self, own, at);
        add_attached(self, key, at);
        self->first_name = first_name;
        if (at == stage->accumulate) {
            registers = add_registers(self, key, at + 1);
            add_other(self, key, at + 1, &registers, false);
        }
    }
    if (stage->accumulate < 0) {
        add_update(self, key, access_of(self, key, self->low.part[key]->value));
    } else {
        size_t inside = depth + (size_t)stage->accumulate + 1;

        add_update(self, key, registers_at(self, own, stage->accumulate + 1, registers));
        self->depth = inside < self->depth ? inside : self->depth;
        add_other(self, key, stage->accumulate + 1, &registers, true);
    }
    self->depth = depth;
}

static void add_program(builder *self)
{
    const opevo_pipeline *pipeline = self->low.pipeline;

    add_stages(self);
    for (int number = 0; number < pipeline->stages && self->low.status == OPEVO_OK; number++) {
        const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(pipeline, number);

        if (stage->kind != OPEVO_STAGE_INPUT && stage->place == OPEVO_PLACE_ROOT)
            add_stage(self, pipeline->order[number], number);
    }
}

/* Describe the program of a pipeline; release in any case. */
static opevo_status describe(const opevo_pipeline *pipeline, builder *self,
                             opevo_statement_program *program, opevo_error *err)
{
    self->low = (opevo_i_pipeline_lowering){.pipeline = pipeline, .err = err};
    self->loop_count = self->buffer_count = self->store_count = self->access_count = 0;
    self->index_count = self->term_count = self->depth = 0;
    self->first_name = 0;
    opevo_i_pipeline_begin(&self->low);
    /* No loop is made after this. */
    self->loop_of = self->low.status == OPEVO_OK
                        ? opevo_calloc(self->low.nest->atoms.count + 1, sizeof *self->loop_of)
                        : NULL;
    if (self->low.status == OPEVO_OK && !self->loop_of)
        OPEVO_I_PIPELINE_REFUSE(&self->low, NOMEM, "No memory for the features of a program.");
    if (self->low.status == OPEVO_OK)
        add_program(self);
    opevo_i_pipeline_end(&self->low);
    *program = (opevo_statement_program){self->loops,        self->loop_count, self->buffers,
                                         self->buffer_count, self->stores,     self->store_count};
    return self->low.status;
}

static void release(builder *self)
{
    opevo_i_nest_destroy(self->low.nest);
    opevo_free(self->loop_of);
    opevo_free(self);
}

opevo_status opevo_pipeline_features(const opevo_pipeline *pipeline, float *rows, size_t *count,
                                     opevo_error *err)
{
    builder *self = opevo_malloc(1, sizeof *self);
    opevo_statement_program program = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the features of a program");
    status = describe(pipeline, self, &program, err);
    if (status == OPEVO_OK)
        status = opevo_statement_features(&program, rows, count, err);
    release(self);
    return status;
}

opevo_status opevo_pipeline_tree(const opevo_pipeline *pipeline, float *rows, size_t *count,
                                 opevo_error *err)
{
    builder *self = opevo_malloc(1, sizeof *self);
    opevo_statement_program program = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the loop tree of a program");
    status = describe(pipeline, self, &program, err);
    if (status == OPEVO_OK)
        status = opevo_statement_tree(&program, self->names, rows, count, err);
    release(self);
    return status;
}
