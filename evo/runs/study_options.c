/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Those keys of an objective in a plan that say how it is measured, as texts. Whoever opens the
 * objective knows which of them apply to it. */

#include "study_plan_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* A text, a number, or true. */
static opevo_status add_option(const opevo_json_reader *entry, opevo_i_study_plan_objective *self,
                               const char *key, const json_t *value, opevo_error *err)
{
    opevo_json_reader option = opevo_json_member(entry, key);
    opevo_plan_option *grown = opevo_realloc(self->options, self->option_count + 1, sizeof *grown);
    char number[OPEVO_DOUBLE_TEXT_SIZE] = "";
    bool is_flag = !strcmp(key, "cold") || !strcmp(key, "mixed-devices");
    const char *text = number;

    OPEVO_NEED_OR_RETURN(grown, "reading %s", entry->origin);
    self->options = grown;
    if (json_is_string(value))
        text = json_string_value(value);
    else if (json_is_integer(value))
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        opevo_double_format(json_real_value(value), number);
    else if (!json_is_true(value) || !is_flag)
        return opevo_json_fail(&option, err, "give a string or a number%s.",
                               is_flag ? ", or true" : "");
    grown[self->option_count] = (opevo_plan_option){opevo_strdup(key), opevo_strdup(text)};
    if (!grown[self->option_count].key || !grown[self->option_count].value) {
        opevo_free(grown[self->option_count].key);
        opevo_free(grown[self->option_count].value);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", entry->origin);
    }
    self->option_count++;
    return OPEVO_OK;
}

opevo_status opevo_i_study_plan_read_options(const opevo_json_reader *entry,
                                             opevo_i_study_plan_objective *self, opevo_error *err)
{
    static const char *const keys[] = {OPEVO_I_PLAN_OPTIONS};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = json_object_get(entry->value, keys[i]);
        bool many = !strcmp(keys[i], "criterion") || !strcmp(keys[i], "exit") ||
                    !strcmp(keys[i], "with") || !strcmp(keys[i], "workers");

        for (size_t k = 0; many && k < json_array_size(value) && status == OPEVO_OK; k++)
            status = add_option(entry, self, keys[i], json_array_get(value, k), err);
        if (value && !json_is_false(value) && !(many && json_is_array(value)))
            status = add_option(entry, self, keys[i], value, err);
        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

void opevo_i_study_plan_print_with(const opevo_i_study_plan_objective *self, opevo_text *out)
{
    for (size_t i = 0; i < self->option_count; i++) {
        if (!strcmp(self->options[i].key, "with"))
            opevo_text_printf(out, "%s%s", out->length ? " " : "", self->options[i].value);
    }
}
