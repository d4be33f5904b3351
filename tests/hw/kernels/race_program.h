/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random programs of GPU threads that access memory, and their LLVM IR. Which accesses are made
 * depends on the numbers of thread, block and launch only, never on what is read, so a program
 * races in every order of its threads or in none. */

#ifndef OPEVO_TESTS_RACE_PROGRAM_H
#define OPEVO_TESTS_RACE_PROGRAM_H

#include "draw.h"
#include "simt_fixture.h"

#include <opevo/text.h>

enum { RACE_STEPS = 40, RACE_BYTES = 1024, RACE_VARIABLES = 4 };

typedef enum race_step_kind {
    RACE_ACCESS,
    RACE_BARRIER,
    RACE_WARP_BARRIER,
    RACE_IF,
    RACE_ELSE,
    RACE_END,
    RACE_LEAVE /* threads of the condition end */
} race_step_kind;

typedef enum race_action {
    RACE_LOAD,
    RACE_STORE,
    RACE_ATOMIC_LOAD,
    RACE_ATOMIC_STORE,
    RACE_ADD,
    RACE_EXCHANGE, /* compare and exchange */
    RACE_ACTIONS
} race_action;

/* (thread * of_thread + block * of_block + launch * of_launch + more) >> shift */
typedef struct race_number {
    unsigned of_thread, of_block, of_launch, more, shift;
} race_number;

static inline unsigned race_value(const race_number *number, unsigned thread, unsigned block,
                                  unsigned launch)
{
    return (thread * number->of_thread + block * number->of_block + launch * number->of_launch +
            number->more) >>
           number->shift;
}

typedef struct race_step {
    race_step_kind kind;
    race_number number; /* of an access: its place in units of its size; of a condition: 0 or not */
    unsigned modulus;   /* the number counts modulo this */
    race_action action;
    unsigned variable; /* 0, 1: shared; 2, 3: global; the odd ones allow writes of the same value */
    unsigned size;     /* bytes */
    race_number value; /* what is written, modulo 4 */
    uint32_t mask;     /* of a barrier of a warp */
    unsigned instruction;
} race_step;

typedef struct race_program {
    race_step steps[RACE_STEPS];
    size_t count;
    unsigned blocks, threads, launches;
    unsigned variable, theme; /* of most accesses */
    bool warp_sync;
    race_step last; /* access that was drawn */
} race_program;

/* ---- Drawing ---- */

static inline race_number race_draw_place(uint64_t *state, const race_program *program)
{
    race_number number = {.more = draw(state, 4) == 0};

    switch (draw(state, 7)) {
    case 0: /* one place for all */
    case 5:
        break;
    case 1: /* one for each block */
        number.of_block = 1;
        break;
    case 2: /* one for two or four neighbours */
        number.of_thread = 1;
        number.of_block = program->threads + 4;
        number.shift = 1 + (unsigned)draw(state, 2);
        break;
    case 3: /* one for each thread of a block */
        number.of_thread = 1;
        break;
    default: /* one for each thread */
        number.of_thread = 1;
        number.of_block = program->threads + 4;
        break;
    }
    return number;
}

static inline void race_draw_access(uint64_t *state, race_program *program, race_step *out)
{
    static const race_action actions[3][4] = {
        {RACE_LOAD, RACE_STORE, RACE_STORE, RACE_STORE},
        {RACE_LOAD, RACE_LOAD, RACE_ADD, RACE_EXCHANGE},
        {RACE_LOAD, RACE_STORE, RACE_ATOMIC_LOAD, RACE_ATOMIC_STORE}};

    out->kind = RACE_ACCESS;
    out->action = actions[draw(state, 6) ? program->theme : draw(state, 3)][draw(state, 4)];
    out->size = program->last.size;
    out->number = program->last.number;
    if (draw(state, 2) || !out->size) {
        out->size = draw(state, 3) ? 4 : 8;
        out->number = race_draw_place(state, program);
    }
    if ((out->action == RACE_LOAD || out->action == RACE_STORE) && draw(state, 8) == 0)
        out->size = 1;
    else if (out->size == 1)
        out->size = 4;
    out->modulus = RACE_BYTES / out->size;
    out->variable = program->variable ^ (draw(state, 6) == 0);
    out->value = (race_number){.more = (unsigned)draw(state, 2)};
    if (draw(state, 5) == 0)
        out->value.of_thread = 1;
    if (draw(state, 6) == 0)
        out->value.of_launch = 1;
    program->last = *out;
}

/* Few threads, or those of every second, of one warp, of one block, of one launch. */
static inline void race_draw_condition(uint64_t *state, race_step_kind kind, race_step *out)
{
    out->kind = kind;
    out->modulus = 1u << draw(state, 6);
    out->number = (race_number){.of_thread = 1, .more = (unsigned)draw(state, 4)};
    switch (draw(state, 5)) {
    case 0:
        out->modulus = 2;
        out->number.of_thread = 0;
        out->number.of_block = 1;
        break;
    case 1:
        out->modulus = 2;
        out->number.shift = 5;
        break;
    case 2:
        out->number.of_block = 1;
        break;
    case 3:
        out->number.of_launch = 1;
        break;
    default:
        break;
    }
}

static inline void race_draw_barrier(uint64_t *state, bool whole_block, race_step *out)
{
    static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, 0xffff, 0xaaaaaaaa};

    out->kind = whole_block && draw(state, 3) ? RACE_BARRIER : RACE_WARP_BARRIER;
    out->mask = masks[draw(state, sizeof masks / sizeof *masks)];
}

/* Accesses of a condition's threads, and maybe of the others. */
static inline void race_draw_branch(uint64_t *state, race_program *self)
{
    race_draw_condition(state, RACE_IF, &self->steps[self->count++]);
    race_draw_access(state, self, &self->steps[self->count++]);
    if (draw(state, 4) == 0) {
        self->steps[self->count++].kind = RACE_ELSE;
        if (draw(state, 4) == 0)
            race_draw_barrier(state, false, &self->steps[self->count++]);
        else
            race_draw_access(state, self, &self->steps[self->count++]);
    }
    self->steps[self->count++].kind = RACE_END;
}

/* Blocks count together, and threads of them look at the count. */
static inline void race_draw_tally(uint64_t *state, race_program *self)
{
    race_step *update = &self->steps[self->count++];

    self->variable |= 2;
    race_draw_access(state, self, update);
    update->action = RACE_ADD;
    update->variable = self->variable;
    update->number.of_block = 0;
    update->size = self->last.size = 4;
    update->modulus = RACE_BYTES / 4;
    self->last.number = update->number;
    self->steps[self->count++].kind = RACE_BARRIER;
    race_draw_branch(state, self);
}

/* Barriers of a block stand where all of its threads come. */
static inline race_program race_draw(uint64_t *state)
{
    static const unsigned threads[] = {2, 3, 32, 34, 40, 66};
    race_program self = {.blocks = 1 + (unsigned)draw(state, 3),
                         .threads = threads[draw(state, sizeof threads / sizeof *threads)],
                         .launches = 1 + (unsigned)draw(state, 2),
                         .variable = (unsigned)draw(state, RACE_VARIABLES),
                         .theme = (unsigned)draw(state, 3),
                         .warp_sync = draw(state, 5) == 0};
    bool left = false;

    if (draw(state, 8) == 0)
        race_draw_tally(state, &self);
    for (uint64_t more = 1 + draw(state, 6); more; more--)
        switch (draw(state, 12)) {
        case 0:
            race_draw_condition(state, RACE_LEAVE, &self.steps[self.count++]);
            left = true;
            break;
        case 1:
        case 2:
        case 3:
            race_draw_barrier(state, !left, &self.steps[self.count++]);
            break;
        case 4:
        case 5:
        case 6:
        case 7:
            race_draw_branch(state, &self);
            break;
        default:
            race_draw_access(state, &self, &self.steps[self.count++]);
            break;
        }
    return self;
}

/* ---- LLVM IR ---- */

typedef struct race_writer {
    opevo_text text;
    unsigned instructions, names;
} race_writer;

#define RACE_EMIT(self, ...) ((self)->instructions++, opevo_text_printf(&(self)->text, __VA_ARGS__))

/* %NAMEi, an i32. */
static inline void race_emit_number(race_writer *self, char name, const race_number *number,
                                    unsigned modulus)
{
    unsigned i = self->names;

    RACE_EMIT(self, " %%%ca%u = mul i32 %%t, %u\n", name, i, number->of_thread);
    RACE_EMIT(self, " %%%cb%u = mul i32 %%c, %u\n", name, i, number->of_block);
    RACE_EMIT(self, " %%%cc%u = mul i32 %%l, %u\n", name, i, number->of_launch);
    RACE_EMIT(self, " %%%cd%u = add i32 %%%ca%u, %%%cb%u\n", name, i, name, i, name, i);
    RACE_EMIT(self, " %%%ce%u = add i32 %%%cc%u, %u\n", name, i, name, i, number->more);
    RACE_EMIT(self, " %%%cf%u = add i32 %%%cd%u, %%%ce%u\n", name, i, name, i, name, i);
    RACE_EMIT(self, " %%%cg%u = lshr i32 %%%cf%u, %u\n", name, i, name, i, number->shift);
    RACE_EMIT(self, " %%%c%u = urem i32 %%%cg%u, %u\n", name, i, name, i, modulus);
}

static inline void race_emit_access(race_writer *self, race_step *step)
{
    static const char *const variables[] = {"addrspace(3) @s0", "addrspace(3) @s1",
                                            "addrspace(1) %g0", "addrspace(1) %g1"};
    unsigned i = self->names;
    const char *type = step->size == 1 ? "i8" : step->size == 4 ? "i32" : "i64";
    bool atomic = step->action == RACE_ATOMIC_LOAD || step->action == RACE_ATOMIC_STORE;
    char at[64];

    race_emit_number(self, 'x', &step->number, step->modulus);
    race_emit_number(self, 'y', &step->value, 4);
    if (step->size == 4)
        RACE_EMIT(self, " %%v%u = freeze i32 %%y%u\n", i, i);
    else
        RACE_EMIT(self, " %%v%u = %s i32 %%y%u to %s\n", i, step->size == 1 ? "trunc" : "zext", i,
                  type);
    RACE_EMIT(self, " %%p%u = getelementptr %s, ptr %s, i32 %%x%u\n", i, type,
              variables[step->variable], i);
    snprintf(at, sizeof at, "ptr addrspace(%d) %%p%u", step->variable < 2 ? 3 : 1, i);
    switch (step->action) {
    case RACE_LOAD:
    case RACE_ATOMIC_LOAD:
        RACE_EMIT(self, " %%r%u = load %s%s, %s%s, align %u\n", i, atomic ? "atomic " : "", type,
                  at, atomic ? " monotonic" : "", step->size);
        break;
    case RACE_STORE:
    case RACE_ATOMIC_STORE:
        RACE_EMIT(self, " store %s%s %%v%u, %s%s, align %u\n", atomic ? "atomic " : "", type, i, at,
                  atomic ? " monotonic" : "", step->size);
        break;
    case RACE_ADD:
        RACE_EMIT(self, " %%r%u = atomicrmw add %s, %s %%v%u monotonic\n", i, at, type, i);
        break;
    default:
        RACE_EMIT(self, " %%r%u = cmpxchg %s, %s 0, %s %%v%u monotonic monotonic\n", i, at, type,
                  type, i);
        break;
    }
    step->instruction = self->instructions;
}

/* A condition, and a branch to two labels. */
static inline void race_emit_branch(race_writer *self, const race_step *step, const char *yes,
                                    const char *no, unsigned label)
{
    unsigned i = self->names;

    race_emit_number(self, 'q', &step->number, step->modulus);
    RACE_EMIT(self, " %%o%u = icmp eq i32 %%q%u, 0\n", i, i);
    RACE_EMIT(self, " br i1 %%o%u, label %%%s%u, label %%%s%u\n", i, yes, label, no, label);
}

static inline void race_emit_step(race_writer *self, race_program *program, size_t index,
                                  unsigned *label)
{
    race_step *step = &program->steps[index];

    self->names++;
    switch (step->kind) {
    case RACE_ACCESS:
        race_emit_access(self, step);
        break;
    case RACE_BARRIER:
        RACE_EMIT(self, " call void @llvm.nvvm.barrier0()\n");
        break;
    case RACE_WARP_BARRIER:
        RACE_EMIT(self, " call void @llvm.nvvm.bar.warp.sync(i32 %d)\n", (int)step->mask);
        break;
    case RACE_IF:
        *label = self->names;
        race_emit_branch(self, step, "then", "else", *label);
        opevo_text_printf(&self->text, "then%u:\n", *label);
        break;
    case RACE_ELSE:
    case RACE_END:
        if (step->kind == RACE_ELSE || program->steps[index - 2].kind != RACE_ELSE) {
            RACE_EMIT(self, " br label %%end%u\n", *label);
            opevo_text_printf(&self->text, "else%u:\n", *label);
        }
        if (step->kind == RACE_ELSE)
            break;
        RACE_EMIT(self, " br label %%end%u\n", *label);
        opevo_text_printf(&self->text, "end%u:\n", *label);
        break;
    case RACE_LEAVE:
        race_emit_branch(self, step, "leave", "stay", self->names);
        opevo_text_printf(&self->text, "leave%u:\n", self->names);
        RACE_EMIT(self, " ret void\n");
        opevo_text_printf(&self->text, "stay%u:\n", self->names);
        break;
    }
}

/* A module of the kernel f(global 0, global 1, number of the launch); steps learn the numbers of
 * their instructions. */
static inline void race_emit(race_program *program, opevo_text *out)
{
    race_writer self = {.instructions = 2};
    unsigned label = 0;

    opevo_text_printf(&self.text,
                      SIMT_HEAD "declare void @llvm.nvvm.bar.warp.sync(i32)\n"
                                "@s0 = internal addrspace(3) global [%d x i8] undef, align 8\n"
                                "@s1 = internal addrspace(3) global [%d x i8] undef, align 8\n"
                                "define void @f(ptr addrspace(1) %%g0, ptr addrspace(1) %%g1, "
                                "i32 %%l) {\n"
                                " %%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                                " %%c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n",
                      RACE_BYTES, RACE_BYTES);
    for (size_t i = 0; i < program->count; i++)
        race_emit_step(&self, program, i, &label);
    opevo_text_add(&self.text, " ret void\n}\n");
    *out = self.text;
}

#endif
