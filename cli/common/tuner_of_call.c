/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tuner of --tuner with the settings of --set, and the requirements of --require. */

#include "cli_internal.h"

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

opevo_status opevo_i_tuner_of_call(const opevo_call *call, const char *usual,
                                   const opevo_tuner_default *defaults,
                                   const opevo_tuner_ops **tuner, opevo_setting_value **values,
                                   opevo_error *err)
{
    const char *name = opevo_i_option(call, "tuner");
    opevo_status status = opevo_tuner_find(name ? name : usual, tuner, err);

    if (status != OPEVO_OK)
        return status;
    *values = opevo_calloc((*tuner)->setting_count, sizeof **values);
    if (!*values)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for settings.");
    status = opevo_settings_default_on(*tuner, defaults, *values, err);
    return status == OPEVO_OK ? set(call, *tuner, *values, err) : status;
}

opevo_status opevo_i_requirements_of_call(const opevo_call *call, const opevo_objective *objective,
                                          opevo_requirement **out, size_t *count, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};

    *out = opevo_calloc(call->given_count + 1, sizeof **out);
    if (!*out)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for --require.");
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
