/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stored cost models: the bytes as a file, and as what stands behind the hash of one. What is read
 * is written and read again as the same model. */

#include "fuzz.h"

#include <opevo/cost_model.h>
#include <opevo/sha256.h>
#include <opevo/text.h>

static void try(const void *bytes, size_t size)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_cost_model *model = NULL, *again = NULL;
    const char *path = NULL;

    if (!fuzz_accepts(opevo_cost_model_parse("fuzz", bytes, size, &model, &err), &err))
        return;
    path = fuzz_file("fuzz.model", "", 0);
    FUZZ_CHECK(opevo_cost_model_write(model, path, &err) == OPEVO_OK);
    FUZZ_CHECK(opevo_cost_model_read(path, &again, &err) == OPEVO_OK);
    FUZZ_CHECK(opevo_cost_model_hash(again) == opevo_cost_model_hash(model));
    opevo_cost_model_destroy(model);
    opevo_cost_model_destroy(again);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char hash[OPEVO_SHA256_SIZE] = "";
    opevo_text whole = {0};

    try(data, size);
    opevo_sha256_of(data, size, hash);
    opevo_text_printf(&whole, "opevo cost model 1\n%s\n", hash);
    opevo_text_add_bytes(&whole, (const char *)data, size);
    if (!whole.failed)
        try(whole.data, whole.length);
    opevo_text_free(&whole);
}
