/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tasks that are tuned together: the value of their aim, and the folder of each. */

#include "options_internal.h"
#include "tune_internal.h"

#include <opevo/memory.h>
#include <opevo/scheduler.h>

#include <ctype.h>
#include <string.h>

double opevo_i_cli_tasks_value(opevo_i_cli_tasks *self, opevo_aim aim,
                               double (*time_s)(const opevo_i_cli_tuning *tuning))
{
    for (size_t i = 0; i < self->count; i++)
        self->times_s[i] = time_s(&self->tunings[i]);
    return opevo_aim_value(aim, self->times_s, self->weights, self->count);
}

void opevo_i_cli_tasks_folder(const opevo_call *call, const opevo_i_cli_tasks *self, size_t number,
                              opevo_text *out)
{
    opevo_text_clear(out);
    if (!opevo_i_cli_flag(call, "emit"))
        return;
    opevo_text_printf(out, "%s/%zu-", opevo_i_cli_option(call, "emit"), number + 1);
    for (const char *at = self->names[number]; *at; at++) {
        bool plain = isalnum((unsigned char)*at) || strchr("_.-", *at);

        if (plain || at[1])
            opevo_text_add_bytes(out, plain ? at : "_", 1);
    }
}

void opevo_i_cli_tasks_free(opevo_i_cli_tasks *self)
{
    opevo_i_cli_tasks_portfolio_free(self);
    opevo_store_close(self->store);
    for (size_t i = 0; self->tunings && i < self->count; i++)
        opevo_i_cli_tune_free(&self->tunings[i]);
    opevo_free(self->tunings);
    opevo_free(self->names);
    opevo_free(self->weights);
    opevo_free(self->tasks);
    opevo_free(self->times_s);
}
