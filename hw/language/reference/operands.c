/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Guarded memory, random inputs, right results and the check against them, for every operand of the
 * list. */

#include "operands_internal.h"

#include <opevo/clock.h>
#include <opevo/computation_reference.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/random.h>

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 64, PATTERN_BYTES = sizeof(uint32_t) };

#define PATTERN UINT32_C(0xa5a5a5a5)

/* A quiet NaN; arithmetic on x86 and ARM gives others, 0x7fc00000 or the sign bit with it. */
#define POISON UINT32_C(0x7fd15ea5)
#define POISON_HALF UINT32_C(0x7e5a)

/* ---- Guarded memory ------------------------------------------------------------------------- */

static unsigned char pattern_at(const opevo_i_reference_guarded *memory, ptrdiff_t i)
{
    return (unsigned char)(memory->pattern >> (8 * ((size_t)i % PATTERN_BYTES)));
}

/* Bytes from..to - 1, from the data on. */
static void fill(const opevo_i_reference_guarded *memory, ptrdiff_t from, ptrdiff_t to)
{
    ptrdiff_t i = from;

    for (; i < to && (size_t)i % PATTERN_BYTES != 0; i++)
        memory->data[i] = pattern_at(memory, i);
    for (; i + PATTERN_BYTES <= to; i += PATTERN_BYTES)
        memcpy(memory->data + i, &memory->pattern, PATTERN_BYTES); /* the low byte comes first */
    for (; i < to; i++)
        memory->data[i] = pattern_at(memory, i);
}

static opevo_status create(size_t bytes, size_t margin, uint32_t pattern, bool shared,
                           opevo_i_reference_guarded *out, opevo_error *err)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t used = (bytes + 2 * margin + page - 1) / page * page;
    int flags = MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE);
    opevo_i_reference_guarded memory = {
        .map_bytes = used + 2 * page, .bytes = bytes, .pattern = pattern};
    void *map = mmap(NULL, memory.map_bytes, PROT_NONE, flags, -1, 0);

    if (map == MAP_FAILED)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for operands of %zu bytes.", bytes);
    memory.map = map;
    if (mprotect(memory.map + page, used, PROT_READ | PROT_WRITE) < 0) {
        munmap(map, memory.map_bytes);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for operands of %zu bytes.", bytes);
    }
    memory.before = (used - bytes - margin) / ALIGNMENT * ALIGNMENT;
    memory.after = used - bytes - memory.before;
    memory.data = memory.map + page + memory.before;
    fill(&memory, -(ptrdiff_t)memory.before, 0);
    fill(&memory, (ptrdiff_t)bytes, (ptrdiff_t)(bytes + memory.after));
    *out = memory;
    return OPEVO_OK;
}

opevo_status opevo_i_reference_guarded_create(size_t bytes, bool shared,
                                              opevo_i_reference_guarded *out, opevo_error *err)
{
    return create(bytes, 0, PATTERN, shared, out, err);
}

opevo_status opevo_i_reference_guarded_create_wide(size_t bytes, size_t margin, uint32_t pattern,
                                                   bool shared, opevo_i_reference_guarded *out,
                                                   opevo_error *err)
{
    return create(bytes, margin, pattern, shared, out, err);
}

void opevo_i_reference_guarded_fill(const opevo_i_reference_guarded *memory)
{
    fill(memory, 0, (ptrdiff_t)memory->bytes);
}

void opevo_i_reference_guarded_free(opevo_i_reference_guarded *memory)
{
    if (memory->map)
        munmap(memory->map, memory->map_bytes);
    *memory = (opevo_i_reference_guarded){0};
}

bool opevo_i_reference_guarded_intact(const opevo_i_reference_guarded *memory)
{
    ptrdiff_t bytes = (ptrdiff_t)memory->bytes, after = (ptrdiff_t)memory->after;
    bool intact = true;

    for (ptrdiff_t i = -(ptrdiff_t)memory->before; i < 0 && intact; i++)
        intact = memory->data[i] == pattern_at(memory, i);
    for (ptrdiff_t i = bytes; i < bytes + after && intact; i++)
        intact = memory->data[i] == pattern_at(memory, i);
    return intact;
}

/* ---- Operands ------------------------------------------------------------------------------- */

/* A number from 24 random bits, which are all that a float in [-1, 1) holds. */
static double draw(opevo_element element, uint64_t bits, bool positive)
{
    if (element == OPEVO_INT8)
        return positive ? (double)(bits % 127 + 1) : (double)(bits & 0xff) - 128;
    if (element == OPEVO_INT32)
        return positive ? (double)(bits >> 4) + 1 : (double)(bits >> 3) - 0x1p20;
    return positive ? (double)bits * 0x1p-24 + 0.5 : (double)bits * 0x1p-23 - 1;
}

static void fill_input(const opevo_i_reference_guarded *memory, opevo_element element, size_t count,
                       opevo_rng rng, bool positive)
{
    for (size_t i = 0; i < count; i += 2) {
        uint64_t bits = opevo_rng_u64(&rng);

        opevo_element_put(element, memory->data, i, draw(element, bits >> 40, positive));
        if (i + 1 < count)
            opevo_element_put(element, memory->data, i + 1,
                              draw(element, bits & 0xffffff, positive));
    }
}

static void make_read_only(const opevo_i_reference_guarded *memory)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    mprotect(memory->map + page, memory->map_bytes - 2 * page, PROT_READ);
}

/* ---- Right results, and what they may be missed by ---- */

/* Bounds in single precision, not below those of which they are made. */
static opevo_status compute(opevo_i_reference_operands *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const void *inputs[OPEVO_WORKLOAD_OPERANDS] = {0};
    void *outputs[OPEVO_WORKLOAD_OPERANDS] = {0};
    double *bounds[OPEVO_WORKLOAD_OPERANDS] = {0};
    int first = self->list.inputs;

    for (int i = 0; i < first; i++)
        inputs[i] = self->memory[i].data;
    for (int i = first; i < self->list.count; i++) {
        outputs[i] = self->wanted[i];
        bounds[i] = opevo_malloc(self->count[i], sizeof **bounds);
        OPEVO_NEED(bounds[i], "the reference");
    }
    OPEVO_TRY(opevo_computation_expect(self->work->computation, inputs, outputs + first,
                                       bounds + first, 0, err));
    for (int i = first; i < self->list.count; i++) {
        for (size_t k = 0; k < self->count[i]; k++)
            self->bound[i][k] = (float)(bounds[i][k] * (1 + 0x1p-20));
    }
cleanup:
    for (int i = first; i < self->list.count; i++)
        opevo_free(bounds[i]);
    return status;
}

/* A check of few elements shows nothing. */
static opevo_status require_bounds(opevo_i_reference_operands *self, opevo_error *err)
{
    for (int i = self->list.inputs; i < self->list.count; i++) {
        size_t without = 0;

        for (size_t k = 0; k < self->count[i]; k++)
            without += isinf(self->bound[i][k]) != 0;
        self->unbounded += without;
        if (2 * without > self->count[i])
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "%zu of %zu elements of %s have no error bound for random inputs, so "
                "kernels cannot be checked: a divisor or the argument of sqrt or log may be "
                "0 or less, or a value overflows; bound it, as in sqrt(max(x, 1e-6)).",
                without, self->count[i], self->list.item[i].name);
    }
    return OPEVO_OK;
}

/* What right results of an output take, up to an integer of floats. */
static size_t wanted_bytes(const opevo_i_reference_operands *self, int operand)
{
    size_t bytes = self->count[operand] * opevo_i_reference_operand_bytes(self, operand);

    return (bytes + sizeof(float) - 1) / sizeof(float) * sizeof(float);
}

static opevo_status allocate(opevo_i_reference_operands *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    void *secret = NULL;
    size_t at = 0;

    for (int i = 0; i < self->list.count; i++) {
        bool output = self->list.item[i].role == OPEVO_ROLE_OUTPUT;

        OPEVO_TRY(opevo_i_reference_guarded_create(self->count[i] *
                                                       opevo_i_reference_operand_bytes(self, i),
                                                   output, &self->memory[i], err));
        self->secret_bytes += output ? wanted_bytes(self, i) + self->count[i] * sizeof(float) : 0;
    }
    secret =
        mmap(NULL, self->secret_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (secret == MAP_FAILED)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the reference.");
    madvise(secret, self->secret_bytes, MADV_DONTFORK);
    self->secret = secret;
    for (int i = self->list.inputs; i < self->list.count; i++) {
        self->wanted[i] = (float *)(void *)(self->secret + at);
        at += wanted_bytes(self, i);
        self->bound[i] = (float *)(void *)(self->secret + at);
        at += self->count[i] * sizeof(float);
    }
cleanup:
    return status;
}

static opevo_status fill_inputs(opevo_i_reference_operands *self, uint64_t seed, opevo_error *err)
{
    const opevo_computation *computation = self->work->computation;
    bool *positive = NULL;
    opevo_status status = opevo_i_reference_positive_tensors(computation, &positive, err);
    int tensor = 0;

    if (status != OPEVO_OK)
        return status;
    for (int i = 0; i < self->list.inputs; i++) {
        opevo_rng rng;

        while (computation->tensor[tensor]->definition)
            tensor++;
        opevo_rng_init(&rng, seed, "operand", (uint64_t)i);
        fill_input(&self->memory[i], self->list.item[i].element, self->count[i], rng,
                   positive[tensor++]);
        make_read_only(&self->memory[i]);
    }
    opevo_free(positive);
    return OPEVO_OK;
}

opevo_status opevo_i_reference_operands_create(opevo_workload *work, uint64_t seed,
                                               opevo_i_reference_operands *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_reference_operands self = {.work = work, .list = work->list, .check_threads = 1};

    for (int i = 0; i < self.list.count; i++)
        self.count[i] = (size_t)self.list.item[i].elements;
    OPEVO_TRY(allocate(&self, err));
    OPEVO_TRY(fill_inputs(&self, seed, err));
    self.reference_s = opevo_clock_monotonic_s();
    OPEVO_TRY(compute(&self, err));
    self.reference_s = opevo_clock_monotonic_s() - self.reference_s;
    OPEVO_TRY(require_bounds(&self, err));
    *out = self;
cleanup:
    if (status != OPEVO_OK)
        opevo_i_reference_operands_free(&self);
    return status;
}

void opevo_i_reference_operands_free(opevo_i_reference_operands *operands)
{
    for (int i = 0; i < operands->list.count; i++)
        opevo_i_reference_guarded_free(&operands->memory[i]);
    if (operands->judge)
        operands->judge->free(operands);
    if (operands->secret)
        munmap(operands->secret, operands->secret_bytes);
    opevo_workload_destroy(operands->work);
    *operands = (opevo_i_reference_operands){.secret = NULL};
}

/* The bits of an element that was not written. */
static uint32_t poison_of(opevo_element element, size_t at)
{
    switch (element) {
    case OPEVO_FLOAT32:
        return POISON;
    case OPEVO_FLOAT16:
        return POISON_HALF;
    case OPEVO_BFLOAT16:
        return POISON >> 16;
    default: /* the upper bits of a product, which all bits of the place decide */
        return (uint32_t)((uint64_t)(at + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32) >>
               (element == OPEVO_INT8 ? 24 : 0);
    }
}

void opevo_i_reference_operands_poison(const opevo_i_reference_operands *operands)
{
    if (operands->judge) {
        operands->judge->renew(operands);
        return;
    }
    for (int i = operands->list.inputs; i < operands->list.count; i++) {
        opevo_element element = operands->list.item[i].element;
        size_t bytes = opevo_i_reference_operand_bytes(operands, i);

        for (size_t k = 0; k < operands->count[i]; k++) {
            uint32_t poison = poison_of(element, k);

            memcpy(operands->memory[i].data + k * bytes, &poison, bytes); /* little-endian */
        }
    }
}

static bool is_poison(opevo_element element, const void *values, size_t at)
{
    size_t bytes = (size_t)opevo_element_bytes(element);
    uint32_t bits = 0;

    memcpy(&bits, (const unsigned char *)values + at * bytes, bytes);
    return bits == poison_of(element, at);
}

/* "C[1, 2]" */
static void add_place(const opevo_i_reference_operands *operands, int operand, size_t element,
                      opevo_text *out)
{
    const opevo_workload_operand *item = &operands->list.item[operand];
    int64_t below = item->elements;

    opevo_text_printf(out, "%s[", item->name);
    for (int d = 0; d < item->dims; d++) {
        below /= item->extent[d];
        opevo_text_printf(out, "%s%lld", d ? ", " : "",
                          (long long)((int64_t)element / below % item->extent[d]));
    }
    opevo_text_add(out, "]");
}

/* Floats and the bounds within which they are right. */
typedef struct compared {
    const float *values, *wanted, *bound;
    size_t count;
} compared;

enum { BLOCK = 1 << 18 };

/* Fails, without a word, where not all of a block are within their bounds. */
static opevo_status compare_block(void *context, size_t block, unsigned worker, opevo_error *err)
{
    const compared *self = context;
    size_t begin = block * BLOCK;
    size_t end = self->count - begin < BLOCK ? self->count : begin + BLOCK;
    unsigned beyond = 0;

    (void)worker;
    (void)err;
    for (size_t i = begin; i < end; i++)
        beyond |=
            !(fabs((double)self->values[i] - (double)self->wanted[i]) <= (double)self->bound[i]);
    return beyond ? OPEVO_INVALID : OPEVO_OK;
}

/* Whether all are right: nearly always so, and told several times as fast as where one that is not
 * is looked for. */
static bool all_within(compared self, unsigned threads)
{
    return opevo_parallel_for((self.count + BLOCK - 1) / BLOCK, threads, compare_block, &self,
                              NULL) == OPEVO_OK;
}

bool opevo_i_reference_operands_check(const opevo_i_reference_operands *operands, int operand,
                                      const void *values, opevo_text *why)
{
    opevo_element element = operands->list.item[operand].element;
    const float *wanted = operands->wanted[operand];
    const float *bound = operands->bound[operand];
    bool several = operands->list.count - operands->list.inputs > 1;
    size_t wrong = 0;
    size_t first = 0;

    if (operands->judge)
        return operands->judge->check(operands, operand, why);
    if (element == OPEVO_FLOAT32 &&
        all_within((compared){values, wanted, bound, operands->count[operand]},
                   operands->check_threads))
        return true;
    for (size_t i = 0; i < operands->count[operand]; i++) {
        double error =
            fabs(opevo_element_get(element, values, i) - opevo_element_get(element, wanted, i));

        if (!(error <= (double)bound[i]) && (!isinf(bound[i]) || is_poison(element, values, i))) {
            first = wrong ? first : i;
            wrong++;
        }
    }
    if (!wrong)
        return true;
    opevo_text_printf(why, "%zu of %zu elements%s%s are wrong; the first is ", wrong,
                      operands->count[operand], several ? " of " : "",
                      several ? operands->list.item[operand].name : "");
    add_place(operands, operand, first, why);
    opevo_text_add(why, ", which ");
    if (is_poison(element, values, first))
        opevo_text_add(why, "was not written");
    else if (bound[first] == 0)
        opevo_text_printf(why, "is %.9g instead of %.9g", opevo_element_get(element, values, first),
                          opevo_element_get(element, wanted, first));
    else
        opevo_text_printf(why, "is %.9g instead of %.9g +- %.3g",
                          opevo_element_get(element, values, first),
                          opevo_element_get(element, wanted, first), (double)bound[first]);
    return false;
}
