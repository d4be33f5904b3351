/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The file of a cost model: a line with the format and its version, a line with the SHA-256 of all
 * bytes behind it, a line of JSON, and the weights, float32 with the low byte first. */

#include <opevo/cost_model.h>

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/json.h>
#include <opevo/json_read.h>
#include <opevo/loop_tree.h>
#include <opevo/memory.h>
#include <opevo/sha256.h>
#include <opevo/text.h>
#include <opevo/version.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "opevo cost model "
#define VERSION "1"
#define AGAIN "learn it again with opevo learn"

enum { BYTES_MOST = 64 << 20 };

void opevo_cost_model_destroy(opevo_cost_model *model)
{
    if (!model)
        return;
    opevo_free(model->weights);
    opevo_free(model);
}

uint64_t opevo_cost_model_hash(const opevo_cost_model *model)
{
    const uint64_t numbers[] = {model->hidden, model->slots, model->trees, model->weight_count};
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, numbers, sizeof numbers);

    hash = opevo_hash_bytes(hash, model->kind, strlen(model->kind) + 1);
    hash = opevo_hash_bytes(hash, model->loss, strlen(model->loss) + 1);
    return opevo_hash_bytes(hash, model->weights, model->weight_count * sizeof *model->weights);
}

/* ---- Bytes ---- */

static void put(const float *weights, size_t count, unsigned char *out)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = 0;

        memcpy(&bits, &weights[i], sizeof bits);
        for (int k = 0; k < 4; k++)
            *out++ = (unsigned char)(bits >> 8 * k);
    }
}

/* False at a number that is not finite. */
static bool take(const unsigned char *bytes, size_t count, float *out)
{
    bool finite = true;

    for (size_t i = 0; i < count; i++, bytes += 4) {
        uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                        (uint32_t)bytes[3] << 24;

        memcpy(&out[i], &bits, sizeof bits);
        finite = finite && isfinite(out[i]);
    }
    return finite;
}

/* ---- Writing ---- */

static opevo_status print(const opevo_cost_model *model, opevo_text *out, opevo_error *err)
{
    size_t size = 4 * model->weight_count;
    unsigned char *bytes = opevo_malloc(size, 1);

    OPEVO_NEED_OR_RETURN(bytes, "writing a cost model");
    put(model->weights, model->weight_count, bytes);
    opevo_text_add(out, "{");
    opevo_json_string(out, "features", OPEVO_LOOP_TREE_FEATURES);
    opevo_json_string(out, "model", model->kind);
    opevo_json_string(out, "loss", model->loss);
    opevo_json_index(out, "hidden", model->hidden);
    opevo_json_index(out, "slots", model->slots);
    opevo_json_index(out, "trees", model->trees);
    opevo_json_index(out, "weights", model->weight_count);
    opevo_json_string(out, "program", "opevo " OPEVO_VERSION);
    opevo_text_add(out, "}\n");
    opevo_text_add_bytes(out, (const char *)bytes, size);
    opevo_free(bytes);
    return opevo_text_check(out, err);
}

opevo_status opevo_cost_model_write(const opevo_cost_model *model, const char *path,
                                    opevo_error *err)
{
    char hash[OPEVO_SHA256_SIZE] = "";
    opevo_text body = {0}, whole = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(print(model, &body, err));
    opevo_sha256_of(body.data, body.length, hash);
    opevo_text_printf(&whole, MAGIC VERSION "\n%s\n", hash);
    opevo_text_add_bytes(&whole, body.data, body.length);
    OPEVO_TRY(opevo_text_check(&whole, err));
    OPEVO_TRY(opevo_file_write(path, whole.data, whole.length, err));
cleanup:
    opevo_text_free(&body);
    opevo_text_free(&whole);
    return status;
}

/* ---- Reading ---- */

/* The line of a text, which moves behind it; NULL where it has no end. */
static const char *next_line(char **at, const char *end)
{
    char *line = *at;
    char *stop = memchr(line, '\n', (size_t)(end - line));

    if (!stop)
        return NULL;
    *stop = '\0';
    *at = stop + 1;
    return line;
}

/* What stands before the JSON; `at` moves there. */
static opevo_status check_head(const char *path, char **at, const char *end, opevo_error *err)
{
    const char *head = next_line(at, end), *hash = NULL;
    char found[OPEVO_SHA256_SIZE] = "";

    if (!head || strncmp(head, MAGIC, strlen(MAGIC)) != 0)
        return OPEVO_FAIL(err, OPEVO_MISMATCH,
                          "%s is not a stored cost model; opevo learn writes one.", path);
    head += strlen(MAGIC);
    if (strcmp(head, VERSION) != 0)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s is a cost model of version %.20s, and this program reads version " VERSION
            ": " AGAIN ".",
            path, head);
    hash = next_line(at, end);
    opevo_sha256_of(*at, (size_t)(end - *at), found);
    if (!hash || strcmp(hash, found) != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is cut or was changed, as its contents do not have the hash that it "
                          "states: " AGAIN ", or copy it again.",
                          path);
    return OPEVO_OK;
}

typedef struct header {
    const char *features, *model, *loss, *program;
    uint64_t hidden, slots, trees, weights;
} header;

static opevo_status read_header(const char *path, const json_t *root, header *out, opevo_error *err)
{
    static const opevo_json_field fields[] = {
        OPEVO_JSON_FIELD(header, features, TEXT, .required = true),
        OPEVO_JSON_FIELD(header, model, TEXT, .required = true, .least = 1,
                         .most = OPEVO_COST_MODEL_WORD - 1),
        OPEVO_JSON_FIELD(header, loss, TEXT, .required = true, .least = 1,
                         .most = OPEVO_COST_MODEL_WORD - 1),
        OPEVO_JSON_FIELD(header, hidden, WHOLE, .required = true, .least = 1,
                         .most = OPEVO_COST_MODEL_HIDDEN),
        OPEVO_JSON_FIELD(header, slots, WHOLE, .required = true, .most = OPEVO_COST_MODEL_SLOTS),
        OPEVO_JSON_FIELD(header, trees, WHOLE, .required = true),
        OPEVO_JSON_FIELD(header, weights, WHOLE, .required = true, .least = 1,
                         .most = (double)BYTES_MOST / 4),
        OPEVO_JSON_FIELD(header, program, TEXT),
    };
    opevo_json_reader at = {.origin = path, .value = root};
    opevo_status status = opevo_json_read(&at, fields, sizeof fields / sizeof *fields, out, err);

    if (status != OPEVO_OK || !strcmp(out->features, OPEVO_LOOP_TREE_FEATURES))
        return status;
    return OPEVO_FAIL(
        err, OPEVO_INVALID,
        "%s is a cost model of the features %.40s, and this program has " OPEVO_LOOP_TREE_FEATURES
        ": " AGAIN ".",
        path, out->features);
}

static opevo_status fill(const char *path, const header *from, const char *weights, size_t size,
                         opevo_cost_model *out, opevo_error *err)
{
    if (size != 4 * from->weights)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s states %llu weights, and has %zu bytes of them: " AGAIN ".", path,
                          (unsigned long long)from->weights, size);
    snprintf(out->kind, sizeof out->kind, "%s", from->model);
    snprintf(out->loss, sizeof out->loss, "%s", from->loss);
    out->hidden = (size_t)from->hidden;
    out->slots = (size_t)from->slots;
    out->trees = from->trees;
    out->weight_count = (size_t)from->weights;
    out->weights = opevo_malloc(out->weight_count, sizeof *out->weights);
    OPEVO_NEED_OR_RETURN(out->weights, "the cost model %s", path);
    if (!take((const unsigned char *)weights, out->weight_count, out->weights))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has weights that are not finite: " AGAIN ".",
                          path);
    return OPEVO_OK;
}

/* The lines of the text are ended in it. */
static opevo_status parse(const char *path, char *text, size_t size, opevo_cost_model **out,
                          opevo_error *err)
{
    opevo_cost_model *model = NULL;
    const char *line = NULL, *end = text + size;
    char *at = text;
    json_t *root = NULL;
    header from = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(check_head(path, &at, end, err));
    OPEVO_NEW(model, 1, "the cost model %s", path);
    line = next_line(&at, end);
    if (!line) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s has no line of JSON: " AGAIN ".", path);
        goto cleanup;
    }
    OPEVO_TRY(opevo_json_parse(path, line, strlen(line), &root, err));
    OPEVO_TRY(read_header(path, root, &from, err));
    OPEVO_TRY(fill(path, &from, at, (size_t)(end - at), model, err));
    *out = model;
    model = NULL;
cleanup:
    opevo_cost_model_destroy(model);
    json_decref(root);
    return status;
}

opevo_status opevo_cost_model_parse(const char *origin, const void *bytes, size_t size,
                                    opevo_cost_model **out, opevo_error *err)
{
    char *text = opevo_malloc(size + 1, 1);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(text, "the cost model %s", origin);
    memcpy(text, bytes, size);
    text[size] = '\0';
    status = parse(origin, text, size, out, err);
    opevo_free(text);
    return status;
}

opevo_status opevo_cost_model_read(const char *path, opevo_cost_model **out, opevo_error *err)
{
    char *text = NULL;
    size_t size = 0;
    opevo_status status = opevo_file_read(path, BYTES_MOST, &text, &size, err);

    if (status == OPEVO_OK)
        status = parse(path, text, size, out, err);
    opevo_free(text);
    return status;
}
