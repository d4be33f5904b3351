/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Domains: a finite space as one, whose variation is the child step, and the texts of candidates by
 * their hash. */

#include "check_memory.h"
#include "formula.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include <opevo/child_sampler.h>
#include <opevo/domain.h>
#include <opevo/parallel.h>
#include <opevo/random.h>

#include "branched_spaces.h"

static const char constrained[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"o\": {\"_type\": \"permutation\","
    " \"_value\": [3]}, \"t\": {\"_type\": \"choice\", \"_value\": [\"row\", \"col\"]},"
    " \"_constraints\": [\"K[0] * K[1] <= 16\"]}";

static const char *const spaces[] = {constrained, "{" TWO_LEVELS TWO_LEVELS_CONSTRAINT "}"};

static void check_print_and_parse(const char *json)
{
    opevo_space *space = formula_space(json);
    opevo_index size = opevo_space_size(space);
    opevo_domain *domain = NULL;
    opevo_text text = {0};

    CHECK_OK(opevo_domain_of_space(space, &domain, &err));
    assert_true(domain->space == space && domain->signature == opevo_space_signature(space));
    for (opevo_index point = 0; point < size; point++) {
        opevo_index read = size;

        opevo_text_clear(&text);
        assert_true(opevo_domain_print(domain, point, &text));
        if (opevo_space_allows(space, point)) {
            CHECK_OK(opevo_domain_parse(domain, opevo_text_string(&text), &read, &err));
            assert_true(read == point);
        } else {
            CHECK_FAILS(OPEVO_INVALID, "violates a constraint",
                        opevo_domain_parse(domain, opevo_text_string(&text), &read, &err));
            assert_true(read == size);
        }
    }
    opevo_text_clear(&text);
    assert_false(opevo_domain_print(domain, size, &text));
    assert_int_equal(text.length, 0);
    opevo_text_free(&text);
    opevo_domain_destroy(domain);
    opevo_domain_destroy(NULL);
    opevo_space_destroy(space);
}

CHECK_TEST(test_print_and_parse)
{
    check_print_and_parse(spaces[0]);
    check_print_and_parse(spaces[1]);
}

/* 200 draws for each allowed point: a sampler that gives one point 1.3 times its share is
 * rejected. */
static void check_sample(const char *json)
{
    opevo_space *space = formula_space(json);
    size_t size = (size_t)opevo_space_size(space);
    uint64_t *times = calloc(size, sizeof *times);
    opevo_domain *domain = NULL;
    double statistic = 0;
    size_t allowed = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    CHECK_OK(opevo_domain_of_space(space, &domain, &err));
    for (size_t point = 0; point < size; point++)
        allowed += opevo_space_allows(space, point);
    for (size_t i = 0; i < 200 * allowed; i++) {
        opevo_index point = 0;

        CHECK_OK(opevo_domain_sample(domain, &rng, &point, &err));
        times[point]++;
    }
    for (size_t point = 0; point < size; point++) {
        if (opevo_space_allows(space, point))
            statistic += pow((double)times[point] - 200, 2) / 200;
        else
            assert_int_equal(times[point], 0);
    }
    assert_true(gsl_cdf_chisq_Q(statistic, (double)allowed - 1) > 1e-4);
    free(times);
    opevo_domain_destroy(domain);
    opevo_space_destroy(space);
}

CHECK_TEST(test_sample_is_uniform)
{
    check_sample(spaces[0]);
    check_sample(spaces[1]);
}

/* The same stream gives the same child as the child step, whose law is verified elsewhere. */
static void check_child(opevo_child_sampler *sampler, const opevo_space *space,
                        const opevo_index *parents, size_t count, opevo_rng rng, opevo_index child)
{
    static const double weights[] = {1, 1};
    opevo_index vertices[3][16];
    const opevo_index *rows[] = {vertices[0], vertices[1]};
    opevo_index_set *none = opevo_index_set_create();
    opevo_index right = 0;

    for (size_t i = 0; i < count; i++)
        opevo_space_decode(space, parents[i], vertices[i]);
    CHECK_OK(opevo_child_sampler_set_parents(sampler, rows, weights, count, &err));
    assert_true(opevo_child_sampler_draw(sampler, none, &rng, vertices[2], &right));
    assert_true(right == child);
    opevo_index_set_destroy(none);
}

static void check_variation(const char *json)
{
    static const double levels[] = {0.5, 0, 0.9, 0.5};
    opevo_space *space = formula_space(json);
    opevo_child_sampler *recombine = NULL;
    opevo_domain *domain = NULL;
    opevo_index child = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    CHECK_OK(opevo_domain_of_space(space, &domain, &err));
    CHECK_OK(opevo_child_sampler_create(space, 0, OPEVO_DUPLICATE_REDRAW, &recombine, &err));
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        opevo_child_sampler *walk = NULL;

        CHECK_OK(opevo_child_sampler_create(space, levels[l], OPEVO_DUPLICATE_REDRAW, &walk, &err));
        for (int i = 0; i < 200; i++) {
            opevo_index parents[2];
            opevo_rng before;

            CHECK_OK(opevo_domain_sample(domain, &rng, &parents[0], &err));
            CHECK_OK(opevo_domain_sample(domain, &rng, &parents[1], &err));
            before = rng;
            CHECK_OK(opevo_domain_mutate(domain, parents[0], levels[l], &rng, &child, &err));
            assert_true(opevo_space_allows(space, child));
            check_child(walk, space, parents, 1, before, child);
            before = rng;
            CHECK_OK(opevo_domain_cross(domain, parents[0], parents[1], &rng, &child, &err));
            assert_true(opevo_space_allows(space, child));
            check_child(recombine, space, parents, 2, before, child);
        }
        opevo_child_sampler_destroy(walk);
    }
    CHECK_FAILS(OPEVO_INVALID, "below 1", opevo_domain_mutate(domain, 0, 1, &rng, &child, &err));
    CHECK_FAILS(OPEVO_INVALID, "below 1", opevo_domain_mutate(domain, 0, NAN, &rng, &child, &err));
    opevo_child_sampler_destroy(recombine);
    opevo_domain_destroy(domain);
    opevo_space_destroy(space);
}

CHECK_TEST(test_variation_is_the_child_step)
{
    check_variation(spaces[0]);
    check_variation(spaces[1]);
}

/* What is not active counts as 0. */
CHECK_TEST(test_features_of_branches)
{
    opevo_space *space = formula_space("{" FLAT_CHOICE "}");
    const float right[7] = {4, 0, 3, 1, 4, 0, 1};
    float features[7] = {0};
    opevo_domain *domain = NULL;
    opevo_index point = 0;

    CHECK_OK(opevo_domain_of_space(space, &domain, &err));
    assert_int_equal(domain->feature_count, 7);
    CHECK_OK(opevo_space_read(space, "n=4 op=conv kernel=3 tile=1,4 last=1", &point, &err));
    assert_int_equal(opevo_domain_features(domain, point, features), 1);
    assert_memory_equal(features, right, sizeof right);
    CHECK_OK(opevo_space_read(space, "n=2 op=skip last=0", &point, &err));
    assert_int_equal(opevo_domain_features(domain, point, features), 1);
    for (size_t i = 0; i < 7; i++)
        assert_true(features[i] == (i == 0 ? 2 : 0));
    opevo_domain_destroy(domain);
    opevo_space_destroy(space);
}

CHECK_TEST(test_features)
{
    opevo_space *space = formula_space(constrained);
    opevo_domain *domain = NULL;
    const float right[7] = {2, 4, 8, 2, 0, 1, 0};
    float features[7] = {0};
    opevo_index point = 0;

    CHECK_OK(opevo_domain_of_space(space, &domain, &err));
    assert_true(domain->feature_count == 7 && domain->feature_rows_most == 1);
    CHECK_OK(opevo_space_read(space, "K=2,4,8 o=2,0,1 t=col", &point, &err));
    assert_int_equal(opevo_domain_features(domain, point, features), 1);
    assert_memory_equal(features, right, sizeof right);
    assert_int_equal(opevo_domain_features(domain, opevo_space_size(space), features), 0);
    opevo_domain_destroy(domain);
    opevo_space_destroy(space);
}

static opevo_status use(const opevo_space *space)
{
    opevo_status status = OPEVO_OK;
    opevo_domain *domain = NULL;
    opevo_index child = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    OPEVO_TRY(opevo_domain_of_space(space, &domain, NULL));
    OPEVO_TRY(opevo_domain_mutate(domain, child, 0.5, &rng, &child, NULL));
    OPEVO_TRY(opevo_domain_cross(domain, child, child, &rng, &child, NULL));
    OPEVO_TRY(opevo_domain_mutate(domain, child, 0.25, &rng, &child, NULL));
cleanup:
    opevo_domain_destroy(domain);
    return status;
}

static opevo_status use_texts(void)
{
    opevo_status status = OPEVO_NOMEM;
    opevo_texts *texts = opevo_texts_create();
    opevo_index hash = 0;

    if (texts)
        status = opevo_texts_keep(texts, "one", &hash, NULL);
    if (status == OPEVO_OK)
        status = opevo_texts_keep(texts, "two", &hash, NULL);
    opevo_texts_destroy(texts);
    return status;
}

CHECK_TEST(test_every_allocation_fails)
{
    opevo_space *space = formula_space(constrained);

    for (int texts = 0; texts < 2; texts++) {
        CHECK_MEMORY(texts ? use_texts() : use(space));
    }
    opevo_space_destroy(space);
}

/* ---- Texts ---------------------------------------------------------------------------------- */

enum { TEXTS = 3000 };

static opevo_status keep_all(void *context, size_t index, unsigned worker, opevo_error *err)
{
    opevo_texts *texts = context;
    char text[32];
    opevo_index hash = 0;

    snprintf(text, sizeof text, "candidate %zu", index % TEXTS);
    return opevo_texts_keep(texts, text, &hash, err);
}

CHECK_TEST(test_texts)
{
    opevo_texts *texts = opevo_texts_create();
    opevo_index_set *met = opevo_index_set_create();
    opevo_index hash = 0;

    /* Known values of FNV-1a in 128 bits: of nothing, and of "a". */
    CHECK_OK(opevo_texts_keep(texts, "", &hash, &err));
    assert_true(hash == ((opevo_index)0x6c62272e07bb0142 << 64 | (opevo_index)0x62b821756295c58d));
    CHECK_OK(opevo_texts_keep(texts, "a", &hash, &err));
    assert_true(hash == ((opevo_index)0xd228cb696f1a8caf << 64 | (opevo_index)0x78912b704e4a8964));
    CHECK_OK(opevo_parallel_for(4 * TEXTS, 4, keep_all, texts, &err));
    for (size_t i = 0; i < TEXTS; i++) {
        char text[32];

        snprintf(text, sizeof text, "candidate %zu", i);
        CHECK_OK(opevo_texts_keep(texts, text, &hash, &err));
        assert_string_equal(opevo_texts_get(texts, hash), text);
        opevo_index_set_add(met, hash);
    }
    assert_int_equal(opevo_index_set_count(met), TEXTS);
    assert_null(opevo_texts_get(texts, hash + 1));
    opevo_index_set_destroy(met);
    opevo_texts_destroy(texts);
    opevo_texts_destroy(NULL);
}
