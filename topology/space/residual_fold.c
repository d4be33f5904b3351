/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Folding a term: what the bound parameters decide becomes constants, what is undecided is written
 * down as words. The words of a term begin with its number, and end with a mark where there may be
 * any number of operands, so the text can be read in one way only: equal texts are equal
 * remainders. Bounds decide comparisons ahead of their last parameter. */

#include "residual.h"

#include <opevo/memory.h>

#include <string.h>

enum { OPEN = 0, VALUE = 1, FAULT = 2, END = 3, TAGS = 4 };

static opevo_i_topology_part fold(opevo_i_topology_residuals *self, uint32_t term, size_t level);

static void write(opevo_i_topology_residuals *self, uint32_t word)
{
    if (self->failed || !opevo_reserve((void **)&self->key, &self->key_capacity,
                                       self->key_length + 1, sizeof *self->key)) {
        self->failed = true;
        return;
    }
    self->key[self->key_length++] = word;
}

static void write_wide(opevo_i_topology_residuals *self, uint64_t bits)
{
    write(self, (uint32_t)bits);
    write(self, (uint32_t)(bits >> 32));
}

/* A text is told by where it stands, which may tell two equal ones apart. */
static void write_part(opevo_i_topology_residuals *self, const opevo_i_topology_part *part)
{
    uint64_t bits = 0;

    if (!part->decided)
        return;
    if (part->fault) {
        write(self, FAULT + TAGS * (part->fault == OPEVO_I_FAULT_INACTIVE));
        return;
    }
    if (part->value.kind == OPEVO_VALUE_BOOLEAN)
        bits = part->value.as.boolean;
    else if (part->value.kind == OPEVO_VALUE_TEXT)
        bits = (uint64_t)(uintptr_t)part->value.as.text;
    else
        memcpy(&bits, &part->value.as, sizeof bits);
    write(self,
          VALUE + TAGS * (uint32_t)(part->value.kind == OPEVO_VALUE_BOOLEAN ? OPEVO_VALUE_INTEGER
                                                                            : part->value.kind));
    write_wide(self, bits);
}

static opevo_i_topology_part decided(opevo_value value)
{
    return (opevo_i_topology_part){
        .decided = true, .value = value, .interval = opevo_i_topology_interval_of_value(&value)};
}

static opevo_i_topology_part faulty(opevo_i_topology_fault fault)
{
    return (opevo_i_topology_part){.decided = true, .fault = fault};
}

/* A term that is undecided unless its bounds meet; then what was written of it is taken back. */
static opevo_i_topology_part settle(opevo_i_topology_residuals *self,
                                    const opevo_i_topology_term *term, size_t mark,
                                    opevo_i_topology_interval interval)
{
    if (term->sure && interval.number && interval.whole && interval.low == interval.high) {
        self->key_length = mark;
        return decided(opevo_value_of_integer((int64_t)interval.low));
    }
    return (opevo_i_topology_part){.interval = interval};
}

static opevo_i_topology_part fold_one(opevo_i_topology_residuals *self,
                                      const opevo_i_topology_term *term, size_t mark, size_t level)
{
    opevo_i_topology_part part = fold(self, self->terms->cells[term->first].term, level);

    if (!part.decided)
        return settle(self, term, mark,
                      opevo_i_topology_interval_one(term->opcode, &part.interval));
    self->key_length = mark;
    if (!part.fault)
        part.fault = opevo_i_topology_apply_one(term->opcode, &part.value);
    return part.fault ? faulty(part.fault) : decided(part.value);
}

/* Whether a remainder by a positive number may be taken of a sum or product ahead of the rest. */
static bool reduces(const opevo_i_topology_terms *terms, const opevo_i_topology_term *fold)
{
    if (fold->kind != OPEVO_I_TERM_FOLD ||
        (fold->opcode != OPEVO_I_OP_ADD && fold->opcode != OPEVO_I_OP_MULTIPLY))
        return false;
    for (uint32_t at = fold->first; at != OPEVO_I_NO_CELL; at = terms->cells[at].next) {
        if (terms->items[terms->cells[at].term].all.low < 0)
            return false;
    }
    return true;
}

/* Operands in any order; modulus 0: none. */
static opevo_i_topology_part fold_many(opevo_i_topology_residuals *self, uint32_t number,
                                       size_t level, int64_t modulus)
{
    const opevo_i_topology_term *term = &self->terms->items[number];
    size_t mark = self->key_length;
    opevo_i_topology_interval interval = {0};
    opevo_value sum = {0};
    size_t open = 0, bound = 0;

    write(self, OPEN + TAGS * number);
    for (uint32_t at = term->first; at != OPEVO_I_NO_CELL; at = self->terms->cells[at].next) {
        opevo_i_topology_part part = fold(self, self->terms->cells[at].term, level);

        if (!part.decided)
            interval = open++
                           ? opevo_i_topology_interval_two(term->opcode, &interval, &part.interval)
                           : part.interval;
        else if (bound++)
            (void)opevo_i_topology_apply_two(term->opcode, &sum, &part.value);
        else
            sum = part.value;
    }
    if (bound && modulus)
        (void)opevo_i_topology_apply_two(OPEVO_I_OP_REMAINDER, &sum,
                                         &(opevo_value){.as = {.integer = modulus}});
    if (open == 0 ||
        (bound && term->opcode == OPEVO_I_OP_MULTIPLY && opevo_value_number(sum) == 0)) {
        self->key_length = mark;
        return decided(sum);
    }
    if (bound) {
        opevo_i_topology_part part = decided(sum);

        write_part(self, &part);
        interval = opevo_i_topology_interval_two(term->opcode, &interval, &part.interval);
    }
    write(self, END);
    return settle(self, term, mark, interval);
}

/* The number by which the second operand lets the first be reduced; 0: none. */
static int64_t modulus_of(opevo_i_topology_residuals *self, const opevo_i_topology_term *term,
                          size_t level)
{
    const opevo_i_topology_terms *terms = self->terms;
    uint32_t left = terms->cells[term->first].term;
    uint32_t right = terms->cells[terms->cells[term->first].next].term;
    opevo_i_topology_part by;

    if ((term->opcode != OPEVO_I_OP_REMAINDER && term->opcode != OPEVO_I_OP_FLOOR_MOD) ||
        terms->items[right].level > level || terms->items[left].level <= level ||
        !reduces(terms, &terms->items[left]))
        return 0;
    by = fold(self, right, level);
    return !by.fault && by.value.kind == OPEVO_VALUE_INTEGER && by.value.as.integer > 0
               ? by.value.as.integer
               : 0;
}

static opevo_i_topology_part fold_two(opevo_i_topology_residuals *self,
                                      const opevo_i_topology_term *term, size_t mark, size_t level)
{
    uint32_t left = self->terms->cells[term->first].term;
    uint32_t right = self->terms->cells[self->terms->cells[term->first].next].term;
    int64_t modulus = modulus_of(self, term, level);
    opevo_i_topology_part a =
        modulus ? fold_many(self, left, level, modulus) : fold(self, left, level);
    opevo_i_topology_part b;

    if (a.fault) {
        self->key_length = mark;
        return a;
    }
    write_part(self, &a);
    b = fold(self, right, level);
    if (b.fault && (a.decided || self->terms->items[left].sure)) {
        self->key_length = mark;
        return b;
    }
    if (a.decided && b.decided) {
        opevo_i_topology_fault fault = opevo_i_topology_apply_two(term->opcode, &a.value, &b.value);

        self->key_length = mark;
        return fault ? faulty(fault) : decided(a.value);
    }
    write_part(self, &b);
    if (b.fault)
        return (opevo_i_topology_part){.interval = term->all};
    return settle(self, term, mark,
                  opevo_i_topology_interval_two(term->opcode, &a.interval, &b.interval));
}

/* All or any: what is behind the first operand that ends it does not matter, nor do those before it
 * where they cannot be undefined and it is not either. */
static opevo_i_topology_part fold_joint(opevo_i_topology_residuals *self,
                                        const opevo_i_topology_term *term, size_t mark,
                                        size_t level)
{
    bool until = term->kind == OPEVO_I_TERM_ANY, sure = true;
    size_t open = 0;

    for (uint32_t at = term->first; at != OPEVO_I_NO_CELL; at = self->terms->cells[at].next) {
        const opevo_i_topology_term *operand = &self->terms->items[self->terms->cells[at].term];
        opevo_i_topology_part part = fold(self, self->terms->cells[at].term, level);
        bool holds = false;

        if (!part.decided) {
            sure = sure && operand->sure && operand->all.number;
            open++;
            continue;
        }
        if (!part.fault)
            part.fault = opevo_i_topology_truth(&part.value, &holds);
        if (!part.fault && holds != until)
            continue;
        if (open == 0 || (sure && !part.fault)) {
            self->key_length = mark;
            return part.fault ? faulty(part.fault) : decided(opevo_value_of_integer(until));
        }
        part.value = opevo_value_of_integer(until);
        write_part(self, &part);
        break;
    }
    if (open) {
        write(self, END);
        return (opevo_i_topology_part){.interval = {0, 1, true, true}};
    }
    self->key_length = mark;
    return decided(opevo_value_of_integer(!until));
}

static opevo_i_topology_part fold_choice(opevo_i_topology_residuals *self,
                                         const opevo_i_topology_term *term, size_t mark,
                                         size_t level)
{
    const opevo_i_topology_cell *cells = self->terms->cells;
    uint32_t yes = cells[term->first].next, no = cells[yes].next;
    opevo_i_topology_part condition = fold(self, cells[term->first].term, level), a, b;
    bool holds = false;

    if (condition.decided) {
        self->key_length = mark;
        if (!condition.fault)
            condition.fault = opevo_i_topology_truth(&condition.value, &holds);
        return condition.fault ? faulty(condition.fault)
                               : fold(self, cells[holds ? yes : no].term, level);
    }
    a = fold(self, cells[yes].term, level);
    write_part(self, &a);
    b = fold(self, cells[no].term, level);
    write_part(self, &b);
    if (a.fault || b.fault)
        return (opevo_i_topology_part){.interval = term->all};
    return settle(self, term, mark, opevo_i_topology_interval_join(&a.interval, &b.interval));
}

static opevo_i_topology_part fold(opevo_i_topology_residuals *self, uint32_t number, size_t level)
{
    const opevo_i_topology_term *term = &self->terms->items[number];
    size_t mark = self->key_length;

    self->work++;
    if (term->level <= level) {
        opevo_value value = {0};
        opevo_i_topology_fault fault =
            opevo_i_topology_term_evaluate(self->terms, number, self->rows, &value);

        self->work += term->weight;
        return fault ? faulty(fault) : decided(value);
    }
    if (term->kind == OPEVO_I_TERM_FOLD)
        return fold_many(self, number, level, 0);
    write(self, OPEN + TAGS * number);
    switch (term->kind) {
    case OPEVO_I_TERM_ONE:
        return fold_one(self, term, mark, level);
    case OPEVO_I_TERM_TWO:
        return fold_two(self, term, mark, level);
    case OPEVO_I_TERM_ALL:
    case OPEVO_I_TERM_ANY:
        return fold_joint(self, term, mark, level);
    case OPEVO_I_TERM_CHOICE:
        return fold_choice(self, term, mark, level);
    default: /* a parameter that is not bound */
        return (opevo_i_topology_part){.interval = term->all};
    }
}

opevo_i_topology_part opevo_i_topology_term_fold(opevo_i_topology_residuals *self, uint32_t term,
                                                 size_t level)
{
    self->key_length = 0;
    return fold(self, term, level);
}
