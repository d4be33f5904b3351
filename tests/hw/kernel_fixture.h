/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels compiled by the system's compiler, run here, and compared with the plain loops. */

#ifndef OPEVO_TESTS_KERNEL_FIXTURE_H
#define OPEVO_TESTS_KERNEL_FIXTURE_H

#include "check.h"

#include "build_source.h"
#include "points.h"

#include <opevo/computation_named.h>
#include <opevo/emit.h>
#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/reference.h>
#include <opevo/template.h>

#include "operands_internal.h"

typedef void kernel_function(const float *a, const float *b, float *c, float *scratch);

/* Operands of an operator, the right result, and how far a kernel may be from it. */
typedef struct operands {
    opevo_operator op;
    opevo_i_reference_guarded memory[3]; /* of a, b and c */
    float *a, *b, *c, *expected;
    double *magnitude;
} operands;

static inline operands operands_make(const char *form, uint64_t seed)
{
    operands self = {0};
    int64_t count[3];
    opevo_rng rng;

    CHECK_OK(opevo_operator_parse(form, &self.op, &err));
    opevo_rng_init(&rng, seed, "operands", 0);
    for (int i = 0; i < 3; i++) {
        count[i] = opevo_operand_elements(&self.op, i);
        CHECK_OK(opevo_i_reference_guarded_create((size_t)count[i] * sizeof(float), false,
                                                  &self.memory[i], &err));
    }
    self.a = (float *)(void *)self.memory[0].data;
    self.b = (float *)(void *)self.memory[1].data;
    self.c = (float *)(void *)self.memory[2].data;
    self.expected = opevo_malloc((size_t)count[2], sizeof *self.expected);
    self.magnitude = opevo_malloc((size_t)count[2], sizeof *self.magnitude);
    for (int64_t i = 0; i < count[0]; i++)
        self.a[i] = (float)(2 * opevo_rng_unit(&rng) - 1);
    for (int64_t i = 0; i < count[1]; i++)
        self.b[i] = (float)(2 * opevo_rng_unit(&rng) - 1);
    opevo_reference_compute(&self.op, (const float *const[]){self.a, self.b}, &self.expected,
                            &self.magnitude);
    return self;
}

static inline void operands_free(operands *self)
{
    for (int i = 0; i < 3; i++)
        opevo_i_reference_guarded_free(&self->memory[i]);
    opevo_free(self->expected);
    opevo_free(self->magnitude);
}

/* A shared object from a source; NULL when the compiler refuses it or warns. */
static inline void *source_load(const char *source)
{
    /* Rows that are computed only to be dropped are set and not used. */
    const char *const compiler[] = {"cc",
                                    test_optimisation(),
                                    "-march=native",
                                    "-fPIC",
                                    "-shared",
                                    "-Wall",
                                    "-Werror",
                                    "-Wno-unknown-pragmas",
                                    "-Wno-unused-but-set-variable",
                                    NULL};
    void *handle = NULL;

    return source_build(compiler, source, &handle) ? handle : NULL;
}

/* B as the kernel reads it. */
static inline const float *kernel_pack(const operands *self, const opevo_kernel *kernel,
                                       void *handle, opevo_i_reference_guarded *out)
{
    void (*pack)(const float *from, float *to) = NULL;
    char name[OPEVO_KERNEL_NAME];

    opevo_kernel_pack_name(kernel, 1, name);
    *(void **)&pack = dlsym(handle, name);
    assert_non_null(pack);
    CHECK_OK(opevo_i_reference_guarded_create((size_t)kernel->packed[1] * sizeof(float), false, out,
                                              &err));
    pack(self->b, opevo_i_reference_floats(out));
    return opevo_i_reference_floats(out);
}

/* Run a kernel that was built, on a poisoned result and in scratch memory for so many threads,
 * twice, since something is left there from the first time; fails with the first element that is
 * too far off. */
static inline void kernel_check_built(operands *self, const opevo_kernel *kernel, void *handle,
                                      uint64_t threads, const char *what)
{
    kernel_function *function = NULL;
    int64_t count = opevo_operand_elements(&self->op, 2);
    opevo_i_reference_guarded scratch;
    opevo_i_reference_guarded packed = {0};
    const float *b = self->b;

    *(void **)&function = dlsym(handle, kernel->entry);
    assert_non_null(function);
    CHECK_OK(opevo_i_reference_guarded_create((size_t)opevo_kernel_scratch_bytes(kernel, threads),
                                              false, &scratch, &err));
    memset(scratch.data, 0xff, scratch.bytes); /* NaN */
    if (kernel->packed[1])
        b = kernel_pack(self, kernel, handle, &packed);
    for (int run = 0; run < 2; run++) {
        memset(self->c, 0xff, (size_t)count * sizeof *self->c);
        function(self->a, b, self->c, opevo_i_reference_floats(&scratch));
        for (int64_t i = 0; i < count; i++) {
            double bound = opevo_reference_bound(&self->op, 0, self->magnitude[i]);

            if (!(fabs((double)self->c[i] - (double)self->expected[i]) <= bound))
                fail_msg("%s: element %lld is %.9g, expected %.9g within %g\n%s", what,
                         (long long)i, (double)self->c[i], (double)self->expected[i], bound,
                         opevo_text_string(&kernel->source));
        }
    }
    for (int i = 0; i < 3; i++)
        assert_true(opevo_i_reference_guarded_intact(&self->memory[i]));
    assert_true(opevo_i_reference_guarded_intact(&scratch) &&
                (!packed.map || opevo_i_reference_guarded_intact(&packed)));
    opevo_i_reference_guarded_free(&packed);
    opevo_i_reference_guarded_free(&scratch);
}

/* Build and run it. */
static inline void kernel_check(operands *self, const opevo_kernel *kernel, const char *what)
{
    void *handle = source_load(opevo_text_string(&kernel->source));

    if (!handle) {
        fail_msg("%s does not compile:\n%s", what, opevo_text_string(&kernel->source));
        return;
    }
    kernel_check_built(self, kernel, handle, 1, what);
    dlclose(handle);
}

/* How many points a test draws of `all`, or what OPEVO_TEST_POINTS says. */
static inline int point_count(int all)
{
    return (int)test_points((size_t)all);
}

/* Random points of a template: each that it accepts must compute the right result. Draws until
 * `wanted` were accepted, or 40 times as many. Returns how many were. */
static inline int template_check(const char *form, const char *name, opevo_kernel_dialect dialect,
                                 int wanted, uint64_t seed)
{
    operands self = operands_make(form, seed);
    opevo_kernel_maker *maker = NULL;
    opevo_rng rng;
    int accepted = 0;

    CHECK_OK(opevo_template_open(&self.op, name, dialect, &maker, &err));
    opevo_rng_init(&rng, seed, "points", 0);
    for (int i = 0; i < 40 * wanted && accepted < wanted; i++) {
        opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(maker->space));
        opevo_kernel kernel = {0};
        opevo_outcome_class refused = OPEVO_OUTCOME_OK;
        opevo_text why = {0};
        opevo_text what = {0};

        CHECK_OK(maker->ops->make(maker, point, &kernel, &refused, &why, &err));
        opevo_text_printf(&what, "%s %s ", form, name);
        opevo_space_print(maker->space, point, &what);
        if (refused == OPEVO_OUTCOME_OK) {
            kernel_check(&self, &kernel, opevo_text_string(&what));
            accepted++;
        } else {
            assert_int_equal(refused, OPEVO_OUTCOME_REJECTED);
            assert_true(why.length > 0);
        }
        opevo_text_free(&why);
        opevo_text_free(&what);
        opevo_kernel_free(&kernel);
    }
    maker->ops->destroy(maker);
    operands_free(&self);
    return accepted;
}

/* A pipeline of an operator, with its computation. */
typedef struct steps {
    opevo_computation *computation;
    opevo_pipeline *pipeline;
} steps;

static inline steps steps_of(const opevo_operator *op, const char *text)
{
    steps self = {NULL, NULL};

    CHECK_OK(opevo_computation_of_operator(op, &self.computation, &err));
    CHECK_OK(opevo_pipeline_parse(self.computation, text, "test", &self.pipeline, &err));
    return self;
}

static inline void steps_free(steps *self)
{
    opevo_pipeline_destroy(self->pipeline);
    opevo_computation_destroy(self->computation);
}

#endif
