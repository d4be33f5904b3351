/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "options_internal.h"
#include "report_internal.h"

#include <opevo/json.h>
#include <opevo/version.h>

#include <assert.h>
#include <string.h>

/* JSON as the content of a script element: "<" stands in its strings only, where it may be written
 * as an escape, so that neither "</script" nor "<!--" can occur. U+2028 and U+2029 likewise, for
 * readers that take the data for program text. */
static void add_script_json(opevo_text *out, const char *json)
{
    while (*json) {
        size_t plain = strcspn(json, "<\xe2");

        opevo_text_add_bytes(out, json, plain);
        json += plain;
        if (*json == '<') {
            opevo_text_add(out, "\\u003c");
            json++;
        } else if (!strncmp(json, "\xe2\x80\xa8", 3) || !strncmp(json, "\xe2\x80\xa9", 3)) {
            opevo_text_add(out, (unsigned char)json[2] == 0xa8 ? "\\u2028" : "\\u2029");
            json += 3;
        } else if (*json) {
            opevo_text_add_bytes(out, json++, 1);
        }
    }
}

/* Append the page from *at up to the mark, and go behind it. */
static void add_up_to(const char **at, const char *mark, opevo_text *out)
{
    const char *found = strstr(*at, mark);

    assert(found);
    opevo_text_add_bytes(out, *at, (size_t)(found - *at));
    *at = found + strlen(mark);
}

opevo_status opevo_i_cli_report_page_fill(const char *title, const opevo_text *json, bool live,
                                          opevo_text *out, opevo_error *err)
{
    const char *at = (const char *)opevo_i_cli_report_page;
    opevo_text left_out = {0};

    add_up_to(&at, "@CONNECT@", out);
    opevo_text_add(out, live ? "; connect-src 'self'" : "");
    add_up_to(&at, "@TITLE@", out);
    opevo_text_add_xml(out, title);
    add_up_to(&at, "@DATA@", out);
    add_script_json(out, opevo_text_string(json));
    add_up_to(&at, "@LIVE@", out);
    add_up_to(&at, "@LIVE@", live ? out : &left_out);
    opevo_text_free(&left_out);
    opevo_text_add(out, at);
    return opevo_text_check(out, err);
}

/* A word as a shell reads it back. */
static void add_word(opevo_text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+./:,%@";

    if (*word && word[strspn(word, plain)] == '\0') {
        opevo_text_add(out, word);
        return;
    }
    opevo_text_add(out, "'");
    for (; *word; word++)
        opevo_text_add_bytes(out, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    opevo_text_add(out, "'");
}

static void add_command(opevo_text *out, const opevo_call *call)
{
    opevo_text_printf(out, "opevo %s", call->verb->name);
    for (size_t i = 0; i < call->argument_count; i++) {
        opevo_text_add(out, " ");
        add_word(out, call->arguments[i]);
    }
    for (size_t i = 0; i < call->given_count; i++) {
        const opevo_given *given = &call->given[i];

        opevo_text_printf(out, " %s%s", opevo_i_cli_option_dashes(given->option),
                          given->option->name);
        if (given->value) {
            opevo_text_add(out, " ");
            add_word(out, given->value);
        }
    }
}

void opevo_i_cli_report_json_head(const char *kind, const char *title, const opevo_call *call,
                                  opevo_text *out)
{
    opevo_text command = {0};

    add_command(&command, call);
    opevo_json_string(out, "kind", kind);
    opevo_json_string(out, "title", title);
    opevo_json_string(out, "version", OPEVO_VERSION);
    opevo_json_string(out, "command", opevo_text_string(&command));
    out->failed = out->failed || command.failed;
    opevo_text_free(&command);
}

void opevo_i_cli_report_json_column(opevo_text *out, const char *key, const double *first,
                                    size_t count, size_t stride)
{
    const char *at = (const char *)first;

    opevo_json_open(out, key, "[");
    for (size_t i = 0; i < count; i++, at += stride) {
        double value = 0;

        memcpy(&value, at, sizeof value);
        opevo_json_next(out, "");
        opevo_text_add_double(out, value);
    }
    opevo_text_add(out, "]");
}
