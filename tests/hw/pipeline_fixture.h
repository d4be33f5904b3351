/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of pipelines, compiled by the system's compiler, run here, and compared with what the
 * interpreter makes of the definitions. */

#ifndef OPEVO_TESTS_PIPELINE_FIXTURE_H
#define OPEVO_TESTS_PIPELINE_FIXTURE_H

#include "check.h"
#include "draw.h"

#include "build_source.h"
#include "kernel_batch.h"
#include "points.h"

#include <opevo/computation_named.h>
#include <opevo/computation_reference.h>
#include <opevo/emit.h>
#include <opevo/memory.h>

#include "operands_internal.h"

#include <unistd.h>

/* How many samples a test draws of `all`, or what OPEVO_TEST_POINTS says. */
static inline int draw_count(int all)
{
    return (int)test_most_points((size_t)all);
}

enum { PIPELINE_OPERANDS = 8 };

/* Operands of a computation, the right results, and how far a kernel may be from them. */
typedef struct pipeline_case {
    opevo_computation *computation;
    int inputs, operands;
    size_t count[PIPELINE_OPERANDS];
    opevo_element element[PIPELINE_OPERANDS];
    opevo_i_reference_guarded memory[PIPELINE_OPERANDS];
    void *expected[PIPELINE_OPERANDS]; /* an array of the type */
    double *bound[PIPELINE_OPERANDS];
    bool has_nan; /* results are NaN exactly where they should be */
} pipeline_case;

/* A number of 20 bits as a value of a type. */
static inline double value_of_type(opevo_element element, uint64_t bits)
{
    return element == OPEVO_INT8    ? (double)(bits % 256) - 128
           : element == OPEVO_INT32 ? (double)bits - 0x1p19
                                    : (double)bits * 0x1p-19 - 1;
}

static inline void add_operand(pipeline_case *self, const opevo_tensor *tensor, uint64_t *state)
{
    int i = self->operands++;
    size_t bytes = (size_t)opevo_element_bytes(tensor->element);

    assert_true(i < PIPELINE_OPERANDS);
    self->count[i] = (size_t)opevo_tensor_elements(tensor);
    self->element[i] = tensor->element;
    CHECK_OK(
        opevo_i_reference_guarded_create(self->count[i] * bytes, false, &self->memory[i], &err));
    if (tensor->definition) {
        self->expected[i] = opevo_calloc(self->count[i], bytes);
        self->bound[i] = opevo_calloc(self->count[i], sizeof(double));
        return;
    }
    self->inputs++;
    for (size_t e = 0; e < self->count[i]; e++)
        opevo_element_put(tensor->element, self->memory[i].data, e,
                          value_of_type(tensor->element, draw(state, 1 << 20)));
}

static inline pipeline_case case_make(const char *text, uint64_t seed)
{
    pipeline_case self = {0};
    const void *inputs[PIPELINE_OPERANDS];

    CHECK_OK(opevo_computation_read(text, &self.computation, &err));
    for (int output = 0; output < 2; output++) {
        for (int t = 0; t < self.computation->tensors; t++) {
            const opevo_tensor *tensor = self.computation->tensor[t];

            if (tensor->role != OPEVO_ROLE_INTERMEDIATE &&
                (tensor->role == OPEVO_ROLE_OUTPUT) == (output == 1))
                add_operand(&self, tensor, &seed);
        }
    }
    for (int i = 0; i < self.inputs; i++)
        inputs[i] = self.memory[i].data;
    CHECK_OK(opevo_computation_compute(self.computation, inputs, &self.expected[self.inputs],
                                       &self.bound[self.inputs], 1, &err));
    return self;
}

static inline void case_release(pipeline_case *self)
{
    for (int i = 0; i < self->operands; i++) {
        opevo_i_reference_guarded_free(&self->memory[i]);
        opevo_free(self->expected[i]);
        opevo_free(self->bound[i]);
    }
    opevo_computation_destroy(self->computation);
}

/* A kernel does not see the arguments behind its own. */
static inline void call_kernel(void *function, float *const a[PIPELINE_OPERANDS + 1])
{
    union {
        void *object;
        void (*call)(float *, float *, float *, float *, float *, float *, float *, float *,
                     float *);
    } kernel = {.object = function};

    kernel.call(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
}

static inline double case_value(const pipeline_case *self, int operand, const void *array, size_t e)
{
    return opevo_element_get(self->element[operand], array, e);
}

/* The first element that is wrong, or -1; `operand` is an output. */
static inline int64_t find_wrong(const pipeline_case *self, int operand)
{
    for (size_t e = 0; e < self->count[operand]; e++) {
        double wanted = case_value(self, operand, self->expected[operand], e);
        double is = case_value(self, operand, self->memory[operand].data, e);
        double bound = self->bound[operand][e];

        if (self->has_nan && isnan(is) != isnan(wanted))
            return (int64_t)e;
        if (isfinite(bound) && is != wanted && !(fabs(is - wanted) <= bound))
            return (int64_t)e;
    }
    return -1;
}

/* The threads of an emulated kernel run from the last to the first. */
static inline void set_reversed(const opevo_kernel *kernel, void *handle, bool reversed)
{
    char name[OPEVO_KERNEL_NAME + 16];
    int *flag = NULL;

    snprintf(name, sizeof name, "%s_reversed", kernel->entry);
    *(void **)&flag = dlsym(handle, name);
    if (flag)
        *flag = reversed;
}

/* A constant in the layout that a kernel reads it in. */
static inline float *case_pack(const pipeline_case *self, const opevo_kernel *kernel, void *handle,
                               int operand, opevo_i_reference_guarded *out)
{
    size_t bytes = (size_t)opevo_element_bytes(self->element[operand]);
    void (*pack)(const float *, float *) = NULL;
    char name[OPEVO_KERNEL_NAME];

    opevo_kernel_pack_name(kernel, operand, name);
    *(void **)&pack = dlsym(handle, name);
    assert_non_null(pack);
    CHECK_OK(opevo_i_reference_guarded_create((size_t)kernel->packed[operand] * bytes, false, out,
                                              &err));
    pack(opevo_i_reference_floats(&self->memory[operand]), opevo_i_reference_floats(out));
    return opevo_i_reference_floats(out);
}

/* A copy of memory right behind a page that nobody may touch. */
static inline void copy_to_front(const opevo_i_reference_guarded *memory,
                                 opevo_i_reference_guarded *out)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    CHECK_OK(opevo_i_reference_guarded_create((memory->bytes + page - 1) / page * page, false, out,
                                              &err));
    memcpy(out->data, memory->data, memory->bytes);
}

/* Run a kernel on poisoned results, twice, since scratch memory is left over from the first time.
 * Then emulated threads run in the other order, with nothing left over, on inputs ahead of which no
 * element can be read. The second time the poison is another, so that no whole number that was not
 * written is right every time. */
static inline void case_run_on(pipeline_case *self, const opevo_kernel *kernel, void *handle,
                               unsigned threads, const char *what)
{
    float *operands[PIPELINE_OPERANDS + 1] = {NULL}; /* the last is scratch memory */
    opevo_i_reference_guarded scratch;
    void *function = dlsym(handle, kernel->entry);

    assert_non_null(function);
    opevo_i_reference_guarded packed[PIPELINE_OPERANDS] = {{0}};
    opevo_i_reference_guarded front[PIPELINE_OPERANDS] = {{0}};

    for (int i = 0; i < self->operands; i++)
        operands[i] = opevo_i_reference_floats(&self->memory[i]);
    for (int i = 0; i < self->inputs && i < OPEVO_OPERANDS; i++) {
        if (kernel->packed[i])
            operands[i] = case_pack(self, kernel, handle, i, &packed[i]);
    }
    for (int i = 0; i < self->inputs; i++)
        copy_to_front(packed[i].map ? &packed[i] : &self->memory[i], &front[i]);
    CHECK_OK(opevo_i_reference_guarded_create((size_t)opevo_kernel_scratch_bytes(kernel, threads),
                                              false, &scratch, &err));
    operands[self->operands] = opevo_i_reference_floats(&scratch);
    for (int run = 0; run < 3; run++) {
        if (run != 1)
            memset(scratch.data, 0xff, scratch.bytes);
        for (int i = self->inputs; i < self->operands; i++)
            memset(self->memory[i].data, run == 1 ? 0x5a : 0xff, self->memory[i].bytes); /* NaN */
        for (int i = 0; run == 2 && i < self->inputs; i++)
            operands[i] = opevo_i_reference_floats(&front[i]);
        set_reversed(kernel, handle, run == 2);
        call_kernel(function, operands);
        for (int i = self->inputs; i < self->operands; i++) {
            int64_t e = find_wrong(self, i);

            if (e >= 0)
                fail_msg("On %u threads, element %lld of output %d is %.9g, expected %.9g within "
                         "%g:\n%s\n%s",
                         threads, (long long)e, i,
                         case_value(self, i, self->memory[i].data, (size_t)e),
                         case_value(self, i, self->expected[i], (size_t)e), self->bound[i][e], what,
                         opevo_text_string(&kernel->source));
        }
    }
    for (int i = 0; i < self->operands; i++)
        assert_true(opevo_i_reference_guarded_intact(&self->memory[i]));
    assert_true(opevo_i_reference_guarded_intact(&scratch));
    opevo_i_reference_guarded_free(&scratch);
    for (int i = 0; i < self->inputs; i++) {
        opevo_i_reference_guarded_free(&packed[i]);
        opevo_i_reference_guarded_free(&front[i]);
    }
}

/* A kernel with parallel loops is run on one, two and three threads where the compiler has
 * OpenMP. */
static inline void case_run_built(pipeline_case *self, const opevo_kernel *kernel, void *handle,
                                  const char *what)
{
    void (*set_threads)(int) = NULL;

    *(void **)&set_threads = dlsym(handle, "omp_set_num_threads");
    for (unsigned threads = 1; threads <= (kernel->parallel && set_threads ? 3 : 1); threads++) {
        if (set_threads)
            set_threads((int)threads);
        case_run_on(self, kernel, handle, threads, what);
    }
}

/* ---- Kernels that are built together ---- */

enum { BATCH_MOST = 24 };

typedef struct batched_kernel {
    pipeline_case operands;
    opevo_kernel kernel;
    opevo_text what;
} batched_kernel;

/* Kernels that are still to be built and run, and cases that are released after that. */
typedef struct kernel_batch {
    batched_kernel item[BATCH_MOST];
    pipeline_case done[BATCH_MOST];
    int items, cases;
} kernel_batch;

static kernel_batch batch;

/* Kernels that end where their arithmetic is undefined take longer to build. */
#ifdef BATCH_CHECKS
#define BATCH_CODE "-O1", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"
enum { BATCH_OPENMP = 15 };
#else
#define BATCH_CODE test_optimisation()
enum { BATCH_OPENMP = 13 };
#endif

/* -Wno-maybe-uninitialized: a value in registers is set under one condition and read under another
 * that implies it, which compilers do not always see. */
static inline bool batch_compile(const char *source, bool parallel, void **handle)
{
    const char *compiler[] = {"cc",
                              BATCH_CODE,
                              "-march=native",
                              "-fno-math-errno",
                              "-fPIC",
                              "-shared",
                              "-Wall",
                              "-Werror",
                              "-Wno-unused-but-set-variable",
                              "-Wno-maybe-uninitialized",
                              "-Wno-array-bounds",
                              "-Wno-unknown-pragmas",
                              "-fno-builtin-memset",
                              parallel ? "-fopenmp" : NULL,
                              NULL};

    if (source_build(compiler, source, handle))
        return true;
    compiler[BATCH_OPENMP] = NULL;
    return parallel && source_build(compiler, source, handle);
}

/* Name the kernel that does not compile. */
static inline void batch_blame(const kernel_batch *self, bool parallel)
{
    char together[sizeof program_output];

    memcpy(together, program_output, sizeof together);
    for (int i = 0; i < self->items; i++) {
        const batched_kernel *one = &self->item[i];
        void *handle = NULL;

        if (one->kernel.parallel != parallel)
            continue;
        if (!batch_compile(opevo_text_string(&one->kernel.source), parallel, &handle))
            fail_msg("A kernel does not compile:\n%s\n%s\n%s", program_output,
                     opevo_text_string(&one->what), opevo_text_string(&one->kernel.source));
        dlclose(handle);
    }
    fail_msg("Kernels compile alone, but not together:\n%s", together);
}

static inline void batch_run_kind(kernel_batch *self, bool parallel)
{
    opevo_text all = {0};
    void *handle = NULL;
    int count = 0;

    for (int i = 0; i < self->items; i++) {
        if (self->item[i].kernel.parallel == parallel)
            batch_add(&all, &self->item[i].kernel, count++);
    }
    if (count && !batch_compile(opevo_text_string(&all), parallel, &handle))
        batch_blame(self, parallel);
    for (int i = 0; i < self->items; i++) {
        batched_kernel *one = &self->item[i];

        if (one->kernel.parallel == parallel)
            case_run_built(&one->operands, &one->kernel, handle, opevo_text_string(&one->what));
    }
    if (handle && !parallel) /* OpenMP's threads outlive the kernels; their code stays, too */
        dlclose(handle);
    opevo_text_free(&all);
}

/* Build and run all kernels that wait; every test that gives some to case_run ends with it. */
static inline void batch_run(void)
{
    static kernel_batch self;

    self = batch;
    batch = (kernel_batch){.items = 0}; /* a failure leaves nothing to the next test */
    batch_run_kind(&self, false);
    batch_run_kind(&self, true);
    for (int i = 0; i < self.items; i++) {
        opevo_kernel_free(&self.item[i].kernel);
        opevo_text_free(&self.item[i].what);
    }
    for (int i = 0; i < self.cases; i++)
        case_release(&self.done[i]);
}

/* No kernel is forgotten. */
__attribute__((destructor)) static void batch_end(void)
{
    if (batch.items > 0) {
        fprintf(stderr, "%d kernels were not run; the first is of %s\n", batch.items,
                opevo_text_string(&batch.item[0].what));
        _exit(1);
    }
}

/* Release a case, after its kernels have run. */
static inline void case_free(pipeline_case *self)
{
    if (batch.cases == BATCH_MOST)
        batch_run();
    if (batch.items == 0)
        case_release(self);
    else
        batch.done[batch.cases++] = *self;
}

/* Take a kernel, build it with others and run it on the operands, at batch_run at the latest. */
static inline void case_run(const pipeline_case *self, opevo_kernel *kernel, const char *what)
{
    batched_kernel *one = NULL;

    if (batch.items == BATCH_MOST)
        batch_run();
    one = &batch.item[batch.items++];
    *one = (batched_kernel){.operands = *self, .kernel = *kernel};
    opevo_text_add(&one->what, what);
    *kernel = (opevo_kernel){0};
}

/* Lower and print a pipeline and give it to case_run; false, with the reason in `why`, where it
 * cannot be lowered. */
static inline bool case_check(const pipeline_case *self, const opevo_pipeline *pipeline,
                              opevo_kernel_dialect dialect, opevo_text *why)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_kernel kernel = {0};
    opevo_text what = {0};
    bool fits = false;

    CHECK_OK(opevo_pipeline_emit(pipeline, dialect, &limits, &kernel, &fits, why, &err));
    if (fits) {
        opevo_computation_print(self->computation, "\n", &what);
        opevo_text_add(&what, "\n");
        opevo_pipeline_print(pipeline, &what);
        case_run(self, &kernel, opevo_text_string(&what));
    }
    opevo_text_free(&what);
    opevo_kernel_free(&kernel);
    return fits;
}

/* The kernel of steps. */
static inline opevo_kernel emit_kernel_in(opevo_kernel_dialect dialect, const char *what,
                                          const char *steps)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    bool fits = false;

    CHECK_OK(opevo_computation_read(what, &computation, &err));
    CHECK_OK(opevo_pipeline_parse(computation, steps, "steps", &pipeline, &err));
    CHECK_OK(opevo_pipeline_emit(pipeline, dialect, &limits, &kernel, &fits, &why, &err));
    assert_true(fits);
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
    opevo_text_free(&why);
    return kernel;
}

static inline opevo_kernel emit_kernel(const char *what, const char *steps)
{
    return emit_kernel_in(OPEVO_KERNEL_C, what, steps);
}

#endif
