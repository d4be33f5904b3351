/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One group compiled, level by level: first from the root, over all states that can be reached; a
 * state is the residuals of the clauses that are open, and which open branches are taken. Then back
 * from the end: what leads nowhere is dropped, and what is equal is merged. */

#include "diagram_build.h"

#include <opevo/memory.h>

#include "space_internal.h"

#include <string.h>

#define DEAD UINT32_MAX

enum { WORDS_ADDED = 16 }; /* operations of finding a sequence among others, beside its length */

/* The parameters of one branch: active where the parent has the vertex. */
typedef struct branch {
    size_t parent; /* level */
    uint32_t value;
    size_t last; /* level of the last member */
} branch;

/* The states of a level, and where their vertices lead. */
typedef struct layer {
    opevo_i_topology_words states; /* cleared once the next level is there */
    size_t *starts;                /* of each state's arcs; and behind the last */
    size_t start_count, start_capacity;
    opevo_i_topology_arc *arcs;
    size_t arc_count, arc_capacity;
} layer;

typedef struct builder {
    opevo_i_topology_compiler *compiler;
    const opevo_i_topology_plan *plan;
    opevo_i_topology_residuals residuals;
    uint32_t *firsts; /* of each clause: its residual with nothing bound */
    branch *branches;
    size_t branch_count;
    size_t *branch_of; /* of each conditional variable */
    layer *layers;     /* depth + 1 */
    size_t arc_bytes;  /* of all layers */
    /* Of the level at work: the word of each clause and branch in a state, before and behind it;
     * SIZE_MAX: none. */
    size_t *clause_now, *clause_next, *branch_now, *branch_next;
    size_t next_length;
    uint32_t *closing, *passing; /* clauses that name the variable and end, or go on */
    size_t closing_count, passing_count;
    uint32_t *now, *next, *previous; /* states */
    uint64_t *mask;                  /* labels that may be */
} builder;

static opevo_status no_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to compile a space.");
}

/* ---- Limits ---- */

/* "a, b, c": the parameters of the group. */
static void write_names(const builder *self, opevo_text *out)
{
    for (size_t i = 0; i < self->plan->depth; i++) {
        if (i == 8) {
            opevo_text_printf(out, " and %zu more", self->plan->depth - i);
            break;
        }
        opevo_text_printf(
            out, "%s%s", i ? ", " : "",
            opevo_parameter_name(
                self->compiler->space->parameters[self->plan->variables[i].parameter]));
    }
}

static opevo_status refuse(const builder *self, const char *what, double limit, opevo_error *err)
{
    opevo_text names = {0};
    opevo_status status = OPEVO_LIMIT;

    write_names(self, &names);
    status = opevo_text_check(&names, err);
    if (status == OPEVO_OK)
        status = OPEVO_FAIL(err, OPEVO_LIMIT,
                            "The diagram of the parameters %s takes more than %.3g %s; constraints "
                            "that each tie fewer of them together make it smaller.",
                            opevo_text_string(&names), limit, what);
    opevo_text_free(&names);
    return status;
}

static opevo_status check_limits(builder *self, size_t level, opevo_error *err)
{
    const opevo_i_topology_compiler *compiler = self->compiler;
    const layer *now = &self->layers[level], *next = &self->layers[level + 1];
    size_t bytes =
        compiler->bytes + self->arc_bytes + opevo_i_topology_residuals_bytes(&self->residuals) +
        opevo_i_topology_words_bytes(&now->states) + opevo_i_topology_words_bytes(&next->states) +
        now->arc_capacity * sizeof *now->arcs + now->start_capacity * sizeof *now->starts;

    if (bytes > compiler->limits.bytes)
        return refuse(self, "bytes", (double)compiler->limits.bytes, err);
    if (compiler->work + self->residuals.work > compiler->limits.work)
        return refuse(self, "operations", (double)compiler->limits.work, err);
    return OPEVO_OK;
}

/* ---- Levels ---- */

static bool names(const opevo_i_topology_clause *clause, size_t level)
{
    for (size_t k = 0; k < clause->count; k++) {
        if (clause->levels[k] == level)
            return true;
    }
    return false;
}

/* Number the words of the states ahead of a level; returns how many there are. */
static size_t number_words(const builder *self, size_t level, size_t *clauses, size_t *branches)
{
    size_t length = 0;

    for (size_t c = 0; c < self->plan->clause_count; c++) {
        const opevo_i_topology_clause *clause = &self->plan->clauses[c];
        bool open = clause->levels[0] < level && clause->levels[clause->count - 1] >= level;

        clauses[c] = open ? length++ : SIZE_MAX;
    }
    for (size_t b = 0; b < self->branch_count; b++) {
        bool open = self->branches[b].parent < level && self->branches[b].last >= level;

        branches[b] = open ? length++ : SIZE_MAX;
    }
    return length;
}

static void enter_level(builder *self, size_t level)
{
    number_words(self, level, self->clause_now, self->branch_now);
    self->next_length = number_words(self, level + 1, self->clause_next, self->branch_next);
    self->closing_count = self->passing_count = 0;
    for (size_t c = 0; c < self->plan->clause_count; c++) {
        const opevo_i_topology_clause *clause = &self->plan->clauses[c];

        if (!names(clause, level))
            continue;
        if (clause->levels[clause->count - 1] == level)
            self->closing[self->closing_count++] = (uint32_t)c;
        else
            self->passing[self->passing_count++] = (uint32_t)c;
    }
}

static uint32_t residual_of(const builder *self, uint32_t clause)
{
    size_t word = self->clause_now[clause];

    return word == SIZE_MAX ? self->firsts[clause] : self->now[word];
}

/* ---- States ---- */

/* The labels that the clauses which end here allow. */
static bool fill_mask(builder *self, size_t level)
{
    const opevo_i_topology_variable *variable = &self->plan->variables[level];
    size_t words = (size_t)variable->size / 64 + 1;
    bool active = !variable->conditional || self->now[self->branch_now[self->branch_of[level]]];

    memset(self->mask, 0, words * sizeof *self->mask);
    if (active) {
        memset(self->mask, 0xff, (size_t)variable->size / 64 * sizeof *self->mask);
        if (variable->size % 64)
            self->mask[words - 1] = (UINT64_C(1) << variable->size % 64) - 1;
    } else {
        self->mask[words - 1] = UINT64_C(1) << variable->size % 64;
    }
    for (size_t i = 0; i < self->closing_count; i++) {
        uint32_t residual = residual_of(self, self->closing[i]);
        const uint64_t *holds = NULL;

        if (residual == OPEVO_I_RESIDUAL_TRUE)
            continue;
        holds = opevo_i_topology_residual_holds(&self->residuals, residual);
        if (!holds)
            return false;
        for (size_t w = 0; w < words; w++)
            self->mask[w] &= holds[w];
    }
    return true;
}

/* What all next states share: clauses and branches that the variable does not touch. */
static void carry_over(builder *self)
{
    for (size_t c = 0; c < self->plan->clause_count; c++) {
        if (self->clause_next[c] != SIZE_MAX)
            self->next[self->clause_next[c]] = residual_of(self, (uint32_t)c);
    }
    for (size_t b = 0; b < self->branch_count; b++) {
        if (self->branch_next[b] != SIZE_MAX && self->branch_now[b] != SIZE_MAX)
            self->next[self->branch_next[b]] = self->now[self->branch_now[b]];
    }
}

/* Put what a label changes into the next state; false where a clause then never holds. */
static bool bind(builder *self, size_t level, uint32_t label)
{
    for (size_t i = 0; i < self->passing_count; i++) {
        uint32_t clause = self->passing[i], residual = residual_of(self, clause);

        if (residual != OPEVO_I_RESIDUAL_TRUE)
            residual = opevo_i_topology_residual_bind(&self->residuals, residual, label);
        if (residual == OPEVO_I_RESIDUAL_FALSE)
            return false;
        self->next[self->clause_next[clause]] = residual;
    }
    for (size_t b = 0; b < self->branch_count; b++) {
        if (self->branches[b].parent == level && self->branch_next[b] != SIZE_MAX)
            self->next[self->branch_next[b]] = label == self->branches[b].value;
    }
    return true;
}

/* Append an arc to the state at work, or lengthen its last one. */
static bool add_arc(layer *self, size_t begin, uint32_t first, uint32_t count, uint32_t target)
{
    opevo_i_topology_arc *last = self->arc_count > begin ? &self->arcs[self->arc_count - 1] : NULL;

    if (last && last->node == target && first != OPEVO_I_ARC_INACTIVE &&
        last->first + last->count == first) {
        last->count += count;
        return true;
    }
    if (!opevo_reserve((void **)&self->arcs, &self->arc_capacity, self->arc_count + 1,
                       sizeof *self->arcs))
        return false;
    self->arcs[self->arc_count++] = (opevo_i_topology_arc){first, count, target};
    return true;
}

/* Whether no label of the variable changes anything. */
static bool is_idle(const builder *self, size_t level)
{
    for (size_t i = 0; i < self->closing_count; i++) {
        if (residual_of(self, self->closing[i]) != OPEVO_I_RESIDUAL_TRUE)
            return false;
    }
    for (size_t i = 0; i < self->passing_count; i++) {
        if (residual_of(self, self->passing[i]) != OPEVO_I_RESIDUAL_TRUE)
            return false;
    }
    for (size_t b = 0; b < self->branch_count; b++) {
        if (self->branches[b].parent == level)
            return false;
    }
    return !self->plan->variables[level].conditional ||
           self->now[self->branch_now[self->branch_of[level]]];
}

static bool expand_all(builder *self, size_t level, size_t begin)
{
    uint32_t size = self->plan->variables[level].size;
    size_t words = (size_t)size / 64 + 1;
    layer *now = &self->layers[level];
    bool known = false;
    uint32_t target = 0;

    for (size_t w = 0; w < words; w++) {
        for (uint64_t bits = self->mask[w]; bits; bits &= bits - 1) {
            uint32_t label = (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(bits);

            self->residuals.work += 2 + 2 * self->passing_count;
            if (!bind(self, level, label))
                continue;
            if (!known ||
                memcmp(self->next, self->previous, self->next_length * sizeof *self->next) != 0) {
                target = opevo_i_topology_words_add(&self->layers[level + 1].states, self->next,
                                                    self->next_length);
                self->residuals.work += WORDS_ADDED + self->next_length;
                memcpy(self->previous, self->next, self->next_length * sizeof *self->next);
                known = true;
            }
            if (target == UINT32_MAX ||
                !add_arc(now, begin, label == size ? OPEVO_I_ARC_INACTIVE : label, 1, target))
                return false;
        }
    }
    return !self->residuals.failed;
}

static bool expand(builder *self, size_t level, uint32_t state)
{
    layer *now = &self->layers[level];
    size_t begin = now->arc_count;
    const uint32_t *words = opevo_i_topology_words_get(&now->states, state);
    size_t length = now->states.starts[state + 1] - now->states.starts[state];

    if (length)
        memcpy(self->now, words, length * sizeof *words);
    if (!opevo_reserve((void **)&now->starts, &now->start_capacity, now->start_count + 2,
                       sizeof *now->starts))
        return false;
    carry_over(self);
    self->residuals.work += 4 + self->plan->variables[level].size / 64;
    if (is_idle(self, level)) {
        uint32_t target = opevo_i_topology_words_add(&self->layers[level + 1].states, self->next,
                                                     self->next_length);

        if (target == UINT32_MAX ||
            !add_arc(now, begin, 0, self->plan->variables[level].size, target))
            return false;
    } else if (!fill_mask(self, level) || !expand_all(self, level, begin)) {
        return false;
    }
    self->residuals.work += 4 * (now->arc_count - begin);
    now->starts[now->start_count++] = begin;
    now->starts[now->start_count] = now->arc_count;
    return true;
}

static opevo_status expand_level(builder *self, size_t level, opevo_error *err)
{
    layer *now = &self->layers[level];
    opevo_status status = OPEVO_OK;

    enter_level(self, level);
    for (uint32_t state = 0; state < now->states.count && status == OPEVO_OK; state++) {
        if (!expand(self, level, state))
            return no_memory(err);
        status = check_limits(self, level, err);
    }
    self->arc_bytes +=
        now->arc_capacity * sizeof *now->arcs + now->start_capacity * sizeof *now->starts;
    opevo_i_topology_words_clear(&now->states);
    return status;
}

/* ---- Reduction ---- */

/* The live arcs of a state, with the nodes that they lead to; consecutive ones that meet in a node
 * become one. */
static size_t gather(const layer *from, size_t state, const uint32_t *nodes,
                     opevo_i_topology_arc *out)
{
    size_t count = 0;

    for (size_t k = from->starts[state]; k < from->starts[state + 1]; k++) {
        opevo_i_topology_arc arc = from->arcs[k];

        arc.node = nodes[arc.node];
        if (arc.node == DEAD)
            continue;
        if (count && out[count - 1].node == arc.node && arc.first != OPEVO_I_ARC_INACTIVE &&
            out[count - 1].first + out[count - 1].count == arc.first)
            out[count - 1].count += arc.count;
        else
            out[count++] = arc;
    }
    return count;
}

/* The nodes of one level; *nodes, those of the next level's states, becomes those of its own. */
static opevo_status reduce_level(builder *self, size_t level, uint32_t **nodes,
                                 opevo_i_topology_level *out, opevo_error *err)
{
    layer *from = &self->layers[level];
    opevo_i_topology_words unique = {0};
    uint32_t *own = opevo_malloc(from->start_count + 1, sizeof *own);
    opevo_i_topology_arc *arcs = NULL;
    size_t widest = 0;
    opevo_status status = OPEVO_OK;

    for (size_t s = 0; s < from->start_count; s++) {
        size_t width = from->starts[s + 1] - from->starts[s];

        widest = width > widest ? width : widest;
    }
    arcs = opevo_malloc(widest + 1, sizeof *arcs);
    if (!own || !arcs) {
        status = no_memory(err);
        goto cleanup;
    }
    for (size_t s = 0; s < from->start_count; s++) {
        size_t count = gather(from, s, *nodes, arcs);

        own[s] = DEAD;
        if (count)
            own[s] = opevo_i_topology_words_add(&unique, (const uint32_t *)(const void *)arcs,
                                                3 * count);
        if (count && own[s] == UINT32_MAX) {
            status = no_memory(err);
            goto cleanup;
        }
    }
    out->parameter = self->plan->variables[level].parameter;
    out->node_count = (uint32_t)unique.count;
    out->arc_count = unique.used / 3;
    out->starts = opevo_malloc(unique.count + 1, sizeof *out->starts);
    out->arcs = opevo_malloc(out->arc_count, sizeof *out->arcs);
    if (!out->starts || !out->arcs) {
        status = no_memory(err);
        goto cleanup;
    }
    out->starts[0] = 0;
    for (size_t i = 0; i < unique.count; i++)
        out->starts[i + 1] = unique.starts[i + 1] / 3;
    if (out->arc_count)
        memcpy(out->arcs, unique.pool, out->arc_count * sizeof *out->arcs);
    opevo_free(*nodes);
    *nodes = own;
    own = NULL;
cleanup:
    opevo_free(own);
    opevo_free(arcs);
    opevo_i_topology_words_clear(&unique);
    return status;
}

static void clear_layer(layer *self)
{
    opevo_i_topology_words_clear(&self->states);
    opevo_free(self->starts);
    opevo_free(self->arcs);
    *self = (layer){0};
}

static opevo_status reduce(builder *self, opevo_i_topology_group *group, opevo_error *err)
{
    size_t depth = self->plan->depth;
    uint32_t *nodes = opevo_calloc(self->layers[depth].states.count + 1, sizeof *nodes);
    opevo_status status = OPEVO_OK;

    if (!nodes)
        return no_memory(err);
    group->levels = opevo_calloc(depth, sizeof *group->levels);
    if (!group->levels) {
        status = no_memory(err);
        goto cleanup;
    }
    group->depth = depth;
    for (size_t level = depth; level-- > 0;) {
        OPEVO_TRY(reduce_level(self, level, &nodes, &group->levels[level], err));
        clear_layer(&self->layers[level]);
    }
cleanup:
    opevo_free(nodes);
    return status;
}

/* ---- One group ---- */

/* The branches of a group, from the variables that have a parent. */
static void list_branches(builder *self)
{
    const opevo_space *space = self->compiler->space;
    const opevo_i_topology_plan *plan = self->plan;

    for (size_t level = 0; level < plan->depth; level++) {
        const opevo_activation *when = NULL;
        size_t parent = 0, b = 0;

        if (!plan->variables[level].conditional)
            continue;
        when = &space->activations[plan->variables[level].parameter];
        while (plan->variables[parent].parameter != when->parent)
            parent++;
        while (b < self->branch_count && (self->branches[b].parent != parent ||
                                          self->branches[b].value != (uint32_t)when->value))
            b++;
        if (b == self->branch_count)
            self->branches[self->branch_count++] =
                (branch){.parent = parent, .value = (uint32_t)when->value};
        self->branches[b].last = level;
        self->branch_of[level] = b;
    }
}

static opevo_status allocate(builder *self, opevo_error *err)
{
    size_t depth = self->plan->depth, clauses = self->plan->clause_count;
    size_t widest = 0;

    for (size_t i = 0; i < depth; i++)
        widest = self->plan->variables[i].size > widest ? self->plan->variables[i].size : widest;
    self->branches = opevo_calloc(depth, sizeof *self->branches);
    self->branch_of = opevo_calloc(depth, sizeof *self->branch_of);
    self->layers = opevo_calloc(depth + 1, sizeof *self->layers);
    self->firsts = opevo_malloc(clauses, sizeof *self->firsts);
    self->clause_now = opevo_malloc(clauses, sizeof *self->clause_now);
    self->clause_next = opevo_malloc(clauses, sizeof *self->clause_next);
    self->branch_now = opevo_malloc(depth, sizeof *self->branch_now);
    self->branch_next = opevo_malloc(depth, sizeof *self->branch_next);
    self->closing = opevo_malloc(clauses, sizeof *self->closing);
    self->passing = opevo_malloc(clauses, sizeof *self->passing);
    self->now = opevo_malloc(clauses + depth, sizeof *self->now);
    self->next = opevo_malloc(clauses + depth, sizeof *self->next);
    self->previous = opevo_malloc(clauses + depth, sizeof *self->previous);
    self->mask = opevo_malloc(widest / 64 + 1, sizeof *self->mask);
    if (!self->branches || !self->branch_of || !self->layers || !self->firsts ||
        !self->clause_now || !self->clause_next || !self->branch_now || !self->branch_next ||
        !self->closing || !self->passing || !self->now || !self->next || !self->previous ||
        !self->mask ||
        !opevo_i_topology_residuals_init(&self->residuals, self->compiler->space,
                                         &self->compiler->terms, self->plan->variables,
                                         self->plan->clauses))
        return no_memory(err);
    return OPEVO_OK;
}

static void release(builder *self)
{
    for (size_t i = 0; self->layers && i <= self->plan->depth; i++)
        clear_layer(&self->layers[i]);
    opevo_i_topology_residuals_clear(&self->residuals);
    opevo_free(self->branches);
    opevo_free(self->branch_of);
    opevo_free(self->layers);
    opevo_free(self->firsts);
    opevo_free(self->clause_now);
    opevo_free(self->clause_next);
    opevo_free(self->branch_now);
    opevo_free(self->branch_next);
    opevo_free(self->closing);
    opevo_free(self->passing);
    opevo_free(self->now);
    opevo_free(self->next);
    opevo_free(self->previous);
    opevo_free(self->mask);
}

/* The state of the root, unless a clause never holds. */
static opevo_status begin(builder *self, opevo_error *err)
{
    bool never = false;

    for (uint32_t c = 0; c < self->plan->clause_count; c++) {
        self->firsts[c] = opevo_i_topology_residual_first(&self->residuals, c);
        never |= self->firsts[c] == OPEVO_I_RESIDUAL_FALSE;
    }
    if (self->residuals.failed ||
        (!never && opevo_i_topology_words_add(&self->layers[0].states, self->now, 0) != 0))
        return no_memory(err);
    return OPEVO_OK;
}

opevo_status opevo_i_topology_group_compile(opevo_i_topology_compiler *compiler,
                                            const opevo_i_topology_plan *plan,
                                            opevo_i_topology_group *group, opevo_error *err)
{
    builder self = {.compiler = compiler, .plan = plan};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(allocate(&self, err));
    list_branches(&self);
    OPEVO_TRY(begin(&self, err));
    for (size_t level = 0; level < plan->depth; level++)
        OPEVO_TRY(expand_level(&self, level, err));
    OPEVO_TRY(reduce(&self, group, err));
    compiler->work += self.residuals.work;
    for (size_t level = 0; level < plan->depth; level++)
        compiler->bytes += group->levels[level].arc_count * sizeof(opevo_i_topology_arc) +
                           group->levels[level].node_count * sizeof(size_t);
cleanup:
    release(&self);
    return status;
}
