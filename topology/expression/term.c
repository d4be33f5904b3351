/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From the code of a stack machine to a tree. All jumps go forward and nest: one that is pending
 * says what the values that follow are joined with when the code reaches its target. */

#include "term.h"

#include <opevo/memory.h>

#include <math.h>

enum { DEPTH_MAX = 400, WEIGHT_MAX = 1 << 18 };
#define BOUND 9007199254740992.0 /* 2^53 */

typedef enum joint { JOINT_AND, JOINT_OR, JOINT_CHAIN, JOINT_THEN, JOINT_ELSE } joint;

typedef struct pending {
    size_t target;
    joint kind;
    uint32_t left, middle;
} pending;

/* A value on the stack of terms. */
typedef struct slot {
    uint32_t term;
    uint32_t members; /* the comparisons of "in" so far; NO_TERM: none */
} slot;

#define NO_TERM UINT32_MAX

typedef struct reader {
    opevo_i_topology_terms *terms;
    const opevo_i_topology_expression *expression;
    opevo_i_topology_interval_of interval_of;
    const void *context;
    slot stack[OPEVO_I_EXPRESSION_STACK + 2];
    size_t depth;
    pending *jumps;
    size_t jump_count, jump_capacity;
    bool failed;
} reader;

/* ---- Terms ---- */

static uint32_t add_term(reader *self, opevo_i_topology_term term)
{
    opevo_i_topology_terms *terms = self->terms;

    if (self->failed || terms->count >= UINT32_MAX - 1 ||
        !opevo_reserve((void **)&terms->items, &terms->capacity, terms->count + 1,
                       sizeof *terms->items)) {
        self->failed = true;
        return 0;
    }
    term.first = term.last = OPEVO_I_NO_CELL;
    term.depth = term.weight = 1;
    terms->items[terms->count] = term;
    return (uint32_t)terms->count++;
}

static void add_operand(reader *self, uint32_t parent, uint32_t child)
{
    opevo_i_topology_terms *terms = self->terms;
    uint32_t at = (uint32_t)terms->cell_count;
    opevo_i_topology_term *owner = NULL;

    if (self->failed || !opevo_reserve((void **)&terms->cells, &terms->cell_capacity,
                                       terms->cell_count + 1, sizeof *terms->cells)) {
        self->failed = true;
        return;
    }
    owner = &terms->items[parent];
    terms->cells[terms->cell_count++] = (opevo_i_topology_cell){child, OPEVO_I_NO_CELL};
    if (owner->first == OPEVO_I_NO_CELL)
        owner->first = at;
    else
        terms->cells[owner->last].next = at;
    owner->last = at;
    if (owner->depth <= terms->items[child].depth)
        owner->depth = terms->items[child].depth + 1;
    owner->weight += terms->items[child].weight;
    if (owner->weight > WEIGHT_MAX)
        owner->weight = WEIGHT_MAX + 1;
}

static bool is_bounded(const opevo_i_topology_interval *all)
{
    return isfinite(all->low) && isfinite(all->high);
}

static bool is_whole_and_bounded(const opevo_i_topology_interval *all)
{
    return all->whole && is_bounded(all);
}

static uint32_t add_constant(reader *self, opevo_value value)
{
    return add_term(self,
                    (opevo_i_topology_term){.kind = OPEVO_I_TERM_CONSTANT,
                                            .value = value,
                                            .sure = true,
                                            .all = opevo_i_topology_interval_of_value(&value)});
}

static bool is_sure_one(unsigned opcode, const opevo_i_topology_term *a)
{
    if (!a->sure || !a->all.number)
        return false;
    if (opcode == OPEVO_I_OP_COMPLEMENT)
        return a->all.whole;
    return opcode == OPEVO_I_OP_NOT || opcode == OPEVO_I_OP_TRUTH || !a->all.whole ||
           is_bounded(&a->all);
}

static bool is_sure_two(unsigned opcode, const opevo_i_topology_term *a,
                        const opevo_i_topology_term *b, const opevo_i_topology_interval *all)
{
    bool whole = a->all.whole && b->all.whole;

    if (!a->sure || !b->sure)
        return false;
    if (opcode == OPEVO_I_OP_EQUAL || opcode == OPEVO_I_OP_UNEQUAL)
        return true;
    if (!a->all.number || !b->all.number)
        return false;
    if (opcode > OPEVO_I_OP_UNEQUAL || opcode == OPEVO_I_OP_MINIMUM || opcode == OPEVO_I_OP_MAXIMUM)
        return true;
    if (opcode == OPEVO_I_OP_ADD || opcode == OPEVO_I_OP_SUBTRACT ||
        opcode == OPEVO_I_OP_MULTIPLY || opcode == OPEVO_I_OP_SHIFT_LEFT)
        return is_bounded(all);
    if (opcode == OPEVO_I_OP_BIT_AND || opcode == OPEVO_I_OP_BIT_OR || opcode == OPEVO_I_OP_BIT_XOR)
        return whole;
    if (opcode == OPEVO_I_OP_SHIFT_RIGHT)
        return whole && b->all.low >= 0 && b->all.high <= 63;
    return opcode != OPEVO_I_OP_POWER && whole && is_bounded(&a->all) &&
           (b->all.low > 0 || b->all.high < 0);
}

static uint32_t add_one(reader *self, unsigned opcode, uint32_t a)
{
    const opevo_i_topology_term *operand = NULL;
    uint32_t made = 0;

    if (self->failed)
        return 0;
    operand = &self->terms->items[a];
    made = add_term(
        self, (opevo_i_topology_term){.kind = OPEVO_I_TERM_ONE,
                                      .opcode = opcode,
                                      .sure = is_sure_one(opcode, operand),
                                      .all = opevo_i_topology_interval_one(opcode, &operand->all)});
    add_operand(self, made, a);
    return made;
}

/* Whether operands may be taken in any order. */
static bool may_fold(unsigned opcode, const opevo_i_topology_term *a,
                     const opevo_i_topology_term *b, const opevo_i_topology_interval *all)
{
    if (!a->sure || !b->sure || !a->all.whole || !b->all.whole)
        return false;
    switch (opcode) {
    case OPEVO_I_OP_ADD:
    case OPEVO_I_OP_MULTIPLY:
        return is_bounded(all) && is_bounded(&a->all) && is_bounded(&b->all);
    case OPEVO_I_OP_MINIMUM:
    case OPEVO_I_OP_MAXIMUM:
    case OPEVO_I_OP_BIT_AND:
    case OPEVO_I_OP_BIT_OR:
    case OPEVO_I_OP_BIT_XOR:
        return true;
    default:
        return false;
    }
}

/* The largest absolute value of any sum, or product, of some of the operands; at least 1 in a
 * product. */
static double reach(const opevo_i_topology_terms *terms, uint32_t term, unsigned opcode)
{
    const opevo_i_topology_term *self = &terms->items[term];
    bool sum = opcode == OPEVO_I_OP_ADD;
    double all = sum ? 0 : 1;

    if (self->kind != OPEVO_I_TERM_FOLD || self->opcode != opcode)
        return fmax(sum ? 0 : 1, fmax(fabs(self->all.low), fabs(self->all.high)));
    for (uint32_t at = self->first; at != OPEVO_I_NO_CELL; at = terms->cells[at].next) {
        double one = reach(terms, terms->cells[at].term, opcode);

        all = sum ? all + one : all * one;
    }
    return all;
}

static bool reaches_too_far(const opevo_i_topology_terms *terms, unsigned opcode, uint32_t a,
                            uint32_t b)
{
    double x = 0, y = 0;

    if (opcode != OPEVO_I_OP_ADD && opcode != OPEVO_I_OP_MULTIPLY)
        return false;
    x = reach(terms, a, opcode);
    y = reach(terms, b, opcode);
    return (opcode == OPEVO_I_OP_ADD ? x + y : x * y) > BOUND;
}

static void add_operands_of(reader *self, uint32_t fold, unsigned opcode, uint32_t term)
{
    const opevo_i_topology_term *from = &self->terms->items[term];

    if (from->kind != OPEVO_I_TERM_FOLD || from->opcode != opcode) {
        add_operand(self, fold, term);
        return;
    }
    for (uint32_t at = from->first; at != OPEVO_I_NO_CELL && !self->failed;
         at = self->terms->cells[at].next)
        add_operand(self, fold, self->terms->cells[at].term);
}

static uint32_t add_two(reader *self, unsigned opcode, uint32_t a, uint32_t b)
{
    opevo_i_topology_term made = {.kind = OPEVO_I_TERM_TWO, .opcode = opcode};
    const opevo_i_topology_term *left = NULL, *right = NULL;
    uint32_t term = 0;

    if (self->failed)
        return 0;
    if (opcode == OPEVO_I_OP_SUBTRACT && is_whole_and_bounded(&self->terms->items[a].all) &&
        is_whole_and_bounded(&self->terms->items[b].all)) {
        b = add_one(self, OPEVO_I_OP_NEGATE, b);
        opcode = OPEVO_I_OP_ADD;
        if (self->failed)
            return 0;
        made.opcode = opcode;
    }
    left = &self->terms->items[a];
    right = &self->terms->items[b];
    made.all = opevo_i_topology_interval_two(opcode, &left->all, &right->all);
    made.sure = is_sure_two(opcode, left, right, &made.all);
    if (may_fold(opcode, left, right, &made.all) && !reaches_too_far(self->terms, opcode, a, b))
        made.kind = OPEVO_I_TERM_FOLD;
    term = add_term(self, made);
    if (made.kind == OPEVO_I_TERM_FOLD) {
        add_operands_of(self, term, opcode, a);
        if (!self->failed)
            add_operands_of(self, term, opcode, b);
        return term;
    }
    add_operand(self, term, a);
    add_operand(self, term, b);
    return term;
}

/* All or any of two; operands of the same kind on the left take the right one in. */
static uint32_t add_joint(reader *self, opevo_i_topology_term_kind kind, uint32_t a, uint32_t b)
{
    opevo_i_topology_term made = {.kind = kind, .sure = true, .all = {0, 1, true, true}};
    uint32_t term = a;

    if (self->failed)
        return 0;
    if (self->terms->items[a].kind != kind) {
        made.sure = self->terms->items[a].sure && self->terms->items[a].all.number;
        term = add_term(self, made);
        add_operand(self, term, a);
    }
    if (b == NO_TERM || self->failed)
        return term;
    self->terms->items[term].sure &= self->terms->items[b].sure && self->terms->items[b].all.number;
    add_operand(self, term, b);
    return term;
}

static uint32_t add_choice(reader *self, uint32_t condition, uint32_t a, uint32_t b)
{
    const opevo_i_topology_term *items = self->terms->items;
    opevo_i_topology_term made = {.kind = OPEVO_I_TERM_CHOICE};
    uint32_t term = 0;

    if (self->failed)
        return 0;
    made.sure =
        items[condition].sure && items[condition].all.number && items[a].sure && items[b].sure;
    made.all = opevo_i_topology_interval_join(&items[a].all, &items[b].all);
    term = add_term(self, made);
    add_operand(self, term, condition);
    add_operand(self, term, a);
    add_operand(self, term, b);
    return term;
}

static uint32_t add_row(reader *self, const opevo_i_topology_instruction *at)
{
    opevo_i_topology_term made = {.kind = OPEVO_I_TERM_ACTIVE,
                                  .parameter = self->expression->parameters[at->row],
                                  .sure = true,
                                  .all = {0, 1, true, true}};

    if (at->opcode == OPEVO_I_OP_LOAD) {
        made.kind = OPEVO_I_TERM_LOAD;
        made.component = at->argument;
        made.all = self->interval_of(self->context, made.parameter, made.component, &made.sure);
    }
    return add_term(self, made);
}

/* ---- Code ---- */

static void push(reader *self, uint32_t term)
{
    self->stack[self->depth++] = (slot){term, NO_TERM};
}

static uint32_t pop(reader *self)
{
    return self->stack[--self->depth].term;
}

static void wait_for(reader *self, pending jump)
{
    if (self->failed || !opevo_reserve((void **)&self->jumps, &self->jump_capacity,
                                       self->jump_count + 1, sizeof *self->jumps)) {
        self->failed = true;
        return;
    }
    self->jumps[self->jump_count++] = jump;
}

/* Carry out what waits for this place in the code. */
static void land(reader *self, size_t place)
{
    while (self->jump_count > 0 && self->jumps[self->jump_count - 1].target == place &&
           !self->failed) {
        pending jump = self->jumps[--self->jump_count];
        uint32_t value = pop(self);

        if (jump.kind == JOINT_AND || jump.kind == JOINT_CHAIN)
            push(self, add_joint(self, OPEVO_I_TERM_ALL, jump.left, value));
        else if (jump.kind == JOINT_OR)
            push(self, add_joint(self, OPEVO_I_TERM_ANY, jump.left, value));
        else
            push(self, add_choice(self, jump.left, jump.middle, value));
    }
}

/* A comparison in a chain, whose right operand goes on. */
static void chain(reader *self, const opevo_i_topology_instruction *at)
{
    uint32_t right = pop(self), left = pop(self);
    uint32_t holds = add_two(self, at->row, left, right);

    wait_for(self, (pending){at->argument, JOINT_CHAIN, holds, 0});
    push(self, right);
}

static void member(reader *self)
{
    uint32_t item = pop(self);
    slot *tested = &self->stack[self->depth - 1];
    uint32_t equal = add_two(self, OPEVO_I_OP_EQUAL, tested->term, item);

    tested->members = tested->members == NO_TERM
                          ? add_joint(self, OPEVO_I_TERM_ANY, equal, NO_TERM)
                          : add_joint(self, OPEVO_I_TERM_ANY, tested->members, equal);
}

/* Behind the last member; an empty list evaluates what it tests, too. */
static void no_member(reader *self)
{
    slot tested = self->stack[--self->depth];

    if (tested.members == NO_TERM)
        tested.members = add_joint(self, OPEVO_I_TERM_ALL,
                                   add_two(self, OPEVO_I_OP_EQUAL, tested.term, tested.term),
                                   add_constant(self, opevo_value_of_integer(0)));
    push(self, tested.members);
}

/* The end of the first alternative: the condition's jump waits for the end of the second. */
static void end_alternative(reader *self, const opevo_i_topology_instruction *at)
{
    pending *jump = &self->jumps[self->jump_count - 1];

    jump->kind = JOINT_ELSE;
    jump->middle = pop(self);
    jump->target = at->argument;
}

static void read_one(reader *self, const opevo_i_topology_instruction *at)
{
    uint32_t b = 0;

    switch (at->opcode) {
    case OPEVO_I_OP_CONSTANT:
        push(self, add_constant(self, self->expression->constants[at->argument]));
        break;
    case OPEVO_I_OP_LOAD:
    case OPEVO_I_OP_ACTIVE:
        push(self, add_row(self, at));
        break;
    case OPEVO_I_OP_JUMP:
        end_alternative(self, at);
        break;
    case OPEVO_I_OP_JUMP_UNLESS:
        wait_for(self, (pending){SIZE_MAX, JOINT_THEN, pop(self), 0});
        break;
    case OPEVO_I_OP_AND:
        wait_for(self, (pending){at->argument, JOINT_AND, pop(self), 0});
        break;
    case OPEVO_I_OP_OR:
        wait_for(self, (pending){at->argument, JOINT_OR, pop(self), 0});
        break;
    case OPEVO_I_OP_CHAIN:
        chain(self, at);
        break;
    case OPEVO_I_OP_MEMBER:
        member(self);
        break;
    case OPEVO_I_OP_NONE:
        no_member(self);
        break;
    default:
        b = pop(self);
        if (at->opcode < OPEVO_I_OP_ADD)
            push(self, add_one(self, at->opcode, b));
        else
            push(self, add_two(self, at->opcode, pop(self), b));
    }
}

opevo_status opevo_i_topology_terms_add(opevo_i_topology_terms *terms,
                                        const opevo_i_topology_expression *expression,
                                        opevo_i_topology_interval_of interval_of,
                                        const void *context, uint32_t *root, opevo_error *err)
{
    reader self = {
        .terms = terms, .expression = expression, .interval_of = interval_of, .context = context};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < expression->length && !self.failed; i++) {
        land(&self, i);
        if (!self.failed)
            read_one(&self, &expression->code[i]);
    }
    if (!self.failed)
        land(&self, expression->length);
    if (self.failed)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a constraint.");
    else if (terms->items[self.stack[0].term].depth > DEPTH_MAX ||
             terms->items[self.stack[0].term].weight > WEIGHT_MAX)
        status = OPEVO_FAIL(err, OPEVO_LIMIT, "A constraint nests too deeply.");
    else
        *root = self.stack[0].term;
    opevo_free(self.jumps);
    return status;
}

void opevo_i_topology_terms_release(opevo_i_topology_terms *terms)
{
    opevo_free(terms->items);
    opevo_free(terms->cells);
    *terms = (opevo_i_topology_terms){0};
}

/* ---- Evaluation ---- */

/* As opevo_i_topology_term_evaluate, without a call for what most operands are. */
static inline opevo_i_topology_fault operand(const opevo_i_topology_terms *terms, uint32_t term,
                                             const opevo_value *const *rows, opevo_value *out)
{
    const opevo_i_topology_term *self = &terms->items[term];

    if (self->kind == OPEVO_I_TERM_CONSTANT)
        *out = self->value;
    else if (self->kind == OPEVO_I_TERM_LOAD && rows[self->parameter])
        *out = rows[self->parameter][self->component];
    else
        return opevo_i_topology_term_evaluate(terms, term, rows, out);
    return OPEVO_I_FAULT_NONE;
}

static opevo_i_topology_fault fold_all(const opevo_i_topology_terms *terms,
                                       const opevo_i_topology_term *self,
                                       const opevo_value *const *rows, opevo_value *out)
{
    opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;

    for (uint32_t at = self->first; at != OPEVO_I_NO_CELL && !fault; at = terms->cells[at].next) {
        opevo_value value;

        if (at == self->first) {
            fault = operand(terms, terms->cells[at].term, rows, out);
            continue;
        }
        fault = operand(terms, terms->cells[at].term, rows, &value);
        if (!fault)
            fault = opevo_i_topology_apply_two_soon(self->opcode, out, &value);
    }
    return fault;
}

static opevo_i_topology_fault join_all(const opevo_i_topology_terms *terms,
                                       const opevo_i_topology_term *self,
                                       const opevo_value *const *rows, opevo_value *out)
{
    bool until = self->kind == OPEVO_I_TERM_ANY;
    bool holds = !until;

    for (uint32_t at = self->first; at != OPEVO_I_NO_CELL && holds != until;
         at = terms->cells[at].next) {
        opevo_i_topology_fault fault = operand(terms, terms->cells[at].term, rows, out);

        if (!fault)
            fault = opevo_i_topology_truth(out, &holds);
        if (fault)
            return fault;
    }
    *out = opevo_value_of_integer(holds);
    return OPEVO_I_FAULT_NONE;
}

static opevo_i_topology_fault choose(const opevo_i_topology_terms *terms,
                                     const opevo_i_topology_term *self,
                                     const opevo_value *const *rows, opevo_value *out)
{
    uint32_t at = self->first;
    bool holds = false;
    opevo_i_topology_fault fault = operand(terms, terms->cells[at].term, rows, out);

    if (!fault)
        fault = opevo_i_topology_truth(out, &holds);
    if (fault)
        return fault;
    at = terms->cells[at].next;
    at = holds ? at : terms->cells[at].next;
    return operand(terms, terms->cells[at].term, rows, out);
}

opevo_i_topology_fault opevo_i_topology_term_evaluate(const opevo_i_topology_terms *terms,
                                                      uint32_t term, const opevo_value *const *rows,
                                                      opevo_value *out)
{
    const opevo_i_topology_term *self = &terms->items[term];
    opevo_i_topology_fault fault = OPEVO_I_FAULT_NONE;

    switch (self->kind) {
    case OPEVO_I_TERM_CONSTANT:
        *out = self->value;
        return fault;
    case OPEVO_I_TERM_LOAD:
        if (!rows[self->parameter])
            return OPEVO_I_FAULT_INACTIVE;
        *out = rows[self->parameter][self->component];
        return fault;
    case OPEVO_I_TERM_ACTIVE:
        *out = opevo_value_of_integer(rows[self->parameter] != NULL);
        return fault;
    case OPEVO_I_TERM_ONE:
        fault = opevo_i_topology_term_evaluate(terms, terms->cells[self->first].term, rows, out);
        return fault ? fault : opevo_i_topology_apply_one(self->opcode, out);
    case OPEVO_I_TERM_TWO:
    case OPEVO_I_TERM_FOLD:
        return fold_all(terms, self, rows, out);
    case OPEVO_I_TERM_CHOICE:
        return choose(terms, self, rows, out);
    default:
        return join_all(terms, self, rows, out);
    }
}

bool opevo_i_topology_term_holds(const opevo_i_topology_terms *terms, uint32_t term,
                                 const opevo_value *const *rows)
{
    opevo_value value = {0};
    bool holds = false;
    opevo_i_topology_fault fault = opevo_i_topology_term_evaluate(terms, term, rows, &value);

    return fault == OPEVO_I_FAULT_INACTIVE ||
           (!fault && !opevo_i_topology_truth(&value, &holds) && holds);
}
