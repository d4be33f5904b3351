/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the setup of a worker says of its kernels, as JSON and back. */

#include "protocol_internal.h"

#include <opevo/computation_named.h>

#include <string.h>

static int add_library(json_t *setup, const opevo_operator *library)
{
    opevo_text text = {0};
    int failed = -1;

    opevo_operator_print(library, &text);
    if (!text.failed)
        failed = json_object_set_new(setup, "library", json_string(opevo_text_string(&text)));
    opevo_text_free(&text);
    return failed;
}

int opevo_i_wire_setup_add_workload(json_t *setup, const opevo_workload *work)
{
    opevo_text text = {0};
    int failed = -1;

    opevo_computation_print(work->computation, "\n", &text);
    if (!text.failed)
        failed = json_object_set_new(setup, "computation", json_string(opevo_text_string(&text)));
    opevo_text_free(&text);
    return failed | (work->library ? add_library(setup, work->library) : 0);
}

/* The computation of the operator in `text`, which must be that of the setup. */
static opevo_status name_computation(const char *text, opevo_computation **computation,
                                     opevo_error *err)
{
    opevo_operator op;
    opevo_computation *made = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_operator_parse(text, &op, err));
    OPEVO_TRY(opevo_computation_of_operator(&op, &made, err));
    if (opevo_computation_signature(made) != opevo_computation_signature(*computation)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "The library of the setup, for %.200s, is for "
                            "another computation.",
                            text);
        goto cleanup;
    }
    opevo_computation_destroy(*computation);
    *computation = made;
    made = NULL;
cleanup:
    opevo_computation_destroy(made);
    return status;
}

opevo_status opevo_i_wire_setup_workload(const json_t *setup, opevo_workload **out,
                                         opevo_error *err)
{
    const char *text = json_string_value(json_object_get(setup, "computation"));
    const char *library = json_string_value(json_object_get(setup, "library"));
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;

    if (!text)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The setup lacks a computation.");
    status = opevo_computation_parse(text, "computation", NULL, 0, &computation, err);
    if (status == OPEVO_OK && library)
        status = name_computation(library, &computation, err);
    if (status != OPEVO_OK) {
        opevo_computation_destroy(computation);
        return status;
    }
    return opevo_workload_adopt(computation, out, err);
}

double opevo_i_wire_setup_least_s(const json_t *setup, double counter_s)
{
    const json_t *criteria = json_object_get(setup, "criteria");
    const char *energy = opevo_i_wire_kernel_criterion_rows[OPEVO_I_ENERGY].name;

    for (size_t i = 0; i < json_array_size(criteria); i++) {
        const char *name = json_string_value(json_array_get(criteria, i));

        if (name && !strcmp(name, energy))
            return 20 * counter_s;
    }
    return 0;
}
