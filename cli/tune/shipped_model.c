/* SPDX-License-Identifier: GPL-3.0-or-later */

/* docs/results/tree-gru.md has the figures that say where it helps. */

#include "shipped_model_internal.h"

#include <string.h>

/* Whether the settings of these keys are the first of their choices. */
static bool is_default(const opevo_i_cli_tuning *self, const char *const *keys)
{
    const opevo_tuner_ops *tuner = self->run.tuner;

    for (; *keys; keys++) {
        for (size_t i = 0; i < tuner->setting_count; i++) {
            if (!strcmp(tuner->settings[i].key, *keys) && self->settings[i].number != 0)
                return false;
        }
    }
    return true;
}

/* The analytic default is faster than what the model proposes in a first batch: where it is the
 * start, the model does not help. */
static bool has_no_start(const opevo_call *call)
{
    const char *start = opevo_i_cli_option(call, "start");

    return start && !strcmp(start, "none");
}

opevo_status opevo_i_cli_tune_take_shipped(const opevo_call *call, opevo_i_cli_tuning *self,
                                           opevo_error *err)
{
    static const char *const keys[] = {"model", "features", "search", NULL};

    if (opevo_i_cli_flag(call, "learn") || !has_no_start(call) ||
        strcmp(self->run.tuner->name, "ansor") != 0 ||
        strncmp(self->objective->name, "cpu:sketch ", 11) != 0 || !is_default(self, keys))
        return OPEVO_OK;
    return opevo_cost_model_parse("the model of opevo", opevo_i_cli_shipped_model,
                                  opevo_i_cli_shipped_model_size, &self->earlier.model, err);
}
