/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A library: made of a network with the analytic starts as kernels, and released. */

#include "library_internal.h"

#include <opevo/memory.h>

opevo_status opevo_network_library_create(const opevo_network_inference *inference,
                                          const opevo_network_library_options *options,
                                          opevo_network_library **out, opevo_error *err)
{
    opevo_network_library *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the library of the network");
    self->inference = inference;
    self->options = *options;
    OPEVO_TRY(opevo_i_library_set_name(self, options->name, err));
    OPEVO_TRY(opevo_i_library_check_types(self, err));
    OPEVO_TRY(opevo_i_library_tasks(self, err));
    *out = self;
    self = NULL;
cleanup:
    opevo_network_library_destroy(self);
    return status;
}

void opevo_network_library_destroy(opevo_network_library *self)
{
    if (!self)
        return;
    for (int t = 0; t < self->tasks; t++) {
        opevo_kernel_free(&self->task[t].kernel);
        opevo_workload_destroy(self->task[t].work);
    }
    opevo_memory_plan_destroy(self->plan);
    opevo_free(self->task);
    opevo_free(self->task_of);
    opevo_free(self->weight);
    opevo_free(self->stored);
    opevo_free(self->packed);
    opevo_text_free(&self->model);
    opevo_text_free(&self->version);
    opevo_text_free(&self->made);
    opevo_free(self);
}

opevo_kernel_dialect opevo_network_library_dialect(const opevo_network_library *self)
{
    return self->options.dialect;
}

opevo_status opevo_network_library_note(opevo_network_library *self, const char *made,
                                        opevo_error *err)
{
    opevo_text_clear(&self->made);
    opevo_text_add(&self->made, made);
    return opevo_text_check(&self->made, err);
}

int opevo_network_library_tasks(const opevo_network_library *self)
{
    return self->tasks;
}

const opevo_network_kernel *opevo_network_library_task(const opevo_network_library *self, int task)
{
    return &self->task[task].super;
}
