/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parsing by the tables. Everything is checked before a verb acts. */

#include "options_internal.h"

#include <opevo/closest.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const opevo_option *find(const opevo_verb *verb, const char *name, size_t length)
{
    for (size_t i = 0; i < verb->option_count; i++) {
        if (strlen(verb->options[i].name) == length && !memcmp(verb->options[i].name, name, length))
            return &verb->options[i];
    }
    return NULL;
}

const char *opevo_i_cli_option_dashes(const opevo_option *option)
{
    return option->name[0] == '-' ? "" : "--";
}

static opevo_status fail_unknown(const opevo_verb *verb, const char *word, size_t length,
                                 opevo_error *err)
{
    char name[64];
    opevo_closest closest = {.word = name};

    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word);
    for (size_t i = 0; i < verb->option_count; i++)
        opevo_closest_offer(&closest, verb->options[i].name);
    if (closest.found)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown option --%s; did you mean --%s?", name,
                          closest.found);
    return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown option --%s; see opevo help %s.", name,
                      verb->name);
}

/* One option word, at argv[*at]; steps over its value. */
static opevo_status parse_option(int argc, char **argv, int *at, opevo_call *call, opevo_error *err)
{
    const char *word = argv[*at] + (argv[*at][1] == '-' ? 2 : 0);
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const opevo_option *option = find(call->verb, word, length);
    const char *value = equals ? equals + 1 : NULL;

    if (!option)
        return fail_unknown(call->verb, word, length, err);
    if (!option->argument && value)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--%s takes no value.", option->name);
    if (option->argument && !value) {
        if (*at + 1 >= argc)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s%s needs a value: %s%s %s.",
                              opevo_i_cli_option_dashes(option), option->name,
                              opevo_i_cli_option_dashes(option), option->name, option->argument);
        value = argv[++*at];
    }
    for (size_t i = 0; i < call->given_count && !option->repeatable; i++) {
        if (call->given[i].option == option)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s%s is given twice.",
                              opevo_i_cli_option_dashes(option), option->name);
    }
    call->given[call->given_count++] = (opevo_given){option, value};
    return OPEVO_OK;
}

const opevo_option *opevo_i_cli_option_find(const opevo_verb *verb, const char *word)
{
    const char *name = word + (strncmp(word, "--", 2) ? 0 : 2);

    return find(verb, name, strcspn(name, "="));
}

static bool is_option(const opevo_verb *verb, const char *word)
{
    return !strncmp(word, "--", 2) || (word[0] == '-' && find(verb, word, strlen(word)));
}

static opevo_status parse_words(int argc, char **argv, opevo_call *call, opevo_error *err)
{
    const opevo_verb *verb = call->verb;
    bool options_over = false;

    for (int i = 0; i < argc; i++) {
        opevo_status status = OPEVO_OK;

        if (!options_over && !strcmp(argv[i], "--"))
            options_over = true;
        else if (!options_over && is_option(verb, argv[i]))
            status = parse_option(argc, argv, &i, call, err);
        else if (!options_over && argv[i][0] == '-' && argv[i][1])
            status =
                OPEVO_FAIL(err, OPEVO_INVALID,
                           "Unknown option %.60s: long options have two dashes; see opevo help %s.",
                           argv[i], verb->name);
        else if (call->argument_count == verb->arguments_max)
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "Unexpected argument \"%.60s\"; usage: opevo %s%s%s.", argv[i],
                                verb->name, *verb->arguments ? " " : "", verb->arguments);
        else
            call->arguments[call->argument_count++] = argv[i];
        if (status != OPEVO_OK)
            return status;
    }
    if (call->argument_count < verb->arguments_min)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Missing argument; usage: opevo %s %s.", verb->name,
                          verb->arguments);
    return OPEVO_OK;
}

opevo_status opevo_i_cli_call_parse(const opevo_verb *verb, int argc, char **argv, opevo_call *call,
                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *call = (opevo_call){.verb = verb};
    call->arguments = opevo_calloc((size_t)argc, sizeof *call->arguments);
    call->given = opevo_calloc((size_t)argc, sizeof *call->given);
    if (!call->arguments || !call->given)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the command line.");
    else
        status = parse_words(argc, argv, call, err);
    if (status != OPEVO_OK)
        opevo_i_cli_call_free(call);
    return status;
}

void opevo_i_cli_call_free(opevo_call *call)
{
    opevo_free(call->arguments);
    opevo_free(call->given);
    *call = (opevo_call){0};
}

static const opevo_given *given(const opevo_call *call, const char *name)
{
    const opevo_given *last = NULL;

    for (size_t i = 0; i < call->given_count; i++) {
        if (!strcmp(call->given[i].option->name, name))
            last = &call->given[i];
    }
    return last;
}

const char *opevo_i_cli_option(const opevo_call *call, const char *name)
{
    const opevo_given *found = given(call, name);

    return found ? found->value : NULL;
}

bool opevo_i_cli_flag(const opevo_call *call, const char *name)
{
    return given(call, name) != NULL;
}

/* A whole number, also as 1e6. */
static bool read_count(const char *text, uint64_t *out)
{
    double value = 0;

    if (opevo_parse_u64(text, out))
        return true;
    if (!opevo_parse_double(text, &value) || !(value >= 0 && value <= 0x1p53) ||
        value != floor(value))
        return false;
    *out = (uint64_t)value;
    return true;
}

opevo_status opevo_i_cli_option_count(const opevo_call *call, const char *name, uint64_t fallback,
                                      uint64_t min, uint64_t max, uint64_t *out, opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, name);
    uint64_t value = fallback;

    if (text && (!read_count(text, &value) || value < min || value > max)) {
        char low[OPEVO_INDEX_TEXT_SIZE];
        char high[OPEVO_INDEX_TEXT_SIZE];

        if (max == UINT64_MAX)
            return OPEVO_FAIL(err, OPEVO_INVALID, "--%s %s: give a whole number, %s or more.", name,
                              text, opevo_index_format(min, low));
        return OPEVO_FAIL(err, OPEVO_INVALID, "--%s %s: give a whole number from %s to %s.", name,
                          text, opevo_index_format(min, low), opevo_index_format(max, high));
    }
    *out = value;
    return OPEVO_OK;
}

opevo_status opevo_i_cli_option_q(const opevo_call *call, double *out, opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, "q");
    double value = 0.5;

    if (text && (!opevo_parse_double(text, &value) || !(value >= 0 && value < 1)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--q %s: q is the probability of one more step; give 0 <= q < 1.", text);
    *out = value;
    return OPEVO_OK;
}

opevo_status opevo_i_cli_option_positive(const opevo_call *call, const char *name, double *out,
                                         opevo_error *err)
{
    const char *text = opevo_i_cli_option(call, name);
    double value = 0;

    if (text && (!opevo_parse_double(text, &value) || !(value > 0)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--%s %s: give a number above 0.", name, text);
    *out = value;
    return OPEVO_OK;
}

opevo_status opevo_i_cli_option_all(const opevo_call *call, const char *name, const char ***out,
                                    size_t *count, opevo_error *err)
{
    size_t most = call ? call->given_count : 0;
    const char **values = opevo_calloc(most + 1, sizeof *values);

    OPEVO_NEED_OR_RETURN(values, "--%s", name);
    *count = 0;
    for (size_t i = 0; i < most; i++) {
        if (!strcmp(call->given[i].option->name, name))
            values[(*count)++] = call->given[i].value;
    }
    *out = values;
    return OPEVO_OK;
}
