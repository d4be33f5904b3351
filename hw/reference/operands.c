/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Guarded memory, random inputs, right results and the check against them, for every operand of the
 * list. */

#include "operands_internal.h"

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/reference.h>

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64, PATTERN = 0xa5 };

/* A quiet NaN; arithmetic on x86 and ARM gives others, 0x7fc00000 or the sign bit with it. */
#define POISON UINT32_C(0x7fd15ea5)

/* ---- Guarded memory ------------------------------------------------------------------------- */

opevo_status opevo_i_guarded_create(size_t bytes, bool shared, opevo_i_guarded *out,
                                    opevo_error *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t used = (bytes + page - 1) / page * page;
    int flags = MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE);
    opevo_i_guarded memory = {.map_bytes = used + 2 * page, .bytes = bytes};
    void *map = mmap(NULL, memory.map_bytes, PROT_NONE, flags, -1, 0);

    if (map == MAP_FAILED)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for operands of %zu bytes.", bytes);
    memory.map = map;
    if (mprotect(memory.map + page, used, PROT_READ | PROT_WRITE) < 0) {
        munmap(map, memory.map_bytes);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for operands of %zu bytes.", bytes);
    }
    memory.before = (used - bytes) / ALIGNMENT * ALIGNMENT;
    memory.after = used - bytes - memory.before;
    memory.data = memory.map + page + memory.before;
    memset(memory.data - memory.before, PATTERN, memory.before);
    memset(memory.data + bytes, PATTERN, memory.after);
    *out = memory;
    return OPEVO_OK;
}

void opevo_i_guarded_free(opevo_i_guarded *memory)
{
    if (memory->map)
        munmap(memory->map, memory->map_bytes);
    *memory = (opevo_i_guarded){0};
}

bool opevo_i_guarded_intact(const opevo_i_guarded *memory)
{
    for (size_t i = 0; i < memory->before; i++) {
        if (memory->data[-(ptrdiff_t)(i + 1)] != PATTERN)
            return false;
    }
    for (size_t i = 0; i < memory->after; i++) {
        if (memory->data[memory->bytes + i] != PATTERN)
            return false;
    }
    return true;
}

/* ---- Operands ------------------------------------------------------------------------------- */

/* Elements of each operand. False where they do not fit into memory. */
static bool count_elements(const opevo_operand_list *list, size_t counts[OPEVO_OPERANDS])
{
    for (int i = 0; i < list->count; i++) {
        opevo_index size = 1;

        for (int d = 0; d < list->item[i].dims; d++) {
            if (!opevo_index_mul(size, (opevo_index)list->item[i].extent[d], &size))
                return false;
        }
        if (size == 0 || size > (opevo_index)1 << 40)
            return false;
        counts[i] = (size_t)size;
    }
    return true;
}

static void fill_input(const opevo_i_guarded *memory, size_t count, uint64_t seed, uint64_t which)
{
    float *values = opevo_i_floats(memory);
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "operand", which);
    for (size_t i = 0; i < count; i += 2) { /* 24 bits are all that a float in [-1, 1) holds */
        uint64_t bits = opevo_rng_u64(&rng);

        values[i] = (float)(bits >> 40) * 0x1p-23F - 1;
        if (i + 1 < count)
            values[i + 1] = (float)(bits & 0xffffff) * 0x1p-23F - 1;
    }
}

static void make_read_only(const opevo_i_guarded *memory)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    mprotect(memory->map + page, memory->map_bytes - 2 * page, PROT_READ);
}

static float *absolute_copy(const opevo_i_guarded *memory, size_t count)
{
    const float *values = opevo_i_floats(memory);
    float *copy = opevo_malloc(count, sizeof *copy);

    for (size_t i = 0; copy && i < count; i++)
        copy[i] = fabsf(values[i]);
    return copy;
}

/* The right results, and what they may be missed by. */
static opevo_status compute_wanted(opevo_i_operands *self, opevo_reference_function reference,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const float *inputs[OPEVO_OPERANDS] = {0};
    float *absolute[OPEVO_OPERANDS] = {0};

    for (int i = 0; i < self->list.inputs; i++) {
        inputs[i] = opevo_i_floats(&self->memory[i]);
        absolute[i] = absolute_copy(&self->memory[i], self->count[i]);
        if (!absolute[i]) {
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the reference.");
            goto cleanup;
        }
    }
    OPEVO_TRY(reference(&self->op, inputs, self->wanted + self->list.inputs, err));
    OPEVO_TRY(
        reference(&self->op, (const float *const *)absolute, self->bound + self->list.inputs, err));
    for (int i = self->list.inputs; i < self->list.count; i++) {
        double roundings = opevo_reference_roundings(&self->op, i - self->list.inputs);
        float factor = (float)(4 * sqrt(roundings)) * 0x1p-24F;

        for (size_t k = 0; k < self->count[i]; k++)
            self->bound[i][k] = factor * self->bound[i][k] + 0x1p-24F * fabsf(self->wanted[i][k]);
    }
cleanup:
    for (int i = 0; i < self->list.inputs; i++)
        opevo_free(absolute[i]);
    return status;
}

static opevo_status by_plain_loops(const opevo_operator *op, const float *const *inputs,
                                   float *const *outputs, opevo_error *err)
{
    (void)err;
    opevo_reference_compute(op, inputs, outputs, NULL);
    return OPEVO_OK;
}

static opevo_status allocate(opevo_i_operands *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    void *secret = NULL;
    size_t floats = 0;

    for (int i = 0; i < self->list.count; i++) {
        bool output = self->list.item[i].role == OPEVO_ROLE_OUTPUT;

        OPEVO_TRY(
            opevo_i_guarded_create(self->count[i] * sizeof(float), output, &self->memory[i], err));
        floats += output ? 2 * self->count[i] : 0;
    }
    self->secret_bytes = floats * sizeof(float);
    secret =
        mmap(NULL, self->secret_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (secret == MAP_FAILED)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the reference.");
    madvise(secret, self->secret_bytes, MADV_DONTFORK);
    self->secret = secret;
    floats = 0;
    for (int i = self->list.inputs; i < self->list.count; i++) {
        self->wanted[i] = self->secret + floats;
        self->bound[i] = self->wanted[i] + self->count[i];
        floats += 2 * self->count[i];
    }
cleanup:
    return status;
}

opevo_status opevo_i_operands_create(const opevo_operator *op, uint64_t seed,
                                     opevo_reference_function reference, opevo_i_operands *out,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_operands self = {.op = *op};

    opevo_operator_operands(op, &self.list);
    if (!count_elements(&self.list, self.count))
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The operands of the operator do not fit in memory.");
    OPEVO_TRY(allocate(&self, err));
    for (int i = 0; i < self.list.inputs; i++) {
        fill_input(&self.memory[i], self.count[i], seed, (uint64_t)i);
        make_read_only(&self.memory[i]);
    }
    OPEVO_TRY(compute_wanted(&self, reference ? reference : by_plain_loops, err));
    *out = self;
cleanup:
    if (status != OPEVO_OK)
        opevo_i_operands_free(&self);
    return status;
}

void opevo_i_operands_free(opevo_i_operands *operands)
{
    for (int i = 0; i < operands->list.count; i++)
        opevo_i_guarded_free(&operands->memory[i]);
    if (operands->secret)
        munmap(operands->secret, operands->secret_bytes);
    *operands = (opevo_i_operands){.secret = NULL};
}

void opevo_i_operands_poison(const opevo_i_operands *operands)
{
    uint32_t poison = POISON;

    for (int i = operands->list.inputs; i < operands->list.count; i++) {
        float *values = opevo_i_floats(&operands->memory[i]);

        for (size_t k = 0; k < operands->count[i]; k++)
            memcpy(&values[k], &poison, sizeof poison);
    }
}

bool opevo_i_operands_check(const opevo_i_operands *operands, int operand, const float *values,
                            opevo_text *why)
{
    const float *wanted = operands->wanted[operand];
    const float *bound = operands->bound[operand];
    bool several = operands->list.count - operands->list.inputs > 1;
    size_t wrong = 0;
    size_t first = 0;
    uint32_t bits = 0;

    for (size_t i = 0; i < operands->count[operand]; i++) {
        if (!(fabsf(values[i] - wanted[i]) <= bound[i])) {
            first = wrong ? first : i;
            wrong++;
        }
    }
    if (!wrong)
        return true;
    memcpy(&bits, &values[first], sizeof bits);
    opevo_text_printf(why, "%zu of %zu elements%s%s are wrong; the first is number %zu, which ",
                      wrong, operands->count[operand], several ? " of " : "",
                      several ? operands->list.item[operand].name : "", first);
    if (bits == POISON)
        opevo_text_add(why, "was not written");
    else
        opevo_text_printf(why, "is %.9g instead of %.9g +- %.3g", (double)values[first],
                          (double)wanted[first], (double)bound[first]);
    return false;
}
