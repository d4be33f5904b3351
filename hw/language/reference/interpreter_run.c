/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs the instructions of a definition on all lanes. Every loop is over all of them, so that
 * compilers unroll it; lanes that repeat a point are not used. */

#include "interpreter_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

#define EACH for (int i = 0; i < OPEVO_I_LANES; i++)

/* ---- Creation ---- */

opevo_status opevo_i_reference_machine_create(const opevo_i_reference_program *program,
                                              const opevo_i_reference_source *sources,
                                              unsigned lane_axes, bool bounds,
                                              opevo_i_reference_machine **out, opevo_error *err)
{
    opevo_i_reference_machine *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "evaluating a computation");
    *self = (opevo_i_reference_machine){
        .program = program,
        .sources = sources,
        .bounds = bounds,
        .lane_axes = lane_axes,
        .base = opevo_calloc(program->linear_count, sizeof *self->base),
        .shift = opevo_calloc(program->linear_count, sizeof *self->shift),
        .mixed = opevo_calloc(program->linear_count, sizeof *self->mixed),
        .is_mixed = opevo_calloc(program->linear_count, sizeof(bool)),
        .registers = opevo_calloc((size_t)program->registers, sizeof *self->registers),
        .masks = opevo_calloc((size_t)program->masks, sizeof *self->masks)};
    if (!self->base || !self->shift || !self->mixed || !self->is_mixed || !self->registers ||
        !self->masks) {
        opevo_i_reference_machine_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to evaluate a computation.");
    }
    opevo_i_reference_machine_set_mixed(self);
    *out = self;
    return OPEVO_OK;
}

void opevo_i_reference_machine_destroy(opevo_i_reference_machine *self)
{
    if (!self)
        return;
    opevo_free(self->base);
    opevo_free(self->shift);
    opevo_free(self->mixed);
    opevo_free(self->is_mixed);
    opevo_free(self->registers);
    opevo_free(self->masks);
    opevo_free(self);
}

void opevo_i_reference_machine_place(opevo_i_reference_machine *self, int64_t first, int count)
{
    const opevo_definition *definition = self->program->definition;
    int64_t point[OPEVO_COMPUTATION_AXES] = {0};

    for (int a = definition->axes - 1; a >= 0; a--) {
        if (!(self->lane_axes >> a & 1))
            continue;
        point[a] = first % definition->axis[a].extent;
        first /= definition->axis[a].extent;
    }
    for (int i = 0; i < OPEVO_I_LANES; i++) {
        bool carry = i + 1 < count;

        for (int a = definition->axes - 1; a >= 0; a--) {
            self->coordinate[a][i] = point[a];
            if (!carry || !(self->lane_axes >> a & 1))
                continue;
            carry = ++point[a] == definition->axis[a].extent;
            point[a] = carry ? 0 : point[a];
        }
    }
    opevo_i_reference_machine_set_base(self);
}

/* ---- Leaves ---- */

/* Of an integer in single precision, which is exact up to 2^24. */
static double conversion_error(double value)
{
    return opevo_i_reference_rounded(value, 0, fabs(value) > 0x1p24);
}

static void read_tensor(const opevo_i_reference_machine *self, const opevo_i_reference_code *code,
                        opevo_i_reference_lanes *to)
{
    const opevo_i_reference_source *source = &self->sources[code->tensor];
    const unsigned char *guard = code->guard < 0 ? NULL : self->masks[code->guard];
    int64_t at[OPEVO_I_LANES];

    EACH at[i] = opevo_i_reference_machine_value(self, code->linear, i);
    if (guard)
        EACH at[i] = guard[i] ? at[i] : 0;
    if (source->single)
        EACH to->value[i] = (double)source->single[at[i]];
    else
        EACH to->value[i] = source->value[at[i]];
    if (!self->bounds)
        return;
    if (source->error)
        EACH to->error[i] = source->error[at[i]];
    else if (source->wide)
        EACH to->error[i] = conversion_error(to->value[i]);
    else
        memset(to->error, 0, sizeof to->error);
}

static void set_number(const opevo_i_reference_code *code, opevo_i_reference_lanes *to)
{
    EACH to->value[i] = code->number;
    EACH to->error[i] = code->error;
}

static void set_whole(const opevo_i_reference_machine *self, const opevo_i_reference_code *code,
                      opevo_i_reference_lanes *to)
{
    EACH to->value[i] = (double)opevo_i_reference_machine_value(self, code->linear, i);
    EACH to->error[i] = conversion_error(to->value[i]);
}

/* ---- Masks ---- */

static bool compares(opevo_condition_kind condition, double a, double b)
{
    return condition == OPEVO_COND_LESS         ? a < b
           : condition == OPEVO_COND_LESS_EQUAL ? a <= b
           : condition == OPEVO_COND_EQUAL      ? a == b
                                                : a != b;
}

/* What a comparison of values may come out as where each is off by as much as its error. */
static unsigned possible(opevo_condition_kind condition, double a, double b, double margin)
{
    bool less = a - margin < b, greater = b - margin < a;
    bool equal = fabs(a - b) <= margin, certain = a == b && margin == 0;
    bool may = condition == OPEVO_COND_LESS         ? less
               : condition == OPEVO_COND_LESS_EQUAL ? less || equal
               : condition == OPEVO_COND_EQUAL      ? equal
                                                    : !certain;
    bool may_not = condition == OPEVO_COND_LESS         ? greater || equal
                   : condition == OPEVO_COND_LESS_EQUAL ? greater
                   : condition == OPEVO_COND_EQUAL      ? !certain
                                                        : equal;

    return (may ? OPEVO_I_MAY_HOLD : 0U) | (may_not ? OPEVO_I_MAY_FAIL : 0U);
}

static void compare_values(const opevo_i_reference_machine *self,
                           const opevo_i_reference_code *code, unsigned char *to)
{
    const opevo_i_reference_lanes *a = &self->registers[code->a], *b = &self->registers[code->b];

    EACH
    {
        bool holds = compares(code->condition, a->value[i], b->value[i]);
        unsigned what = holds ? OPEVO_I_MAY_HOLD : OPEVO_I_MAY_FAIL;

        if (self->bounds)
            what |= possible(code->condition, a->value[i], b->value[i], a->error[i] + b->error[i]);
        to[i] = (unsigned char)(what | (holds ? OPEVO_I_HOLDS : 0U));
    }
}

static void compare_whole(const opevo_i_reference_machine *self, const opevo_i_reference_code *code,
                          unsigned char *to)
{
    EACH
    {
        int64_t value = opevo_i_reference_machine_value(self, code->linear, i);
        bool holds = code->condition == OPEVO_COND_LESS         ? 0 < value
                     : code->condition == OPEVO_COND_LESS_EQUAL ? 0 <= value
                     : code->condition == OPEVO_COND_EQUAL      ? 0 == value
                                                                : 0 != value;

        to[i] = holds ? OPEVO_I_MAY_HOLD | OPEVO_I_HOLDS : OPEVO_I_MAY_FAIL;
    }
}

static void join_masks(const opevo_i_reference_machine *self, const opevo_i_reference_code *code,
                       unsigned char *to)
{
    const unsigned char *a = self->masks[code->a], *b = self->masks[code->b];
    unsigned both =
        code->condition == OPEVO_COND_AND ? OPEVO_I_MAY_HOLD | OPEVO_I_HOLDS : OPEVO_I_MAY_FAIL;

    EACH to[i] = (unsigned char)((a[i] & b[i] & both) | ((a[i] | b[i]) & (7U & ~both)));
}

static void guard_mask(const opevo_i_reference_machine *self, const opevo_i_reference_code *code,
                       unsigned char *to)
{
    const unsigned char *condition = self->masks[code->a];

    EACH to[i] = (condition[i] & code->bit) != 0;
    if (code->guard >= 0)
        EACH to[i] = to[i] && self->masks[code->guard][i];
}

static void select_values(const opevo_i_reference_machine *self, const opevo_i_reference_code *code)
{
    const unsigned char *mask = self->masks[code->mask];
    opevo_i_reference_lanes *a = &self->registers[code->a], *b = &self->registers[code->b];

    EACH
    {
        bool holds = mask[i] & OPEVO_I_HOLDS;
        bool either = (mask[i] & OPEVO_I_MAY_HOLD) && (mask[i] & OPEVO_I_MAY_FAIL);
        double other = fabs(a->value[i] - b->value[i]) + (holds ? b : a)->error[i];
        double error = (holds ? a : b)->error[i];

        a->value[i] = (holds ? a : b)->value[i];
        a->error[i] = either && !(other <= error) ? other : error;
    }
}

/* ---- Values ---- */

static void calculate(opevo_expression_kind operation, double *a, const double *b)
{
    switch (operation) {
    case OPEVO_EXPR_ADD:
        EACH a[i] += b[i];
        break;
    case OPEVO_EXPR_SUBTRACT:
        EACH a[i] -= b[i];
        break;
    case OPEVO_EXPR_MULTIPLY:
        EACH a[i] *= b[i];
        break;
    case OPEVO_EXPR_DIVIDE:
        EACH a[i] /= b[i];
        break;
    case OPEVO_EXPR_MAX:
        EACH a[i] = opevo_i_reference_larger(a[i], b[i]);
        break;
    case OPEVO_EXPR_MIN:
        EACH a[i] = opevo_i_reference_smaller(a[i], b[i]);
        break;
    case OPEVO_EXPR_NEGATE:
        EACH a[i] = -a[i];
        break;
    case OPEVO_EXPR_EXP:
        EACH a[i] = exp(a[i]);
        break;
    case OPEVO_EXPR_SQRT:
        EACH a[i] = sqrt(a[i]);
        break;
    case OPEVO_EXPR_TANH:
        EACH a[i] = tanh(a[i]);
        break;
    case OPEVO_EXPR_ERF:
        EACH a[i] = erf(a[i]);
        break;
    case OPEVO_EXPR_LOG:
        EACH a[i] = log(a[i]);
        break;
    default: /* SIGMOID */
        EACH a[i] = 1 / (1 + exp(-a[i]));
        break;
    }
}

/* A function of one operand has no register b: there may be none. */
static void run_value(opevo_i_reference_machine *self, opevo_i_reference_code code)
{
    opevo_i_reference_lanes *to = &self->registers[code.to];

    if (code.operation >= OPEVO_EXPR_NEGATE)
        code.b = code.a;
    if (self->bounds)
        opevo_i_reference_error_before(&code, self->registers);
    calculate(code.operation, to->value, self->registers[code.b].value);
    if (self->bounds)
        opevo_i_reference_error_after(&code, to);
}

void opevo_i_reference_machine_run(opevo_i_reference_machine *self)
{
    opevo_i_reference_machine_set_shift(self);
    for (size_t c = 0; c < self->program->code_count; c++) {
        const opevo_i_reference_code *code = &self->program->codes[c];

        switch (code->kind) {
        case OPEVO_I_CODE_VALUE:
            run_value(self, *code);
            break;
        case OPEVO_I_CODE_READ:
            read_tensor(self, code, &self->registers[code->to]);
            break;
        case OPEVO_I_CODE_NUMBER:
            set_number(code, &self->registers[code->to]);
            break;
        case OPEVO_I_CODE_WHOLE:
            set_whole(self, code, &self->registers[code->to]);
            break;
        case OPEVO_I_CODE_SELECT:
            select_values(self, code);
            break;
        case OPEVO_I_CODE_COMPARE:
            compare_values(self, code, self->masks[code->to]);
            break;
        case OPEVO_I_CODE_SIGN:
            compare_whole(self, code, self->masks[code->to]);
            break;
        case OPEVO_I_CODE_JOIN:
            join_masks(self, code, self->masks[code->to]);
            break;
        case OPEVO_I_CODE_GUARD:
            guard_mask(self, code, self->masks[code->to]);
            break;
        }
    }
}
