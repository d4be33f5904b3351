/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The schedule of a point of a template: its steps applied to a new pipeline. */

#include "template_internal.h"

void opevo_i_template_read_values(const opevo_space *space, opevo_index point,
                                  opevo_i_template_values *values)
{
    opevo_index vertex[OPEVO_I_VALUES];

    *values = (opevo_i_template_values){0};
    opevo_space_decode(space, point, vertex);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        opevo_value component[OPEVO_I_COMPONENTS];
        const opevo_parameter *parameter = opevo_space_parameter(space, i);

        opevo_parameter_value(parameter, vertex[i], component);
        for (size_t k = 0; k < opevo_parameter_arity(parameter); k++)
            values->at[i][k] = component[k].as.integer;
    }
}

/* Apply the steps of a point to a new pipeline, which the caller destroys whatever the status. */
static opevo_status build(const opevo_i_template_maker *self, opevo_index point,
                          opevo_pipeline **out, opevo_error *err)
{
    opevo_i_template_values values;
    opevo_i_template_build built = {.op = &self->op,
                                    .value = &values,
                                    .dialect = self->super.dialect,
                                    .threads = self->super.threads,
                                    .err = err};

    built.status = opevo_pipeline_create(self->computation, &built.pipeline, err);
    if (built.status == OPEVO_OK) {
        opevo_i_template_read_values(self->space, point, &values);
        if (self->super.threads > 1)
            built.parallel = values.at[opevo_space_parameter_count(self->space) - 1][0];
        self->template->steps(&built);
    }
    *out = built.pipeline;
    return built.status;
}

opevo_status opevo_template_pipeline(const opevo_kernel_maker *super, opevo_index point,
                                     opevo_pipeline **out, opevo_text *why, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_pipeline *built = NULL;
    opevo_status status = build((const opevo_i_template_maker *)super, point, &built, &inner);

    *out = NULL;
    if (status == OPEVO_OK) {
        *out = built;
        return OPEVO_OK;
    }
    opevo_pipeline_destroy(built);
    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s", inner.message);
    opevo_text_add(why, inner.message);
    return OPEVO_OK;
}

opevo_status opevo_i_template_print(const opevo_kernel_maker *super, opevo_index point, bool *whole,
                                    opevo_text *out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_pipeline *built = NULL;
    opevo_status status = build((const opevo_i_template_maker *)super, point, &built, &inner);

    *whole = status == OPEVO_OK;
    if (built)
        opevo_pipeline_print(built, out);
    opevo_pipeline_destroy(built);
    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s", inner.message);
    return opevo_text_check(out, err);
}
