/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Races of a random program by definition: all accesses of a launch are listed, which of a block
 * comes before which is the transitive closure of a graph, and all pairs are compared byte by byte.
 * Rules that are wrong, each in one respect, show what programs can tell apart. */

#ifndef OPEVO_TESTS_RACE_ORACLE_H
#define OPEVO_TESTS_RACE_ORACLE_H

#include "race_program.h"

typedef enum race_mistake {
    RACE_NO_MISTAKE,
    RACE_FORGETS_UPDATES,     /* of other blocks, where a block updates itself */
    RACE_ATOMICS_NEVER_RACE,  /* with plain accesses */
    RACE_LOOKS_ARE_UPDATES,   /* an atomic read conflicts with a plain one */
    RACE_LOOKS_ARE_PLAIN,     /* an atomic read conflicts with an atomic write */
    RACE_LAST_VALUE_COUNTS,   /* of a thread's writes of several values */
    RACE_ATOMIC_VALUES_COUNT, /* an atomic write of the same value is allowed, too */
    RACE_WORDS,               /* conflicts are by eight bytes */
    RACE_NO_WARP_BARRIERS,    /* order anything */
    RACE_PART_OF_WARP_ORDERS, /* a barrier of some lanes orders all */
    RACE_MASKS_IGNORED,       /* of barriers of warps */
    RACE_BLOCKS_SHARE,        /* shared memory */
    RACE_BARRIERS_ORDER_BLOCKS,
    RACE_STORES_IN_STEP, /* those of one instruction are ordered with `warp_sync` */
    RACE_MISTAKES
} race_mistake;

enum {
    RACE_NODES = 2048,
    RACE_ROW = RACE_NODES / 64,
    RACE_THREADS = 66,
    RACE_BLOCKS = 3,
    RACE_EVENTS = RACE_BLOCKS * RACE_THREADS * 8 * RACE_STEPS
};

/* An access to one byte. */
typedef struct race_event {
    uint16_t block, thread, step, node;
    uint16_t byte;
    uint8_t value;    /* that is written */
    uint8_t barriers; /* of the block before it */
    int next;         /* event of the same byte; -1: none */
} race_event;

typedef struct race_oracle {
    const race_program *program;
    race_mistake mistake;
    unsigned launch;
    race_event events[RACE_EVENTS];
    int event_count;
    int first[RACE_VARIABLES][RACE_BYTES];
    uint64_t before[RACE_BLOCKS][RACE_NODES][RACE_ROW];
    /* Of the block that is listed. */
    unsigned block, node_count, barriers;
    int last[RACE_THREADS]; /* node of each thread; -1: none yet */
    bool ended[RACE_THREADS];
} race_oracle;

/* ---- The order of a block ---- */

static inline unsigned race_new_node(race_oracle *self)
{
    assert_true(self->node_count < RACE_NODES);
    memset(self->before[self->block][self->node_count], 0, sizeof self->before[0][0]);
    return self->node_count++;
}

static inline void race_come_after(race_oracle *self, unsigned node, int other)
{
    uint64_t *row = self->before[self->block][node];

    if (other < 0)
        return;
    for (int w = 0; w < RACE_ROW; w++)
        row[w] |= self->before[self->block][other][w];
    row[other / 64] |= UINT64_C(1) << (other % 64);
}

/* Threads from `first` to below `end` go on behind what all of them did. */
static inline void race_join(race_oracle *self, unsigned first, unsigned end)
{
    unsigned node = race_new_node(self);

    for (unsigned t = first; t < end; t++)
        race_come_after(self, node, self->last[t]);
    for (unsigned t = first; t < end; t++)
        self->last[t] = (int)node;
}

/* Of each warp where all lanes that have not ended take part and wait for one another. */
static inline void race_warp_barrier(race_oracle *self, const bool *active, uint32_t mask)
{
    unsigned threads = self->program->threads;

    if (self->mistake == RACE_MASKS_IGNORED)
        mask = UINT32_MAX;
    for (unsigned first = 0; first < threads; first += 32) {
        unsigned end = first + 32 < threads ? first + 32 : threads;
        bool whole = true, any = false;

        for (unsigned t = first; t < end; t++) {
            any |= active[t];
            whole &= (active[t] && mask >> (t - first) & 1) || self->ended[t];
        }
        whole |= self->mistake == RACE_PART_OF_WARP_ORDERS;
        if (any && whole && self->mistake != RACE_NO_WARP_BARRIERS)
            race_join(self, first, end);
    }
}

/* Lanes in step: an access comes behind all that the warp did before. */
static inline void race_step_warps(race_oracle *self, const bool *active)
{
    unsigned threads = self->program->threads;

    for (unsigned first = 0; first < threads; first += 32) {
        unsigned end = first + 32 < threads ? first + 32 : threads;
        bool any = false;

        for (unsigned t = first; t < end; t++)
            any |= active[t];
        if (any)
            race_join(self, first, end);
    }
}

/* ---- Accesses ---- */

static inline void race_add_event(race_oracle *self, const race_step *step, race_event event)
{
    unsigned place =
        race_value(&step->number, event.thread, event.block, self->launch) % step->modulus;
    unsigned value = race_value(&step->value, event.thread, event.block, self->launch) % 4;

    for (unsigned part = 0; part < step->size; part++) {
        unsigned byte = place * step->size + part;
        int *first =
            &self->first[step->variable][self->mistake == RACE_WORDS ? byte / 8 * 8 : byte];

        assert_true(self->event_count < RACE_EVENTS);
        event.byte = (uint16_t)byte;
        event.value = part ? 0 : (uint8_t)value;
        event.next = *first;
        *first = self->event_count;
        self->events[self->event_count++] = event;
    }
}

static inline void race_list_access(race_oracle *self, unsigned index, const bool *active)
{
    if (self->program->warp_sync)
        race_step_warps(self, active);
    for (unsigned t = 0; t < self->program->threads; t++) {
        unsigned node;

        if (!active[t])
            continue;
        node = race_new_node(self);
        race_come_after(self, node, self->last[t]);
        self->last[t] = (int)node;
        race_add_event(self, &self->program->steps[index],
                       (race_event){.block = (uint16_t)self->block,
                                    .thread = (uint16_t)t,
                                    .step = (uint16_t)index,
                                    .node = (uint16_t)node,
                                    .barriers = (uint8_t)self->barriers});
    }
}

/* Threads of a condition. */
static inline void race_choose(const race_oracle *self, const race_step *step, const bool *from,
                               bool *to)
{
    for (unsigned t = 0; t < self->program->threads; t++)
        to[t] =
            from[t] && race_value(&step->number, t, self->block, self->launch) % step->modulus == 0;
}

static inline void race_list_block(race_oracle *self)
{
    bool all[RACE_THREADS], chosen[RACE_THREADS] = {false};
    const bool *active = all;

    self->node_count = self->barriers = 0;
    for (unsigned t = 0; t < RACE_THREADS; t++) {
        all[t] = true;
        self->last[t] = -1;
        self->ended[t] = false;
    }
    for (unsigned i = 0; i < self->program->count; i++) {
        const race_step *step = &self->program->steps[i];

        switch (step->kind) {
        case RACE_ACCESS:
            race_list_access(self, i, active);
            break;
        case RACE_BARRIER:
            race_join(self, 0, self->program->threads);
            self->barriers++;
            break;
        case RACE_WARP_BARRIER:
            race_warp_barrier(self, active, step->mask);
            break;
        case RACE_IF:
            race_choose(self, step, all, chosen);
            active = chosen;
            break;
        case RACE_ELSE:
            for (unsigned t = 0; t < RACE_THREADS; t++)
                chosen[t] = all[t] && !chosen[t];
            break;
        case RACE_END:
            active = all;
            break;
        case RACE_LEAVE:
            race_choose(self, step, all, chosen);
            for (unsigned t = 0; t < RACE_THREADS; t++) {
                self->ended[t] |= chosen[t] && all[t];
                all[t] = all[t] && !self->ended[t];
            }
            break;
        }
    }
}

/* List a launch. */
static inline void race_list(race_oracle *self, const race_program *program, unsigned launch,
                             race_mistake mistake)
{
    self->program = program;
    self->mistake = mistake;
    self->launch = launch;
    self->event_count = 0;
    memset(self->first, 0xff, sizeof self->first);
    for (self->block = 0; self->block < program->blocks; self->block++)
        race_list_block(self);
}

/* ---- Races ---- */

static inline bool race_before(const race_oracle *self, const race_event *a, const race_event *b)
{
    return self->before[b->block][b->node][a->node / 64] >> (a->node % 64) & 1;
}

static inline bool race_ordered(const race_oracle *self, const race_event *a, const race_event *b)
{
    if (a->block != b->block)
        return self->mistake == RACE_BARRIERS_ORDER_BLOCKS && a->barriers != b->barriers;
    return a->thread == b->thread || race_before(self, a, b) || race_before(self, b, a) ||
           (self->mistake == RACE_STORES_IN_STEP && self->program->warp_sync &&
            a->step == b->step && a->thread / 32 == b->thread / 32);
}

/* What a thread leaves at the place of an event, which is not its last word for a detector that
 * looks at memory only. */
static inline uint8_t race_left_value(const race_oracle *self, const race_event *event)
{
    uint8_t value = event->value;
    uint16_t step = event->step;

    for (int i = self->first[self->program->steps[event->step].variable][event->byte]; i >= 0;
         i = self->events[i].next) {
        const race_event *other = &self->events[i];

        if (other->thread == event->thread && other->block == event->block && other->step > step &&
            self->program->steps[other->step].action == RACE_STORE) {
            value = other->value;
            step = other->step;
        }
    }
    return value;
}

static inline bool race_allowed(const race_oracle *self, const race_event *a, const race_event *b)
{
    const race_step *one = &self->program->steps[a->step], *two = &self->program->steps[b->step];
    bool stores = one->action == RACE_STORE && two->action == RACE_STORE;

    if (self->mistake == RACE_ATOMIC_VALUES_COUNT)
        stores = (one->action == RACE_STORE || one->action == RACE_ATOMIC_STORE) &&
                 (two->action == RACE_STORE || two->action == RACE_ATOMIC_STORE);
    if (!(one->variable & 1) || !stores)
        return false;
    if (self->mistake == RACE_LAST_VALUE_COUNTS)
        return race_left_value(self, a) == race_left_value(self, b);
    return a->value == b->value;
}

static inline bool race_conflict(const race_oracle *self, const race_event *a, const race_event *b)
{
    race_action one = self->program->steps[a->step].action;
    race_action two = self->program->steps[b->step].action;
    bool atomic_one = one > RACE_STORE, atomic_two = two > RACE_STORE;
    bool reads = (one == RACE_LOAD || one == RACE_ATOMIC_LOAD) &&
                 (two == RACE_LOAD || two == RACE_ATOMIC_LOAD);

    switch (self->mistake) {
    case RACE_ATOMICS_NEVER_RACE:
        return !reads && !atomic_one && !atomic_two;
    case RACE_LOOKS_ARE_UPDATES:
        return atomic_one || atomic_two ? atomic_one != atomic_two : !reads;
    case RACE_LOOKS_ARE_PLAIN:
        return !reads && !(one > RACE_ATOMIC_LOAD && two > RACE_ATOMIC_LOAD);
    default:
        return !reads && !(atomic_one && atomic_two);
    }
}

/* A block whose own update of a byte hides the updates of others from its plain reads. */
static inline bool race_hidden(const race_oracle *self, const race_event *a, const race_event *b)
{
    race_action action = self->program->steps[b->step].action;

    if (self->mistake != RACE_FORGETS_UPDATES || a->block >= b->block ||
        self->program->steps[a->step].action <= RACE_STORE || action != RACE_LOAD)
        return false;
    for (int i = self->first[self->program->steps[b->step].variable][b->byte]; i >= 0;
         i = self->events[i].next)
        if (self->events[i].block == b->block &&
            self->program->steps[self->events[i].step].action > RACE_ATOMIC_LOAD)
            return true;
    return false;
}

static inline bool race_pair(const race_oracle *self, const race_event *a, const race_event *b)
{
    bool shared = self->program->steps[a->step].variable < 2;

    if (a->block != b->block && shared && self->mistake != RACE_BLOCKS_SHARE)
        return false;
    return race_conflict(self, a, b) && !race_ordered(self, a, b) && !race_allowed(self, a, b) &&
           !race_hidden(self, a, b) && !race_hidden(self, b, a);
}

/* Whether an event of a list races with one behind it. */
static inline bool race_has_partner(const race_oracle *self, int event, int list)
{
    for (int i = list; i >= 0; i = self->events[i].next)
        if (i != event && race_pair(self, &self->events[event], &self->events[i]))
            return true;
    return false;
}

/* Whether the launch races at all. */
static inline bool race_found(const race_oracle *self)
{
    for (int i = 0; i < self->event_count; i++)
        if (race_has_partner(self, i, self->events[i].next))
            return true;
    return false;
}

/* Whether this access of a thread races. */
static inline bool race_is_part(const race_oracle *self, unsigned block, unsigned thread,
                                unsigned instruction)
{
    for (int i = 0; i < self->event_count; i++) {
        const race_event *event = &self->events[i];
        const race_step *step = &self->program->steps[event->step];

        if (event->block == block && event->thread == thread && step->instruction == instruction &&
            race_has_partner(self, i, self->first[step->variable][event->byte]))
            return true;
    }
    return false;
}

#endif
