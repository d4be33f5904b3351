/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Instructions of a definition. Registers are a stack: the operands of an operation are in register
 * n and n + 1, and its result replaces the first. */

#include "interpreter_internal.h"

#include <opevo/memory.h>

#include <math.h>

typedef struct compiler {
    opevo_i_reference_program *program;
    opevo_element element; /* of the result */
    const bool *exact_tensor;
    bool failed; /* without memory */
    /* Of the number being compiled; those inside its divisions have their own. */
    opevo_i_reference_division divisions[OPEVO_COMPUTATION_DIMS * OPEVO_COMPUTATION_TERMS];
} compiler;

static void emit(compiler *self, opevo_i_reference_code code)
{
    opevo_i_reference_program *program = self->program;

    if (!opevo_reserve((void **)&program->codes, &program->code_capacity, program->code_count + 1,
                       sizeof code)) {
        self->failed = true;
        return;
    }
    program->codes[program->code_count++] = code;
}

static int largest(int a, int b)
{
    return a > b ? a : b;
}

/* ---- Integer expressions ---- */

static int add_linear(compiler *self, const opevo_i_reference_linear *linear)
{
    opevo_i_reference_program *program = self->program;

    if (!opevo_reserve((void **)&program->linears, &program->linear_capacity,
                       program->linear_count + 1, sizeof *linear)) {
        self->failed = true;
        return 0;
    }
    program->linears[program->linear_count] = *linear;
    return (int)program->linear_count++;
}

static void add_division(compiler *self, const opevo_i_reference_division *division)
{
    opevo_i_reference_program *program = self->program;

    if (!opevo_reserve((void **)&program->divisions, &program->division_capacity,
                       program->division_count + 1, sizeof *division)) {
        self->failed = true;
        return;
    }
    program->divisions[program->division_count++] = *division;
}

static int compile_inner(compiler *self, const opevo_affine *affine);

/* *linear += factor affine; its divisions are collected, to be stored together. */
static void add_affine(compiler *self, opevo_i_reference_linear *linear, uint64_t factor,
                       const opevo_affine *affine, opevo_i_reference_division *divisions)
{
    linear->constant += factor * (uint64_t)affine->constant;
    for (int i = 0; i < affine->count && !self->failed; i++) {
        const opevo_term *term = &affine->term[i];
        uint64_t product = factor * (uint64_t)term->factor;
        int inner = 0;

        if (term->atom == OPEVO_ATOM_AXIS) {
            linear->factor[term->axis] += product;
            linear->axes |= 1U << term->axis;
            continue;
        }
        inner = compile_inner(self, term->inner);
        if (self->failed)
            return;
        linear->axes |= self->program->linears[inner].axes;
        divisions[linear->divisions++] = (opevo_i_reference_division){
            product, term->atom == OPEVO_ATOM_MODULO, inner, term->divisor};
    }
}

static int store_linear(compiler *self, opevo_i_reference_linear *linear,
                        const opevo_i_reference_division *divisions)
{
    linear->first = (int)self->program->division_count;
    for (int d = 0; d < linear->divisions; d++)
        add_division(self, &divisions[d]);
    return add_linear(self, linear);
}

static int compile_inner(compiler *self, const opevo_affine *affine)
{
    opevo_i_reference_linear linear = {0};
    opevo_i_reference_division divisions[OPEVO_COMPUTATION_TERMS];

    add_affine(self, &linear, 1, affine, divisions);
    return store_linear(self, &linear, divisions);
}

static int compile_difference(compiler *self, const opevo_affine *a, const opevo_affine *b)
{
    opevo_i_reference_linear linear = {0};

    add_affine(self, &linear, (uint64_t)-1, a, self->divisions);
    add_affine(self, &linear, 1, b, self->divisions);
    return store_linear(self, &linear, self->divisions);
}

/* The place of an element in its tensor. */
static int compile_offset(compiler *self, const opevo_expression *read)
{
    opevo_i_reference_linear linear = {0};
    uint64_t stride = 1;

    for (int d = read->tensor->dims - 1; d >= 0; d--) {
        add_affine(self, &linear, stride, &read->index[d], self->divisions);
        stride *= (uint64_t)read->tensor->extent[d];
    }
    return store_linear(self, &linear, self->divisions);
}

/* ---- Expressions ---- */

/* The registers and masks that are free, and the mask that says where values are needed. */
typedef struct frame {
    int to, mask, guard;
} frame;

static void compile(compiler *self, const opevo_expression *expression, frame at);

static void compile_condition(compiler *self, const opevo_condition *condition, frame at)
{
    opevo_i_reference_code code = {.condition = condition->kind, .to = at.mask, .guard = -1};
    frame right = at;

    self->program->masks = largest(self->program->masks, at.mask + 2);
    if (condition->left) {
        right.mask++;
        compile_condition(self, condition->left, at);
        compile_condition(self, condition->right, right);
        code.kind = OPEVO_I_CODE_JOIN;
        code.a = at.mask;
        code.b = right.mask;
    } else if (condition->a) {
        code.kind = OPEVO_I_CODE_SIGN;
        code.linear = compile_difference(self, condition->a, condition->b);
    } else {
        right.to++;
        compile(self, condition->x, at);
        compile(self, condition->y, right);
        code.kind = OPEVO_I_CODE_COMPARE;
        code.a = at.to;
        code.b = right.to;
        self->program->exact = false;
    }
    emit(self, code);
}

static void compile_select(compiler *self, const opevo_expression *expression, frame at)
{
    int condition = at.mask;
    frame branch = {at.to, at.mask + 2, at.mask + 1};

    compile_condition(self, expression->condition, at);
    self->program->masks = largest(self->program->masks, at.mask + 2);
    for (int which = 0; which < 2; which++) {
        emit(self, (opevo_i_reference_code){.kind = OPEVO_I_CODE_GUARD,
                                            .to = branch.guard,
                                            .a = condition,
                                            .bit = which ? OPEVO_I_MAY_FAIL : OPEVO_I_MAY_HOLD,
                                            .guard = at.guard});
        branch.to = at.to + which;
        compile(self, which ? expression->right : expression->left, branch);
    }
    emit(self, (opevo_i_reference_code){.kind = OPEVO_I_CODE_SELECT,
                                        .to = at.to,
                                        .a = at.to,
                                        .b = at.to + 1,
                                        .mask = condition,
                                        .guard = -1});
}

static void compile_leaf(compiler *self, const opevo_expression *expression, frame at)
{
    opevo_i_reference_code code = {.to = at.to, .guard = at.guard};

    if (expression->kind == OPEVO_EXPR_READ) {
        code.kind = OPEVO_I_CODE_READ;
        code.tensor = expression->tensor->number;
        code.linear = compile_offset(self, expression);
        self->program->exact &= self->exact_tensor[code.tensor] &&
                                opevo_element_holds(self->element, expression->tensor->element);
    } else if (expression->kind == OPEVO_EXPR_NUMBER) {
        code.kind = OPEVO_I_CODE_NUMBER;
        code.number = expression->number;
        code.error = fabs((double)(float)expression->number - expression->number);
        code.error = isfinite(code.error) ? code.error : INFINITY;
        self->program->exact &=
            opevo_element_nearest(self->element, expression->number) == expression->number;
    } else {
        code.kind = OPEVO_I_CODE_WHOLE;
        code.linear = compile_inner(self, expression->index);
        self->program->exact = false;
    }
    emit(self, code);
}

static void compile(compiler *self, const opevo_expression *expression, frame at)
{
    opevo_i_reference_code code = {.kind = OPEVO_I_CODE_VALUE,
                                   .operation = expression->kind,
                                   .to = at.to,
                                   .a = at.to,
                                   .b = at.to + 1,
                                   .guard = -1};
    frame right = at;

    if (self->failed)
        return;
    self->program->registers = largest(self->program->registers, at.to + 1);
    if (expression->kind <= OPEVO_EXPR_WHOLE) {
        compile_leaf(self, expression, at);
        return;
    }
    if (expression->kind == OPEVO_EXPR_SELECT) {
        compile_select(self, expression, at);
        return;
    }
    right.to++;
    compile(self, expression->left, at);
    if (expression->right)
        compile(self, expression->right, right);
    self->program->exact &= expression->kind == OPEVO_EXPR_MAX ||
                            expression->kind == OPEVO_EXPR_MIN ||
                            expression->kind == OPEVO_EXPR_NEGATE;
    emit(self, code);
}

/* The results of a whole type are float without error where its values are. */
opevo_status opevo_i_reference_program_create(const opevo_tensor *tensor, const bool *exact,
                                              opevo_i_reference_program *out, opevo_error *err)
{
    const opevo_definition *definition = tensor->definition;
    opevo_i_reference_program program = {.definition = definition,
                                         .whole = opevo_element_is_whole(tensor->element),
                                         .exact = definition->reducer != OPEVO_REDUCER_SUM};
    compiler self = {.program = &program, .element = tensor->element, .exact_tensor = exact};

    compile(&self, definition->value, (frame){0, 0, -1});
    if (program.whole)
        program.exact = tensor->element == OPEVO_INT8;
    if (self.failed) {
        opevo_i_reference_program_free(&program);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to evaluate a computation.");
    }
    *out = program;
    return OPEVO_OK;
}

void opevo_i_reference_program_free(opevo_i_reference_program *program)
{
    opevo_free(program->linears);
    opevo_free(program->divisions);
    opevo_free(program->codes);
    *program = (opevo_i_reference_program){0};
}
