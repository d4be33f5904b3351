/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of libraries that take extents as arguments: of the class of computations that a step is
 * at all sizes, by the schedule of one member. */

#include "library_internal.h"

#include <opevo/emit.h>
#include <opevo/pipeline_class.h>

#include <string.h>

const opevo_network_free_axes *opevo_i_library_axes(const opevo_network_library *self, int step)
{
    static const opevo_network_free_axes none = {0};

    return self->inference->dynamic ? &self->inference->dynamic->axes[step] : &none;
}

bool opevo_i_library_same_axes(const opevo_network_library *self, int a, int b)
{
    const opevo_network_free_axes *x = opevo_i_library_axes(self, a);
    const opevo_network_free_axes *y = opevo_i_library_axes(self, b);

    if (x->count != y->count)
        return false;
    for (int i = 0; i < x->count; i++) {
        if (memcmp(&x->axis[i].extent, &y->axis[i].extent, sizeof x->axis[i].extent) != 0)
            return false;
    }
    return !x->count || opevo_computation_signature(self->inference->step[a].computation) ==
                            opevo_computation_signature(self->inference->step[b].computation);
}

opevo_status opevo_i_library_free_axes(opevo_pipeline *pipeline,
                                       const opevo_network_free_axes *axes, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < axes->count && status == OPEVO_OK; i++)
        status = opevo_pipeline_free_axis(pipeline, axes->axis[i].name, err);
    return status;
}

/* The class of the largest member, whose free axes have ranges in the place of their extents. */
static opevo_status read_class(const opevo_computation *largest,
                               const opevo_network_free_axes *axes, opevo_class **out,
                               opevo_error *err)
{
    opevo_text text = {0}, class = {0};
    opevo_status status = OPEVO_OK;

    opevo_computation_print(largest, "\n", &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    for (const char *at = opevo_text_string(&text); *at;) {
        size_t length = 0;

        for (int i = 0; i < axes->count && !length; i++) {
            size_t size = strlen(axes->axis[i].name);

            if (strncmp(at, axes->axis[i].name, size) == 0 && at[size] == ':')
                length = size + 1;
        }
        opevo_text_add_bytes(&class, at, length ? length : 1);
        opevo_text_add(&class, length ? "1.." : "");
        at += length ? length : 1;
    }
    OPEVO_TRY(opevo_text_check(&class, err));
    status = opevo_class_read(opevo_text_string(&class), out, err);
cleanup:
    opevo_text_free(&text);
    opevo_text_free(&class);
    return status;
}

opevo_status opevo_i_library_dynamic_kernel(const opevo_i_library_task *task,
                                            const opevo_kernel_maker *maker, opevo_index point,
                                            const opevo_network_free_axes *axes, opevo_kernel *out,
                                            opevo_text *why, opevo_error *err)
{
    const opevo_limits none = {0};
    opevo_pipeline *member = NULL, *pipeline = NULL;
    opevo_class *of = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;
    bool fits = false;

    OPEVO_TRY(maker->ops->pipeline(maker, point, &member, why, err));
    if (!member)
        goto cleanup;
    OPEVO_TRY(read_class(task->super.computation, axes, &of, err));
    if (opevo_pipeline_for_class(member, of, &pipeline, &inner) == OPEVO_OK)
        status = opevo_pipeline_emit(pipeline, maker->dialect, &none, out, &fits, why, err);
    else
        opevo_text_add(why, inner.message);
cleanup:
    if (!fits)
        opevo_kernel_free(out);
    opevo_pipeline_destroy(member);
    opevo_pipeline_destroy(pipeline);
    opevo_class_destroy(of);
    return status;
}
