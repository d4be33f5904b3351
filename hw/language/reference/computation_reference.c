/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The definitions of a computation, one after the other, each spread over threads. Lanes are
 * elements of the result; where these are few and sums are long, lanes are terms of a sum, which is
 * cut into parts that are added in order. Neither depends on the number of threads. */

#include "interpreter_internal.h"
#include "operands_internal.h"

#include <opevo/computation_reference.h>

#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <math.h>
#include <string.h>

enum { TASK_POINTS = 1 << 17, PART_POINTS = 1 << 16, MOST_PARTS = 4096 };

/* A result being accumulated: its value and error, and of a sum also the sum of |v| + e of its
 * terms. Of a maximum or minimum the last two are that of v + e and of v - e. */
typedef struct total {
    double value, error, size;
} total;

/* Where a definition's elements go; members may be NULL. */
typedef struct target {
    double *value, *error;
    double *wide; /* the output, where that is an array of double */
    float *single;
    void *stored; /* the output, of its type */
    double *bound;
} target;

typedef struct job {
    const opevo_definition *definition;
    opevo_element element;
    opevo_i_reference_machine **machines; /* one a thread */
    target target;
    bool bounds, product;
    double alike;            /* terms of a sum that may be; all of them for certain bounds */
    int64_t elements, terms; /* of the result; of each */
    int64_t task_blocks;     /* blocks of lanes in a task, of elements or terms */
    total *parts;            /* [task][element], where lanes are terms */
} job;

/* ---- Totals ---- */

static total start_of(opevo_reducer reducer)
{
    double start = reducer == OPEVO_REDUCER_MAX   ? -INFINITY
                   : reducer == OPEVO_REDUCER_MIN ? INFINITY
                                                  : 0;

    return (total){start, start, start};
}

static total term_of(opevo_reducer reducer, double value, double error)
{
    return reducer == OPEVO_REDUCER_MAX || reducer == OPEVO_REDUCER_MIN
               ? (total){value, value + error, value - error}
               : (total){value, error, fabs(value) + error};
}

static void take(opevo_reducer reducer, total *sum, total term)
{
    switch (reducer) {
    case OPEVO_REDUCER_NONE:
        *sum = term;
        return;
    case OPEVO_REDUCER_SUM:
        *sum = (total){sum->value + term.value, sum->error + term.error, sum->size + term.size};
        return;
    case OPEVO_REDUCER_MAX:
        *sum = (total){opevo_i_reference_larger(term.value, sum->value),
                       opevo_i_reference_larger(term.error, sum->error),
                       opevo_i_reference_larger(term.size, sum->size)};
        return;
    case OPEVO_REDUCER_MIN:
        *sum = (total){opevo_i_reference_smaller(term.value, sum->value),
                       opevo_i_reference_smaller(term.error, sum->error),
                       opevo_i_reference_smaller(term.size, sum->size)};
        return;
    }
}

/* All terms of all lanes at once, kept apart. */
static void take_lanes(opevo_reducer reducer, total *sums, const opevo_i_reference_lanes *terms,
                       bool bounds)
{
    if (reducer == OPEVO_REDUCER_SUM && !bounds) {
        for (int i = 0; i < OPEVO_I_LANES; i++)
            sums[i].value += terms->value[i];
        return;
    }
    for (int i = 0; i < OPEVO_I_LANES; i++)
        take(reducer, &sums[i], term_of(reducer, terms->value[i], terms->error[i]));
}

/* The extreme of n values with errors is between those of v - e and of v + e. */
static double error_of_extreme(const total *sum)
{
    double above = sum->error - sum->value, below = sum->value - sum->size;

    return above >= 0 && below >= 0 ? fmax(above, below) : INFINITY;
}

/* The error of a sum of n terms in any order, for certain or with independent roundings. */
static double error_of(const job *self, const total *sum)
{
    double count = (double)(self->terms - 1);
    double roundings = count * OPEVO_I_ROUNDING;
    double growth = roundings < 1 ? roundings / (1 - roundings) : INFINITY;

    if (self->definition->reducer == OPEVO_REDUCER_MAX ||
        self->definition->reducer == OPEVO_REDUCER_MIN)
        return error_of_extreme(sum);
    if (self->definition->reducer == OPEVO_REDUCER_NONE || self->terms == 1)
        return sum->error;
    growth = fmin(growth, 4 * sqrt(count * self->alike) * OPEVO_I_ROUNDING);
    return isinf(growth)
               ? growth
               : opevo_i_reference_rounded(sum->value, sum->error + growth * sum->size, 0);
}

/* What a kernel rounds when it stores a value of a narrow type: it may be as far off as that, and
 * may flush what is below 2^-126 to 0. */
static double stored_error(opevo_element element, double value, double error)
{
    double size = fabs(value) + error;

    if (element == OPEVO_FLOAT32)
        return error;
    return error + opevo_element_rounding(element, size) +
           (size > 0 && size < 0x1p-125 ? 0x1p-126 : 0);
}

static void store(const job *self, int64_t element, const total *sum)
{
    const target *to = &self->target;
    double error = self->bounds ? stored_error(self->element, sum->value, error_of(self, sum)) : 0;

    if (to->value)
        to->value[element] = sum->value;
    if (to->wide)
        to->wide[element] = sum->value;
    if (to->error)
        to->error[element] = error;
    if (to->single)
        to->single[element] = (float)sum->value;
    if (to->stored)
        opevo_element_put(self->element, to->stored, (size_t)element, sum->value);
    if (to->bound) {
        error += fabs(opevo_element_nearest(self->element, sum->value) - sum->value);
        to->bound[element] = error >= 0 ? error : INFINITY; /* also for none */
    }
}

/* ---- Tasks ---- */

/* The next values of the axes from `first` to below `end`; false after the last, when all are 0. */
static bool step(const opevo_definition *definition, int64_t *axes, int first, int end)
{
    for (int a = end - 1; a >= first; a--) {
        if (++axes[a] < definition->axis[a].extent)
            return true;
        axes[a] = 0;
    }
    return false;
}

static int count_lanes(int64_t first, int64_t end)
{
    return end - first < OPEVO_I_LANES ? (int)(end - first) : OPEVO_I_LANES;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The totals of the lanes of a product; false where they are to be made otherwise. */
static bool total_products(const job *self, opevo_i_reference_machine *machine, int count,
                           total *sums)
{
    double values[OPEVO_I_LANES], sizes[OPEVO_I_LANES];

    if (!self->product || !opevo_i_reference_machine_products(machine, count, values, sizes))
        return false;
    for (int i = 0; i < count; i++) {
        double error = opevo_i_reference_products_error(sizes[i], self->terms);

        sums[i] = (total){values[i], error, sizes[i] + error};
    }
    return true;
}

static void total_lanes(const job *self, opevo_i_reference_machine *machine, total *sums)
{
    const opevo_definition *definition = self->definition;

    for (int i = 0; i < OPEVO_I_LANES; i++)
        sums[i] = start_of(definition->reducer);
    do {
        opevo_i_reference_machine_run(machine);
        take_lanes(definition->reducer, sums, machine->registers, machine->bounds);
    } while (step(definition, machine->outer, definition->spatial, definition->axes));
}

/* Blocks of elements: each runs through all its terms. */
static opevo_status run_elements(void *context, size_t index, unsigned worker, opevo_error *err)
{
    const job *self = context;
    opevo_i_reference_machine *machine = self->machines[worker];
    int64_t first = (int64_t)index * self->task_blocks * OPEVO_I_LANES;
    int64_t end = least(first + self->task_blocks * OPEVO_I_LANES, self->elements);

    (void)err;
    for (; first < end; first += OPEVO_I_LANES) {
        int count = count_lanes(first, end);
        total sums[OPEVO_I_LANES];

        opevo_i_reference_machine_place(machine, first, count);
        if (!total_products(self, machine, count, sums))
            total_lanes(self, machine, sums);
        for (int i = 0; i < count; i++)
            store(self, first + i, &sums[i]);
    }
    return OPEVO_OK;
}

/* Blocks of terms: each runs through all elements, to one part of each sum. */
static opevo_status run_terms(void *context, size_t index, unsigned worker, opevo_error *err)
{
    const job *self = context;
    const opevo_definition *definition = self->definition;
    opevo_i_reference_machine *machine = self->machines[worker];
    int64_t first = (int64_t)index * self->task_blocks * OPEVO_I_LANES;
    int64_t end = least(first + self->task_blocks * OPEVO_I_LANES, self->terms);
    total *parts = self->parts + (int64_t)index * self->elements;

    (void)err;
    for (int64_t e = 0; e < self->elements; e++)
        parts[e] = start_of(definition->reducer);
    for (; first < end; first += OPEVO_I_LANES) {
        int count = count_lanes(first, end);
        total *part = parts;

        opevo_i_reference_machine_place(machine, first, count);
        do {
            const opevo_i_reference_lanes *terms = machine->registers;

            opevo_i_reference_machine_run(machine);
            for (int i = 0; i < count; i++)
                take(definition->reducer, part,
                     term_of(definition->reducer, terms->value[i], terms->error[i]));
            part++;
        } while (step(definition, machine->outer, 0, definition->spatial));
    }
    return OPEVO_OK;
}

static void add_parts(const job *self, size_t tasks)
{
    for (int64_t e = 0; e < self->elements; e++) {
        total sum = self->parts[e];

        for (size_t t = 1; t < tasks; t++)
            take(self->definition->reducer, &sum, self->parts[(int64_t)t * self->elements + e]);
        store(self, e, &sum);
    }
}

/* ---- One definition ---- */

typedef struct graph {
    const opevo_computation *computation;
    opevo_i_reference_source *sources; /* of each tensor */
    target *targets;
    void **owned; /* value and error of each tensor, which are released after their last reader;
                     what an input is converted to, which is a value */
    bool *exact;
    double *alike;    /* NULL: certain bounds */
    int *readers;     /* to come */
    const bool *wide; /* which tensors are arrays of double; NULL: none */
    bool bounds;
    unsigned threads;
    opevo_error *err;
} graph;

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static size_t cut(job *self, bool by_terms)
{
    int64_t points = by_terms ? largest(PART_POINTS, self->terms / MOST_PARTS) : TASK_POINTS;
    int64_t each = by_terms ? 1 : self->terms; /* points of a lane */
    int64_t all = by_terms ? self->terms : self->elements;
    int64_t blocks = (all + OPEVO_I_LANES - 1) / OPEVO_I_LANES;

    self->task_blocks = largest(1, points / OPEVO_I_LANES / least(each, points));
    return (size_t)((blocks + self->task_blocks - 1) / self->task_blocks);
}

static opevo_status run_job(const graph *self, job *work, const opevo_i_reference_program *program)
{
    int spatial = work->definition->spatial;
    unsigned elements = (1U << spatial) - 1;
    bool by_terms = work->elements < OPEVO_I_LANES && work->terms > work->elements;
    size_t tasks = cut(work, by_terms);
    unsigned threads = (unsigned)least((int64_t)tasks, self->threads);
    unsigned lanes = by_terms ? (1U << work->definition->axes) - 1 - elements : elements;
    opevo_status status = OPEVO_OK;

    work->machines = opevo_calloc(threads, sizeof(opevo_i_reference_machine *));
    work->parts =
        by_terms ? opevo_malloc(tasks * (size_t)work->elements, sizeof *work->parts) : NULL;
    if (!work->machines || (by_terms && !work->parts)) {
        status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory to evaluate a computation.");
        goto cleanup;
    }
    for (unsigned t = 0; t < threads; t++)
        OPEVO_TRY(opevo_i_reference_machine_create(program, self->sources, lanes, work->bounds,
                                                   &work->machines[t], self->err));
    OPEVO_TRY(
        opevo_parallel_for(tasks, threads, by_terms ? run_terms : run_elements, work, self->err));
    if (by_terms)
        add_parts(work, tasks);
cleanup:
    for (unsigned t = 0; work->machines && t < threads; t++)
        opevo_i_reference_machine_destroy(work->machines[t]);
    opevo_free(work->machines);
    opevo_free(work->parts);
    return status;
}

static opevo_status own_memory(graph *self, const opevo_tensor *tensor, int which, size_t bytes)
{
    size_t elements = (size_t)opevo_tensor_elements(tensor);
    void **owned = &self->owned[2 * tensor->number + which];

    *owned = opevo_malloc(elements, bytes);
    return *owned ? OPEVO_OK
                  : OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for %zu elements of %s.",
                               elements, tensor->name);
}

/* Memory for what later definitions read: float where that has no error, also for values of a
 * narrower type. */
static opevo_status own(graph *self, const opevo_tensor *tensor, bool has_errors)
{
    target *to = &self->targets[tensor->number];
    opevo_i_reference_source *source = &self->sources[tensor->number];
    bool exact = self->exact[tensor->number];
    opevo_status status = OPEVO_OK;

    if (tensor->readers == 0)
        return OPEVO_OK;
    if (!exact || !to->single) {
        OPEVO_TRY(own_memory(self, tensor, 0, exact ? sizeof(float) : sizeof(double)));
        if (has_errors)
            OPEVO_TRY(own_memory(self, tensor, 1, sizeof(double)));
        if (exact)
            to->single = self->owned[2 * tensor->number];
        else
            to->value = self->owned[2 * tensor->number];
        to->error = self->owned[2 * tensor->number + 1];
    }
    *source = (opevo_i_reference_source){.single = exact ? to->single : NULL,
                                         .value = to->value,
                                         .error = to->error,
                                         .wide = tensor->element == OPEVO_INT32};
cleanup:
    return status;
}

static void release(graph *self, int number)
{
    opevo_free(self->owned[2 * number]);
    opevo_free(self->owned[2 * number + 1]);
    self->owned[2 * number] = NULL;
    self->owned[2 * number + 1] = NULL;
}

static opevo_status compute(graph *self, const opevo_tensor *tensor)
{
    const opevo_definition *definition = tensor->definition;
    opevo_i_reference_program program = {0};
    job work = {.definition = definition, .element = tensor->element, .terms = 1};
    opevo_status status =
        opevo_i_reference_program_create(tensor, self->exact, &program, self->err);

    if (status != OPEVO_OK)
        return status;
    self->exact[tensor->number] = program.exact;
    work.bounds = self->bounds && !program.exact && !program.whole;
    OPEVO_TRY(own(self, tensor, work.bounds));
    work.target = self->targets[tensor->number];
    work.product = opevo_i_reference_program_is_product(&program, self->exact);
    work.elements = opevo_tensor_elements(tensor);
    for (int a = definition->spatial; a < definition->axes; a++)
        work.terms *= definition->axis[a].extent;
    work.alike = self->alike ? self->alike[tensor->number] : INFINITY;
    OPEVO_TRY(run_job(self, &work, &program));
    for (int p = 0; p < tensor->producers; p++) {
        if (--self->readers[tensor->producer[p]->number] == 0)
            release(self, tensor->producer[p]->number);
    }
cleanup:
    opevo_i_reference_program_free(&program);
    return status;
}

/* ---- The graph ---- */

/* Inputs of other types as float, or as double where that does not hold them. */
static opevo_status convert_input(graph *self, const opevo_tensor *tensor, const void *data)
{
    opevo_i_reference_source *source = &self->sources[tensor->number];
    size_t elements = (size_t)opevo_tensor_elements(tensor);
    bool wide = tensor->element == OPEVO_INT32;
    void *to = NULL;
    opevo_status status = OPEVO_OK;

    if (self->wide && self->wide[tensor->number]) {
        source->value = data;
        return OPEVO_OK;
    }
    self->exact[tensor->number] = !wide;
    if (tensor->element == OPEVO_FLOAT32) {
        source->single = data;
        return OPEVO_OK;
    }
    OPEVO_TRY(own_memory(self, tensor, 0, wide ? sizeof(double) : sizeof(float)));
    to = self->owned[2 * tensor->number];
    *source = (opevo_i_reference_source){
        .single = wide ? NULL : to, .value = wide ? to : NULL, .wide = wide};
    for (size_t i = 0; i < elements; i++) {
        double value = opevo_element_get(tensor->element, data, i);

        if (wide)
            ((double *)to)[i] = value;
        else
            ((float *)to)[i] = (float)value;
    }
cleanup:
    return status;
}

/* `given` has an array for each tensor by its number, or NULL for one that nobody asks for. */
static opevo_status set_operands(graph *self, void *const *given, double *const *bounds)
{
    size_t output = 0;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < self->computation->tensors; i++) {
        const opevo_tensor *tensor = self->computation->tensor[i];
        target *to = &self->targets[i];

        self->readers[i] = tensor->readers;
        if (!tensor->definition)
            OPEVO_TRY(convert_input(self, tensor, given[i]));
        else if (self->wide && self->wide[i])
            to->wide = given[i];
        else if (tensor->element == OPEVO_FLOAT32)
            to->single = given[i];
        else
            to->stored = given[i];
        if (tensor->role == OPEVO_ROLE_OUTPUT)
            to->bound = bounds ? bounds[output++] : NULL;
    }
cleanup:
    return status;
}

static opevo_status evaluate(const opevo_computation *computation, void *const *given,
                             const bool *wide, double *const *bounds, bool likely, unsigned threads,
                             opevo_error *err)
{
    size_t count = (size_t)computation->tensors;
    graph self = {.computation = computation,
                  .sources = opevo_calloc(count, sizeof *self.sources),
                  .targets = opevo_calloc(count, sizeof *self.targets),
                  .owned = opevo_calloc(2 * count, sizeof *self.owned),
                  .exact = opevo_calloc(count, sizeof *self.exact),
                  .readers = opevo_calloc(count, sizeof *self.readers),
                  .wide = wide,
                  .bounds = bounds != NULL,
                  .threads = threads ? threads : opevo_processor_count(),
                  .err = err};
    opevo_status status = OPEVO_OK;

    if (!self.sources || !self.targets || !self.owned || !self.exact || !self.readers)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to evaluate a computation.");
    if (status == OPEVO_OK && likely)
        status = opevo_i_reference_find_alike(computation, &self.alike, err);
    if (status == OPEVO_OK)
        status = set_operands(&self, given, bounds);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (computation->tensor[i]->definition)
            status = compute(&self, computation->tensor[i]);
    }
    for (int i = 0; self.owned && i < computation->tensors; i++)
        release(&self, i);
    opevo_free(self.sources);
    opevo_free(self.targets);
    opevo_free(self.owned);
    opevo_free(self.exact);
    opevo_free(self.alike);
    opevo_free(self.readers);
    return status;
}

/* Inputs and outputs in the order of the tensors. */
static opevo_status evaluate_operands(const opevo_computation *computation,
                                      const void *const *inputs, void *const *outputs,
                                      double *const *bounds, bool likely, unsigned threads,
                                      opevo_error *err)
{
    void **given = opevo_calloc((size_t)computation->tensors, sizeof *given);
    size_t input = 0, output = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(given, "evaluating a computation");
    for (int i = 0; i < computation->tensors; i++) {
        if (!computation->tensor[i]->definition)
            given[i] = (void *)inputs[input++];
        else if (computation->tensor[i]->role == OPEVO_ROLE_OUTPUT)
            given[i] = outputs[output++];
    }
    status = evaluate(computation, given, NULL, bounds, likely, threads, err);
    opevo_free(given);
    return status;
}

opevo_status opevo_computation_compute(const opevo_computation *computation,
                                       const void *const *inputs, void *const *outputs,
                                       double *const *bounds, unsigned threads, opevo_error *err)
{
    return evaluate_operands(computation, inputs, outputs, bounds, false, threads, err);
}

opevo_status opevo_computation_expect(const opevo_computation *computation,
                                      const void *const *inputs, void *const *outputs,
                                      double *const *bounds, unsigned threads, opevo_error *err)
{
    return evaluate_operands(computation, inputs, outputs, bounds, true, threads, err);
}

opevo_status opevo_computation_compute_wide(const opevo_computation *computation,
                                            void *const *arrays, const bool *wide, unsigned threads,
                                            opevo_error *err)
{
    return evaluate(computation, arrays, wide, NULL, false, threads, err);
}
