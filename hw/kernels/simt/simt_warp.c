/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A warp runs instruction by instruction for the lanes of its mask. Where a branch divides them,
 * the lanes of one side wait on a stack, below them those that will meet at the post-dominator. */

#include "simt_operations.def"
#include "simt_registers_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- Operations ---- */

/* The old value where lanes do not run, the new one where they do. */
static void merge(const opevo_simt *self, const opevo_i_simt_warp *warp,
                  const opevo_i_simt_code *code, const uint8_t *made)
{
    uint8_t mixed[8 * OPEVO_I_SIMT_LANES] __attribute__((aligned(OPEVO_I_SIMT_ALIGN)));
    uint8_t *to = warp->file + code->to;
    unsigned width = code->size == 1 ? 0 : code->size == 2 ? 1 : code->size == 4 ? 2 : 3;

    if (code->size == 0) {
        uint32_t old, bits;

        memcpy(&old, to, sizeof old);
        memcpy(&bits, made, sizeof bits);
        bits = (bits & warp->mask) | (old & ~warp->mask);
        memcpy(to, &bits, sizeof bits);
        return;
    }
    self->operations[OPEVO_I_SIMT_CHOOSE + width](mixed, &warp->mask, made, to, 0);
    memcpy(to, mixed, (size_t)code->size * OPEVO_I_SIMT_LANES);
}

static inline void operate(const opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code)
{
    uint8_t *file = warp->file;

    if (warp->mask == warp->live) {
        code->operation(file + code->to, file + code->a, file + code->b, file + code->c,
                        code->number);
    } else {
        uint8_t made[8 * OPEVO_I_SIMT_LANES] __attribute__((aligned(OPEVO_I_SIMT_ALIGN)));

        code->operation(made, file + code->a, file + code->b, file + code->c, code->number);
        merge(self, warp, code, made);
    }
}

static uint32_t undefined_of(const opevo_i_simt_warp *warp, uint32_t at)
{
    return opevo_i_simt_header_of(warp, at)->undefined;
}

/* The result is undefined where an operand is. */
static inline void pass_undefined(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    uint32_t a = undefined_of(warp, code->a), b = undefined_of(warp, code->b);
    uint32_t c = undefined_of(warp, code->c), from;

    if (!(a | b | c | undefined_of(warp, code->to)))
        return;
    from = a & warp->mask ? code->a : b & warp->mask ? code->b : code->c;
    if (b & warp->mask && opevo_i_simt_is_data(opevo_i_simt_header_of(warp, code->b)->origin))
        from = code->b;
    opevo_i_simt_define(warp, code->to, a | b | c, opevo_i_simt_header_of(warp, from)->origin);
}

static uint32_t bits_of(const opevo_i_simt_warp *warp, uint32_t at)
{
    uint32_t bits;

    memcpy(&bits, warp->file + at, sizeof bits);
    return bits;
}

/* Of a select and of i1 and, or: the operands that decide nothing do not matter. */
static void pass_chosen(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code,
                        uint32_t undefined)
{
    uint32_t any = undefined_of(warp, code->a) & warp->mask & undefined   ? code->a
                   : undefined_of(warp, code->b) & warp->mask & undefined ? code->b
                                                                          : code->c;

    opevo_i_simt_define(warp, code->to, undefined, opevo_i_simt_header_of(warp, any)->origin);
}

static void select_undefined(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    uint32_t chosen = bits_of(warp, code->a);

    pass_chosen(warp, code,
                undefined_of(warp, code->a) | (chosen & undefined_of(warp, code->b)) |
                    (~chosen & undefined_of(warp, code->c)));
}

static void logic_undefined(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    uint32_t flip = code->kind == OPEVO_I_SIMT_BOTH ? UINT32_MAX : 0;
    uint32_t a = undefined_of(warp, code->a), b = undefined_of(warp, code->b);
    uint32_t decided =
        ((bits_of(warp, code->a) ^ flip) & ~a) | ((bits_of(warp, code->b) ^ flip) & ~b);

    pass_chosen(warp, code, (a | b) & ~decided);
}

/* ---- Results that do not exist ---- */

static int64_t signed_lane(const opevo_i_simt_warp *warp, uint32_t at, unsigned lane, unsigned size)
{
    uint64_t bits = 0;

    assert(size > 0);
    memcpy(&bits, warp->file + at + (size_t)lane * size, size);
    return (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size);
}

static bool check_division(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code)
{
    int64_t least = INT64_MIN >> (64 - 8 * code->size);

    for (uint32_t rest = warp->mask & ~undefined_of(warp, code->b); rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        int64_t divisor = signed_lane(warp, code->b, lane, code->size);

        if (divisor == 0)
            return opevo_i_simt_fault(self, warp, code->place, lane, OPEVO_SIMT_UNDEFINED,
                                      "divides by 0");
        if (code->number && divisor == -1 && signed_lane(warp, code->a, lane, code->size) == least)
            return opevo_i_simt_fault(self, warp, code->place, lane, OPEVO_SIMT_UNDEFINED,
                                      "divides the least number by -1");
    }
    return true;
}

static uint32_t wide_shifts(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    uint32_t lanes = 0;

    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t distance = (uint64_t)signed_lane(warp, code->b, lane, code->size);

        lanes |= (uint32_t)(distance >= 8u * code->size) << lane;
    }
    return lanes;
}

/* Floats, of code->number & 15 bytes, whose integral part the integer type lacks. */
static uint32_t unfit_floats(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    bool is_signed = code->number & 16;
    double high = ldexp(1, 8 * code->size - is_signed), low = is_signed ? -high - 1 : -1;
    uint32_t lanes = 0;

    if (low == -high) /* 1 is below its last digit */
        low = nextafter(low, -HUGE_VAL);
    for (uint32_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        double value;
        float narrow;

        if ((code->number & 15) == 8) {
            memcpy(&value, warp->file + code->a + 8 * (size_t)lane, sizeof value);
        } else {
            memcpy(&narrow, warp->file + code->a + 4 * (size_t)lane, sizeof narrow);
            value = (double)narrow;
        }
        lanes |= (uint32_t) !(value > low && value < high) << lane;
    }
    return lanes;
}

static void pass_made(const opevo_i_simt_warp *warp, const opevo_i_simt_code *code, uint32_t made)
{
    pass_undefined(warp, code);
    made &= ~undefined_of(warp, code->to);
    if (made)
        opevo_i_simt_define(warp, code->to, made | undefined_of(warp, code->to), code->place);
}

static bool operate_checked(opevo_simt *self, const opevo_i_simt_warp *warp,
                            const opevo_i_simt_code *code)
{
    bool trace = self->options.check_uninitialised;

    if (code->kind == OPEVO_I_SIMT_DIVIDE && !check_division(self, warp, code))
        return false;
    operate(self, warp, code);
    if (!trace)
        return true;
    switch (code->kind) {
    case OPEVO_I_SIMT_SELECT:
        select_undefined(warp, code);
        break;
    case OPEVO_I_SIMT_BOTH:
    case OPEVO_I_SIMT_EITHER:
        logic_undefined(warp, code);
        break;
    case OPEVO_I_SIMT_SHIFT:
        pass_made(warp, code, wide_shifts(warp, code));
        break;
    case OPEVO_I_SIMT_CONVERT:
        pass_made(warp, code, unfit_floats(warp, code));
        break;
    default:
        pass_undefined(warp, code);
        break;
    }
    return true;
}

/* ---- Control ---- */

static void push(opevo_i_simt_warp *warp, uint32_t at, uint32_t meet, uint32_t mask)
{
    warp->pending[warp->pending_count++] =
        (opevo_i_simt_pending){.at = at, .meet = meet, .mask = mask};
}

/* Lanes that have come to where they meet others wait, and the next ones run; false: none are
 * left. */
static bool settle(opevo_i_simt_warp *warp)
{
    while (warp->mask == 0 || (warp->at == warp->meet && warp->meet != OPEVO_I_SIMT_NOWHERE)) {
        opevo_i_simt_pending *next;

        if (warp->pending_count == 0)
            return false;
        next = &warp->pending[--warp->pending_count];
        warp->at = next->at;
        warp->meet = next->meet;
        warp->mask = next->mask & warp->live;
    }
    return true;
}

/* Divide the lanes: those of `lanes` go to `at`, now; the others are still to be told. */
static void open_division(opevo_i_simt_warp *warp, uint32_t meet)
{
    if (meet != warp->meet && meet != OPEVO_I_SIMT_NOWHERE)
        push(warp, meet, warp->meet, warp->mask);
}

static void charge_division(opevo_simt *self)
{
    self->counts.divergent_branches++;
    self->cost += opevo_i_simt_cost_of(self, OPEVO_I_SIMT_COST_DIVERGENCE);
}

static bool branch(opevo_simt *self, opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, code->a);
    uint32_t taken = bits_of(warp, code->a) & warp->mask, others = warp->mask & ~taken;
    uint32_t meet = (uint32_t)code->number;

    if (header->undefined & warp->mask)
        return opevo_i_simt_fault_undefined(self, warp, code, header->origin,
                                            header->undefined & warp->mask, "branches by it");
    if (!taken || !others) {
        warp->at = taken ? code->b : code->c;
        return true;
    }
    charge_division(self);
    open_division(warp, meet);
    /* Lanes that are where they meet the others already have nothing to run. */
    if (code->c != meet)
        push(warp, code->c, meet, others);
    warp->at = code->b;
    warp->meet = meet;
    warp->mask = taken;
    return true;
}

static bool choose_case(opevo_simt *self, opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    const opevo_i_simt_case *cases = &self->cases[code->b];
    const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, code->a);
    uint32_t meet = (uint32_t)code->number, left = warp->mask;
    uint64_t used = UINT64_MAX >> (64 - 8 * code->size);
    bool divided = false;

    if (header->undefined & warp->mask)
        return opevo_i_simt_fault_undefined(self, warp, code, header->origin,
                                            header->undefined & warp->mask, "switches by it");
    for (uint32_t i = 0; i < code->c && left; i++) {
        uint32_t lanes = 0;

        for (uint32_t rest = left; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctz(rest);
            uint64_t value = (uint64_t)signed_lane(warp, code->a, lane, code->size) & used;

            lanes |= (uint32_t)(i + 1 == code->c || value == cases[i].value) << lane;
        }
        if (lanes == warp->mask && !divided) {
            warp->at = cases[i].target;
            return true;
        }
        if (!lanes)
            continue;
        if (!divided)
            open_division(warp, meet);
        divided = true;
        left &= ~lanes;
        if (cases[i].target != meet)
            push(warp, cases[i].target, meet, lanes);
    }
    charge_division(self);
    warp->mask = 0; /* the last case that was pushed runs next */
    return true;
}

static bool begin_block(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code)
{
    self->steps += code->a;
    self->cost += (uint64_t)code->number;
    self->counts.lane_instructions += (uint64_t)code->a * (unsigned)__builtin_popcount(warp->mask);
    if (self->stamp >= OPEVO_I_SIMT_LAST_STAMP)
        return opevo_i_simt_fault(self, warp, code[1].place, (unsigned)__builtin_ctz(warp->mask),
                                  OPEVO_SIMT_LIMIT, "is behind the limit of 2^31 barriers");
    if (self->steps <= self->options.step_limit)
        return true;
    return opevo_i_simt_fault(self, warp, code[1].place, (unsigned)__builtin_ctz(warp->mask),
                              OPEVO_SIMT_LIMIT, "is behind the limit of %llu steps",
                              (unsigned long long)self->options.step_limit);
}

static bool barrier(opevo_simt *self, opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    self->counts.barriers++;
    warp->barrier = (uint32_t)(code - self->code);
    if (warp->mask == warp->all)
        return true;
    return opevo_i_simt_fault(self, warp, code->place, (unsigned)__builtin_ctz(warp->mask),
                              OPEVO_SIMT_DIVERGENT_BARRIER,
                              "is a barrier that only %d of the %d threads of the warp reach",
                              __builtin_popcount(warp->mask), __builtin_popcount(warp->all));
}

/* Accesses of the warp up to here come before those behind. */
static void order_lanes(opevo_simt *self, opevo_i_simt_warp *warp)
{
    warp->sync_stamp = ++self->stamp;
}

/* Orders accesses if all lanes that are left take part, and each waits for all of them. */
static void warp_barrier(opevo_simt *self, opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    uint32_t waited_for[OPEVO_I_SIMT_LANES];
    bool whole = warp->mask == warp->live && !(undefined_of(warp, code->a) & warp->mask);

    memcpy(waited_for, warp->file + code->a, sizeof waited_for);
    for (uint32_t rest = warp->mask; rest && whole; rest &= rest - 1)
        whole = !(warp->live & ~waited_for[__builtin_ctz(rest)]);
    if (whole)
        order_lanes(self, warp);
}

/* With the option, whatever the instructions before accessed; parts of a vector are accessed by
 * the same one. */
static void access_in_step(opevo_simt *self, opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    if (self->options.warp_sync && code->c)
        order_lanes(self, warp);
}

static bool step(opevo_simt *self, opevo_i_simt_warp *warp, const opevo_i_simt_code *code);

static bool step_where(opevo_simt *self, opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    const opevo_i_simt_header *header = opevo_i_simt_header_of(warp, code->a);
    const opevo_i_simt_code *next = &self->code[warp->at++];
    uint32_t all = warp->mask, lanes = bits_of(warp, code->a) & all;
    bool good = true;

    if (header->undefined & all)
        return opevo_i_simt_fault_undefined(self, warp, code, header->origin,
                                            header->undefined & all, "accesses memory by it");
    warp->mask = lanes;
    if (lanes)
        good = step(self, warp, next);
    warp->mask = all;
    return good;
}

/* An instruction that divides no lanes; false on a fault. */
/* A result in a register, from registers. */
static bool compute(opevo_simt *self, opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    switch (code->kind) {
    case OPEVO_I_SIMT_PICK:
        opevo_i_simt_value_run(self, warp, code);
        select_undefined(warp, code);
        return true;
    case OPEVO_I_SIMT_WHOLE:
        opevo_i_simt_value_run(self, warp, code);
        pass_undefined(warp, code);
        return true;
    case OPEVO_I_SIMT_RAW:
    case OPEVO_I_SIMT_CHOOSE_VALUE:
    case OPEVO_I_SIMT_BITS_OF_VALUE:
        opevo_i_simt_value_run(self, warp, code);
        return true;
    case OPEVO_I_SIMT_SHUFFLE:
        opevo_i_simt_shuffle_run(self, warp, code);
        return true;
    case OPEVO_I_SIMT_COMPRESS:
        opevo_i_simt_compress_run(self, warp, code);
        return true;
    case OPEVO_I_SIMT_VOTE:
        opevo_i_simt_vote_run(self, warp, code);
        return true;
    default:
        return operate_checked(self, warp, code);
    }
}

static bool step(opevo_simt *self, opevo_i_simt_warp *warp, const opevo_i_simt_code *code)
{
    switch (code->kind) {
    case OPEVO_I_SIMT_LOAD:
        access_in_step(self, warp, code);
        return code->value ? opevo_i_simt_load_value(self, warp, code)
               : code->raw ? opevo_i_simt_load_raw(self, warp, code)
                           : opevo_i_simt_load(self, warp, code);
    case OPEVO_I_SIMT_STORE:
        access_in_step(self, warp, code);
        return code->value ? opevo_i_simt_store_value(self, warp, code)
               : code->raw ? opevo_i_simt_store_raw(self, warp, code)
                           : opevo_i_simt_store(self, warp, code);
    case OPEVO_I_SIMT_WHERE:
        return step_where(self, warp, code);
    case OPEVO_I_SIMT_ATOMIC:
    case OPEVO_I_SIMT_EXCHANGE:
        access_in_step(self, warp, code);
        return opevo_i_simt_atomic(self, warp, code);
    case OPEVO_I_SIMT_ALLOCATE:
        opevo_i_simt_allocate(self, warp, code);
        return true;
    case OPEVO_I_SIMT_BLOCK:
        return begin_block(self, warp, code);
    case OPEVO_I_SIMT_WARP_BARRIER:
        warp_barrier(self, warp, code);
        return true;
    case OPEVO_I_SIMT_FORK:
        opevo_i_simt_fork(self);
        return true;
    case OPEVO_I_SIMT_THREAD:
        opevo_i_simt_thread(self, warp, code);
        return true;
    case OPEVO_I_SIMT_JOIN:
        warp->at = opevo_i_simt_join(self) ? warp->at : code->a;
        return true;
    case OPEVO_I_SIMT_FRESH:
        opevo_i_simt_fresh(self, warp, code);
        return true;
    case OPEVO_I_SIMT_SHARE:
        return opevo_i_simt_share(self, warp, code);
    case OPEVO_I_SIMT_UNSUPPORTED:
        return opevo_i_simt_fault(self, warp, code->place, (unsigned)__builtin_ctz(warp->mask),
                                  OPEVO_SIMT_UNSUPPORTED, "is not supported: %s",
                                  self->words[code->a]);
    case OPEVO_I_SIMT_UNREACHABLE:
        return opevo_i_simt_fault(self, warp, code->place, (unsigned)__builtin_ctz(warp->mask),
                                  OPEVO_SIMT_UNDEFINED, "is at a place said to be unreachable");
    default:
        return compute(self, warp, code);
    }
}

bool opevo_i_simt_warp_run(opevo_simt *self, opevo_i_simt_warp *warp)
{
    const bool trace = self->options.check_uninitialised;

    for (;;) {
        const opevo_i_simt_code *code = &self->code[warp->at++];

        switch (code->kind) {
        case OPEVO_I_SIMT_OPERATE:
            operate(self, warp, code);
            if (trace)
                pass_undefined(warp, code);
            continue;
        case OPEVO_I_SIMT_VALUE:
            opevo_i_simt_value_run(self, warp, code);
            pass_undefined(warp, code);
            continue;
        case OPEVO_I_SIMT_JUMP:
            warp->at = code->a;
            break;
        case OPEVO_I_SIMT_BRANCH:
            if (!branch(self, warp, code))
                return false;
            break;
        case OPEVO_I_SIMT_SWITCH:
            if (!choose_case(self, warp, code))
                return false;
            break;
        case OPEVO_I_SIMT_EXIT:
            warp->live &= ~warp->mask;
            warp->mask = 0;
            break;
        case OPEVO_I_SIMT_BARRIER:
            return barrier(self, warp, code);
        default:
            if (!step(self, warp, code))
                return false;
            continue;
        }
        if (!settle(warp)) {
            warp->done = true;
            return true;
        }
    }
}
