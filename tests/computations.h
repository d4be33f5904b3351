/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random computations for tests, and an evaluator that walks their definitions as they stand: point
 * by point, recursively, in double precision. Out of range reads fail the test. */

#ifndef OPEVO_TESTS_COMPUTATIONS_H
#define OPEVO_TESTS_COMPUTATIONS_H

#include "check.h"

#include <opevo/computation.h>
#include <opevo/hash.h>

#include <math.h>

#include <stdlib.h>

/* ---- Random texts ---- */

typedef struct writer {
    uint64_t state;
    opevo_text *out;
    int axes;    /* of the definition: a, b and, where it reduces, c and d */
    int tensors; /* defined so far: T0, T1, ... of two dimensions each */
    /* Of types: whether the definition is whole, and which of T0, T1, ... are, a bit each; P and Q
     * are whole inputs. */
    bool typed, whole;
    unsigned whole_tensors;
} writer;

enum { WRITER_AXES = 4, WRITER_SIDE = 5 };

static inline unsigned draw_below(writer *self, unsigned n)
{
    self->state = opevo_hash_mix(self->state + 1);
    return (unsigned)(self->state >> 33) % n;
}

static inline void write_axis(writer *self)
{
    opevo_text_printf(self->out, "%c", 'a' + (int)draw_below(self, (unsigned)self->axes));
}

static inline void write_whole(writer *self, int depth)
{
    switch (draw_below(self, depth > 2 ? 2 : 6)) {
    case 0:
    case 1:
        write_axis(self);
        return;
    case 2:
        opevo_text_printf(self->out, "%u", draw_below(self, 4));
        return;
    case 3:
        opevo_text_add(self->out, "(");
        write_whole(self, depth + 1);
        opevo_text_add(self->out, draw_below(self, 2) ? " + " : " - ");
        write_whole(self, depth + 1);
        opevo_text_add(self->out, ")");
        return;
    case 4:
        opevo_text_printf(self->out, "%u*(", 1 + draw_below(self, 3));
        write_whole(self, depth + 1);
        opevo_text_add(self->out, ")");
        return;
    default:
        opevo_text_add(self->out, "(");
        write_whole(self, depth + 1);
        opevo_text_printf(self->out, ")%s%u", draw_below(self, 2) ? "//" : "%",
                          1 + draw_below(self, 3));
    }
}

static inline void write_tensor_name(writer *self)
{
    unsigned which = draw_below(self, (unsigned)self->tensors + (self->typed ? 4 : 2));

    if (self->whole && which >= 2 && !(self->whole_tensors >> (which - 2) & 1))
        which = 0;
    if (which >= (unsigned)self->tensors + 2 || (self->whole && which < 2))
        opevo_text_add(self->out, draw_below(self, 4) ? "P" : "Q");
    else if (which < 2)
        opevo_text_add(self->out, which ? "X" : "Y");
    else
        opevo_text_printf(self->out, "T%u", which - 2);
}

static inline void write_value(writer *self, int depth);

/* That an index is outside, or that values compare somehow, or both: where neither holds, it is
 * inside. */
static inline void write_outside(writer *self, const char *index)
{
    bool ahead = draw_below(self, 2);

    opevo_text_printf(self->out, ahead ? "%s < 0 or " : "(%s < 0 or %s >= %d) or ", index, index,
                      WRITER_SIDE);
    write_value(self, 3);
    opevo_text_add(self->out, " < ");
    write_value(self, 3);
    if (ahead)
        opevo_text_printf(self->out, " or %s >= %d", index, WRITER_SIDE);
}

/* That an index is inside and values compare somehow, or that it is inside and they do not. */
static inline void write_inside(writer *self, const char *index)
{
    opevo_text_printf(self->out, "(0 <= %s and ", index);
    write_value(self, 3);
    opevo_text_printf(self->out, " < 0.25 and %s < %d) or (%s >= 1 and %s < %d and ", index,
                      WRITER_SIDE, index, index, WRITER_SIDE);
    write_value(self, 3);
    opevo_text_add(self->out, " > 0)");
}

/* A read that is inside its tensor: by %, by a guard, or by luck. */
static inline void write_read(writer *self)
{
    opevo_text index = {0};
    opevo_text *out = self->out;
    unsigned how = draw_below(self, 10);
    bool excluded = how == 8, chosen = how == 9 && !self->whole;
    bool guarded = how < 3 || chosen;

    self->out = &index;
    write_whole(self, 0);
    self->out = out;
    opevo_text_add(out, guarded || excluded ? "select(" : "");
    if (how < 3)
        opevo_text_printf(out, "0 <= %s and %s < %d", opevo_text_string(&index),
                          opevo_text_string(&index), how ? WRITER_SIDE : WRITER_SIDE - 1);
    if (chosen)
        write_inside(self, opevo_text_string(&index));
    if (excluded)
        write_outside(self, opevo_text_string(&index));
    opevo_text_add(out, guarded ? ", " : excluded ? ", 0, " : "");
    write_tensor_name(self);
    opevo_text_printf(out, how == 7 || guarded || excluded ? "[%s, " : "[(%s)%%5, ",
                      opevo_text_string(&index));
    write_axis(self);
    opevo_text_add(out, guarded ? "], 0)" : excluded ? "])" : "]");
    opevo_text_free(&index);
}

static inline void write_condition(writer *self, int depth)
{
    static const char *const compare[] = {" < ", " <= ", " == ", " != ", " > ", " >= "};
    unsigned kind = draw_below(self, depth > 1 ? 6 : 9);

    if (kind >= 7) {
        opevo_text_add(self->out, "(");
        write_condition(self, depth + 1);
        opevo_text_add(self->out, kind == 7 ? " and " : " or ");
        write_condition(self, depth + 1);
        opevo_text_add(self->out, ")");
        return;
    }
    if (kind == 6) {
        write_value(self, 2);
        opevo_text_add(self->out, compare[draw_below(self, 6)]);
        write_value(self, 2);
        return;
    }
    write_whole(self, 1);
    opevo_text_add(self->out, compare[draw_below(self, 6)]);
    write_whole(self, 1);
}

/* Two values with text around them. */
static inline void write_two(writer *self, int depth, const char *opening, const char *between,
                             const char *closing)
{
    opevo_text_add(self->out, opening);
    write_value(self, depth + 1);
    opevo_text_add(self->out, between);
    write_value(self, depth + 1);
    opevo_text_add(self->out, closing);
}

static inline void write_extreme(writer *self, int depth)
{
    write_two(self, depth, draw_below(self, 2) ? "max(" : "min(", ", ", ")");
}

static inline void write_negative(writer *self)
{
    opevo_text_add(self->out, "-");
    write_read(self);
}

static inline void write_select(writer *self, int depth)
{
    opevo_text_add(self->out, "select(");
    write_condition(self, 0);
    write_two(self, depth, ", ", ", ", ")");
}

/* Of what is left in whole definitions. */
static inline void write_whole_value(writer *self, int depth)
{
    unsigned kind = draw_below(self, depth > 1 ? 3 : 9);

    if (kind == 0)
        opevo_text_printf(self->out, "%d", (int)draw_below(self, 9) - 4);
    else if (kind == 1)
        write_whole(self, 1);
    else if (kind == 2)
        write_read(self);
    else if (kind < 6)
        write_two(self, depth, "(", kind == 3 ? " + " : kind == 4 ? " - " : "*", ")");
    else if (kind == 6)
        write_extreme(self, depth);
    else if (kind == 7)
        write_negative(self);
    else
        write_select(self, depth);
}

static inline void write_value(writer *self, int depth)
{
    static const char *const calls[] = {"tanh", "erf", "sigmoid", "exp"};
    static const char *const binary[] = {" + ", " - ", "*", " + ", "*"};
    unsigned kind = 0;

    if (self->whole) {
        write_whole_value(self, depth);
        return;
    }
    kind = draw_below(self, depth > 2 ? 4 : 12);
    if (kind < 2) {
        write_read(self);
    } else if (kind == 2) {
        opevo_text_printf(self->out, "%g", draw_below(self, 9) * 0.25 - 1);
    } else if (kind == 3) {
        write_whole(self, 1);
    } else if (kind < 8) {
        unsigned which = draw_below(self, 7);

        if (which == 6) /* of what is not near 0 */
            write_two(self, depth, "(", " + log(1.5 + sigmoid(", ")))");
        else if (which == 5) /* by what is not near 0 */
            write_two(self, depth, "(", "/(1.5 + sigmoid(", ")))");
        else
            write_two(self, depth, "(", binary[which], ")");
    } else if (kind == 8) {
        write_extreme(self, depth);
    } else if (kind == 9) {
        unsigned call = draw_below(self, 4);

        opevo_text_printf(self->out, call == 3 ? "%s(tanh(" : "%s((", calls[call]);
        write_value(self, depth + 1);
        opevo_text_add(self->out, "))");
    } else if (kind == 10) {
        write_negative(self);
    } else {
        write_select(self, depth);
    }
}

/* Up to `most` definitions of two dimensions each, over inputs X and Y. */
static inline void write_computation(uint64_t seed, int most, opevo_text *out)
{
    static const char *const reducers[] = {"", "", "sum(%s) ", "max(%s) ", "min(%s) ", "sum(%s) "};
    writer self = {.state = seed * 977 + 5, .out = out};
    int count = 1 + (int)draw_below(&self, (unsigned)most);

    opevo_text_add(out, "X[5, 5]; Y[5, 5]\n");
    for (; self.tensors < count; self.tensors++) {
        const char *reducer = reducers[draw_below(&self, 6)];

        self.axes = *reducer ? WRITER_AXES : 2;
        opevo_text_printf(out, "T%d[a:5, b:5] = ", self.tensors);
        opevo_text_printf(out, *reducer ? reducer : "%s", *reducer ? "c:2, d:5" : "");
        opevo_text_add(out, *reducer ? "(" : "");
        write_value(&self, 0);
        opevo_text_add(out, *reducer ? ")\n" : "\n");
    }
}

/* The same with types: inputs X and Y of floating-point types, P of int8, Q of int32; definitions
 * of any. Those whose values may be beyond their types are not valid. */
static inline void write_typed_computation(uint64_t seed, int most, opevo_text *out)
{
    static const char *const reducers[] = {"", "", "sum(%s) ", "max(%s) ", "min(%s) ", "sum(%s) "};
    static const char *const types[] = {"float32", "float16", "bfloat16", "int8", "int32"};
    writer self = {.state = seed * 991 + 7, .out = out, .typed = true};
    int count = 1 + (int)draw_below(&self, (unsigned)most);

    opevo_text_printf(out, "%s X[5, 5]; const ", types[draw_below(&self, 3)]);
    opevo_text_printf(out, "%s Y[5, 5]; int8 P[5, 5]; int32 Q[5, 5]\n",
                      types[draw_below(&self, 3)]);
    for (; self.tensors < count; self.tensors++) {
        const char *reducer = reducers[draw_below(&self, 6)];
        unsigned type = draw_below(&self, 5);
        bool clamped = type == 3 && !(*reducer && draw_below(&self, 2));

        self.whole = type > 2;
        self.axes = *reducer ? WRITER_AXES : 2;
        opevo_text_printf(out, "%s T%d[a:5, b:5] = ", types[type], self.tensors);
        opevo_text_printf(out, *reducer ? reducer : "%s", *reducer ? "c:2, d:5" : "");
        opevo_text_add(out, clamped ? "max(min(" : *reducer ? "(" : "");
        write_value(&self, 0);
        opevo_text_add(out, clamped ? ", 127), -128)\n" : *reducer ? ")\n" : "\n");
        self.whole_tensors |= (unsigned)self.whole << self.tensors;
    }
}

/* ---- Evaluation ---- */

/* Values of every tensor by number, and what one evaluation counted. */
typedef struct evaluator {
    double **value;
    double operations;
} evaluator;

static inline int64_t affine_at(const opevo_affine *affine, const int64_t *point)
{
    int64_t sum = affine->constant;

    for (int i = 0; i < affine->count; i++) {
        const opevo_term *term = &affine->term[i];
        int64_t atom = 0;

        if (term->atom == OPEVO_ATOM_AXIS) {
            atom = point[term->axis];
        } else {
            int64_t inner = affine_at(term->inner, point);
            int64_t rest = (inner % term->divisor + term->divisor) % term->divisor;

            atom = term->atom == OPEVO_ATOM_MODULO ? rest : (inner - rest) / term->divisor;
        }
        sum += term->factor * atom;
    }
    return sum;
}

static inline double expression_at(evaluator *self, const opevo_expression *expression,
                                   const int64_t *point);

static inline bool condition_at(evaluator *self, const opevo_condition *condition,
                                const int64_t *point)
{
    double x = 0, y = 0;

    if (condition->left) {
        bool left = condition_at(self, condition->left, point);
        bool right = condition_at(self, condition->right, point);

        return condition->kind == OPEVO_COND_AND ? left && right : left || right;
    }
    if (condition->a) {
        x = (double)affine_at(condition->a, point);
        y = (double)affine_at(condition->b, point);
    } else {
        x = expression_at(self, condition->x, point);
        y = expression_at(self, condition->y, point);
        self->operations++;
    }
    return condition->kind == OPEVO_COND_LESS         ? x < y
           : condition->kind == OPEVO_COND_LESS_EQUAL ? x <= y
           : condition->kind == OPEVO_COND_EQUAL      ? x == y
                                                      : x != y;
}

static inline double read_at(const evaluator *self, const opevo_expression *read,
                             const int64_t *point)
{
    int64_t at = 0;

    for (int d = 0; d < read->tensor->dims; d++) {
        int64_t index = affine_at(&read->index[d], point);

        assert_true(index >= 0 && index < read->tensor->extent[d]);
        at = at * read->tensor->extent[d] + index;
    }
    return self->value ? self->value[read->tensor->number][at] : 0;
}

static inline double expression_at(evaluator *self, const opevo_expression *expression,
                                   const int64_t *point)
{
    double x = 0, y = 0;

    switch (expression->kind) {
    case OPEVO_EXPR_READ:
        return read_at(self, expression, point);
    case OPEVO_EXPR_NUMBER:
        return expression->number;
    case OPEVO_EXPR_WHOLE:
        return (double)affine_at(expression->index, point);
    case OPEVO_EXPR_SELECT:
        return expression_at(self,
                             condition_at(self, expression->condition, point) ? expression->left
                                                                              : expression->right,
                             point);
    default:
        break;
    }
    x = expression_at(self, expression->left, point);
    y = expression->right ? expression_at(self, expression->right, point) : 0;
    self->operations++;
    switch (expression->kind) {
    case OPEVO_EXPR_ADD:
        return x + y;
    case OPEVO_EXPR_SUBTRACT:
        return x - y;
    case OPEVO_EXPR_MULTIPLY:
        return x * y;
    case OPEVO_EXPR_DIVIDE:
        return x / y;
    case OPEVO_EXPR_MAX:
        return x > y || isnan(x) ? x : y;
    case OPEVO_EXPR_MIN:
        return x < y || isnan(x) ? x : y;
    case OPEVO_EXPR_NEGATE:
        return -x;
    case OPEVO_EXPR_EXP:
        return exp(x);
    case OPEVO_EXPR_SQRT:
        return sqrt(x);
    case OPEVO_EXPR_TANH:
        return tanh(x);
    case OPEVO_EXPR_ERF:
        return erf(x);
    case OPEVO_EXPR_LOG:
        return log(x);
    default:
        return 1 / (1 + exp(-x));
    }
}

/* Whether a term is a 0 that select gives, which is not added. */
static inline bool is_skipped(evaluator *self, const opevo_expression *term, const int64_t *point)
{
    double operations = self->operations;
    bool skipped = false;

    while (term->kind == OPEVO_EXPR_SELECT)
        term = condition_at(self, term->condition, point) ? term->left : term->right;
    self->operations = operations;
    skipped = term->kind == OPEVO_EXPR_NUMBER && term->number == 0;
    return skipped;
}

static inline bool step_axes(const opevo_definition *definition, int from, int64_t *point)
{
    for (int a = definition->axes - 1; a >= from; a--) {
        if (++point[a] < definition->axis[a].extent)
            return true;
        point[a] = 0;
    }
    return false;
}

/* One element, whose spatial axes `point` has; the reduction axes are 0 before and after. */
static inline double element_at(evaluator *self, const opevo_definition *definition, int64_t *point)
{
    bool first = true;
    double result = 0;

    do {
        double term = expression_at(self, definition->value, point);

        switch (definition->reducer) {
        case OPEVO_REDUCER_SUM:
            self->operations += !is_skipped(self, definition->value, point);
            result = first ? term : result + term;
            break;
        case OPEVO_REDUCER_MAX:
            self->operations++;
            result = first || term > result || isnan(term) ? term : result;
            break;
        case OPEVO_REDUCER_MIN:
            self->operations++;
            result = first || term < result || isnan(term) ? term : result;
            break;
        default:
            result = term;
        }
        first = false;
    } while (step_axes(definition, definition->spatial, point));
    return result;
}

/* All elements of a definition, to `out`. */
static inline void evaluate_definition(evaluator *self, const opevo_definition *definition,
                                       double *out)
{
    int64_t point[OPEVO_COMPUTATION_AXES] = {0};
    int64_t at = 0;
    bool more = true;

    while (more) {
        out[at++] = element_at(self, definition, point);
        more = false;
        for (int a = definition->spatial - 1; a >= 0 && !more; a--) {
            more = ++point[a] < definition->axis[a].extent;
            point[a] = more ? point[a] : 0;
        }
    }
}

/* Inputs are values[number]; the rest is allocated. Release with free_values. */
static inline double **evaluate_computation(const opevo_computation *computation,
                                            float *const *inputs)
{
    double **values = calloc((size_t)computation->tensors, sizeof *values);
    evaluator self = {values, 0};

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        size_t count = (size_t)opevo_tensor_elements(tensor);

        values[i] = calloc(count, sizeof **values);
        if (tensor->definition)
            evaluate_definition(&self, tensor->definition, values[i]);
        else
            for (size_t e = 0; e < count; e++)
                values[i][e] = (double)(*inputs)[e];
        inputs += !tensor->definition;
    }
    return values;
}

static inline void free_values(const opevo_computation *computation, double **values)
{
    for (int i = 0; i < computation->tensors; i++)
        free(values[i]);
    free(values);
}

#endif
