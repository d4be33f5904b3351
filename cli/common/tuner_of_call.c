/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tuner of --tuner with the settings of --set, and the requirements of --require. */

#include "options_internal.h"
#include "style_internal.h"
#include "tuner_of_call_internal.h"

#include <opevo/memory.h>
#include <opevo/tuners.h>

#include <string.h>

/* Whether an earlier --set has the key of this one. */
static bool set_before(const opevo_call *call, size_t number)
{
    const char *assignment = call->given[number].value;
    size_t length = strcspn(assignment, "=");

    for (size_t i = 0; i < number; i++) {
        const char *earlier = call->given[i].value;

        if (call->given[i].option == call->given[number].option &&
            strcspn(earlier, "=") == length && !strncmp(earlier, assignment, length))
            return true;
    }
    return false;
}

static opevo_status set(const opevo_call *call, const opevo_tuner_ops *tuner,
                        opevo_setting_value *values, opevo_error *err)
{
    for (size_t i = 0; i < call->given_count; i++) {
        opevo_error inner = {OPEVO_OK, ""};

        if (strcmp(call->given[i].option->name, "set") != 0)
            continue;
        if (set_before(call, i))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--set %s: the setting is given twice; give it once.",
                              call->given[i].value);
        if (opevo_settings_set(tuner, call->given[i].value, values, &inner))
            return OPEVO_FAIL(err, inner.status, "--set %.100s: %.800s", call->given[i].value,
                              inner.message);
    }
    return OPEVO_OK;
}

const char *opevo_i_cli_setting_of_call(const opevo_call *call, const char *key)
{
    size_t length = strlen(key);

    for (size_t i = 0; i < call->given_count; i++) {
        const opevo_given *given = &call->given[i];

        if (!strcmp(given->option->name, "set") && !strncmp(given->value, key, length) &&
            given->value[length] == '=')
            return given->value + length + 1;
    }
    return NULL;
}

opevo_status opevo_i_cli_settings_of_call(const opevo_call *call, const opevo_tuner_ops *tuner,
                                          const opevo_tuner_default *defaults, size_t workers,
                                          opevo_setting_value *values, opevo_error *err)
{
    opevo_status status = opevo_settings_default_on(tuner, defaults, values, err);

    if (status == OPEVO_OK)
        opevo_settings_widen(tuner, workers, values);
    return status == OPEVO_OK ? set(call, tuner, values, err) : status;
}

opevo_status opevo_i_cli_tuner_of_call(const opevo_call *call, const char *usual,
                                       const opevo_tuner_default *defaults,
                                       const opevo_tuner_ops **tuner, opevo_setting_value **values,
                                       opevo_error *err)
{
    const char *name = opevo_i_cli_option(call, "tuner");
    opevo_status status = opevo_tuner_find(name ? name : usual, tuner, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_NEW_OR_RETURN(*values, (*tuner)->setting_count, "settings");
    return opevo_i_cli_settings_of_call(call, *tuner, defaults, 0, *values, err);
}

void opevo_i_cli_print_idle(const opevo_tuner_ops *tuner, const opevo_setting_value *values,
                            size_t workers, opevo_text *out)
{
    bool at_most = false;
    size_t batch = opevo_settings_batch(tuner, values, &at_most);
    const opevo_setting *setting = opevo_settings_batch_row(tuner);

    if (workers < 2 || (batch >= workers && !at_most))
        return;
    opevo_text_printf(out, "%s proposes %s%zu trial%s at a time", tuner->name,
                      at_most ? "at most " : "", batch, opevo_i_cli_plural(batch));
    if (setting)
        opevo_text_printf(out, " (setting %s)", setting->key);
    if (at_most)
        opevo_text_printf(out, ", often fewer: some of %zu workers may be idle.", workers);
    else
        opevo_text_printf(out, ": %zu of %zu workers will be busy.", batch, workers);
}

opevo_status opevo_i_cli_requirements_of_call(const opevo_call *call,
                                              const opevo_objective *objective,
                                              opevo_requirement **out, size_t *count,
                                              opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};

    *out = opevo_calloc(call->given_count + 1, sizeof **out);
    OPEVO_NEED_OR_RETURN(*out, "--require");
    for (size_t i = 0; i < call->given_count; i++) {
        const char *text = call->given[i].value;

        if (strcmp(call->given[i].option->name, "require") != 0)
            continue;
        if (opevo_requirement_parse(objective, text, &(*out)[*count], &inner))
            return OPEVO_FAIL(err, inner.status, "--require %.200s: %.700s", text, inner.message);
        ++*count;
    }
    return OPEVO_OK;
}
