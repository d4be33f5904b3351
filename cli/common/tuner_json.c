/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuner with its settings as JSON. */

#include "cli_internal.h"

static void print_setting_json(const opevo_setting *setting, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "key", setting->key);
    opevo_json_string(out, "summary", setting->summary);
    if (setting->kind == OPEVO_SETTING_CHOICE) {
        opevo_json_string(out, "choices", setting->choices);
    } else {
        opevo_json_double(out, "default", setting->default_value);
        opevo_json_double(out, "min", setting->min);
        opevo_json_double(out, "max", setting->max);
    }
    opevo_text_add(out, "}");
}

void opevo_i_tuner_json(const opevo_tuner_ops *tuner, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "name", tuner->name);
    opevo_json_string(out, "summary", tuner->summary);
    opevo_json_string(out, "source", tuner->source);
    opevo_json_bool(out, "learns", tuner->learn != NULL);
    opevo_json_bool(out, "works_on_branches", tuner->works_on_branches);
    opevo_json_bool(out, "needs_space", !tuner->create_on);
    opevo_json_key(out, "settings");
    opevo_text_add(out, "[");
    for (size_t i = 0; i < tuner->setting_count; i++) {
        opevo_json_next(out, " ");
        print_setting_json(&tuner->settings[i], out);
    }
    opevo_text_add(out, "]}");
}
