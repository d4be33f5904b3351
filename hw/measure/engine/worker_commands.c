/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The commands that reach workers, from the texts of --workers: "8*ssh node%d opevo-worker cpu"
 * stands for eight of them. */

#include "worker_commands_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

enum { WIDTH_MOST = 9 }; /* digits of a number with zeros before it */

opevo_status opevo_i_engine_worker_factor(const char **text, uint64_t *factor, opevo_error *err)
{
    size_t digits = strspn(*text, "0123456789");
    char number[20];

    *factor = 1;
    if (digits == 0 || (*text)[digits] != '*')
        return OPEVO_OK;
    snprintf(number, sizeof number, "%.*s", (int)digits, *text);
    if (digits >= sizeof number || !opevo_parse_u64(number, factor) || *factor == 0 ||
        *factor > OPEVO_I_WORKERS_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID, "give a number from 1 to %d before the *.",
                          OPEVO_I_WORKERS_MOST);
    *text += digits + 1;
    return OPEVO_OK;
}

/* The command of worker `number`: %d is that, %03d with zeros, %% a percent sign. */
static opevo_status number_command(const char *text, unsigned number, opevo_text *out,
                                   opevo_error *err)
{
    for (const char *at = text; *at; at++) {
        size_t width = 0;

        if (*at != '%') {
            opevo_text_add_bytes(out, at, 1);
        } else if (at[1] == '%') {
            opevo_text_add_bytes(out, at++, 1);
        } else if (at[1] == 'd') {
            opevo_text_printf(out, "%u", number);
            at++;
        } else if (at[1] == '0' && at[2] >= '1' && at[2] <= '0' + WIDTH_MOST && at[3] == 'd') {
            width = (size_t)(at[2] - '0');
            opevo_text_printf(out, "%0*u", (int)width, number);
            at += 3;
        } else {
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "after N* a %% is %%d or %%03d, the worker's number, or %%%%.");
        }
    }
    return opevo_text_check(out, err);
}

static opevo_status add(opevo_i_engine_worker_commands *list, const char *text, unsigned number,
                        bool numbered, opevo_error *err)
{
    opevo_text command = {0};
    opevo_i_process_arguments *words = NULL;
    opevo_status status = OPEVO_OK;

    if (list->count == OPEVO_I_WORKERS_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID, "give %d workers at most.", OPEVO_I_WORKERS_MOST);
    OPEVO_NEED_OR_RETURN(
        opevo_reserve((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items),
        "%zu workers", list->count + 1);
    words = &list->items[list->count++];
    *words = (opevo_i_process_arguments){.count = 0};
    if (numbered)
        OPEVO_TRY(number_command(text, number, &command, err));
    OPEVO_TRY(
        opevo_i_process_command_split(numbered ? opevo_text_string(&command) : text, words, err));
cleanup:
    opevo_text_free(&command);
    return status;
}

opevo_status opevo_i_engine_worker_commands_add(opevo_i_engine_worker_commands *list,
                                                const char *text, opevo_error *err)
{
    const char *rest = text;
    uint64_t factor = 1;
    opevo_status status = opevo_i_engine_worker_factor(&rest, &factor, err);

    for (unsigned i = 1; status == OPEVO_OK && i <= factor; i++)
        status = add(list, rest, i, rest != text, err);
    return status;
}

void opevo_i_engine_worker_commands_clear(opevo_i_engine_worker_commands *list)
{
    for (size_t i = 0; i < list->count; i++)
        opevo_i_process_arguments_clear(&list->items[i]);
    opevo_free(list->items);
    *list = (opevo_i_engine_worker_commands){.count = 0};
}
