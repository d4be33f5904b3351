/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A network run on tensors of files, and its results compared with those of others. */

#include "network_cli_internal.h"
#include "options_internal.h"
#include "style_internal.h"

#include <opevo/memory.h>
#include <opevo/text.h>

#include <math.h>
#include <string.h>

/* |result - expected| <= ABSOLUTE + RELATIVE |expected|: the tolerance of ONNX's own tests. */
#define ABSOLUTE 1e-7
#define RELATIVE 1e-3

void opevo_i_cli_arrays_free(opevo_i_cli_arrays *arrays)
{
    for (int i = 0; i < arrays->count; i++)
        opevo_array_free(&arrays->array[i]);
    opevo_free(arrays->array);
    opevo_free(arrays->file);
    opevo_free(arrays->length);
    opevo_free(arrays->list);
}

/* The tensors of a file, behind those that are there. */
static opevo_status add_file(const char *file, opevo_i_cli_arrays *out, opevo_error *err)
{
    opevo_array *array = NULL, *grown = NULL;
    const char **files = NULL;
    int count = 0;
    opevo_status status = opevo_arrays_read(file, &array, &count, &out->length[out->files], err);
    size_t all = (size_t)out->count + (size_t)count;

    if (status != OPEVO_OK)
        return status;
    grown = opevo_realloc(out->array, all + 1, sizeof *grown);
    out->array = grown ? grown : out->array;
    files = opevo_realloc((void *)out->file, all + 1, sizeof *files);
    out->file = files ? files : out->file;
    out->files++;
    for (int i = 0; i < count; i++) {
        if (grown && files) {
            out->file[out->count] = file;
            out->array[out->count++] = array[i];
        } else {
            opevo_array_free(&array[i]);
        }
    }
    opevo_free(array);
    return grown && files ? OPEVO_OK
                          : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tensors of %s.", file);
}

opevo_status opevo_i_cli_arrays_read(const char *option, const char *files, opevo_i_cli_arrays *out,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *rest = NULL;

    out->list = opevo_strdup(files);
    out->length = opevo_calloc(strlen(files) + 1, sizeof *out->length);
    out->array = opevo_calloc(1, sizeof *out->array);
    OPEVO_NEED(out->list && out->length && out->array, "the files of --%s", option);
    rest = *files ? out->list : NULL; /* a model may have no inputs */
    for (char *file = strsep(&rest, ","); file; file = strsep(&rest, ",")) {
        if (!*file)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                                 "--%s has an empty name between its commas; give a file for each.",
                                 option));
        OPEVO_TRY(add_file(file, out, err));
    }
cleanup:
    return status;
}

static bool same_shape(const opevo_array *a, const opevo_array *b)
{
    bool same = a->type == b->type && a->dims == b->dims;

    for (int d = 0; d < a->dims && same; d++)
        same = a->extent[d] == b->extent[d];
    return same;
}

/* Type and shape; one element without dimensions is another shape than one of extent 1. */
static void add_kind(const opevo_array *array, opevo_text *out)
{
    opevo_text_printf(out, "%s ", opevo_network_type_name(array->type));
    opevo_i_cli_add_shape(array, out);
    opevo_text_add(out, array->dims ? "" : " without dimensions");
}

/* One line for an output; false if it differs. */
static bool compare(const char *name, const opevo_array *found, const opevo_array *expected,
                    opevo_text *out)
{
    double largest = 0, excess = -INFINITY;
    int64_t worst = 0;

    opevo_i_cli_add_name(name, out);
    opevo_text_add(out, ": ");
    if (!same_shape(found, expected)) {
        add_kind(found, out);
        opevo_text_add(out, " instead of ");
        add_kind(expected, out);
        opevo_text_add(out, "\n");
        return false;
    }
    for (int64_t i = 0, count = opevo_array_elements(found); i < count; i++) {
        double a = opevo_array_number(found, i), b = opevo_array_number(expected, i);
        double error = a == b || (isnan(a) && isnan(b)) ? 0 : fabs(a - b);
        /* What is not finite is wrong unless it is the same: no tolerance is relative to it. */
        double over = isfinite(error) ? error - (ABSOLUTE + RELATIVE * fabs(b)) : INFINITY;

        largest = error > largest || isnan(error) ? error : largest;
        if (over > excess) {
            excess = over;
            worst = i;
        }
    }
    if (excess <= 0 || opevo_array_elements(found) == 0) {
        opevo_text_printf(out, "equal within %g + %g |expected|, largest error %g\n", ABSOLUTE,
                          RELATIVE, largest);
        return true;
    }
    opevo_text_printf(out, "differs: element %lld is %.9g instead of %.9g, largest error %g\n",
                      (long long)worst, opevo_array_number(found, worst),
                      opevo_array_number(expected, worst), largest);
    return false;
}

/* Without --expect: what came out. */
static void describe(const char *name, const opevo_array *array, opevo_text *out)
{
    double least = INFINITY, most = -INFINITY, sum = 0;
    int64_t count = opevo_array_elements(array);

    for (int64_t i = 0; i < count; i++) {
        least = fmin(least, opevo_array_number(array, i));
        most = fmax(most, opevo_array_number(array, i));
        sum += opevo_array_number(array, i);
    }
    opevo_i_cli_add_name(name, out);
    opevo_text_printf(out, ": %s ", opevo_network_type_name(array->type));
    opevo_i_cli_add_shape(array, out);
    if (count)
        opevo_text_printf(out, ", from %g to %g, mean %g", least, most, sum / (double)count);
    opevo_text_add(out, "\n");
}

/* How many tensors an output of this length is. */
static int tensors_of(int length)
{
    return length == OPEVO_NETWORK_TENSOR ? 1 : length > 0 ? length : 0;
}

static void add_length(int length, opevo_text *out)
{
    if (length == OPEVO_NETWORK_EMPTY)
        opevo_text_add(out, "an empty optional");
    else if (length == OPEVO_NETWORK_TENSOR)
        opevo_text_add(out, "a tensor");
    else
        opevo_text_printf(out, "%d tensor%s", length, opevo_i_cli_plural((unsigned)length));
}

/* Output `name` begins at `at` of those of the network, and at `from` of what is expected. An
 * optional may be written as its tensor. */
static bool compare_output(const opevo_network_inference *inference, const char *name,
                           const opevo_array *found, int length, const opevo_array *expected,
                           int wanted, int at, opevo_text *out)
{
    bool same = true;

    if (tensors_of(length) != tensors_of(wanted) ||
        (length == OPEVO_NETWORK_EMPTY) != (wanted == OPEVO_NETWORK_EMPTY)) {
        opevo_i_cli_add_name(name, out);
        opevo_text_add(out, ": ");
        add_length(length, out);
        opevo_text_add(out, " instead of ");
        add_length(wanted, out);
        opevo_text_add(out, "\n");
        return false;
    }
    for (int i = 0; i < tensors_of(length); i++)
        same &=
            compare(inference->value[inference->output[at + i]].name, &found[i], &expected[i], out);
    return same;
}

/* Without --expect. */
static void describe_output(const opevo_network_inference *inference, const char *name,
                            const opevo_array *found, int length, int at, opevo_text *out)
{
    if (length <= 0 && length != OPEVO_NETWORK_TENSOR) {
        opevo_i_cli_add_name(name, out);
        opevo_text_add(out, ": ");
        add_length(length, out);
        opevo_text_add(out, "\n");
    }
    for (int i = 0; i < tensors_of(length); i++)
        describe(inference->value[inference->output[at + i]].name, &found[i], out);
}

opevo_status opevo_i_cli_network_compare(const opevo_call *call,
                                         const opevo_network_inference *inference,
                                         const opevo_i_cli_arrays *inputs, opevo_text *out,
                                         int *exit_code, opevo_error *err)
{
    const char *expect = opevo_i_cli_option(call, "expect");
    const opevo_network *network = inference->network;
    int outputs = inference->outputs, declared = opevo_network_declared_count(network);
    opevo_i_cli_arrays expected = {0}, found = {0};
    opevo_status status = OPEVO_OK;
    uint64_t threads = 0;
    int at = 0, from = 0;

    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 0, 0, 1024, &threads, err));
    if (expect)
        OPEVO_TRY(opevo_i_cli_arrays_read("expect", expect, &expected, err));
    if (expect && expected.files != declared)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                             "--expect names %d file%s; give %d, one for each output in the order "
                             "of the model.",
                             expected.files, opevo_i_cli_plural((unsigned)expected.files),
                             declared));
    OPEVO_NEW(found.array, (size_t)outputs + 1, "the outputs of the network");
    OPEVO_TRY(
        opevo_network_inference_run(inference, inputs->array, found.array, (unsigned)threads, err));
    found.count = outputs;
    for (int i = 0; i < declared; i++) {
        int length = opevo_network_declared_length(network, i), wanted = 0;
        const char *name = opevo_network_declared_name(network, i);

        if (opevo_i_cli_option(call, "write"))
            OPEVO_TRY(opevo_i_cli_network_write(opevo_i_cli_option(call, "write"), i, name,
                                                &found.array[at], length, err));
        wanted = expect ? expected.length[i] : 0;
        if (!expect)
            describe_output(inference, name, &found.array[at], length, at, out);
        else if (!compare_output(inference, name, &found.array[at], length, &expected.array[from],
                                 wanted, at, out))
            *exit_code = OPEVO_EXIT_FAILED;
        at += tensors_of(length);
        from += tensors_of(wanted);
    }
cleanup:
    opevo_i_cli_arrays_free(&expected);
    opevo_i_cli_arrays_free(&found);
    return status;
}
