/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The writer of JSON text. */

#include <opevo/json.h>

void opevo_json_next(opevo_text *out, const char *space)
{
    char last = '\0';

    if (out->length)
        last = out->data[out->length - 1];
    if (last != '{' && last != '[')
        opevo_text_add(out, ",");
    else if (*space == ' ')
        return;
    opevo_text_add(out, space);
}

void opevo_json_key(opevo_text *out, const char *key)
{
    opevo_json_next(out, " ");
    opevo_text_add_json(out, key);
    opevo_text_add(out, ": ");
}

void opevo_json_open(opevo_text *out, const char *key, const char *bracket)
{
    opevo_json_key(out, key);
    opevo_text_add(out, bracket);
}

void opevo_json_open_next(opevo_text *out, const char *space, const char *bracket)
{
    opevo_json_next(out, space);
    opevo_text_add(out, bracket);
}

void opevo_json_string(opevo_text *out, const char *key, const char *value)
{
    opevo_json_key(out, key);
    opevo_text_add_json(out, value);
}

void opevo_json_double(opevo_text *out, const char *key, double value)
{
    opevo_json_key(out, key);
    opevo_text_add_double(out, value);
}

void opevo_json_index(opevo_text *out, const char *key, opevo_index value)
{
    opevo_json_key(out, key);
    opevo_text_add_index(out, value);
}

void opevo_json_bool(opevo_text *out, const char *key, bool value)
{
    opevo_json_key(out, key);
    opevo_text_add(out, value ? "true" : "false");
}
