/* SPDX-License-Identifier: GPL-3.0-or-later */

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

static bool product(size_t *out, const int64_t *factors, size_t count)
{
    opevo_index size = 1;

    for (size_t i = 0; i < count; i++) {
        if (!opevo_index_mul(size, (opevo_index)factors[i], &size))
            return false;
    }
    *out = (size_t)size;
    return size > 0 && size <= (opevo_index)1 << 40;
}

bool opevo_i_operand_counts(const opevo_operator *op, size_t counts[3])
{
    int64_t batch = op->kind == OPEVO_MATMUL ? 1 : op->batch;

    if (op->kind == OPEVO_CONV2D) {
        const int64_t in[4] = {batch, op->in_channels, op->height, op->width};
        const int64_t weights[4] = {op->out_channels, op->in_channels, op->kernel_height,
                                    op->kernel_width};
        const int64_t out[4] = {batch, op->out_channels, opevo_operator_out_height(op),
                                opevo_operator_out_width(op)};

        return product(&counts[0], in, 4) && product(&counts[1], weights, 4) &&
               product(&counts[2], out, 4);
    }
    return product(&counts[0], (int64_t[]){batch, op->n, op->k}, 3) &&
           product(&counts[1], (int64_t[]){batch, op->k, op->m}, 3) &&
           product(&counts[2], (int64_t[]){batch, op->n, op->m}, 3);
}

static void fill_input(const opevo_i_guarded *memory, size_t count, uint64_t seed, uint64_t which)
{
    float *values = (float *)(void *)memory->data;
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
    const float *values = (const float *)(const void *)memory->data;
    float *copy = opevo_malloc(count, sizeof *copy);

    for (size_t i = 0; copy && i < count; i++)
        copy[i] = fabsf(values[i]);
    return copy;
}

/* The right result, and what it may be missed by. */
static opevo_status compute_wanted(opevo_i_operands *self, opevo_reference_function reference,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const float *a = (const float *)(const void *)self->a.data;
    const float *b = (const float *)(const void *)self->b.data;
    float *abs_a = absolute_copy(&self->a, self->count[0]);
    float *abs_b = absolute_copy(&self->b, self->count[1]);
    float factor = (float)(4 * sqrt((double)opevo_operator_terms(&self->op))) * 0x1p-24F;

    if (!abs_a || !abs_b) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the reference.");
        goto cleanup;
    }
    OPEVO_TRY(reference(&self->op, a, b, self->wanted, err));
    OPEVO_TRY(reference(&self->op, abs_a, abs_b, self->bound, err));
    for (size_t i = 0; i < self->count[2]; i++)
        self->bound[i] = factor * self->bound[i] + 0x1p-24F * fabsf(self->wanted[i]);
cleanup:
    opevo_free(abs_a);
    opevo_free(abs_b);
    return status;
}

static opevo_status by_plain_loops(const opevo_operator *op, const float *a, const float *b,
                                   float *c, opevo_error *err)
{
    (void)err;
    opevo_reference_compute(op, a, b, c, NULL);
    return OPEVO_OK;
}

static opevo_status allocate(opevo_i_operands *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    void *secret = NULL;

    OPEVO_TRY(opevo_i_guarded_create(self->count[0] * sizeof(float), false, &self->a, err));
    OPEVO_TRY(opevo_i_guarded_create(self->count[1] * sizeof(float), false, &self->b, err));
    OPEVO_TRY(opevo_i_guarded_create(self->count[2] * sizeof(float), true, &self->c, err));
    self->secret_bytes = 2 * self->count[2] * sizeof(float);
    secret =
        mmap(NULL, self->secret_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (secret == MAP_FAILED)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the reference.");
    madvise(secret, self->secret_bytes, MADV_DONTFORK);
    self->wanted = secret;
    self->bound = self->wanted + self->count[2];
cleanup:
    return status;
}

opevo_status opevo_i_operands_create(const opevo_operator *op, uint64_t seed,
                                     opevo_reference_function reference, opevo_i_operands *out,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_operands self = {.op = *op};

    if (!opevo_i_operand_counts(op, self.count))
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The operands of the operator fit into no memory.");
    OPEVO_TRY(allocate(&self, err));
    fill_input(&self.a, self.count[0], seed, 0);
    fill_input(&self.b, self.count[1], seed, 1);
    make_read_only(&self.a);
    make_read_only(&self.b);
    OPEVO_TRY(compute_wanted(&self, reference ? reference : by_plain_loops, err));
    *out = self;
cleanup:
    if (status != OPEVO_OK)
        opevo_i_operands_free(&self);
    return status;
}

void opevo_i_operands_free(opevo_i_operands *operands)
{
    opevo_i_guarded_free(&operands->a);
    opevo_i_guarded_free(&operands->b);
    opevo_i_guarded_free(&operands->c);
    if (operands->wanted)
        munmap(operands->wanted, operands->secret_bytes);
    *operands = (opevo_i_operands){.wanted = NULL};
}

void opevo_i_operands_poison(opevo_i_operands *operands, float *c)
{
    uint32_t poison = POISON;

    for (size_t i = 0; i < operands->count[2]; i++)
        memcpy(&c[i], &poison, sizeof poison);
}

bool opevo_i_operands_check(const opevo_i_operands *operands, const float *c, opevo_text *why)
{
    size_t wrong = 0;
    size_t first = 0;
    uint32_t bits = 0;

    for (size_t i = 0; i < operands->count[2]; i++) {
        if (!(fabsf(c[i] - operands->wanted[i]) <= operands->bound[i])) {
            first = wrong ? first : i;
            wrong++;
        }
    }
    if (!wrong)
        return true;
    memcpy(&bits, &c[first], sizeof bits);
    opevo_text_printf(why, "%zu of %zu elements are wrong; the first is number %zu, which ", wrong,
                      operands->count[2], first);
    if (bits == POISON)
        opevo_text_add(why, "was not written");
    else
        opevo_text_printf(why, "is %.9g instead of %.9g +- %.3g", (double)c[first],
                          (double)operands->wanted[first], (double)operands->bound[first]);
    return false;
}
