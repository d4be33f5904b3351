/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Residuals by number. A key is the folded text, and in a second step the table of what is left,
 * where that is small; the first saves making the table again, the second merges more. */

#include "residual.h"

#include <opevo/memory.h>

#include "space_internal.h"

#include <string.h>

enum {
    NOT_YET = -1,
    LOOK_MOST = 256,      /* combinations of several parameters that are looked at ahead */
    LOOK_ONE_MOST = 4096, /* values of a last one */
    WORK_OF_KEY = 16,     /* operations of finding a key, beside its length */
    TAIL_WORDS = 2        /* of a key: clause, parameters bound and kind */
};

bool opevo_i_topology_residuals_init(opevo_i_topology_residuals *self, const opevo_space *space,
                                     const opevo_i_topology_terms *terms,
                                     const opevo_i_topology_variable *variables,
                                     const opevo_i_topology_clause *clauses)
{
    *self = (opevo_i_topology_residuals){
        .space = space, .terms = terms, .variables = variables, .clauses = clauses};
    self->rows = opevo_calloc(space->parameter_count, sizeof(opevo_value *));
    self->items = opevo_calloc(2, sizeof *self->items);
    self->capacity = self->count = 2; /* FALSE and TRUE */
    return self->rows && self->items;
}

void opevo_i_topology_residuals_clear(opevo_i_topology_residuals *self)
{
    for (size_t i = 0; self->items && i < self->count; i++) {
        opevo_free(self->items[i].holds);
        opevo_free(self->items[i].next);
    }
    opevo_free(self->items);
    opevo_free(self->labels);
    opevo_free(self->meanings);
    opevo_free((void *)self->rows);
    opevo_free(self->key);
    opevo_i_topology_words_clear(&self->keys);
    *self = (opevo_i_topology_residuals){0};
}

size_t opevo_i_topology_residuals_bytes(const opevo_i_topology_residuals *self)
{
    return self->bytes + self->capacity * sizeof *self->items +
           self->label_capacity * sizeof *self->labels +
           self->meaning_capacity * sizeof *self->meanings +
           opevo_i_topology_words_bytes(&self->keys);
}

/* ---- Rows ---- */

static const opevo_i_topology_variable *variable_of(const opevo_i_topology_residuals *self,
                                                    const opevo_i_topology_clause *clause,
                                                    size_t place)
{
    return &self->variables[clause->levels[place]];
}

static void place(opevo_i_topology_residuals *self, const opevo_i_topology_variable *variable,
                  uint32_t label)
{
    self->rows[variable->parameter] =
        label == variable->size ? NULL : variable->values + label * variable->arity;
}

static void place_all(opevo_i_topology_residuals *self, const opevo_i_topology_clause *clause,
                      const uint32_t *labels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        place(self, variable_of(self, clause, i), labels[i]);
}

/* ---- Lists of points ---- */

/* The points that agree with the labels: the first, and how many. */
static opevo_index agreeing_points(const opevo_i_topology_residuals *self, const uint32_t *labels,
                                   size_t bound, opevo_index *count)
{
    const opevo_space *space = self->space;
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_index first = 0;

    for (size_t i = 0; i < bound; i++) {
        vertices[i] = labels[i] == self->variables[i].size ? OPEVO_INACTIVE : labels[i];
        if (!space->activations)
            first += vertices[i] * space->stride[i];
    }
    if (space->activations)
        return opevo_i_topology_branches_first(space, vertices, bound, count);
    *count = bound ? space->stride[bound - 1] : space->size;
    return first;
}

static size_t first_range(const opevo_space *space, opevo_index point)
{
    size_t low = 0, high = space->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (space->ranges[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool add_word(opevo_i_topology_residuals *self, uint32_t word)
{
    if (!opevo_reserve((void **)&self->key, &self->key_capacity, self->key_length + 1,
                       sizeof *self->key)) {
        self->failed = true;
        return false;
    }
    self->key[self->key_length++] = word;
    return true;
}

static bool add_index(opevo_i_topology_residuals *self, opevo_index index)
{
    for (int i = 0; i < 4; i++) {
        if (!add_word(self, (uint32_t)(index >> 32 * i)))
            return false;
    }
    return true;
}

/* Write which of the parameters that are not bound the labels make active or inactive: the numbers
 * of points depend on it. */
static bool add_activity(opevo_i_topology_residuals *self, const uint32_t *labels, size_t bound)
{
    const opevo_space *space = self->space;

    for (size_t i = bound; space->activations && i < space->parameter_count; i++) {
        const opevo_activation *when = &space->activations[i];

        if (when->parent < bound && !add_word(self, labels[when->parent] == when->value))
            return false;
    }
    return true;
}

/* Write the listed points among those that agree with the labels, relative to the first of these.
 * True where that leaves a question; otherwise *all says whether every point is listed. */
static bool fold_list(opevo_i_topology_residuals *self, const uint32_t *labels, size_t bound,
                      bool *all)
{
    const opevo_space *space = self->space;
    opevo_index count = 0, first = agreeing_points(self, labels, bound, &count);
    opevo_index last = first + (count - 1);
    size_t at = first_range(space, first);

    self->key_length = 0;
    *all = at < space->range_count && space->ranges[at].first <= first &&
           space->ranges[at].last >= last;
    if (*all || at == space->range_count || space->ranges[at].first > last)
        return false;
    for (; at < space->range_count && space->ranges[at].first <= last; at++) {
        const opevo_i_topology_range *range = &space->ranges[at];

        self->work += 8;
        if (!add_index(self, range->first > first ? range->first - first : 0) ||
            !add_index(self, (range->last < last ? range->last : last) - first))
            return false;
    }
    return add_activity(self, labels, bound);
}

static bool list_holds(opevo_i_topology_residuals *self, const uint32_t *labels, size_t bound)
{
    opevo_index count = 0, point = agreeing_points(self, labels, bound, &count);

    self->work += 8 * bound;
    return opevo_i_topology_points_have(self->space, point);
}

/* ---- Tables of what is left ---- */

/* The combinations of the parameters that are not bound, or 0 for too many. */
static size_t combinations(const opevo_i_topology_residuals *self,
                           const opevo_i_topology_clause *clause, size_t bound)
{
    size_t most = clause->count - bound == 1 ? LOOK_ONE_MOST : LOOK_MOST, count = 1;

    if (clause->conditional || clause->listed)
        return 0;
    for (size_t i = bound; i < clause->count; i++) {
        count *= variable_of(self, clause, i)->size;
        if (count > most)
            return 0;
    }
    return count;
}

/* Write the table as words; the number of combinations that hold. */
static size_t look(opevo_i_topology_residuals *self, const opevo_i_topology_clause *clause,
                   size_t bound, size_t count)
{
    uint32_t labels[OPEVO_I_ROWS_MAX] = {0};
    uint32_t word = 0;
    size_t held = 0, free_count = clause->count - bound;

    for (size_t i = 0; i < free_count; i++)
        place(self, variable_of(self, clause, bound + i), 0);
    self->key_length = 0;
    for (size_t k = 0; k < count; k++) {
        bool holds = opevo_i_topology_term_holds(self->terms, clause->root, self->rows);

        word |= (uint32_t)holds << (k & 31);
        held += holds;
        if ((k & 31) == 31 || k + 1 == count) {
            if (!add_word(self, word))
                return 0;
            word = 0;
        }
        for (size_t i = free_count; i-- > 0;) {
            const opevo_i_topology_variable *variable = variable_of(self, clause, bound + i);

            labels[i] = labels[i] + 1 == variable->size ? 0 : labels[i] + 1;
            place(self, variable, labels[i]);
            if (labels[i])
                break;
        }
    }
    self->work += count * self->terms->items[clause->root].weight;
    return held;
}

/* ---- Numbers ---- */

/* The number of the key with its tail behind it; *is_new where it was not met. */
static uint32_t key_number(opevo_i_topology_residuals *self, uint32_t clause, size_t bound,
                           bool table, bool *is_new)
{
    size_t length = self->key_length, before = self->keys.count;
    uint32_t number = 0;

    if (self->failed || !add_word(self, clause) || !add_word(self, (uint32_t)bound * 2 + table))
        return UINT32_MAX;
    number = opevo_i_topology_words_add(&self->keys, self->key, length + TAIL_WORDS);
    self->work += WORK_OF_KEY + length;
    *is_new = number == before;
    if (number == UINT32_MAX || !opevo_reserve((void **)&self->meanings, &self->meaning_capacity,
                                               self->keys.count, sizeof *self->meanings)) {
        self->failed = true;
        return UINT32_MAX;
    }
    return number;
}

static uint32_t add_residual(opevo_i_topology_residuals *self, uint32_t clause,
                             const uint32_t *labels, size_t bound)
{
    if (self->count >= UINT32_MAX - 2 ||
        !opevo_reserve((void **)&self->items, &self->capacity, self->count + 1,
                       sizeof *self->items) ||
        !opevo_reserve((void **)&self->labels, &self->label_capacity, self->label_count + bound + 1,
                       sizeof *self->labels)) {
        self->failed = true;
        return OPEVO_I_RESIDUAL_FALSE;
    }
    if (bound)
        memcpy(self->labels + self->label_count, labels, bound * sizeof *labels);
    self->items[self->count] = (opevo_i_topology_residual){
        .clause = clause, .bound = (uint32_t)bound, .labels = self->label_count};
    self->label_count += bound;
    return (uint32_t)self->count++;
}

/* Keep the table in the key as the labels that a last parameter may have. */
static void keep_table(opevo_i_topology_residuals *self, uint32_t residual, size_t count)
{
    uint64_t *holds = opevo_calloc(count / 64 + 1, sizeof *holds);

    if (!holds) {
        self->failed = true;
        return;
    }
    for (size_t i = 0; i < (count + 31) / 32; i++)
        holds[i / 2] |= (uint64_t)self->key[i] << 32 * (i & 1);
    self->items[residual].holds = holds;
    self->bytes += (count / 64 + 1) * sizeof *holds;
}

/* A residual whose text is new: one of the same table, or another. */
static uint32_t by_table(opevo_i_topology_residuals *self, uint32_t clause, const uint32_t *labels,
                         size_t bound)
{
    const opevo_i_topology_clause *of = &self->clauses[clause];
    size_t count = combinations(self, of, bound), held = 0;
    uint32_t number = 0, residual = 0;
    bool is_new = true;

    if (!count)
        return add_residual(self, clause, labels, bound);
    held = look(self, of, bound, count);
    if (held == 0 || held == count)
        return held ? OPEVO_I_RESIDUAL_TRUE : OPEVO_I_RESIDUAL_FALSE;
    number = key_number(self, clause, bound, true, &is_new);
    if (self->failed)
        return OPEVO_I_RESIDUAL_FALSE;
    if (!is_new)
        return self->meanings[number];
    residual = add_residual(self, clause, labels, bound);
    if (!self->failed && bound + 1 == of->count)
        keep_table(self, residual, count);
    self->meanings[number] = residual;
    return residual;
}

/* Whether the clause is undecided, with its text in the key; otherwise *holds. */
static bool is_open(opevo_i_topology_residuals *self, const opevo_i_topology_clause *clause,
                    const uint32_t *labels, size_t bound, bool *holds)
{
    opevo_i_topology_part part;

    if (clause->listed)
        return fold_list(self, labels, bound, holds);
    place_all(self, clause, labels, bound);
    part =
        opevo_i_topology_term_fold(self, clause->root, bound ? clause->levels[bound - 1] + 1 : 0);
    if (!part.decided && self->terms->items[clause->root].sure && part.interval.number &&
        (part.interval.low > 0 || part.interval.high < 0)) {
        *holds = true;
        return false;
    }
    if (part.decided)
        *holds = part.fault == OPEVO_I_FAULT_INACTIVE ||
                 (!part.fault && !opevo_i_topology_truth(&part.value, holds) && *holds);
    return !part.decided;
}

static uint32_t make(opevo_i_topology_residuals *self, uint32_t clause, const uint32_t *labels,
                     size_t bound)
{
    bool holds = false, is_new = true;
    uint32_t number = 0, residual = 0;

    if (!is_open(self, &self->clauses[clause], labels, bound, &holds) || self->failed)
        return holds && !self->failed ? OPEVO_I_RESIDUAL_TRUE : OPEVO_I_RESIDUAL_FALSE;
    number = key_number(self, clause, bound, false, &is_new);
    if (self->failed)
        return OPEVO_I_RESIDUAL_FALSE;
    if (!is_new)
        return self->meanings[number];
    residual = by_table(self, clause, labels, bound);
    if (!self->failed)
        self->meanings[number] = residual;
    return residual;
}

uint32_t opevo_i_topology_residual_first(opevo_i_topology_residuals *self, uint32_t clause)
{
    return make(self, clause, NULL, 0);
}

static uint32_t *allocate_next(opevo_i_topology_residuals *self, uint32_t residual, uint32_t size)
{
    uint32_t *next = opevo_malloc((size_t)size + 1, sizeof *next);

    if (!next) {
        self->failed = true;
        return NULL;
    }
    memset(next, NOT_YET, ((size_t)size + 1) * sizeof *next);
    self->bytes += ((size_t)size + 1) * sizeof *next;
    self->work += size / 8;
    self->items[residual].next = next;
    return next;
}

uint32_t opevo_i_topology_residual_bind(opevo_i_topology_residuals *self, uint32_t residual,
                                        uint32_t label)
{
    const opevo_i_topology_residual of = self->items[residual];
    const opevo_i_topology_clause *clause = &self->clauses[of.clause];
    uint32_t *next = of.next;
    uint32_t labels[OPEVO_SPACE_PARAMETERS_MAX];

    if (!next)
        next = allocate_next(self, residual, variable_of(self, clause, of.bound)->size);
    if (!next)
        return OPEVO_I_RESIDUAL_FALSE;
    if (next[label] != (uint32_t)NOT_YET)
        return next[label];
    memcpy(labels, self->labels + of.labels, of.bound * sizeof *labels);
    labels[of.bound] = label;
    next[label] = make(self, of.clause, labels, (size_t)of.bound + 1);
    return next[label];
}

const uint64_t *opevo_i_topology_residual_holds(opevo_i_topology_residuals *self, uint32_t residual)
{
    opevo_i_topology_residual *of = &self->items[residual];
    const opevo_i_topology_clause *clause = &self->clauses[of->clause];
    const opevo_i_topology_variable *last = variable_of(self, clause, of->bound);
    uint32_t labels[OPEVO_SPACE_PARAMETERS_MAX];
    uint64_t *holds = NULL;

    if (of->holds)
        return of->holds;
    holds = opevo_calloc((size_t)last->size / 64 + 1, sizeof *holds);
    if (!holds) {
        self->failed = true;
        return NULL;
    }
    memcpy(labels, self->labels + of->labels, of->bound * sizeof *labels);
    if (!clause->listed)
        place_all(self, clause, labels, of->bound);
    for (uint32_t label = 0; label < last->size + (last->conditional ? 1u : 0u); label++) {
        bool allowed = false;

        labels[of->bound] = label;
        if (!clause->listed)
            place(self, last, label);
        allowed = clause->listed
                      ? list_holds(self, labels, clause->count)
                      : opevo_i_topology_term_holds(self->terms, clause->root, self->rows);
        holds[label >> 6] |= (uint64_t)allowed << (label & 63);
    }
    if (!clause->listed)
        self->work += (uint64_t)last->size * self->terms->items[clause->root].weight;
    self->bytes += ((size_t)last->size / 64 + 1) * sizeof *holds;
    of->holds = holds;
    return holds;
}
