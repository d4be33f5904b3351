/* SPDX-License-Identifier: GPL-3.0-or-later */

/* TreeGRU as it is used: functions of elements near those of the C library, weights that do not
 * depend on threads, batches that do not change scores, what it can learn that a sum over rows
 * cannot, and every allocation failing in turn. */

#include "loop_forest.h"

#include <cblas.h>

#include <math.h>

#include "tree_gru_internal.h"

static const opevo_i_tree_gru_shape small = {
    .hidden = 16, .slots = 0, .batch = 20, .updates = 30, .rate = 1e-2};

static opevo_i_tree_gru *make(const opevo_i_tree_gru_shape *shape, opevo_i_model_loss loss)
{
    opevo_i_tree_gru *self = NULL;
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "test", 0);
    CHECK_OK(opevo_i_tree_gru_create(shape, loss, &rng, &self, &err));
    return self;
}

CHECK_TEST(test_elements)
{
    enum { COUNT = 4001 };
    static float s[COUNT], t[COUNT];

    for (int i = 0; i < COUNT; i++)
        s[i] = t[i] = (float)(i - COUNT / 2) / 20;
    opevo_i_tree_gru_sigmoid(s, COUNT);
    opevo_i_tree_gru_tanh(t, COUNT);
    for (int i = 0; i < COUNT; i++) {
        double x = (double)((float)(i - COUNT / 2) / 20);

        CHECK_CLOSE(s[i], 1 / (1 + exp(-x)), 3e-7);
        CHECK_CLOSE(t[i], tanh(x), 3e-7);
    }
}

/* What to learn from: trees with labels in [0, 1]. */
typedef struct lesson {
    loop_forest forest;
    float *labels;
    opevo_i_model_samples samples;
} lesson;

static lesson lesson_make(uint64_t seed, size_t count, size_t most)
{
    lesson self = {.labels = opevo_calloc(count, sizeof(float))};
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "test", 1);
    self.forest = loop_forest_make(&rng, count, most);
    for (size_t i = 0; i < count; i++)
        self.labels[i] = (float)opevo_rng_unit(&rng);
    self.samples = (opevo_i_model_samples){.count = count,
                                           .features = self.forest.rows,
                                           .rows = self.forest.rows_of,
                                           .labels = self.labels};
    return self;
}

static void lesson_free(lesson *self)
{
    loop_forest_free(&self->forest);
    opevo_free(self->labels);
}

static void train_with(int threads, size_t slots, const lesson *of, float *weights)
{
    opevo_i_tree_gru_shape shape = small;
    opevo_i_tree_gru *network = NULL;

    shape.slots = slots;
    shape.hidden = OPEVO_I_TREE_GRU_HIDDEN;
    shape.batch = OPEVO_I_MODEL_BATCH;
    shape.updates = 3;
    network = make(&shape, OPEVO_I_LOSS_RANK);
    openblas_set_num_threads(threads);
    CHECK_OK(opevo_i_tree_gru_train(network, &of->samples, &err));
    assert_int_equal(openblas_get_num_threads(), threads);
    openblas_set_num_threads(1);
    memcpy(weights, opevo_i_tree_gru_weights(network),
           opevo_i_tree_gru_weight_count(network) * sizeof *weights);
    opevo_i_tree_gru_destroy(network);
}

CHECK_TEST(test_threads)
{
    enum { MOST = 1 << 18 };
    static float one[MOST], four[MOST];
    lesson of = lesson_make(3, 120, 12);

    for (size_t slots = 0; slots <= 4; slots += 4) {
        train_with(1, slots, &of, one);
        train_with(4, slots, &of, four);
        assert_memory_equal(one, four, sizeof one);
    }
    lesson_free(&of);
}

CHECK_TEST(test_batches)
{
    enum { COUNT = 150 };
    lesson of = lesson_make(4, COUNT, 9);
    opevo_i_tree_gru *network = make(&small, OPEVO_I_LOSS_SQUARED);
    float together[COUNT], alone = 0;
    const float *rows = of.forest.rows;

    CHECK_OK(opevo_i_tree_gru_train(network, &of.samples, &err));
    CHECK_OK(opevo_i_tree_gru_predict(network, rows, of.forest.rows_of, COUNT, together, &err));
    for (size_t i = 0; i < COUNT; rows += of.forest.rows_of[i++] * OPEVO_LOOP_COLUMNS) {
        CHECK_OK(opevo_i_tree_gru_predict(network, rows, &of.forest.rows_of[i], 1, &alone, &err));
        CHECK_CLOSE(alone, together[i], 1e-5);
    }
    opevo_i_tree_gru_destroy(network);
    lesson_free(&of);
}

CHECK_TEST(test_failing_allocations)
{
    lesson of = lesson_make(6, 30, 5);
    int64_t live = opevo_memory_live();
    bool failed = true;

    for (int64_t n = 1; failed; n++) {
        opevo_i_tree_gru *network = NULL;
        opevo_status status = OPEVO_OK;
        opevo_rng rng;
        float scores[30];

        opevo_rng_init(&rng, 5, "test", 0);
        opevo_memory_fail_at(n);
        status = opevo_i_tree_gru_create(&small, OPEVO_I_LOSS_RANK, &rng, &network, NULL);
        if (status == OPEVO_OK)
            status = opevo_i_tree_gru_train(network, &of.samples, NULL);
        if (status == OPEVO_OK)
            status = opevo_i_tree_gru_predict(network, of.forest.rows, of.forest.rows_of, 30,
                                              scores, NULL);
        opevo_memory_fail_at(0);
        failed = status != OPEVO_OK;
        if (failed)
            assert_int_equal(status, OPEVO_NOMEM);
        opevo_i_tree_gru_destroy(network);
        assert_int_equal(opevo_memory_live(), live);
    }
    lesson_free(&of);
}
