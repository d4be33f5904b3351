/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Definitions in an arithmetic: 32 neighbouring elements at a time, so that the cost of walking an
 * expression is shared by them. The place that a read has is linear in the axes for most reads;
 * then its part in the element is computed once, and the rest is the same for all elements. */

#include <opevo/proof_definition.h>

#include <opevo/memory.h>

#include <limits.h>
#include <string.h>

enum { LANES = 32 };

struct opevo_defined {
    const opevo_computation *computation;
    const opevo_simt_arithmetic *arithmetic;
    opevo_simt_value **values; /* of each tensor */
};

/* The place that a read has in its tensor: constant + sum of factor axis, where it is linear. */
typedef struct place {
    const opevo_expression *read;
    bool is_linear;
    int64_t constant, factor[OPEVO_COMPUTATION_AXES];
    int64_t element[LANES]; /* the part of the spatial axes */
} place;

/* A definition that is evaluated. */
typedef struct evaluation {
    opevo_defined *all;
    const opevo_definition *definition;
    int64_t axis[OPEVO_COMPUTATION_AXES][LANES];
    place *places; /* of the reads that were met */
    size_t place_count, place_capacity;
    bool failed; /* memory */
} evaluation;

/* ---- Integers ---- */

static int64_t floor_of(int64_t a, int64_t divisor)
{
    return a / divisor - (a % divisor < 0);
}

static int64_t affine_at(const evaluation *self, const opevo_affine *affine, unsigned lane)
{
    int64_t value = affine->constant;

    for (int i = 0; i < affine->count; i++) {
        const opevo_term *term = &affine->term[i];
        int64_t inner = term->atom == OPEVO_ATOM_AXIS ? self->axis[term->axis][lane]
                                                      : affine_at(self, term->inner, lane);

        if (term->atom == OPEVO_ATOM_FLOOR)
            inner = floor_of(inner, term->divisor);
        else if (term->atom == OPEVO_ATOM_MODULO)
            inner -= term->divisor * floor_of(inner, term->divisor);
        value += term->factor * inner;
    }
    return value;
}

/* ---- Reads ---- */

static void open_place(place *self, const opevo_expression *read)
{
    *self = (place){.read = read, .is_linear = true};
    for (int d = 0; d < read->tensor->dims; d++) {
        const opevo_affine *index = &read->index[d];

        for (int a = 0; a < OPEVO_COMPUTATION_AXES; a++)
            self->factor[a] *= read->tensor->extent[d];
        self->constant = self->constant * read->tensor->extent[d] + index->constant;
        for (int i = 0; i < index->count; i++) {
            if (index->term[i].atom == OPEVO_ATOM_AXIS)
                self->factor[index->term[i].axis] += index->term[i].factor;
            else
                self->is_linear = false;
        }
    }
}

/* The part of a place that the spatial axes have. */
static void set_element(const evaluation *self, place *at)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        at->element[lane] = at->constant;
        for (int a = 0; a < self->definition->spatial; a++)
            at->element[lane] += at->factor[a] * self->axis[a][lane];
    }
}

/* The place of a read; NULL without memory. */
static const place *place_of(evaluation *self, const opevo_expression *read)
{
    for (size_t i = 0; i < self->place_count; i++)
        if (self->places[i].read == read)
            return &self->places[i];
    if (!opevo_reserve((void **)&self->places, &self->place_capacity, self->place_count + 1,
                       sizeof *self->places)) {
        self->failed = true;
        return NULL;
    }
    open_place(&self->places[self->place_count], read);
    set_element(self, &self->places[self->place_count]);
    return &self->places[self->place_count++];
}

static int64_t place_at(const evaluation *self, const opevo_expression *read, unsigned lane)
{
    int64_t at = 0;

    for (int d = 0; d < read->tensor->dims; d++)
        at = at * read->tensor->extent[d] + affine_at(self, &read->index[d], lane);
    return at;
}

static void read_lanes(const evaluation *self, const place *from, uint32_t lanes,
                       opevo_simt_value *to)
{
    const opevo_tensor *tensor = from->read->tensor;
    const opevo_simt_value *values = self->all->values[tensor->number];
    int64_t count = opevo_tensor_elements(tensor), same = 0;

    for (int a = self->definition->spatial; a < self->definition->axes; a++)
        same += from->factor[a] * self->axis[a][0];
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        int64_t at =
            from->is_linear ? from->element[lane] + same : place_at(self, from->read, lane);

        if (at >= 0 && at < count)
            to[lane] = values[at];
    }
}

/* ---- Expressions ---- */

static void evaluate(evaluation *self, const opevo_expression *expression, uint32_t lanes,
                     opevo_simt_value to[LANES]);

static void operate(evaluation *self, opevo_simt_value_number operation, uint32_t lanes,
                    opevo_simt_value *to, const opevo_simt_value *a, const opevo_simt_value *b)
{
    const opevo_simt_arithmetic *arithmetic = self->all->arithmetic;

    arithmetic->operation[operation](arithmetic, lanes, to, a, b, b);
}

static bool compares_integers(const opevo_condition *condition)
{
    return condition->kind <= OPEVO_COND_OR
               ? compares_integers(condition->left) && compares_integers(condition->right)
               : condition->a != NULL;
}

static uint32_t holds_in(const evaluation *self, const opevo_condition *condition, uint32_t lanes)
{
    uint32_t held = 0;

    if (condition->kind == OPEVO_COND_AND)
        return holds_in(self, condition->left, lanes) & holds_in(self, condition->right, lanes);
    if (condition->kind == OPEVO_COND_OR)
        return holds_in(self, condition->left, lanes) | holds_in(self, condition->right, lanes);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        int64_t a = affine_at(self, condition->a, lane), b = affine_at(self, condition->b, lane);
        bool holds = condition->kind == OPEVO_COND_LESS         ? a < b
                     : condition->kind == OPEVO_COND_LESS_EQUAL ? a <= b
                     : condition->kind == OPEVO_COND_EQUAL      ? a == b
                                                                : a != b;

        held |= (uint32_t)holds << lane;
    }
    return held;
}

static void choose(evaluation *self, const opevo_condition *condition, uint32_t lanes,
                   opevo_simt_value to[LANES], const opevo_simt_value yes[LANES],
                   const opevo_simt_value no[LANES])
{
    const opevo_simt_arithmetic *arithmetic = self->all->arithmetic;
    opevo_simt_value x[LANES], y[LANES];
    bool negated = condition->kind == OPEVO_COND_NOT_EQUAL;

    if (compares_integers(condition)) {
        uint32_t held = holds_in(self, condition, lanes);

        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);

            to[lane] = held >> lane & 1 ? yes[lane] : no[lane];
        }
        return;
    }
    if (condition->kind == OPEVO_COND_AND || condition->kind == OPEVO_COND_OR) {
        bool is_and = condition->kind == OPEVO_COND_AND;

        choose(self, condition->right, lanes, x, yes, no);
        choose(self, condition->left, lanes, to, is_and ? x : yes, is_and ? no : x);
        return;
    }
    evaluate(self, condition->x, lanes, x);
    evaluate(self, condition->y, lanes, y);
    arithmetic->choose(arithmetic, lanes, to,
                       condition->kind == OPEVO_COND_LESS         ? OPEVO_SIMT_LESS
                       : condition->kind == OPEVO_COND_LESS_EQUAL ? OPEVO_SIMT_LESS_EQUAL
                                                                  : OPEVO_SIMT_EQUAL,
                       x, y, negated ? no : yes, negated ? yes : no);
}

static opevo_simt_value_number operation_of(opevo_expression_kind kind)
{
    static const opevo_simt_value_number numbers[] = {
        [OPEVO_EXPR_ADD] = OPEVO_SIMT_VALUE_ADD,
        [OPEVO_EXPR_SUBTRACT] = OPEVO_SIMT_VALUE_SUBTRACT,
        [OPEVO_EXPR_MULTIPLY] = OPEVO_SIMT_VALUE_MULTIPLY,
        [OPEVO_EXPR_DIVIDE] = OPEVO_SIMT_VALUE_DIVIDE,
        [OPEVO_EXPR_MAX] = OPEVO_SIMT_VALUE_MAX,
        [OPEVO_EXPR_MIN] = OPEVO_SIMT_VALUE_MIN,
        [OPEVO_EXPR_NEGATE] = OPEVO_SIMT_VALUE_NEGATE,
        [OPEVO_EXPR_EXP] = OPEVO_SIMT_VALUE_EXP,
        [OPEVO_EXPR_SQRT] = OPEVO_SIMT_VALUE_SQRT,
        [OPEVO_EXPR_TANH] = OPEVO_SIMT_VALUE_TANH,
        [OPEVO_EXPR_ERF] = OPEVO_SIMT_VALUE_ERF,
        [OPEVO_EXPR_LOG] = OPEVO_SIMT_VALUE_LOG,
        [OPEVO_EXPR_SIGMOID] = OPEVO_SIMT_VALUE_SIGMOID,
    };

    return numbers[kind];
}

/* Each operand is evaluated where it is chosen, or, where values choose, on all lanes. */
static void select_lanes(evaluation *self, const opevo_expression *expression, uint32_t lanes,
                         opevo_simt_value to[LANES])
{
    opevo_simt_value yes[LANES], no[LANES];
    uint32_t held;

    if (!compares_integers(expression->condition)) {
        evaluate(self, expression->left, lanes, yes);
        evaluate(self, expression->right, lanes, no);
        choose(self, expression->condition, lanes, to, yes, no);
        return;
    }
    held = holds_in(self, expression->condition, lanes);
    if (held)
        evaluate(self, expression->left, held, to);
    if (lanes & ~held)
        evaluate(self, expression->right, lanes & ~held, to);
}

static void fill(evaluation *self, const opevo_expression *expression, uint32_t lanes,
                 opevo_simt_value to[LANES])
{
    const opevo_simt_arithmetic *arithmetic = self->all->arithmetic;
    bool is_number = expression->kind == OPEVO_EXPR_NUMBER;

    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        to[lane] = is_number ? arithmetic->number(arithmetic, (double)(float)expression->number, 4)
                             : arithmetic->number(
                                   arithmetic, (double)affine_at(self, expression->index, lane), 8);
    }
}

static void evaluate(evaluation *self, const opevo_expression *expression, uint32_t lanes,
                     opevo_simt_value to[LANES])
{
    opevo_simt_value left[LANES], right[LANES];
    const place *from;

    switch (expression->kind) {
    case OPEVO_EXPR_READ:
        from = place_of(self, expression);
        if (from)
            read_lanes(self, from, lanes, to);
        return;
    case OPEVO_EXPR_NUMBER:
    case OPEVO_EXPR_WHOLE:
        fill(self, expression, lanes, to);
        return;
    case OPEVO_EXPR_SELECT:
        select_lanes(self, expression, lanes, to);
        return;
    default:
        evaluate(self, expression->left, lanes, left);
        if (expression->right)
            evaluate(self, expression->right, lanes, right);
        operate(self, operation_of(expression->kind), lanes, to, left,
                expression->right ? right : left);
        return;
    }
}

/* ---- Definitions ---- */

/* The axes that are reduced, one step on; false behind the last. */
static bool next_point(evaluation *self)
{
    const opevo_definition *definition = self->definition;

    for (int a = definition->axes - 1; a >= definition->spatial; a--) {
        int64_t value =
            self->axis[a][0] + 1 < definition->axis[a].extent ? self->axis[a][0] + 1 : 0;

        for (unsigned lane = 0; lane < LANES; lane++)
            self->axis[a][lane] = value;
        if (value)
            return true;
    }
    return false;
}

static void reduce(evaluation *self, uint32_t lanes, opevo_simt_value to[LANES])
{
    static const opevo_simt_value_number reducers[] = {
        [OPEVO_REDUCER_SUM] = OPEVO_SIMT_VALUE_ADD,
        [OPEVO_REDUCER_MAX] = OPEVO_SIMT_VALUE_MAX,
        [OPEVO_REDUCER_MIN] = OPEVO_SIMT_VALUE_MIN,
    };
    const opevo_definition *definition = self->definition;
    opevo_simt_value term[LANES], sum[LANES];

    evaluate(self, definition->value, lanes, to);
    while (next_point(self)) {
        evaluate(self, definition->value, lanes, term);
        operate(self, reducers[definition->reducer], lanes, sum, to, term);
        memcpy(to, sum, sizeof sum);
    }
}

/* The spatial axes of elements first .. first + 31. */
static void open_elements(evaluation *self, const opevo_tensor *tensor, int64_t first)
{
    memset(self->axis, 0, sizeof self->axis);
    for (unsigned lane = 0; lane < LANES; lane++) {
        int64_t rest = first + lane;

        for (int d = tensor->dims - 1; d >= 0; d--) {
            self->axis[d][lane] = rest % tensor->extent[d];
            rest /= tensor->extent[d];
        }
    }
    for (size_t i = 0; i < self->place_count; i++)
        set_element(self, &self->places[i]);
}

static bool define_tensor(opevo_defined *all, const opevo_tensor *tensor)
{
    evaluation self = {.all = all, .definition = tensor->definition};
    int64_t count = opevo_tensor_elements(tensor);
    const opevo_simt_arithmetic *arithmetic = all->arithmetic;
    opevo_simt_value made[LANES];

    for (int64_t first = 0; first < count && !self.failed; first += LANES) {
        int64_t left = count - first < LANES ? count - first : LANES;

        open_elements(&self, tensor, first);
        memset(made, 0, sizeof made);
        reduce(&self, UINT32_MAX >> (LANES - left), made);
        if (tensor->element == OPEVO_FLOAT16 && arithmetic->rounded_bytes >= 2)
            (void)arithmetic->round(arithmetic, UINT32_MAX >> (LANES - left), made, 2);
        memcpy(all->values[tensor->number] + first, made, (size_t)left * sizeof *made);
    }
    opevo_free(self.places);
    return !self.failed;
}

static opevo_status define_one(opevo_defined *self, const opevo_tensor *tensor,
                               opevo_defined_input *input, const void *context, opevo_error *err)
{
    int64_t count = opevo_tensor_elements(tensor);
    opevo_simt_value **values = &self->values[tensor->number];

    if (tensor->element != OPEVO_FLOAT32 && tensor->element != OPEVO_FLOAT16)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Tensor %s is of %s; proofs are of float32 and float16.", tensor->name,
                          opevo_element_name(tensor->element));
    if (count > INT_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "Tensor %s has more than 2^31 elements.", tensor->name);
    *values = opevo_malloc((size_t)count + 1, sizeof **values);
    OPEVO_NEED_OR_RETURN(*values && (!tensor->definition || define_tensor(self, tensor)),
                         "tensor %s", tensor->name);
    for (int64_t i = 0; !tensor->definition && i < count; i++)
        (*values)[i] = input(context, tensor, (uint64_t)i);
    return OPEVO_OK;
}

opevo_status opevo_define(const opevo_computation *computation,
                          const opevo_simt_arithmetic *arithmetic, opevo_defined_input *input,
                          const void *context, opevo_defined **out, opevo_error *err)
{
    opevo_defined *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    if (self) {
        *self = (opevo_defined){.computation = computation, .arithmetic = arithmetic};
        self->values = opevo_calloc((size_t)computation->tensors, sizeof *self->values);
    }
    if (!self || !self->values) {
        opevo_defined_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a proof.");
    }
    for (int t = 0; t < computation->tensors && status == OPEVO_OK; t++)
        status = define_one(self, computation->tensor[t], input, context, err);
    if (status != OPEVO_OK) {
        opevo_defined_destroy(self);
        return status;
    }
    *out = self;
    return OPEVO_OK;
}

void opevo_defined_destroy(opevo_defined *self)
{
    if (!self)
        return;
    for (int t = 0; self->values && t < self->computation->tensors; t++)
        opevo_free(self->values[t]);
    opevo_free(self->values);
    opevo_free(self);
}

const opevo_simt_value *opevo_defined_values(const opevo_defined *self, int tensor)
{
    return self->values[tensor];
}
