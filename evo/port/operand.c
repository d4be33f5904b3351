/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What operators read, write and sum: their operands and the size of the work. */

#include <opevo/operator.h>

#include <string.h>

/* ---- Contractions ---- */

static void list_contraction(const opevo_contraction *self, opevo_operand_list *out)
{
    for (int i = 0; i < OPEVO_OPERANDS && self->operand[i].name[0]; i++) {
        opevo_operand one = {.role = self->operand[i].role};

        memcpy(one.name, self->operand[i].name, sizeof one.name);
        for (const char *axis = self->operand[i].axes; *axis; axis++)
            one.extent[one.dims++] = self->axis[opevo_contraction_axis(self, *axis)].extent;
        out->inputs += one.role != OPEVO_ROLE_OUTPUT;
        out->item[out->count++] = one;
    }
}

static int factor_count(unsigned factors)
{
    int count = 0;

    for (; factors; factors &= factors - 1)
        count++;
    return count;
}

static int64_t terms_of(const opevo_contraction *self, int output)
{
    int64_t terms = 1;

    for (int a = 0; a < OPEVO_CONTRACTION_AXES && self->axis[a].name; a++) {
        if (opevo_contraction_reduces(self, output, a))
            terms *= self->axis[a].extent;
    }
    return terms;
}

/* ---- Matrix products and convolutions ---- */

static opevo_operand matrix(char name, opevo_role role, int64_t batch, int64_t rows,
                            int64_t columns)
{
    if (!batch)
        return (opevo_operand){.name = {name}, .role = role, .dims = 2, .extent = {rows, columns}};
    return (opevo_operand){
        .name = {name}, .role = role, .dims = 3, .extent = {batch, rows, columns}};
}

static void list_matmul(const opevo_operator *op, opevo_operand_list *out)
{
    int64_t batch = op->kind == OPEVO_MATMUL ? 0 : op->batch;

    out->item[0] = matrix('A', OPEVO_ROLE_INPUT, batch, op->transpose_x ? op->k : op->n,
                          op->transpose_x ? op->n : op->k);
    out->item[1] = matrix('B', OPEVO_ROLE_INPUT, batch, op->transpose_y ? op->m : op->k,
                          op->transpose_y ? op->k : op->m);
    out->item[2] = matrix('C', OPEVO_ROLE_OUTPUT, batch, op->n, op->m);
}

static void list_conv2d(const opevo_operator *op, opevo_operand_list *out)
{
    out->item[0] = (opevo_operand){
        .name = "A", .dims = 4, .extent = {op->batch, op->in_channels, op->height, op->width}};
    out->item[1] = (opevo_operand){
        .name = "B",
        .role = OPEVO_ROLE_CONSTANT,
        .dims = 4,
        .extent = {op->out_channels, op->in_channels, op->kernel_height, op->kernel_width}};
    out->item[2] =
        (opevo_operand){.name = "C",
                        .role = OPEVO_ROLE_OUTPUT,
                        .dims = 4,
                        .extent = {op->batch, op->out_channels, opevo_operator_out_height(op),
                                   opevo_operator_out_width(op)}};
}

/* ---- All operators ---- */

void opevo_operator_operands(const opevo_operator *op, opevo_operand_list *out)
{
    *out = (opevo_operand_list){0};
    if (op->kind == OPEVO_CONTRACTION) {
        list_contraction(&op->contraction, out);
        return;
    }
    out->count = 3;
    out->inputs = 2;
    if (op->kind == OPEVO_CONV2D)
        list_conv2d(op, out);
    else
        list_matmul(op, out);
}

static int operand_of(const opevo_operator *op, int output)
{
    opevo_operand_list list;

    opevo_operator_operands(op, &list);
    return list.inputs + output;
}

int64_t opevo_operator_terms(const opevo_operator *op, int output)
{
    if (op->kind == OPEVO_CONTRACTION)
        return terms_of(&op->contraction, operand_of(op, output));
    return op->kind == OPEVO_CONV2D ? op->in_channels * op->kernel_height * op->kernel_width
                                    : op->k;
}

int opevo_operator_factors(const opevo_operator *op, int output)
{
    if (op->kind == OPEVO_CONTRACTION)
        return factor_count(op->contraction.operand[operand_of(op, output)].factors);
    return 2;
}

double opevo_operator_flop(const opevo_operator *op)
{
    opevo_operand_list list;
    double sum = 0;

    opevo_operator_operands(op, &list);
    for (int i = list.inputs; i < list.count; i++) {
        double product = opevo_operator_factors(op, i - list.inputs);

        for (int d = 0; d < list.item[i].dims; d++)
            product *= (double)list.item[i].extent[d];
        sum += product * (double)opevo_operator_terms(op, i - list.inputs);
    }
    return sum;
}
