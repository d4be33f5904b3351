/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whole conversations with the server, in memory: no files, no stores. The first byte says in how
 * large pieces the rest arrives. Each line has one reply, which is a JSON object on one line and
 * either done or a sentence. Lines that would only take long are left out: numbers of many digits,
 * and tuners that fit models. */

#include "fuzz.h"

#include "serve_internal.h"

#include <stdio.h>
#include <string.h>

enum { DIGITS_MOST = 3 };

static bool takes_long(const char *line, size_t length)
{
    static const char *const slow[] = {"qgp", "autotvm", "ansor", "na2c", "tpe"};
    size_t digits = 0;

    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        if (memmem(line, length, slow[i], strlen(slow[i])))
            return true;
    }
    for (size_t i = 0; i < length; i++) {
        digits = line[i] >= '0' && line[i] <= '9' ? digits + 1 : 0;
        if (digits > DIGITS_MOST)
            return true;
    }
    return false;
}

static void check_reply(const opevo_text *out)
{
    const char *end = memchr(out->data, '\n', out->length);
    json_t *reply = json_loadb(out->data, out->length, JSON_REJECT_DUPLICATES, NULL);
    const json_t *ok = json_object_get(reply, "ok");
    opevo_error err = {OPEVO_INVALID, ""};

    FUZZ_CHECK(!out->failed && end == out->data + out->length - 1);
    FUZZ_CHECK(json_is_object(reply) && json_is_boolean(ok));
    FUZZ_CHECK(json_is_true(ok) == !json_object_get(reply, "error"));
    if (json_is_false(ok)) {
        snprintf(err.message, sizeof err.message, "%s",
                 json_string_value(json_object_get(reply, "error")));
        fuzz_accepts(err.status, &err);
    }
    json_decref(reply);
}

static void answer(opevo_i_cli_server *server, const char *line, size_t length, opevo_text *out)
{
    if (takes_long(line, length))
        return;
    opevo_text_clear(out);
    opevo_i_cli_serve_line(server, line, length, out);
    check_reply(out);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    opevo_i_cli_server server = {
        .without_files = true, .shared = size && data[0] & 1, .lease_s = 3600};
    opevo_i_cli_request_lines lines = {0};
    opevo_text out = {0};
    size_t piece = size ? (size_t)data[0] + 1 : 1;
    size_t given = 0;

    for (size_t at = 1; at < size; at += piece) {
        size_t length = piece < size - at ? piece : size - at;
        bool at_end = at + length == size;
        opevo_i_cli_got_line got = OPEVO_I_LINE_NONE;
        const char *line = NULL;

        FUZZ_CHECK(opevo_i_cli_request_lines_add(&lines, (const char *)data + at, length));
        while ((got = opevo_i_cli_request_lines_next(&lines, at_end, &line, &length)) !=
               OPEVO_I_LINE_NONE) {
            FUZZ_CHECK(!memchr(line, '\n', length));
            given += length;
            server.client = 1 + given % 3;
            if (got == OPEVO_I_LINE)
                answer(&server, line, length, &out);
        }
    }
    FUZZ_CHECK(given <= size);
    opevo_i_cli_serve_end(&server, NULL);
    opevo_i_cli_request_lines_free(&lines);
    opevo_text_free(&out);
}
