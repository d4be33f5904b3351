/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Commands split into arguments, and the values of parameters put into them. */

#include "command_line_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

bool opevo_i_process_arguments_add(opevo_i_process_arguments *list, const char *text, size_t length)
{
    void *items = list->items;

    if (!opevo_reserve(&items, &list->capacity, list->count + 2, sizeof(char *)))
        return false;
    list->items = items;
    list->items[list->count] = opevo_strndup(text, length);
    list->items[list->count + 1] = NULL;
    return list->items[list->count] && ++list->count;
}

void opevo_i_process_arguments_clear(opevo_i_process_arguments *list)
{
    for (size_t i = 0; i < list->count; i++)
        opevo_free(list->items[i]);
    opevo_free(list->items);
    *list = (opevo_i_process_arguments){0};
}

/* ---- Words ---------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* One word at *at, without its quotes, appended to `word`; false for an open quote. */
static bool read_word(const char **at, opevo_text *word)
{
    char quote = '\0';

    for (; **at && (quote || !is_blank(**at)); ++*at) {
        char c = **at;

        if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? '\0' : c;
        else if (c == '\\' && quote != '\'' && (*at)[1])
            opevo_text_add_bytes(word, ++*at, 1);
        else
            opevo_text_add_bytes(word, *at, 1);
    }
    return !quote;
}

void opevo_i_process_arguments_print(const opevo_i_process_arguments *list, opevo_text *out)
{
    for (size_t i = 0; i < list->count; i++) {
        opevo_text_add(out, i ? " " : "");
        opevo_text_add(out, list->items[i]);
    }
}

opevo_status opevo_i_process_command_split(const char *text, opevo_i_process_arguments *out,
                                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text word = {0};

    for (;;) {
        while (is_blank(*text))
            text++;
        if (!*text)
            break;
        opevo_text_clear(&word);
        if (!read_word(&text, &word)) {
            status = OPEVO_FAIL(err, OPEVO_INVALID, "a quote is not closed.");
            goto cleanup;
        }
        if (word.failed ||
            !opevo_i_process_arguments_add(out, opevo_text_string(&word), word.length)) {
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
            goto cleanup;
        }
    }
    if (!out->count)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "it names no program.");
cleanup:
    opevo_text_free(&word);
    if (status != OPEVO_OK)
        opevo_i_process_arguments_clear(out);
    return status;
}

/* ---- Places --------------------------------------------------------------------------------- */

typedef enum place_kind { PLACE_ALL, PLACE_PARAMETER, PLACE_COMPONENT } place_kind;
typedef struct place {
    place_kind kind;
    size_t parameter, component;
} place;

/* What the `length` bytes between braces name; false when that is nothing. */
static bool resolve(const char *name, size_t length, const opevo_space *space, place *out)
{
    *out = (place){.kind = PLACE_ALL};
    if (length == 0)
        return true;
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        const char *own = opevo_parameter_name(parameter);
        size_t arity = opevo_parameter_arity(parameter);
        char wanted[160];

        out->parameter = i;
        out->kind = PLACE_PARAMETER;
        if (strlen(own) == length && !memcmp(own, name, length))
            return true;
        out->kind = PLACE_COMPONENT;
        for (size_t k = 0; k < arity; k++) {
            const char *component = opevo_parameter_component_name(parameter, k);

            out->component = k;
            snprintf(wanted, sizeof wanted, "%s[%zu]", own, k);
            if (strlen(wanted) == length && !memcmp(wanted, name, length))
                return true;
            if (component && strlen(component) == length && !memcmp(component, name, length))
                return true;
        }
    }
    return false;
}

/* Step through an argument: the next piece is `length` bytes at `text`, of a place or literal. */
typedef struct piece {
    const char *text;
    size_t length;
    bool is_place, is_open;
} piece;

static bool next_piece(const char **at, piece *out)
{
    const char *start = *at;

    if (!*start)
        return false;
    *out = (piece){.text = start};
    if ((start[0] == '{' && start[1] == '{') || (start[0] == '}' && start[1] == '}')) {
        out->length = 1;
        *at = start + 2;
    } else if (start[0] == '{') {
        out->text = start + 1;
        out->length = strcspn(start + 1, "}");
        out->is_place = true;
        out->is_open = !start[1 + out->length];
        *at = start + 1 + out->length + !out->is_open;
    } else {
        out->length = start[0] == '}' ? 1 : strcspn(start, "{}");
        *at = start + out->length;
    }
    return true;
}

opevo_status opevo_i_process_command_mark_output(opevo_i_process_arguments *command, size_t *count,
                                                 opevo_error *err)
{
    static const char mark = OPEVO_I_OUTPUT_PLACE;
    bool good = true;

    *count = 0;
    for (size_t i = 0; good && i < command->count; i++) {
        const char *at = command->items[i];
        const char *start = at;
        opevo_text word = {0};
        char *changed = NULL;
        piece part;

        for (; next_piece(&at, &part); start = at) {
            bool output = part.is_place && part.length == 3 && !memcmp(part.text, "out", 3);

            opevo_text_add_bytes(&word, output ? &mark : start, output ? 1 : (size_t)(at - start));
            *count += output;
        }
        changed = opevo_strndup(opevo_text_string(&word), word.length);
        good = !word.failed && changed;
        opevo_text_free(&word);
        if (good) {
            opevo_free(command->items[i]);
            command->items[i] = changed;
        }
    }
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
}

static opevo_status fail_unknown(const piece *part, const opevo_space *space, opevo_error *err)
{
    opevo_text names = {0};

    if (part->length == 3 && !memcmp(part->text, "out", 3))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "{out} is what a build makes; give --build COMMAND, such as "
                          "--build 'cc -O3 -DX={X} s.c -o {out}'.");
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        opevo_text_printf(&names, "%s%s", i ? ", " : "",
                          opevo_parameter_name(opevo_space_parameter(space, i)));
    OPEVO_FAIL(err, OPEVO_INVALID,
               "{%.*s} is not a parameter of the space; the parameters are %.600s; {{ is a brace.",
               (int)(part->length < 80 ? part->length : 80), part->text, opevo_text_string(&names));
    opevo_text_free(&names);
    return OPEVO_INVALID;
}

static opevo_status check_used(const opevo_space *space, const bool *used, opevo_error *err)
{
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const char *name = opevo_parameter_name(opevo_space_parameter(space, i));

        if (!used[i])
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "parameter %s does not occur in the command; put {%s} where its value "
                "belongs, or {} for the whole configuration as JSON.",
                name, name);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_process_command_check(const opevo_i_process_arguments *command,
                                           const opevo_space *space, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = opevo_space_parameter_count(space);
    bool *used = opevo_calloc(count, sizeof *used);

    OPEVO_NEED_OR_RETURN(used, "a command");
    for (size_t i = 0; i < command->count; i++) {
        const char *at = command->items[i];
        piece part;

        while (next_piece(&at, &part)) {
            place where;

            if (!part.is_place)
                continue;
            if (part.is_open) {
                status = OPEVO_FAIL(err, OPEVO_INVALID,
                                    "a brace is not closed in \"%.80s\"; {{ is a brace.",
                                    command->items[i]);
                goto cleanup;
            }
            if (!resolve(part.text, part.length, space, &where)) {
                status = fail_unknown(&part, space, err);
                goto cleanup;
            }
            for (size_t k = 0; k < count; k++)
                used[k] = used[k] || where.kind == PLACE_ALL || where.parameter == k;
        }
    }
    OPEVO_TRY(check_used(space, used, err));
cleanup:
    opevo_free(used);
    return status;
}

/* A component as a program reads it: texts bare, nothing quoted. */
static void print_components(const opevo_value *values, size_t first, size_t end, opevo_text *out)
{
    for (size_t i = first; i < end; i++) {
        if (i > first)
            opevo_text_add(out, ",");
        opevo_value_print(out, values[i]);
    }
}

static bool print_place(const place *where, const opevo_space *space, opevo_index point,
                        const opevo_index *vertices, opevo_text *out)
{
    const opevo_parameter *parameter = NULL;
    opevo_value *values = NULL;
    size_t arity = 0;

    if (where->kind == PLACE_ALL) {
        opevo_space_print_json(space, point, out);
        return true;
    }
    if (vertices[where->parameter] == OPEVO_INACTIVE)
        return true; /* nothing */
    parameter = opevo_space_parameter(space, where->parameter);
    arity = opevo_parameter_arity(parameter);
    values = opevo_calloc(arity, sizeof *values);
    if (!values)
        return false;
    opevo_parameter_value(parameter, vertices[where->parameter], values);
    if (where->kind == PLACE_PARAMETER)
        print_components(values, 0, arity, out);
    else
        print_components(values, where->component, where->component + 1, out);
    opevo_free(values);
    return true;
}

opevo_status opevo_i_process_command_fill(const opevo_i_process_arguments *command,
                                          const opevo_space *space, opevo_index point,
                                          opevo_i_process_arguments *out, opevo_error *err)
{
    size_t parameters = opevo_space_parameter_count(space);
    opevo_index *vertices = opevo_calloc(parameters, sizeof *vertices);
    opevo_text word = {0};
    bool good = vertices != NULL;

    if (good)
        opevo_space_decode(space, point, vertices);
    for (size_t i = 0; good && i < command->count; i++) {
        const char *at = command->items[i];
        piece part;

        opevo_text_clear(&word);
        while (good && next_piece(&at, &part)) {
            place where;

            if (!part.is_place)
                opevo_text_add_bytes(&word, part.text, part.length);
            else if (resolve(part.text, part.length, space, &where))
                good = print_place(&where, space, point, vertices, &word);
        }
        good = good && !word.failed &&
               opevo_i_process_arguments_add(out, opevo_text_string(&word), word.length);
    }
    opevo_text_free(&word);
    opevo_free(vertices);
    if (!good)
        opevo_i_process_arguments_clear(out);
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
}
