/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps of a pipeline, after a line with its computation: as text or, where they begin with '[' or
 * '{', as a record of TVM's auto-scheduler. What is printed reads back as the same pipeline; what
 * is written as a record has the same steps; features are finite; it lowers to a kernel or is
 * refused. */

#include "fuzz.h"

#include <opevo/computation_named.h>
#include <opevo/emit.h>
#include <opevo/pipeline_features.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_again(const opevo_pipeline *pipeline)
{
    opevo_text first = {0};
    opevo_text second = {0};
    opevo_pipeline *again = NULL;
    opevo_error err = {OPEVO_OK, ""};

    opevo_pipeline_print(pipeline, &first);
    FUZZ_CHECK(!first.failed);
    FUZZ_CHECK(opevo_pipeline_parse(opevo_pipeline_computation(pipeline), opevo_text_string(&first),
                                    "again", &again, &err) == OPEVO_OK);
    opevo_pipeline_print(again, &second);
    FUZZ_CHECK(strcmp(opevo_text_string(&first), opevo_text_string(&second)) == 0);
    opevo_pipeline_destroy(again);
    opevo_text_free(&first);
    opevo_text_free(&second);
}

static void check_record(const opevo_pipeline *pipeline)
{
    opevo_text first = {0};
    opevo_text second = {0};
    opevo_record again = {0};
    opevo_error err = {OPEVO_OK, ""};

    if (fuzz_accepts(opevo_record_write(pipeline, &first, &err), &err)) {
        FUZZ_CHECK(opevo_record_read(opevo_pipeline_computation(pipeline),
                                     opevo_text_string(&first), "again", &again, &err) == OPEVO_OK);
        FUZZ_CHECK(opevo_record_write(again.pipeline, &second, &err) == OPEVO_OK);
        FUZZ_CHECK(strcmp(opevo_text_string(&first), opevo_text_string(&second)) == 0);
    } else {
        FUZZ_CHECK(first.length == 0);
    }
    opevo_pipeline_destroy(again.pipeline);
    opevo_text_free(&first);
    opevo_text_free(&second);
}

static void check_features(const opevo_pipeline *pipeline)
{
    opevo_error err = {OPEVO_OK, ""};
    float *rows = malloc(sizeof(float) * OPEVO_PIPELINE_ROWS * OPEVO_STATEMENT_FEATURES);
    size_t count = 0;

    FUZZ_CHECK(rows);
    if (fuzz_accepts(opevo_pipeline_features(pipeline, rows, &count, &err), &err)) {
        FUZZ_CHECK(count <= OPEVO_PIPELINE_ROWS);
        for (size_t i = 0; i < count * OPEVO_STATEMENT_FEATURES; i++)
            FUZZ_CHECK(isfinite(rows[i]));
    }
    free(rows);
}

static void emit(const opevo_pipeline *pipeline)
{
    for (int dialect = 0; dialect < OPEVO_KERNEL_COUNT; dialect++) {
        opevo_limits limits = opevo_limits_default((opevo_kernel_dialect)dialect);
        opevo_kernel kernel = {0};
        opevo_error err = {OPEVO_OK, ""};
        opevo_text why = {0};
        bool fits = false;

        if (fuzz_accepts(opevo_pipeline_emit(pipeline, (opevo_kernel_dialect)dialect, &limits,
                                             &kernel, &fits, &why, &err),
                         &err))
            FUZZ_CHECK(fits ? kernel.source.length > 0 : why.length > 0);
        opevo_kernel_free(&kernel);
        opevo_text_free(&why);
    }
}

static opevo_status read_steps(const opevo_computation *computation, const char *text,
                               opevo_pipeline **out, opevo_error *err)
{
    opevo_record record = {0};
    opevo_status status = OPEVO_OK;

    if (*text != '[' && *text != '{')
        return opevo_pipeline_parse(computation, text, "fuzz", out, err);
    status = opevo_record_read(computation, text, "fuzz", &record, err);
    if (status != OPEVO_OK)
        return status;
    FUZZ_CHECK(isnan(record.cost_s) || (isfinite(record.cost_s) && record.cost_s >= 0));
    *out = record.pipeline;
    return OPEVO_OK;
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *name = fuzz_line(&data, &size);
    char *text = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_computation *computation = NULL;
    opevo_pipeline *pipeline = NULL;

    if (fuzz_accepts(opevo_computation_read(name, &computation, &err), &err) &&
        fuzz_accepts(read_steps(computation, text, &pipeline, &err), &err)) {
        check_again(pipeline);
        check_record(pipeline);
        check_features(pipeline);
        emit(pipeline);
    }
    opevo_pipeline_destroy(pipeline);
    opevo_computation_destroy(computation);
    free(name);
    free(text);
}
