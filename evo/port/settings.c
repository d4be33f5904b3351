/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Settings of a tuner: defaults, reading "key=value", checking and printing. One value for each row
 * of the tuner's table, in its order. */

#include "port_internal.h"

#include <opevo/closest.h>
#include <opevo/json.h>
#include <opevo/text.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The i-th name of a list separated by spaces; its length is 0 when there are fewer. */
static const char *choice_at(const char *choices, size_t i, size_t *length)
{
    for (; i > 0; i--) {
        choices += strcspn(choices, " ");
        choices += strspn(choices, " ");
    }
    *length = strcspn(choices, " ");
    return choices;
}

static bool find_choice(const char *choices, const char *name, double *number)
{
    size_t length = 0;

    for (size_t i = 0;; i++) {
        const char *choice = choice_at(choices, i, &length);

        if (length == 0)
            return false;
        if (strlen(name) == length && !strncmp(choice, name, length)) {
            *number = (double)i;
            return true;
        }
    }
}

static bool in_domain(const opevo_setting *setting, double number)
{
    size_t length = 0;

    if (setting->kind == OPEVO_SETTING_CHOICE) {
        if (!(number >= 0 && number < 1000 && number == floor(number)))
            return false;
        choice_at(setting->choices, (size_t)number, &length);
        return length > 0;
    }
    if (setting->kind == OPEVO_SETTING_COUNT && number != floor(number))
        return false;
    return number >= setting->min &&
           (setting->below_max ? number < setting->max : number <= setting->max);
}

/* Say what the setting may be. */
static opevo_status fail_domain(const opevo_tuner_ops *ops, const opevo_setting *setting,
                                const char *given, opevo_error *err)
{
    char min[OPEVO_DOUBLE_TEXT_SIZE];
    char max[OPEVO_DOUBLE_TEXT_SIZE];

    if (setting->kind == OPEVO_SETTING_CHOICE)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Setting %s of tuner %s must be one of: %s; not %s.",
                          setting->key, ops->name, setting->choices, given);
    return OPEVO_FAIL(
        err, OPEVO_INVALID, "Setting %s of tuner %s must be a %s from %s %s %s; not %s.",
        setting->key, ops->name,
        setting->kind == OPEVO_SETTING_COUNT ? "whole number" : "real number",
        opevo_double_format(setting->min, min), setting->below_max ? "to below" : "to",
        opevo_double_format(setting->max, max), given);
}

opevo_status opevo_i_port_settings_check(const opevo_tuner_ops *ops,
                                         const opevo_setting_value *values, opevo_error *err)
{
    for (size_t i = 0; values && i < ops->setting_count; i++) {
        if (!in_domain(&ops->settings[i], values[i].number)) {
            char given[OPEVO_DOUBLE_TEXT_SIZE];

            return fail_domain(ops, &ops->settings[i], opevo_double_format(values[i].number, given),
                               err);
        }
    }
    return OPEVO_OK;
}

static double default_of(const opevo_setting *setting)
{
    return setting->kind == OPEVO_SETTING_CHOICE ? 0 : setting->default_value;
}

void opevo_settings_default(const opevo_tuner_ops *ops, opevo_setting_value *values)
{
    for (size_t i = 0; i < ops->setting_count; i++)
        values[i].number = default_of(&ops->settings[i]);
}

opevo_status opevo_settings_default_on(const opevo_tuner_ops *ops,
                                       const opevo_tuner_default *defaults,
                                       opevo_setting_value *values, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_settings_default(ops, values);
    for (; defaults && defaults->tuner && status == OPEVO_OK; defaults++) {
        if (!strcmp(defaults->tuner, ops->name))
            status = opevo_settings_set(ops, defaults->assignment, values, err);
    }
    return status;
}

void opevo_settings_read(const opevo_setting *table, size_t count,
                         const opevo_setting_value *values, void *out)
{
    for (size_t i = 0; i < count; i++) {
        double number = values ? values[i].number : default_of(&table[i]);
        void *variable = (char *)out + table[i].offset;

        switch (table[i].kind) {
        case OPEVO_SETTING_COUNT:
            *(size_t *)variable = (size_t)number;
            break;
        case OPEVO_SETTING_REAL:
            *(double *)variable = number;
            break;
        case OPEVO_SETTING_CHOICE:
            *(unsigned *)variable = (unsigned)number;
            break;
        }
    }
}

const opevo_setting *opevo_settings_batch_row(const opevo_tuner_ops *ops)
{
    for (size_t i = 0; i < ops->setting_count; i++) {
        if (ops->settings[i].batch != OPEVO_BATCH_NO)
            return &ops->settings[i];
    }
    return NULL;
}

void opevo_settings_widen(const opevo_tuner_ops *ops, size_t workers, opevo_setting_value *values)
{
    const opevo_setting *row = opevo_settings_batch_row(ops);
    double *number = row ? &values[row - ops->settings].number : NULL;

    if (row && row->batch == OPEVO_BATCH_OF_WORKERS)
        *number = fmin(fmax(*number, (double)workers), row->max);
}

size_t opevo_settings_batch(const opevo_tuner_ops *ops, const opevo_setting_value *values,
                            bool *at_most)
{
    const opevo_setting *row = opevo_settings_batch_row(ops);

    *at_most = row && row->batch == OPEVO_BATCH_AT_MOST;
    if (!row)
        return ops->any_batch ? SIZE_MAX : 1;
    return (size_t)(values ? values[row - ops->settings].number : default_of(row));
}

static opevo_status fail_key(const opevo_tuner_ops *ops, const char *assignment, opevo_error *err)
{
    char key[64];
    opevo_closest closest = {.word = key};
    opevo_text keys = {0};
    opevo_status status = OPEVO_INVALID;

    if (ops->setting_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Tuner %s has no settings, so %s cannot be set.",
                          ops->name, assignment);
    snprintf(key, sizeof key, "%.*s", (int)strcspn(assignment, "="), assignment);
    for (size_t i = 0; i < ops->setting_count; i++) {
        opevo_text_printf(&keys, "%s%s", i ? ", " : "", ops->settings[i].key);
        opevo_closest_offer(&closest, ops->settings[i].key);
    }
    if (!*key || !strchr(assignment, '='))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "\"%s\" is not a setting: write KEY=VALUE, where KEY is one of %s.",
                            assignment, opevo_text_string(&keys));
    else if (closest.found)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "Tuner %s has no setting %s; did you mean %s?",
                            ops->name, key, closest.found);
    else
        status = OPEVO_FAIL(err, OPEVO_INVALID, "Tuner %s has no setting %s; use one of %s.",
                            ops->name, key, opevo_text_string(&keys));
    opevo_text_free(&keys);
    return status;
}

opevo_status opevo_settings_set(const opevo_tuner_ops *ops, const char *assignment,
                                opevo_setting_value *values, opevo_error *err)
{
    const char *equals = strchr(assignment, '=');
    size_t length = equals ? (size_t)(equals - assignment) : 0;

    for (size_t i = 0; equals && i < ops->setting_count; i++) {
        const opevo_setting *setting = &ops->settings[i];
        double number = 0;
        bool read = false;

        if (strlen(setting->key) != length || strncmp(setting->key, assignment, length) != 0)
            continue;
        if (setting->kind == OPEVO_SETTING_CHOICE)
            read = find_choice(setting->choices, equals + 1, &number);
        else
            read = opevo_parse_double(equals + 1, &number);
        if (!read || !in_domain(setting, number))
            return fail_domain(ops, setting, equals[1] ? equals + 1 : "empty", err);
        values[i].number = number + 0.0; /* -0 would print as another setting */
        return OPEVO_OK;
    }
    return fail_key(ops, assignment, err);
}

/* The name of a choice, or the shortest decimal of a number; of the default where `value` is
 * NULL. */
static void print_value(const opevo_setting *setting, const opevo_setting_value *value,
                        opevo_text *out)
{
    double number = value ? value->number : default_of(setting);
    size_t length = 0;
    const char *choice = NULL;

    if (setting->kind != OPEVO_SETTING_CHOICE) {
        opevo_text_add_double(out, number);
        return;
    }
    choice = choice_at(setting->choices, (size_t)number, &length);
    opevo_text_add_bytes(out, choice, length);
}

void opevo_settings_print(const opevo_tuner_ops *ops, const opevo_setting_value *values,
                          opevo_text *out)
{
    const char *separator = "";

    for (size_t i = 0; i < ops->setting_count; i++) {
        const opevo_setting *setting = &ops->settings[i];

        opevo_text_printf(out, "%s%s=", separator, setting->key);
        print_value(setting, values ? &values[i] : NULL, out);
        separator = " ";
    }
}

void opevo_settings_print_json(const opevo_tuner_ops *ops, const opevo_setting_value *values,
                               opevo_text *out)
{
    opevo_text_add(out, "{");
    for (size_t i = 0; i < ops->setting_count; i++) {
        const char *quote = ops->settings[i].kind == OPEVO_SETTING_CHOICE ? "\"" : "";

        opevo_json_key(out, ops->settings[i].key);
        opevo_text_add(out, quote);
        print_value(&ops->settings[i], values ? &values[i] : NULL, out);
        opevo_text_add(out, quote);
    }
    opevo_text_add(out, "}");
}
