/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Makers of sketches that are shared: which are one, who frees them, and what is refused. */

#include "computation_texts.h"

#include <opevo/memory.h>
#include <opevo/sketch.h>
#include <opevo/space.h>

static const char product[] = "A[8, 8]; B[8, 8]; C[i:8, j:8] = sum(k:8) A[i, k]*B[k, j]";
static const char renamed[] = "A[8, 8]; B[8, 8]; D[i:8, j:8] = sum(k:8) A[i, k]*B[k, j]";
static const opevo_sketch_target cpu = {.dialect = OPEVO_KERNEL_C, .cores = 2, .threads = 2};

static opevo_kernel_maker *open_it(opevo_sketch_store *store, const char *text,
                                   const opevo_sketch_target *target)
{
    opevo_computation *computation = computation_of(text);
    opevo_kernel_maker *maker = NULL;

    CHECK_OK(opevo_sketch_store_open(store, computation, target, &maker, &err));
    opevo_computation_destroy(computation);
    return maker;
}

/* Equal computations for one target have one maker. Other names are other kernels, whose makers
 * have other signatures. */
CHECK_TEST(test_shared)
{
    const opevo_sketch_target alone = {.dialect = OPEVO_KERNEL_C, .cores = 1, .threads = 1};
    const opevo_sketch_target ansor = {
        .dialect = OPEVO_KERNEL_C, .cores = 2, .threads = 2, .ansor = true};
    const opevo_sketch_target gpu = {.dialect = OPEVO_KERNEL_CUDA, .cores = 2, .threads = 2};
    opevo_sketch_store *store = NULL;
    opevo_kernel_maker *made[7];

    CHECK_OK(opevo_sketch_store_create(&store, &err));
    made[0] = open_it(store, product, &cpu);
    made[1] = open_it(store, renamed, &cpu);
    made[2] = open_it(store, product, &alone);
    made[3] = open_it(store, product, &ansor);
    made[4] = open_it(store, product, &gpu);
    made[5] = open_it(NULL, product, &cpu);
    made[6] = open_it(store, product, &cpu);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(made[i], made[k]);
    }
    assert_ptr_equal(made[6], made[0]);
    assert_true(made[5]->signature == made[0]->signature);
    assert_true(made[1]->signature != made[0]->signature);
    for (int i = 0; i < 7; i++)
        made[i]->ops->destroy(made[i]);
    opevo_sketch_store_destroy(store);
}

/* A maker serves its owners after the store, and the last one frees it. */
CHECK_TEST(test_owners)
{
    int64_t live = opevo_memory_live();
    opevo_sketch_store *store = NULL;
    opevo_kernel_maker *first = NULL, *second = NULL;

    CHECK_OK(opevo_sketch_store_create(&store, &err));
    first = open_it(store, product, &cpu);
    second = open_it(store, product, &cpu);
    opevo_sketch_store_destroy(store);
    first->ops->destroy(first);
    assert_true(opevo_space_size(second->space) > 0);
    second->ops->destroy(second);
    assert_int_equal(opevo_memory_live(), live);
    opevo_sketch_store_destroy(NULL);
}

CHECK_TEST(test_limit)
{
    opevo_text text = {0};
    opevo_computation *computation = NULL;
    opevo_sketch_store *store = NULL;
    opevo_kernel_maker *maker = NULL;

    opevo_text_add(&text, "T0[i:8]");
    for (int i = 1; i < 400; i++)
        opevo_text_printf(&text, "; output T%d[i] = exp(T%d[i])", i, i - 1);
    computation = computation_of(opevo_text_string(&text));
    CHECK_OK(opevo_sketch_store_create(&store, &err));
    for (int i = 0; i < 2; i++) {
        opevo_error failure = {OPEVO_OK, ""};

        assert_int_equal(opevo_sketch_store_open(store, computation, &cpu, &maker, &failure),
                         OPEVO_LIMIT);
        assert_true(*failure.message != '\0' && !maker);
    }
    opevo_sketch_store_destroy(store);
    opevo_computation_destroy(computation);
    opevo_text_free(&text);
}

CHECK_TEST(test_failing_allocations_leave_nothing)
{
    opevo_computation *computation = computation_of("A[4]; C[i:4] = A[i]");
    int64_t live = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;

    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_sketch_store *store = NULL;
        opevo_kernel_maker *maker = NULL;

        opevo_memory_fail_at(n);
        status = opevo_sketch_store_create(&store, NULL);
        if (status == OPEVO_OK)
            status = opevo_sketch_store_open(store, computation, &cpu, &maker, NULL);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        if (maker)
            maker->ops->destroy(maker);
        opevo_sketch_store_destroy(store);
        assert_int_equal(opevo_memory_live(), live);
    }
    opevo_computation_destroy(computation);
}
