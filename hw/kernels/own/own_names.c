/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which kernels of C++ a source has to have: a compiler makes no code for a template that nothing
 * names, and calls all by names of its own. */

#include "own_internal.h"

#include <string.h>

/* The names of the launches, each once. */
typedef struct names {
    opevo_text lines, instances;
} names;

static opevo_status note(void *context, const opevo_grid_launch *launch, opevo_evaluation *out,
                         opevo_error *err)
{
    names *self = context;
    opevo_text line = {0};

    (void)out, (void)err;
    opevo_text_printf(&line, OPEVO_NAME_EXPRESSION "%s\n", launch->kernel);
    if (!line.failed && !strstr(opevo_text_string(&self->lines), opevo_text_string(&line))) {
        opevo_text_add(&self->lines, opevo_text_string(&line));
        if (strchr(launch->kernel, '<'))
            opevo_text_printf(&self->instances, "    (const void *)&%s,\n", launch->kernel);
    }
    self->lines.failed |= line.failed;
    opevo_text_free(&line);
    return OPEVO_OK;
}

opevo_status opevo_i_own_add_names(const opevo_harness *harness, const opevo_harness_values *values,
                                   opevo_kernel *out, opevo_error *err)
{
    names self = {.lines = {0}};
    const opevo_player player = {.context = &self, .launch = note, .takes_local = true};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_harness_launches(harness, values, &player, err));
    OPEVO_TRY(opevo_text_check(&self.lines, err));
    opevo_text_add(&out->options, opevo_text_string(&self.lines));
    if (self.instances.length)
        opevo_text_printf(&out->source,
                          "\n#if defined(__clang__) && defined(__CUDA__)\n"
                          "static const void *const opevo_instances[] = {\n%s};\n#endif\n",
                          opevo_text_string(&self.instances));
    status = opevo_text_check(&out->source, err);
cleanup:
    opevo_text_free(&self.lines);
    opevo_text_free(&self.instances);
    return status;
}
