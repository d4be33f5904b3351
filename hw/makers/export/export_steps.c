/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files of a kernel from its steps: of a pipeline, or of a point of a maker. */

#include <opevo/export.h>

#include <opevo/emit.h>

#include "export_internal.h"

static opevo_status check_dialect(opevo_kernel_dialect dialect, opevo_error *err)
{
    return opevo_export_name(dialect, 0)
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_INVALID, "An emulated kernel has no compiler of its own.");
}

opevo_status opevo_export_print_pipeline(const opevo_pipeline *pipeline,
                                         opevo_kernel_dialect dialect,
                                         const opevo_export_label *label,
                                         opevo_text files[OPEVO_EXPORT_FILES], opevo_error *err)
{
    opevo_limits limits = opevo_limits_default(dialect);
    opevo_kernel kernel = {0};
    opevo_workload *work = NULL;
    opevo_text steps = {0};
    opevo_text why = {0};
    bool fits = false;
    opevo_status status = check_dialect(dialect, err);

    limits.shared_bytes = 0; /* what a launch may ask for is a matter of the device */
    limits.packed_bytes = INT64_MAX;
    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_workload_create(opevo_pipeline_computation(pipeline), &work, err));
    OPEVO_TRY(opevo_pipeline_emit(pipeline, dialect, &limits, &kernel, &fits, &why, err));
    opevo_pipeline_print(pipeline, &steps);
    if (fits)
        status = opevo_i_export_files(&kernel, work, &steps, label, files, err);
    else
        status = OPEVO_FAIL(err, OPEVO_INVALID, "The schedule does not give a kernel: %s",
                            opevo_text_string(&why));
cleanup:
    opevo_workload_destroy(work);
    opevo_kernel_free(&kernel);
    opevo_text_free(&steps);
    opevo_text_free(&why);
    return status;
}

static opevo_status print_steps(const opevo_kernel_maker *maker, opevo_index point,
                                opevo_text *steps, opevo_text *why, opevo_error *err)
{
    opevo_pipeline *pipeline = NULL;
    opevo_status status = maker->ops->pipeline(maker, point, &pipeline, why, err);

    if (pipeline)
        opevo_pipeline_print(pipeline, steps);
    opevo_pipeline_destroy(pipeline);
    return status;
}

/* The kernel and the steps of the point. */
static opevo_status make(const opevo_kernel_maker *maker, opevo_index point, opevo_kernel *kernel,
                         opevo_text *steps, opevo_error *err)
{
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(maker->ops->make(maker, point, kernel, &refused, &why, err));
    if (refused == OPEVO_OUTCOME_OK)
        OPEVO_TRY(print_steps(maker, point, steps, &why, err));
    if (why.length)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "The point does not give a kernel: %s",
                            opevo_text_string(&why));
cleanup:
    opevo_text_free(&why);
    return status;
}

opevo_status opevo_export_print(const opevo_kernel_maker *maker, opevo_index point,
                                const opevo_export_label *label,
                                opevo_text files[OPEVO_EXPORT_FILES], opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_export_label own = *label;
    opevo_text configuration = {0};
    opevo_text steps = {0};
    opevo_kernel kernel = {0};
    opevo_workload *work = NULL;

    OPEVO_TRY(check_dialect(maker->dialect, err));
    OPEVO_TRY(opevo_workload_create(maker->computation, &work, err));
    OPEVO_TRY(make(maker, point, &kernel, &steps, err));
    opevo_space_print(maker->space, point, &configuration);
    OPEVO_TRY(opevo_text_check(&configuration, err));
    own.name = maker->name;
    own.threads = maker->threads;
    own.configuration = opevo_text_string(&configuration);
    status = opevo_i_export_files(&kernel, work, &steps, &own, files, err);
cleanup:
    opevo_text_free(&configuration);
    opevo_text_free(&steps);
    opevo_kernel_free(&kernel);
    opevo_workload_destroy(work);
    return status;
}
