/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cli_internal.h"

void opevo_i_json_key(opevo_text *out, const char *key)
{
    bool first = out->length && out->data[out->length - 1] == '{';

    opevo_text_add(out, first ? "" : ", ");
    opevo_text_add_json(out, key);
    opevo_text_add(out, ": ");
}

void opevo_i_json_string(opevo_text *out, const char *key, const char *value)
{
    opevo_i_json_key(out, key);
    opevo_text_add_json(out, value);
}

void opevo_i_json_double(opevo_text *out, const char *key, double value)
{
    opevo_i_json_key(out, key);
    opevo_text_add_double(out, value);
}

void opevo_i_json_index(opevo_text *out, const char *key, opevo_index value)
{
    opevo_i_json_key(out, key);
    opevo_text_add_index(out, value);
}

void opevo_i_json_bool(opevo_text *out, const char *key, bool value)
{
    opevo_i_json_key(out, key);
    opevo_text_add(out, value ? "true" : "false");
}
