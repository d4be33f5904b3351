/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A member is an option of the verb by its name; so what a verb has on the command line it has in a
 * file, too. */

#include "call_file_internal.h"
#include "options_internal.h"

#include <opevo/closest.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/tvm_log.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Members that are not options. */
static const char *const own_members[] = {"verb", "folder", "what"};

static bool is_own(const char *key)
{
    for (size_t i = 0; i < sizeof own_members / sizeof *own_members; i++) {
        if (!strcmp(own_members[i], key))
            return true;
    }
    return false;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* A text as it is, a number as text; NULL for anything else. */
static const char *value_of(opevo_i_cli_call_file *self, const json_t *value)
{
    opevo_text *number = NULL;

    if (json_is_string(value))
        return json_string_value(value);
    if (!json_is_number(value))
        return NULL;
    number = &self->numbers[self->number_count++];
    if (json_is_integer(value))
        opevo_text_printf(number, "%lld", (long long)json_integer_value(value));
    else
        opevo_text_add_double(number, json_real_value(value));
    return opevo_text_string(number);
}

static opevo_status fail_unknown(const char *origin, const char *key, const opevo_verb *verb,
                                 opevo_error *err)
{
    opevo_closest closest = {.word = key};

    for (size_t i = 0; i < sizeof own_members / sizeof *own_members; i++)
        opevo_closest_offer(&closest, own_members[i]);
    for (size_t i = 0; i < verb->option_count; i++)
        opevo_closest_offer(&closest, verb->options[i].name);
    if (closest.found)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: unknown key \"%.60s\"; did you mean \"%s\"?",
                          origin, key, closest.found);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s: unknown key \"%.60s\"; keys are the options of opevo %s without their "
                      "dashes, \"what\" and \"folder\".",
                      origin, key, verb->name);
}

static opevo_status add_flag(opevo_i_cli_call_file *self, const opevo_option *option,
                             const json_t *value, const char *origin, opevo_error *err)
{
    if (!json_is_boolean(value))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"%s\": give true or false.", origin,
                          option->name);
    if (json_is_true(value))
        self->call.given[self->call.given_count++] = (opevo_given){option, NULL};
    return OPEVO_OK;
}

/* A value, or for an option that may be repeated a list of them. */
static opevo_status add_values(opevo_i_cli_call_file *self, const opevo_option *option,
                               const json_t *value, const char *origin, opevo_error *err)
{
    bool list = json_is_array(value) && option->repeatable;
    size_t count = list ? json_array_size(value) : 1;

    for (size_t i = 0; i < count; i++) {
        const char *text = value_of(self, list ? json_array_get(value, i) : value);

        if (!text)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"%s\": give a text or a number%s.", origin,
                              option->name, option->repeatable ? ", or a list of them" : "");
        self->call.given[self->call.given_count++] = (opevo_given){option, text};
    }
    return OPEVO_OK;
}

static opevo_status add_what(opevo_i_cli_call_file *self, const json_t *what, const char *origin,
                             opevo_error *err)
{
    size_t count = json_is_array(what) ? json_array_size(what) : what ? 1 : 0;

    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_is_array(what) ? json_array_get(what, i) : what);

        if (!text)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s: \"what\": give an operator or a computation as a text, or a "
                              "list of them.",
                              origin);
        self->call.arguments[self->call.argument_count++] = text;
    }
    return OPEVO_OK;
}

/* Upper bound of the numbers, options and arguments in it. */
static size_t room_for(const json_t *root)
{
    const char *key = NULL;
    json_t *value = NULL;
    size_t room = 1;

    json_object_foreach((json_t *)root, key, value) room +=
        json_is_array(value) ? json_array_size(value) : 1;
    return room;
}

static opevo_status check_head(const opevo_i_cli_call_file *self, const char *origin,
                               opevo_error *err)
{
    const json_t *verb = json_object_get(self->root, "verb");
    const json_t *folder = json_object_get(self->root, "folder");

    if (verb &&
        (!json_is_string(verb) || strcmp(json_string_value(verb), self->call.verb->name) != 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"verb\" is not \"%s\".", origin,
                          self->call.verb->name);
    if (folder && !json_is_string(folder))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"folder\": give a path as a text.", origin);
    return OPEVO_OK;
}

static opevo_status read_members(opevo_i_cli_call_file *self, const char *origin, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const char *key = NULL;
    json_t *value = NULL;

    OPEVO_TRY(check_head(self, origin, err));
    OPEVO_TRY(add_what(self, json_object_get(self->root, "what"), origin, err));
    json_object_foreach(self->root, key, value)
    {
        const opevo_option *option = opevo_i_cli_option_find(self->call.verb, key);

        if (is_own(key))
            continue;
        if (!option || strcmp(option->name, key) != 0) {
            status = fail_unknown(origin, key, self->call.verb, err);
            goto cleanup;
        }
        OPEVO_TRY(option->argument ? add_values(self, option, value, origin, err)
                                   : add_flag(self, option, value, origin, err));
    }
cleanup:
    return status;
}

opevo_status opevo_i_cli_call_file_parse(const char *text, size_t size, const char *origin,
                                         const opevo_verb *verb, opevo_i_cli_call_file *out,
                                         opevo_error *err)
{
    json_error_t fault;
    size_t room = 0;

    *out = (opevo_i_cli_call_file){.call.verb = verb};
    if (opevo_tvm_log_of(text))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s.", origin,
                          opevo_tvm_log_advice(opevo_tvm_log_of(text)));
    out->root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
    if (!out->root)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d:%d: invalid JSON: %s.", origin, fault.line,
                          fault.column, fault.text);
    if (!json_is_object(out->root))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a JSON object with the options of a run.",
                          origin);
    room = room_for(out->root);
    out->numbers = opevo_calloc(room, sizeof *out->numbers);
    out->call.given = opevo_calloc(room, sizeof *out->call.given);
    out->call.arguments = opevo_calloc(room, sizeof *out->call.arguments);
    if (!out->numbers || !out->call.given || !out->call.arguments)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", origin);
    return read_members(out, origin, err);
}

void opevo_i_cli_call_file_free(opevo_i_cli_call_file *self)
{
    for (size_t i = 0; i < self->number_count; i++)
        opevo_text_free(&self->numbers[i]);
    opevo_free(self->numbers);
    opevo_i_cli_call_free(&self->call);
    json_decref(self->root);
    *self = (opevo_i_cli_call_file){.root = NULL};
}

/* ---- Changing ------------------------------------------------------------------------------- */

opevo_status opevo_i_cli_call_file_lay_over(opevo_i_cli_call_file *self, const opevo_call *over,
                                            opevo_error *err)
{
    opevo_call *call = &self->call;
    opevo_given *all = opevo_calloc(call->given_count + over->given_count + 1, sizeof *all);
    size_t count = 0;

    if (!all)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the options of a run.");
    for (size_t i = 0; i < call->given_count; i++) {
        if (!opevo_i_cli_flag(over, call->given[i].option->name))
            all[count++] = call->given[i];
    }
    for (size_t i = 0; i < over->given_count; i++) {
        const opevo_option *option =
            opevo_i_cli_option_find(call->verb, over->given[i].option->name);

        if (option)
            all[count++] = (opevo_given){option, over->given[i].value};
    }
    opevo_free(call->given);
    call->given = all;
    call->given_count = count;
    return OPEVO_OK;
}

bool opevo_i_cli_call_file_add(opevo_i_cli_call_file *self, const char *name, const char *value)
{
    const opevo_option *option = opevo_i_cli_option_find(self->call.verb, name);
    opevo_given given = {option, value};
    const opevo_call one = {.given = &given, .given_count = 1};

    return option && opevo_i_cli_call_file_lay_over(self, &one, NULL) == OPEVO_OK;
}

opevo_status opevo_i_cli_call_file_enter(const opevo_i_cli_call_file *self, const char *origin,
                                         opevo_error *err)
{
    const char *folder = json_string_value(json_object_get(self->root, "folder"));

    if (!folder || chdir(folder) == 0)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_IO, "%s: the folder of its paths, %s: %s.", origin, folder,
                      strerror(errno));
}

/* ---- Printing ------------------------------------------------------------------------------- */

/* What says nothing of a run itself: where it is kept, and how it is shown. */
static bool is_outside(const char *name)
{
    static const char *const outside[] = {"store", "emit", "json", "quiet",
                                          "curve", "runs", "seed", "dry-run"};

    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        if (!strcmp(outside[i], name))
            return true;
    }
    return false;
}

/* Whole numbers stay numbers, as far as every reader of JSON has them exactly. */
static void add_value(const char *value, opevo_text *out)
{
    uint64_t number = 0;

    if (opevo_parse_u64(value, &number) && number < (uint64_t)1 << 53)
        opevo_text_printf(out, "%llu", (unsigned long long)number);
    else
        opevo_text_add_json(out, value);
}

/* All values of the option of the i-th, in their order. */
static void add_option(const opevo_call *call, size_t i, opevo_text *out)
{
    const opevo_option *option = call->given[i].option;

    opevo_json_key(out, option->name);
    if (!option->argument) {
        opevo_text_add(out, "true");
        return;
    }
    opevo_text_add(out, option->repeatable ? "[" : "");
    for (size_t k = i; k < call->given_count; k++) {
        if (call->given[k].option != option)
            continue;
        opevo_text_add(out, k > i ? ", " : "");
        add_value(call->given[k].value, out);
    }
    opevo_text_add(out, option->repeatable ? "]" : "");
}

/* Whether an earlier one is of the same option. */
static bool is_again(const opevo_call *call, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (call->given[k].option == call->given[i].option)
            return true;
    }
    return false;
}

void opevo_i_cli_call_print(const opevo_call *call, const char *seed, opevo_text *out)
{
    char *folder = getcwd(NULL, 0);

    opevo_text_add(out, "{");
    opevo_json_string(out, "verb", call->verb->name);
    if (folder)
        opevo_json_string(out, "folder", folder);
    free(folder);
    if (call->argument_count) {
        opevo_json_key(out, "what");
        opevo_text_add(out, "[");
        for (size_t i = 0; i < call->argument_count; i++) {
            opevo_text_add(out, i ? ", " : "");
            opevo_text_add_json(out, call->arguments[i]);
        }
        opevo_text_add(out, "]");
    }
    for (size_t i = 0; i < call->given_count; i++) {
        if (!is_outside(call->given[i].option->name) && !is_again(call, i))
            add_option(call, i, out);
    }
    if (seed) {
        opevo_json_key(out, "seed");
        add_value(seed, out);
    }
    opevo_text_add(out, "}");
}
