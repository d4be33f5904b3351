/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Constraints taken apart into conjuncts, parameters tied into groups, and their order.
 *
 * `A && B` is two conjuncts: both must hold, and one that is undefined does not. Not so where A
 * names a conditional parameter, since `A && B` as a whole does not apply where A needs a value
 * that is not there.
 *
 * The order: of the parameters whose parents are placed, always the one with the largest sum of
 * 2^-(u - 1) over its conjuncts, where u parameters of a conjunct are not placed yet, itself
 * included; of equals the one of fewer values, then the first. So conjuncts are closed early and
 * few are open at once, which keeps few different remainders. */

#include "diagram_build.h"

#include <opevo/memory.h>

#include "space_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_MOST = OPEVO_I_LISTED_MAX };

static opevo_status no_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to compile a space.");
}

/* ---- Values ---- */

static bool is_conditional(const opevo_space *space, size_t parameter)
{
    return space->activations && space->activations[parameter].parent != OPEVO_NO_PARENT;
}

static opevo_status list_values(opevo_i_topology_compiler *self, size_t i, opevo_error *err)
{
    const opevo_parameter *parameter = self->space->parameters[i];
    size_t arity = opevo_parameter_arity(parameter), size = 0;

    if (self->values[i])
        return OPEVO_OK;
    if (opevo_parameter_size(parameter) > VALUES_MOST / arity)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "Parameter %s has more than %d values.",
                          opevo_parameter_name(parameter), (int)(VALUES_MOST / arity));
    size = (size_t)opevo_parameter_size(parameter);
    self->values[i] = opevo_malloc(size * arity, sizeof *self->values[i]);
    if (!self->values[i])
        return no_memory(err);
    self->bytes += size * arity * sizeof *self->values[i];
    for (size_t vertex = 0; vertex < size; vertex++)
        opevo_parameter_value(parameter, vertex, self->values[i] + vertex * arity);
    return OPEVO_OK;
}

static opevo_i_topology_interval interval_of(const void *context, size_t parameter,
                                             size_t component, bool *active)
{
    const opevo_i_topology_compiler *self = context;
    size_t arity = opevo_parameter_arity(self->space->parameters[parameter]);
    size_t size = (size_t)opevo_parameter_size(self->space->parameters[parameter]);
    const opevo_value *values = self->values[parameter] + component;
    opevo_i_topology_interval interval = opevo_i_topology_interval_of_value(values);

    for (size_t vertex = 1; vertex < size; vertex++) {
        opevo_i_topology_interval one = opevo_i_topology_interval_of_value(values + vertex * arity);

        interval = opevo_i_topology_interval_join(&interval, &one);
    }
    *active = !is_conditional(self->space, parameter);
    return interval;
}

/* ---- Conjuncts ---- */

/* Note which parameters a term names. */
static void mark(const opevo_i_topology_terms *terms, uint32_t number, bool *named)
{
    const opevo_i_topology_term *term = &terms->items[number];

    if (term->kind == OPEVO_I_TERM_LOAD || term->kind == OPEVO_I_TERM_ACTIVE)
        named[term->parameter] = true;
    for (uint32_t at = term->first; at != OPEVO_I_NO_CELL; at = terms->cells[at].next)
        mark(terms, terms->cells[at].term, named);
}

static void tie(opevo_i_topology_compiler *self, size_t a, size_t b)
{
    a = opevo_i_topology_compiler_first(self, a);
    b = opevo_i_topology_compiler_first(self, b);
    if (a < b)
        self->tied_to[b] = a;
    else
        self->tied_to[a] = b;
}

size_t opevo_i_topology_compiler_first(const opevo_i_topology_compiler *self, size_t parameter)
{
    while (self->tied_to[parameter] != parameter)
        parameter = self->tied_to[parameter];
    return parameter;
}

static opevo_status add_conjunct(opevo_i_topology_compiler *self,
                                 opevo_i_topology_conjunct conjunct, const bool *named,
                                 opevo_error *err)
{
    size_t count = self->space->parameter_count;

    if (!opevo_reserve((void **)&self->conjuncts, &self->conjunct_capacity,
                       self->conjunct_count + 1, sizeof *self->conjuncts))
        return no_memory(err);
    conjunct.parameters = opevo_malloc(count, sizeof *conjunct.parameters);
    if (!conjunct.parameters)
        return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (!named[i])
            continue;
        conjunct.parameters[conjunct.count++] = i;
        tie(self, conjunct.parameters[0], i);
    }
    if (conjunct.count == 0) /* a constant: the first parameter answers for it */
        conjunct.parameters[conjunct.count++] = 0;
    self->conjuncts[self->conjunct_count++] = conjunct;
    return OPEVO_OK;
}

/* The operand where a term only says whether that is true. */
static uint32_t strip(const opevo_i_topology_terms *terms, uint32_t number)
{
    const opevo_i_topology_term *term = &terms->items[number];

    while (term->kind == OPEVO_I_TERM_ONE && term->opcode == OPEVO_I_OP_TRUTH) {
        number = terms->cells[term->first].term;
        term = &terms->items[number];
    }
    return number;
}

static opevo_status split(opevo_i_topology_compiler *self, size_t constraint, uint32_t root,
                          bool *named, opevo_error *err)
{
    size_t count = self->space->parameter_count;
    bool conditional = false;
    opevo_status status = OPEVO_OK;
    const opevo_i_topology_term *term = NULL;

    root = strip(&self->terms, root);
    term = &self->terms.items[root];
    memset(named, 0, count * sizeof *named);
    mark(&self->terms, root, named);
    for (size_t i = 0; i < count; i++)
        conditional |= named[i] && is_conditional(self->space, i);
    if (term->kind != OPEVO_I_TERM_ALL || conditional)
        return add_conjunct(
            self, (opevo_i_topology_conjunct){.root = root, .constraint = constraint}, named, err);
    for (uint32_t at = term->first; at != OPEVO_I_NO_CELL && status == OPEVO_OK;
         at = self->terms.cells[at].next)
        status = split(self, constraint, self->terms.cells[at].term, named, err);
    return status;
}

static opevo_status add_constraint(opevo_i_topology_compiler *self, size_t constraint, bool *named,
                                   opevo_error *err)
{
    const opevo_i_topology_expression *expression =
        &self->space->constraints[constraint].expression;
    opevo_status status = OPEVO_OK;
    uint32_t root = 0;

    for (size_t row = 0; row < expression->parameter_count && status == OPEVO_OK; row++)
        status = list_values(self, expression->parameters[row], err);
    if (status == OPEVO_OK)
        status =
            opevo_i_topology_terms_add(&self->terms, expression, interval_of, self, &root, err);
    return status == OPEVO_OK ? split(self, constraint, root, named, err) : status;
}

opevo_status opevo_i_topology_compiler_init(opevo_i_topology_compiler *self,
                                            const opevo_space *space, const bool *used,
                                            const opevo_diagram_limits *limits, opevo_error *err)
{
    size_t count = space->parameter_count;
    bool *named = opevo_malloc(count, sizeof *named);
    opevo_status status = OPEVO_OK;

    *self = (opevo_i_topology_compiler){
        .space = space,
        .limits = limits
                      ? *limits
                      : (opevo_diagram_limits){OPEVO_DIAGRAM_WORK_MOST, OPEVO_DIAGRAM_BYTES_MOST}};
    self->values = opevo_calloc(count, sizeof(opevo_value *));
    self->tied_to = opevo_malloc(count, sizeof *self->tied_to);
    if (!named || !self->values || !self->tied_to) {
        status = no_memory(err);
        goto cleanup;
    }
    for (size_t i = 0; i < count; i++)
        self->tied_to[i] = i;
    for (size_t i = 0; i < count; i++) {
        if (is_conditional(space, i))
            tie(self, i, space->activations[i].parent);
    }
    for (size_t i = 0; i < space->constraint_count; i++) {
        if (!used || used[i])
            OPEVO_TRY(add_constraint(self, i, named, err));
    }
    if (space->ranges && space->known) {
        status = OPEVO_FAIL(err, OPEVO_LIMIT,
                            "Listed points of a space with more than 2^128 - 1 points are not "
                            "compiled.");
        goto cleanup;
    }
    if (space->ranges) {
        memset(named, true, count * sizeof *named);
        status = add_conjunct(self, (opevo_i_topology_conjunct){.listed = true}, named, err);
    }
cleanup:
    opevo_free(named);
    return status;
}

void opevo_i_topology_compiler_clear(opevo_i_topology_compiler *self)
{
    for (size_t i = 0; i < self->conjunct_count; i++)
        opevo_free(self->conjuncts[i].parameters);
    for (size_t i = 0; self->values && i < self->space->parameter_count; i++)
        opevo_free(self->values[i]);
    opevo_free(self->conjuncts);
    opevo_free(self->values);
    opevo_free(self->tied_to);
    opevo_i_topology_terms_release(&self->terms);
}

/* ---- Order ---- */

/* The parameters that are placed, while the rest is ordered. */
typedef struct ordering {
    const opevo_i_topology_compiler *compiler;
    size_t first;   /* of the group */
    size_t *levels; /* of each parameter of the space; SIZE_MAX: not placed */
    size_t *open;   /* parameters of each conjunct that are not placed */
    double *scores; /* of each parameter */
} ordering;

static bool has(const opevo_i_topology_conjunct *conjunct, size_t parameter)
{
    size_t low = 0, high = conjunct->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (conjunct->parameters[middle] < parameter)
            low = middle + 1;
        else
            high = middle;
    }
    return low < conjunct->count && conjunct->parameters[low] == parameter;
}

static bool may_follow(const ordering *self, size_t i)
{
    const opevo_space *space = self->compiler->space;

    return self->levels[i] == SIZE_MAX &&
           opevo_i_topology_compiler_first(self->compiler, i) == self->first &&
           (!is_conditional(space, i) || self->levels[space->activations[i].parent] != SIZE_MAX);
}

static void score(ordering *self)
{
    const opevo_i_topology_compiler *compiler = self->compiler;

    memset(self->scores, 0, compiler->space->parameter_count * sizeof *self->scores);
    for (size_t c = 0; c < compiler->conjunct_count; c++) {
        const opevo_i_topology_conjunct *conjunct = &compiler->conjuncts[c];

        for (size_t k = 0; k < conjunct->count; k++)
            self->scores[conjunct->parameters[k]] +=
                conjunct->listed ? 0 : ldexp(1, 1 - (int)self->open[c]);
    }
}

static size_t next_of(const ordering *self)
{
    const opevo_space *space = self->compiler->space;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < space->parameter_count; i++) {
        if (!may_follow(self, i))
            continue;
        if (space->ranges)
            return i; /* a list is read in the order of the points' numbers */
        if (best == SIZE_MAX || self->scores[i] > self->scores[best] ||
            (self->scores[i] == self->scores[best] &&
             opevo_parameter_size(space->parameters[i]) <
                 opevo_parameter_size(space->parameters[best])))
            best = i;
    }
    return best;
}

static opevo_status place(ordering *self, size_t i, opevo_i_topology_plan *plan, opevo_error *err)
{
    const opevo_i_topology_compiler *compiler = self->compiler;
    const opevo_parameter *parameter = compiler->space->parameters[i];
    opevo_index size = opevo_parameter_size(parameter);

    if (size >= UINT32_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "Parameter %s has too many values.",
                          opevo_parameter_name(parameter));
    self->levels[i] = plan->depth;
    plan->variables[plan->depth++] =
        (opevo_i_topology_variable){.parameter = i,
                                    .size = (uint32_t)size,
                                    .arity = opevo_parameter_arity(parameter),
                                    .values = compiler->values[i],
                                    .conditional = is_conditional(compiler->space, i)};
    for (size_t c = 0; c < compiler->conjunct_count; c++)
        self->open[c] -= has(&compiler->conjuncts[c], i);
    return OPEVO_OK;
}

/* ---- Clauses ---- */

static int compare_levels(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The level behind which each term of a conjunct is decided. */
static size_t set_levels(opevo_i_topology_terms *terms, uint32_t number, const size_t *levels)
{
    opevo_i_topology_term *term = &terms->items[number];
    size_t level = 0;

    if (term->kind == OPEVO_I_TERM_LOAD || term->kind == OPEVO_I_TERM_ACTIVE)
        level = levels[term->parameter] + 1;
    for (uint32_t at = term->first; at != OPEVO_I_NO_CELL; at = terms->cells[at].next) {
        size_t one = set_levels(terms, terms->cells[at].term, levels);

        level = one > level ? one : level;
    }
    term->level = level;
    return level;
}

static opevo_status add_clause(opevo_i_topology_compiler *compiler, size_t c, const size_t *levels,
                               opevo_i_topology_plan *plan, opevo_error *err)
{
    const opevo_i_topology_conjunct *conjunct = &compiler->conjuncts[c];
    opevo_i_topology_clause *clause = &plan->clauses[plan->clause_count];

    *clause = (opevo_i_topology_clause){.root = conjunct->root,
                                        .count = conjunct->count,
                                        .listed = conjunct->listed,
                                        .constraint = conjunct->constraint};
    clause->levels = opevo_malloc(conjunct->count, sizeof *clause->levels);
    if (!clause->levels)
        return no_memory(err);
    plan->clause_count++;
    for (size_t k = 0; k < conjunct->count; k++) {
        clause->levels[k] = levels[conjunct->parameters[k]];
        clause->conditional |= is_conditional(compiler->space, conjunct->parameters[k]);
    }
    qsort(clause->levels, clause->count, sizeof *clause->levels, compare_levels);
    if (!clause->listed)
        set_levels(&compiler->terms, clause->root, levels);
    return OPEVO_OK;
}

opevo_status opevo_i_topology_plan_create(opevo_i_topology_compiler *compiler, size_t first,
                                          opevo_i_topology_plan *plan, opevo_error *err)
{
    size_t count = compiler->space->parameter_count;
    ordering self = {.compiler = compiler, .first = first};
    opevo_status status = OPEVO_OK;

    *plan = (opevo_i_topology_plan){0};
    plan->variables = opevo_malloc(count, sizeof *plan->variables);
    plan->clauses = opevo_calloc(compiler->conjunct_count, sizeof *plan->clauses);
    self.levels = opevo_malloc(count, sizeof *self.levels);
    self.open = opevo_malloc(compiler->conjunct_count, sizeof *self.open);
    self.scores = opevo_malloc(count, sizeof *self.scores);
    if (!plan->variables || !plan->clauses || !self.levels || !self.open || !self.scores) {
        status = no_memory(err);
        goto cleanup;
    }
    for (size_t i = 0; i < count; i++)
        self.levels[i] = SIZE_MAX;
    for (size_t c = 0; c < compiler->conjunct_count; c++)
        self.open[c] = compiler->conjuncts[c].count;
    for (size_t next = 0; score(&self), (next = next_of(&self)) != SIZE_MAX;)
        OPEVO_TRY(place(&self, next, plan, err));
    for (size_t c = 0; c < compiler->conjunct_count; c++) {
        if (opevo_i_topology_compiler_first(compiler, compiler->conjuncts[c].parameters[0]) ==
            first)
            OPEVO_TRY(add_clause(compiler, c, self.levels, plan, err));
    }
cleanup:
    opevo_free(self.levels);
    opevo_free(self.open);
    opevo_free(self.scores);
    if (status != OPEVO_OK)
        opevo_i_topology_plan_release(plan);
    return status;
}

void opevo_i_topology_plan_release(opevo_i_topology_plan *plan)
{
    for (size_t c = 0; plan->clauses && c < plan->clause_count; c++)
        opevo_free(plan->clauses[c].levels);
    opevo_free(plan->variables);
    opevo_free(plan->clauses);
    *plan = (opevo_i_topology_plan){0};
}
