/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The file of a cost model: written and read it is the same, the same model gives the same bytes,
 * and every spoilt copy is refused with its path and what to do. */

#include "check.h"

#include "../scratch_folder.h"

#include <opevo/cost_model.h>
#include <opevo/file.h>
#include <opevo/loop_tree.h>
#include <opevo/memory.h>
#include <opevo/sha256.h>
#include <opevo/text.h>

#include <math.h>

enum { WEIGHTS = 5 };

static const float weights[WEIGHTS] = {0, -1.5F, 0x1p-140F, 3.4e38F, 0.1F};

static opevo_cost_model model_of(float *own)
{
    memcpy(own, weights, sizeof weights);
    return (opevo_cost_model){.kind = "treegru-context",
                              .loss = "rank",
                              .hidden = 7,
                              .slots = 3,
                              .trees = UINT64_C(1) << 40,
                              .weights = own,
                              .weight_count = WEIGHTS};
}

static void read_bytes(const char *path, char **bytes, size_t *size)
{
    CHECK_OK(opevo_file_read(path, 1 << 20, bytes, size, &err));
}

CHECK_TEST(test_written_and_read)
{
    float own[WEIGHTS];
    opevo_cost_model model = model_of(own), *back = NULL;
    scratch_folder scratch = scratch_make();
    char *first = NULL, *again = NULL;
    size_t size = 0, size_again = 0;

    CHECK_OK(opevo_cost_model_write(&model, scratch.file, &err));
    read_bytes(scratch.file, &first, &size);
    CHECK_OK(opevo_cost_model_read(scratch.file, &back, &err));
    assert_string_equal(back->kind, model.kind);
    assert_string_equal(back->loss, model.loss);
    assert_int_equal(back->hidden, model.hidden);
    assert_int_equal(back->slots, model.slots);
    assert_true(back->trees == model.trees);
    assert_int_equal(back->weight_count, WEIGHTS);
    assert_memory_equal(back->weights, weights, sizeof weights);
    assert_true(opevo_cost_model_hash(back) == opevo_cost_model_hash(&model));
    CHECK_OK(opevo_cost_model_write(back, scratch.file, &err));
    read_bytes(scratch.file, &again, &size_again);
    assert_int_equal(size, size_again);
    assert_memory_equal(first, again, size);
    back->weights[1] = -1.25F;
    assert_true(opevo_cost_model_hash(back) != opevo_cost_model_hash(&model));
    opevo_cost_model_destroy(back);
    opevo_free(first);
    opevo_free(again);
    scratch_remove(&scratch);
}

/* Straight, without the disk's leave: there are many. */
static void put(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void check_refused(const char *path, const char *bytes, size_t size, opevo_status wanted,
                          const char *said)
{
    opevo_cost_model *model = NULL;

    put(path, bytes, size);
    CHECK_FAILS(wanted, said, opevo_cost_model_read(path, &model, &err));
    assert_null(model);
}

/* Every cut, and every byte changed: none is read as another model. */
CHECK_TEST(test_spoilt)
{
    float own[WEIGHTS];
    opevo_cost_model model = model_of(own);
    scratch_folder scratch = scratch_make();
    char *bytes = NULL;
    size_t size = 0;

    CHECK_OK(opevo_cost_model_write(&model, scratch.file, &err));
    read_bytes(scratch.file, &bytes, &size);
    for (size_t i = 0; i < size; i++) {
        opevo_error err = {OPEVO_OK, ""};
        opevo_cost_model *read = NULL;
        opevo_status status = OPEVO_OK;

        put(scratch.file, bytes, i);
        status = opevo_cost_model_read(scratch.file, &read, &err);
        assert_true(status == OPEVO_INVALID || status == OPEVO_MISMATCH);
        bytes[i] = (char)(bytes[i] ^ 1);
        put(scratch.file, bytes, size);
        status = opevo_cost_model_read(scratch.file, &read, &err);
        bytes[i] = (char)(bytes[i] ^ 1);
        assert_true(status == OPEVO_INVALID || status == OPEVO_MISMATCH);
        assert_non_null(strstr(err.message, scratch.file));
        assert_null(read);
    }
    check_refused(scratch.file, bytes, size - 1, OPEVO_INVALID, "is cut or was changed");
    check_refused(scratch.file, "", 0, OPEVO_MISMATCH, "is not a stored cost model");
    check_refused(scratch.file, "K,X\n1,2\n", 8, OPEVO_MISMATCH, "is not a stored cost model");
    opevo_free(bytes);
    scratch_remove(&scratch);
}

/* A file whose hash is that of its contents, whatever they are. */
static void check_contents(const char *path, const char *version, const char *json, size_t floats,
                           const char *said)
{
    char hash[OPEVO_SHA256_SIZE] = "";
    opevo_text body = {0}, whole = {0};

    opevo_text_printf(&body, "%s\n", json);
    for (size_t i = 0; i < floats; i++)
        opevo_text_add_bytes(&body, "\0\0\0\0", 4);
    opevo_sha256_of(body.data, body.length, hash);
    opevo_text_printf(&whole, "opevo cost model %s\n%s\n", version, hash);
    opevo_text_add_bytes(&whole, body.data, body.length);
    check_refused(path, whole.data, whole.length, OPEVO_INVALID, said);
    opevo_text_free(&body);
    opevo_text_free(&whole);
}

#define MEMBERS(features, count)                                                                   \
    "{\"features\": \"" features "\", \"model\": \"treegru\", \"loss\": \"reg\", \"hidden\": 2, "  \
    "\"slots\": 0, \"trees\": 1, \"weights\": " #count "}"

CHECK_TEST(test_another_version)
{
    scratch_folder scratch = scratch_make();
    const char *good = MEMBERS(OPEVO_LOOP_TREE_FEATURES, 2);

    check_contents(scratch.file, "2", good, 2,
                   "of version 2, and this program reads version 1: learn it again");
    check_contents(scratch.file, "1", MEMBERS("loop-tree 0", 2), 2,
                   "of the features loop-tree 0, and this program has " OPEVO_LOOP_TREE_FEATURES);
    check_contents(scratch.file, "1", good, 3, "states 2 weights, and has 12 bytes of them");
    check_contents(scratch.file, "1", "{\"features\": \"loop-tree 1\"}", 2, "model");
    check_contents(scratch.file, "1", "{\"features\": ", 2, "invalid JSON");
    scratch_remove(&scratch);
}

CHECK_TEST(test_weights_are_finite)
{
    float own[WEIGHTS];
    opevo_cost_model model = model_of(own), *back = NULL;
    scratch_folder scratch = scratch_make();

    own[3] = NAN;
    CHECK_OK(opevo_cost_model_write(&model, scratch.file, &err));
    CHECK_FAILS(OPEVO_INVALID, "not finite", opevo_cost_model_read(scratch.file, &back, &err));
    scratch_remove(&scratch);
}
