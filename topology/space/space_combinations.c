/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A constraint tried on all combinations of the parameters that it names, which fills its table and
 * finds mistakes: texts used as numbers, reals where integers are needed. Where it divides by zero
 * or overflows it does not hold. */

#include "space_internal.h"

#include <opevo/memory.h>

#include "parameter_internal.h"
#include "value_text.h"

enum { COMBINATION_TEXT_MAX = 300 }; /* bytes of a combination in a message */

/* Steps through the combinations of the parameters that a constraint names, the last row fastest.
 */
typedef struct combination {
    const opevo_space *space;
    const opevo_i_topology_constraint *constraint;
    uint64_t vertex[OPEVO_I_ROWS_MAX];
    uint64_t size[OPEVO_I_ROWS_MAX];
    size_t scratch_start[OPEVO_I_ROWS_MAX];
    const opevo_value *rows[OPEVO_I_ROWS_MAX];
    opevo_value scratch[OPEVO_I_SCRATCH_MAX];
    /* With branches: the row of the parameter that activates that of a row, or SIZE_MAX, and its
     * vertex then. */
    size_t parent_row[OPEVO_I_ROWS_MAX];
    uint64_t parent_vertex[OPEVO_I_ROWS_MAX];
} combination;

static void place_row(combination *self, size_t row)
{
    self->rows[row] = opevo_i_topology_constraint_value(
        self->space, self->constraint->expression.parameters[row], self->vertex[row],
        self->scratch + self->scratch_start[row]);
}

static void find_parents(combination *self)
{
    const opevo_i_topology_expression *expression = &self->constraint->expression;

    for (size_t row = 0; row < expression->parameter_count; row++) {
        opevo_activation when = opevo_space_activation(self->space, expression->parameters[row]);

        self->parent_row[row] = SIZE_MAX;
        if (when.parent == OPEVO_NO_PARENT)
            continue;
        self->parent_row[row] = opevo_i_topology_expression_row(expression, when.parent);
        self->parent_vertex[row] = (uint64_t)when.value;
    }
}

static bool is_active(const combination *self, size_t row)
{
    for (; self->parent_row[row] != SIZE_MAX; row = self->parent_row[row]) {
        if (self->vertex[self->parent_row[row]] != self->parent_vertex[row])
            return false;
    }
    return true;
}

/* With branches: take away the rows that are not active. Each combination of active ones occurs
 * once with the first vertex in all others; false for the rest. */
static bool settle(combination *self)
{
    size_t count = self->space->activations ? self->constraint->expression.parameter_count : 0;

    for (size_t row = 0; row < count; row++) {
        bool active = is_active(self, row);

        if (!active && self->vertex[row] > 0)
            return false;
        place_row(self, row);
        if (!active)
            self->rows[row] = NULL;
    }
    return true;
}

static void first_combination(combination *self)
{
    const opevo_i_topology_expression *expression = &self->constraint->expression;
    size_t used = 0;

    for (size_t row = 0; row < expression->parameter_count; row++) {
        self->vertex[row] = 0;
        self->size[row] =
            (uint64_t)opevo_parameter_size(self->space->parameters[expression->parameters[row]]);
        self->scratch_start[row] = used;
        used += opevo_i_topology_constraint_scratch(self->space, expression->parameters[row]);
        place_row(self, row);
    }
    find_parents(self);
}

/* Returns the first row that changes. */
static size_t next_combination(combination *self)
{
    const opevo_i_topology_expression *expression = &self->constraint->expression;

    for (size_t row = expression->parameter_count; row-- > 0;) {
        bool carry = ++self->vertex[row] == self->size[row];

        if (carry)
            self->vertex[row] = 0;
        place_row(self, row);
        if (!carry)
            return self->space->activations ? 0 : row; /* those may take any row away */
    }
    return 0;
}

/* "column 9: it uses a string as a number at K=8,1 m=auto". */
static opevo_status report_fault(const combination *self, opevo_i_topology_fault fault,
                                 uint32_t column, const char *where, opevo_error *err)
{
    const opevo_i_topology_expression *expression = &self->constraint->expression;
    opevo_text at = {0}, value = {0};
    opevo_status status = OPEVO_OK;

    for (size_t row = 0; row < expression->parameter_count; row++) {
        const opevo_parameter *parameter = self->space->parameters[expression->parameters[row]];

        if (!self->rows[row])
            continue;
        if (at.length > COMBINATION_TEXT_MAX) {
            opevo_text_add(&at, " ...");
            break;
        }
        opevo_text_clear(&value);
        opevo_i_topology_parameter_print_in_point(parameter, self->vertex[row], &value);
        at.failed |= value.failed;
        opevo_text_printf(&at, "%s%s=%s", at.length ? " " : "", opevo_parameter_name(parameter),
                          OPEVO_I_EXCERPT(opevo_text_string(&value)));
    }
    status = opevo_text_check(&at, err);
    if (status == OPEVO_OK)
        status = OPEVO_FAIL(
            err, OPEVO_INVALID, "%s, column %u: it %s at %s; exclude that in the same expression.",
            where, (unsigned)column, opevo_i_topology_fault_text(fault), opevo_text_string(&at));
    opevo_text_free(&at);
    opevo_text_free(&value);
    return status;
}

/* Evaluate the constraint on all combinations into its table; *ever says whether it holds at one.
 */
static opevo_status fill_table(combination *at, opevo_i_topology_trail *trail, uint64_t *table,
                               uint64_t count, const char *where, bool *ever, opevo_error *err)
{
    size_t changed = 0;
    bool holds = false;

    first_combination(at);
    for (uint64_t i = 0; i < count; i++, changed = next_combination(at)) {
        opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;

        if (!settle(at))
            continue;
        if (opevo_i_topology_trail_evaluate(trail, at->rows, changed)) {
            fault = trail->fault;
            if (!fault && trail->result.kind == OPEVO_VALUE_TEXT)
                fault = OPEVO_I_FAULT_TEXT;
            if (fault == OPEVO_I_FAULT_TEXT || fault == OPEVO_I_FAULT_REAL)
                return report_fault(at, fault, trail->column ? trail->column : 1, where, err);
            holds = fault == OPEVO_I_FAULT_INACTIVE ||
                    (!fault && opevo_value_number(trail->result) != 0);
            *ever |= holds;
        }
        table[i >> 6] |= (uint64_t)holds << (i & 63);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_topology_constraint_try_all(const opevo_space *space,
                                                 opevo_i_topology_constraint *self, uint64_t count,
                                                 const char *where, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    combination *at = opevo_malloc(1, sizeof *at);
    opevo_i_topology_trail trail = {0};
    bool ever = false;

    self->table = opevo_calloc((size_t)(count / 64 + 1), sizeof *self->table);
    OPEVO_NEED(at && self->table && opevo_i_topology_trail_init(&trail, &self->expression),
               "the constraints of a space");
    at->space = space;
    at->constraint = self;
    OPEVO_TRY(fill_table(at, &trail, self->table, count, where, &ever, err));
    if (!ever)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: no point satisfies the constraints, because \"%s\" never "
                            "holds.",
                            where, OPEVO_I_EXCERPT(self->text));
cleanup:
    opevo_i_topology_trail_clear(&trail);
    opevo_free(at);
    return status;
}
