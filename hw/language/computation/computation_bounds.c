/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether every read of a definition is inside its tensor wherever it is evaluated.
 *
 * A read below select is evaluated where the conditions around it hold, or do not hold in the
 * second operand. Each comparison of integers that must hold there is a fact, f >= 0. A range
 * of an index e is that of interval arithmetic over the axes, whose ranges the facts narrow; and,
 * for each fact and each factor m > 0 that cancels an atom, e = m f + (e - m f) >= the least of e -
 * m f. All of these are bounds, so that what is accepted is right; what is right may be refused
 * where it takes two facts at once that no axis connects.
 *
 * `or` (and `and` where it does not hold) is followed into each of its cases, up to MOST_CASES at
 * once; beyond that, and from comparisons of values, nothing is learnt. */

#include "computation_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

/* MOST_ACTIVE keeps the recursion flat: assumptions beyond it are dropped. */
enum { MOST_FACTS = 16, MOST_CASES = 16, MOST_ACTIVE = 512, ROUNDS = 3 };
#define LARGEST_VALUE (INT64_C(1) << 60)
#define LARGEST_FACTOR (INT64_C(1) << 56) /* sums of products of both fit into 128 bits */

__extension__ typedef __int128 wide;

typedef struct range {
    wide least, most;
} range;

typedef struct box {
    int64_t least[OPEVO_COMPUTATION_AXES], most[OPEVO_COMPUTATION_AXES];
} box;

/* A condition that must hold, or must not. */
typedef struct assumption {
    const opevo_condition *condition;
    bool holds;
    const struct assumption *next;
} assumption;

typedef struct checker {
    const opevo_definition *definition;
    const char *source;
    opevo_tensor *const *implicit;
    opevo_error *err;
    box box; /* what the facts leave of the axes */
    bool empty;
    int cases;
    int active; /* assumptions */
    int facts;
    opevo_i_comp_whole fact[MOST_FACTS];
    opevo_i_comp_whole whole, rest; /* scratch, too large for frames that recur */
} checker;

/* ---- Ranges ---- */

static wide floor_wide(wide a, int64_t divisor)
{
    wide quotient = a / divisor;

    return a % divisor < 0 ? quotient - 1 : quotient;
}

static range divide_range(range inner, const opevo_term *term)
{
    wide low = floor_wide(inner.least, term->divisor);
    wide high = floor_wide(inner.most, term->divisor);

    if (term->atom == OPEVO_ATOM_FLOOR)
        return (range){low, high};
    if (low == high)
        return (range){inner.least - low * term->divisor, inner.most - low * term->divisor};
    return (range){0, term->divisor - 1};
}

static range range_of_terms(const checker *self, int64_t constant, const opevo_term *term,
                            int count);

static range range_of_atom(const checker *self, const opevo_term *term)
{
    if (term->atom == OPEVO_ATOM_AXIS)
        return (range){self->box.least[term->axis], self->box.most[term->axis]};
    return divide_range(
        range_of_terms(self, term->inner->constant, term->inner->term, term->inner->count), term);
}

/* Least and most of a sum, by interval arithmetic; the recursion is as deep as divisions nest. */
static range range_of_terms(const checker *self, int64_t constant, const opevo_term *term,
                            int count)
{
    range sum = {constant, constant};

    for (int i = 0; i < count; i++) {
        range atom = range_of_atom(self, &term[i]);
        wide factor = term[i].factor;

        sum.least += factor * (factor > 0 ? atom.least : atom.most);
        sum.most += factor * (factor > 0 ? atom.most : atom.least);
    }
    return sum;
}

static bool is_small(const opevo_i_comp_whole *whole)
{
    bool small = llabs(whole->constant) <= LARGEST_FACTOR;

    for (int i = 0; i < whole->count; i++)
        small &= llabs(whole->term[i].factor) <= LARGEST_FACTOR;
    return small;
}

/* The least of `whole` as a multiple of a fact and a rest, the multiple such that an atom cancels
 * as far as it can. */
static wide least_by_fact(checker *self, const opevo_i_comp_whole *whole,
                          const opevo_i_comp_whole *fact, wide least)
{
    for (int i = 0; i < whole->count; i++) {
        for (int j = 0; j < fact->count; j++) {
            int64_t multiple = whole->term[i].factor / fact->term[j].factor;
            wide other = 0;

            if (multiple < 1 || opevo_i_comp_atom_compare(&whole->term[i], &fact->term[j]) != 0)
                continue;
            self->rest = *whole;
            if (!opevo_i_comp_whole_add(&self->rest, -multiple, fact) || !is_small(&self->rest))
                continue;
            other =
                range_of_terms(self, self->rest.constant, self->rest.term, self->rest.count).least;
            least = other > least ? other : least;
        }
    }
    return least;
}

static wide least_by_facts(checker *self, const opevo_i_comp_whole *whole)
{
    wide least = range_of_terms(self, whole->constant, whole->term, whole->count).least;

    for (int f = 0; f < self->facts; f++)
        least = least_by_fact(self, whole, &self->fact[f], least);
    return least;
}

static range range_by_facts(checker *self, const opevo_affine *affine)
{
    range found;

    opevo_i_comp_whole_of(affine, &self->whole);
    found.least = least_by_facts(self, &self->whole);
    for (int i = 0; i < self->whole.count; i++)
        self->whole.term[i].factor = -self->whole.term[i].factor;
    self->whole.constant = -self->whole.constant;
    found.most = -least_by_facts(self, &self->whole);
    return found;
}

/* The range of an index. One that is a single division takes what the facts say of its inside. */
static range range_of_index(checker *self, const opevo_affine *index)
{
    range found = range_by_facts(self, index);

    if (index->count == 1 && index->term[0].atom != OPEVO_ATOM_AXIS && index->term[0].factor == 1) {
        range inside = divide_range(range_by_facts(self, index->term[0].inner), &index->term[0]);

        inside.least += index->constant;
        inside.most += index->constant;
        found.least = inside.least > found.least ? inside.least : found.least;
        found.most = inside.most < found.most ? inside.most : found.most;
    }
    return found;
}

/* ---- Facts ---- */

static wide ceil_wide(wide a, int64_t divisor)
{
    return -floor_wide(-a, divisor);
}

/* Narrow the axes of a fact: factor x >= -(most of the rest). */
static void narrow(checker *self, const opevo_i_comp_whole *fact)
{
    range all = range_of_terms(self, fact->constant, fact->term, fact->count);

    self->empty |= all.most < 0;
    for (int i = 0; i < fact->count && !self->empty; i++) {
        int axis = fact->term[i].axis;
        int64_t factor = fact->term[i].factor;
        int64_t *least = &self->box.least[axis], *most = &self->box.most[axis];
        wide rest = 0;

        if (fact->term[i].atom != OPEVO_ATOM_AXIS)
            continue;
        rest = all.most - (wide)factor * (factor > 0 ? *most : *least);
        if (factor > 0 && ceil_wide(-rest, factor) > *least)
            *least = (int64_t)ceil_wide(-rest, factor);
        if (factor < 0 && floor_wide(rest, -factor) < *most)
            *most = (int64_t)floor_wide(rest, -factor);
        self->empty = *least > *most;
    }
}

/* Learn first - second - less >= 0. */
static void learn_difference(checker *self, const opevo_affine *first, const opevo_affine *second,
                             int64_t less)
{
    opevo_i_comp_whole *fact = &self->fact[self->facts];

    if (self->facts == MOST_FACTS)
        return;
    opevo_i_comp_whole_of(first, fact);
    opevo_i_comp_whole_of(second, &self->rest);
    fact->constant -= less;
    if (!opevo_i_comp_whole_add(fact, -1, &self->rest))
        return;
    self->facts++;
    for (int round = 0; round < ROUNDS; round++) {
        for (int f = 0; f < self->facts; f++)
            narrow(self, &self->fact[f]);
    }
}

static void learn(checker *self, const opevo_condition *comparison, bool holds)
{
    const opevo_affine *a = comparison->a, *b = comparison->b;
    bool equal = comparison->kind == (holds ? OPEVO_COND_EQUAL : OPEVO_COND_NOT_EQUAL);

    if (!a)
        return;
    if (equal) {
        learn_difference(self, a, b, 0);
        learn_difference(self, b, a, 0);
    } else if (comparison->kind == OPEVO_COND_LESS) {
        learn_difference(self, holds ? b : a, holds ? a : b, holds);
    } else if (comparison->kind == OPEVO_COND_LESS_EQUAL) {
        learn_difference(self, holds ? b : a, holds ? a : b, !holds);
    }
}

/* ---- The walk ---- */

static opevo_status check(checker *self, const opevo_expression *expression);

/* Check `then` where all assumptions hold. */
static opevo_status check_where(checker *self, const assumption *first,
                                const opevo_expression *then)
{
    const opevo_condition *condition = first ? first->condition : NULL;
    box box_before = self->box;
    int facts_before = self->facts;
    bool empty_before = self->empty;
    opevo_status status = OPEVO_OK;

    if (!first || self->active == MOST_ACTIVE)
        return self->empty ? OPEVO_OK : check(self, then);
    self->active++;
    if (condition->kind != OPEVO_COND_AND && condition->kind != OPEVO_COND_OR) {
        learn(self, condition, first->holds);
        status = check_where(self, first->next, then);
    } else if ((condition->kind == OPEVO_COND_AND) == first->holds) {
        assumption right = {condition->right, first->holds, first->next};
        assumption left = {condition->left, first->holds, &right};

        status = check_where(self, &left, then);
    } else if (2 * self->cases > MOST_CASES) {
        status = check_where(self, first->next, then);
    } else {
        assumption left = {condition->left, first->holds, first->next};
        assumption right = {condition->right, first->holds, first->next};

        self->cases *= 2;
        status = check_where(self, &left, then);
        if (status == OPEVO_OK)
            status = check_where(self, &right, then);
        self->cases /= 2;
    }
    self->active--;
    self->box = box_before;
    self->facts = facts_before;
    self->empty = empty_before;
    return status;
}

/* No value of an integer, nor any inside its divisions, is beyond 2^60 anywhere in the box of
 * all axes. */
static bool is_moderate(const checker *self, const opevo_affine *affine)
{
    range all;

    for (int i = 0; i < affine->count; i++) {
        if (affine->term[i].atom != OPEVO_ATOM_AXIS && !is_moderate(self, affine->term[i].inner))
            return false;
    }
    all = range_of_terms(self, affine->constant, affine->term, affine->count);
    return -LARGEST_VALUE <= all.least && all.most <= LARGEST_VALUE;
}

static opevo_status check_whole(checker *self, const opevo_affine *affine,
                                const opevo_expression *at)
{
    opevo_text text = {0};
    box all = self->box, narrowed = self->box;

    memset(&all, 0, sizeof all);
    for (int a = 0; a < self->definition->axes; a++)
        all.most[a] = self->definition->axis[a].extent - 1;
    self->box = all;
    if (!is_moderate(self, affine)) {
        opevo_i_comp_affine_print(affine, self->definition, &text);
        opevo_error_set(self->err, OPEVO_LIMIT, "%s:%u:%u: %.200s has values beyond 2^60.",
                        self->source, at->line, at->column, opevo_text_string(&text));
        opevo_text_free(&text);
        return OPEVO_LIMIT;
    }
    self->box = narrowed;
    return OPEVO_OK;
}

static opevo_status fail_range(checker *self, const opevo_expression *read, int d, range found)
{
    opevo_text text = {0};
    const opevo_tensor *tensor = read->tensor;
    bool below = found.least < 0;
    long long end = self->implicit[tensor->number] ? (long long)OPEVO_COMPUTATION_EXTENT
                                                   : (long long)tensor->extent[d];

    opevo_i_comp_affine_print(&read->index[d], self->definition, &text);
    opevo_text_printf(&text, below ? " >= 0" : " < %lld", end);
    opevo_error_set(self->err, OPEVO_INVALID,
                    "%s:%u:%u: index %d of %s may be %lld, outside 0 .. %lld; read it inside "
                    "select(%.200s, %s[...], 0), or change the extents.",
                    self->source, read->line, read->column, d + 1, tensor->name,
                    (long long)(below ? found.least : found.most), end - 1,
                    opevo_text_string(&text), tensor->name);
    opevo_text_free(&text);
    return OPEVO_INVALID;
}

static opevo_status check_read(checker *self, const opevo_expression *read)
{
    opevo_tensor *implicit = self->implicit[read->tensor->number];

    for (int d = 0; d < read->tensor->dims; d++) {
        opevo_status status = check_whole(self, &read->index[d], read);
        range found;

        if (status != OPEVO_OK)
            return status;
        found = range_of_index(self, &read->index[d]);
        if (implicit && found.least >= 0 && found.most < OPEVO_COMPUTATION_EXTENT) {
            if (found.most >= implicit->extent[d])
                implicit->extent[d] = (int64_t)found.most + 1;
            continue;
        }
        if (found.least < 0 || found.most >= read->tensor->extent[d])
            return fail_range(self, read, d, found);
    }
    return OPEVO_OK;
}

/* The values that a condition compares are evaluated wherever the select is. */
static opevo_status check_condition(checker *self, const opevo_condition *condition,
                                    const opevo_expression *at)
{
    bool joins = condition->kind == OPEVO_COND_AND || condition->kind == OPEVO_COND_OR;
    opevo_status status = OPEVO_OK;

    if (joins)
        status = check_condition(self, condition->left, at);
    else
        status = condition->a ? check_whole(self, condition->a, at) : check(self, condition->x);
    if (status != OPEVO_OK)
        return status;
    if (joins)
        return check_condition(self, condition->right, at);
    return condition->b ? check_whole(self, condition->b, at) : check(self, condition->y);
}

static opevo_status check(checker *self, const opevo_expression *expression)
{
    opevo_status status = OPEVO_OK;

    switch (expression->kind) {
    case OPEVO_EXPR_READ:
        return check_read(self, expression);
    case OPEVO_EXPR_NUMBER:
        return OPEVO_OK;
    case OPEVO_EXPR_WHOLE:
        return check_whole(self, expression->index, expression);
    case OPEVO_EXPR_SELECT:
        OPEVO_TRY(check_condition(self, expression->condition, expression));
        OPEVO_TRY(
            check_where(self, &(assumption){expression->condition, true, NULL}, expression->left));
        return check_where(self, &(assumption){expression->condition, false, NULL},
                           expression->right);
    default:
        OPEVO_TRY(check(self, expression->left));
        return expression->right ? check(self, expression->right) : OPEVO_OK;
    }
cleanup:
    return status;
}

opevo_status opevo_i_comp_check_reads(const opevo_definition *definition, const char *source,
                                      opevo_tensor *const *implicit, opevo_error *err)
{
    checker *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "a computation");
    self->definition = definition;
    self->source = source;
    self->implicit = implicit;
    self->err = err;
    self->cases = 1;
    for (int a = 0; a < definition->axes; a++)
        self->box.most[a] = definition->axis[a].extent - 1;
    status = check(self, definition->value);
    opevo_free(self);
    return status;
}

void opevo_i_comp_affine_range(const opevo_definition *definition, const opevo_affine *affine,
                               double *least, double *most)
{
    checker self = {.definition = definition};
    range of;

    for (int a = 0; a < definition->axes; a++)
        self.box.most[a] = definition->axis[a].extent - 1;
    of = range_of_terms(&self, affine->constant, affine->term, affine->count);
    *least = (double)of.least;
    *most = (double)of.most;
}
