/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Names of models and folders in what is printed, and weights that are NaN. */

#include "network_cli_internal.h"
#include "options_internal.h"
#include "terminal_internal.h"

#include <opevo/text.h>

#include <math.h>
#include <string.h>

enum { NAME_MOST = 120 }; /* bytes of a name that are printed */

void opevo_i_cli_add_name(const char *name, opevo_text *out)
{
    char start[NAME_MOST + 1];
    size_t length = strlen(name);

    if (length <= NAME_MOST) {
        opevo_text_add_visible(out, name);
        return;
    }
    length = NAME_MOST;
    while (length && ((unsigned char)name[length] & 0xc0) == 0x80) /* within a character */
        length--;
    memcpy(start, name, length);
    start[length] = '\0';
    opevo_text_add_visible(out, start);
    opevo_text_add(out, "...");
}

void opevo_i_cli_add_shell_word(const char *word, opevo_text *out)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_./+-,:@%=";

    if (*word && strspn(word, plain) == strlen(word)) {
        opevo_text_add(out, word);
        return;
    }
    opevo_text_add(out, "'");
    for (; *word; word++)
        opevo_text_add_bytes(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    opevo_text_add(out, "'");
}

/* The first element that is NaN; -1: none is. Of float32, which models have by the gigabyte,
 * without a call for each. */
static int64_t first_nan(const opevo_array *array)
{
    int64_t count = array->data ? opevo_array_elements(array) : 0, i = 0;

    if (array->type == OPEVO_NETWORK_FLOAT32) {
        while (i < count && !isnan(((const float *)array->data)[i]))
            i++;
    } else if (array->type == OPEVO_NETWORK_FLOAT64) {
        while (i < count && !isnan(opevo_array_number(array, i)))
            i++;
    } else {
        i = count;
    }
    return i < count ? i : -1;
}

/* Whether the file has the tensor: it is stored, or it is the value of a Constant. */
static bool is_of_file(const opevo_network *network, const opevo_network_value *value)
{
    return value->producer < 0
               ? !value->input
               : !strcmp(opevo_network_node_at(network, value->producer)->operation, "Constant");
}

static void warn_of_outputs(const opevo_call *call, const opevo_network *network)
{
    for (int i = 0; i < opevo_network_output_count(network); i++) {
        int value = opevo_network_output(network, i);
        opevo_text text = {0}, why = {0};

        if (opevo_network_output_is_stale(network, i, &why)) {
            opevo_text_printf(&text, "%s: output '", call->arguments[0]);
            opevo_i_cli_add_name(opevo_network_value_at(network, value)->name, &text);
            opevo_text_printf(&text, "' %s; what they compute holds.", opevo_text_string(&why));
            opevo_i_cli_print_error("network", opevo_text_string(&text));
        }
        opevo_text_free(&text);
        opevo_text_free(&why);
    }
}

void opevo_i_cli_network_warn(const opevo_call *call, const opevo_network *network)
{
    warn_of_outputs(call, network);
    for (int i = 0; i < opevo_network_value_count(network); i++) {
        const opevo_network_value *value = opevo_network_value_at(network, i);
        int64_t at = is_of_file(network, value) ? first_nan(&value->array) : -1;
        opevo_text text = {0};

        if (at < 0)
            continue;
        opevo_text_printf(&text, "%s: element %lld of the constant '", call->arguments[0],
                          (long long)at);
        opevo_i_cli_add_name(value->name, &text);
        opevo_text_add(&text, "' is nan, and so may be what is computed from it.");
        opevo_i_cli_print_error("network", opevo_text_string(&text));
        opevo_text_free(&text);
    }
}

void opevo_i_cli_network_say(const opevo_call *call, const char *what)
{
    opevo_progress progress;

    opevo_i_cli_progress_start(&progress, opevo_i_cli_flag(call, "quiet"));
    if (!progress.active)
        return;
    if (*what)
        opevo_i_cli_progress_draw(&progress, 0, what);
    else
        opevo_i_cli_progress_clear(&progress);
}
