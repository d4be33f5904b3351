/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A member is an option of the verb by its name; so what a verb has on the command line it has in a
 * file, too. */

#include "call_file_internal.h"
#include "options_internal.h"

#include <opevo/closest.h>
#include <opevo/json.h>
#include <opevo/json_read.h>
#include <opevo/memory.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Members that are not options. */
static const char *const own_members[] = {"verb", "folder", "what", NULL};

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

static opevo_status fail_unknown(const opevo_json_reader *at, const opevo_verb *verb,
                                 opevo_error *err)
{
    opevo_closest closest = {.word = at->key};

    for (const char *const *own = own_members; *own; own++)
        opevo_closest_offer(&closest, *own);
    for (size_t i = 0; i < verb->option_count; i++)
        opevo_closest_offer(&closest, verb->options[i].name);
    if (closest.found)
        return opevo_json_fail(at, err, "unknown key; did you mean \"%s\"?", closest.found);
    return opevo_json_fail(at, err,
                           "unknown key; keys are the options of opevo %s without their dashes, "
                           "\"what\" and \"folder\".",
                           verb->name);
}

static opevo_status add_flag(opevo_i_cli_call_file *self, const opevo_option *option,
                             const opevo_json_reader *at, opevo_error *err)
{
    if (!json_is_boolean(at->value))
        return opevo_json_fail(at, err, "give true or false.");
    if (json_is_true(at->value))
        self->call.given[self->call.given_count++] = (opevo_given){option, NULL};
    return OPEVO_OK;
}

/* A value, or for an option that may be repeated a list of them. */
static opevo_status add_values(opevo_i_cli_call_file *self, const opevo_option *option,
                               const opevo_json_reader *at, opevo_error *err)
{
    bool list = json_is_array(at->value) && option->repeatable;
    size_t count = list ? json_array_size(at->value) : 1;

    for (size_t i = 0; i < count; i++) {
        const char *text = value_of(self, list ? json_array_get(at->value, i) : at->value);

        if (!text)
            return opevo_json_fail(at, err, "give a text or a number%s.",
                                   option->repeatable ? ", or a list of them" : "");
        self->call.given[self->call.given_count++] = (opevo_given){option, text};
    }
    return OPEVO_OK;
}

static opevo_status add_option(opevo_i_cli_call_file *self, const opevo_json_reader *at,
                               opevo_error *err)
{
    const opevo_option *option = opevo_i_cli_option_find(self->call.verb, at->key);

    if (opevo_json_is_among(own_members, at->key))
        return OPEVO_OK;
    if (!option || strcmp(option->name, at->key) != 0)
        return fail_unknown(at, self->call.verb, err);
    return option->argument ? add_values(self, option, at, err) : add_flag(self, option, at, err);
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

/* What stands beside the options. */
typedef struct head {
    const char *verb, *folder; /* NULL: not said */
    json_t *what;              /* operators or computations */
} head;

static opevo_status read_head(opevo_i_cli_call_file *self, const opevo_json_reader *whole,
                              opevo_error *err)
{
    static const opevo_json_field fields[] = {OPEVO_JSON_FIELD(head, verb, TEXT),
                                              OPEVO_JSON_FIELD(head, folder, TEXT),
                                              OPEVO_JSON_FIELD(head, what, TEXTS)};
    opevo_json_reader verb = opevo_json_member(whole, "verb");
    head read = {NULL, NULL, NULL};
    opevo_status status =
        opevo_json_read_some(whole, fields, sizeof fields / sizeof *fields, &read, err);

    if (status != OPEVO_OK)
        return status;
    if (read.verb && strcmp(read.verb, self->call.verb->name) != 0)
        return opevo_json_fail(&verb, err, "must be \"%s\".", self->call.verb->name);
    for (size_t i = 0; i < opevo_json_text_count(read.what); i++)
        self->call.arguments[self->call.argument_count++] = opevo_json_text_at(read.what, i);
    return OPEVO_OK;
}

static opevo_status read_members(opevo_i_cli_call_file *self, const char *origin, opevo_error *err)
{
    const opevo_json_reader whole = {.origin = origin, .value = self->root};
    opevo_status status = read_head(self, &whole, err);
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach(self->root, key, value)
    {
        const opevo_json_reader member = opevo_json_member(&whole, key);

        if (status == OPEVO_OK)
            status = add_option(self, &member, err);
    }
    return status;
}

opevo_status opevo_i_cli_call_file_parse(const char *text, size_t size, const char *origin,
                                         const opevo_verb *verb, opevo_i_cli_call_file *out,
                                         opevo_error *err)
{
    size_t room = 0;
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_cli_call_file){.call.verb = verb};
    status = opevo_json_parse(origin, text, size, &out->root, err);
    if (status != OPEVO_OK)
        return status;
    if (!json_is_object(out->root))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: expected an object with the options of a run.",
                          origin);
    room = room_for(out->root);
    out->numbers = opevo_calloc(room, sizeof *out->numbers);
    out->call.given = opevo_calloc(room, sizeof *out->call.given);
    out->call.arguments = opevo_calloc(room, sizeof *out->call.arguments);
    OPEVO_NEED_OR_RETURN(out->numbers && out->call.given && out->call.arguments, "reading %s",
                         origin);
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

    OPEVO_NEED_OR_RETURN(all, "the options of a run");
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
static void print_option(const opevo_call *call, size_t i, opevo_text *out)
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
        opevo_json_open(out, "what", "[");
        for (size_t i = 0; i < call->argument_count; i++) {
            opevo_text_add(out, i ? ", " : "");
            opevo_text_add_json(out, call->arguments[i]);
        }
        opevo_text_add(out, "]");
    }
    for (size_t i = 0; i < call->given_count; i++) {
        if (!is_outside(call->given[i].option->name) && !is_again(call, i))
            print_option(call, i, out);
    }
    if (seed) {
        opevo_json_key(out, "seed");
        add_value(seed, out);
    }
    opevo_text_add(out, "}");
}
