/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuner with its settings as JSON. */

#include "tuner_json_internal.h"

#include <opevo/json.h>
#include <opevo/tuner.h>

#include <math.h>

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

static void print_batch_json(const opevo_tuner_ops *tuner, opevo_text *out)
{
    const opevo_setting *row = opevo_settings_batch_row(tuner);
    bool at_most = false;
    size_t batch = opevo_settings_batch(tuner, NULL, &at_most);

    opevo_json_double(out, "batch", batch == SIZE_MAX ? NAN : (double)batch);
    if (row)
        opevo_json_string(out, "batch_setting", row->key);
    opevo_json_bool(out, "batch_of_workers", row && row->batch == OPEVO_BATCH_OF_WORKERS);
}

void opevo_i_cli_tuner_json(const opevo_tuner_ops *tuner, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "name", tuner->name);
    opevo_json_string(out, "summary", tuner->summary);
    opevo_json_string(out, "source", tuner->source);
    opevo_json_bool(out, "learns", tuner->learn != NULL);
    opevo_json_bool(out, "works_on_branches", tuner->works_on_branches);
    opevo_json_bool(out, "needs_space", !tuner->create_on);
    print_batch_json(tuner, out);
    opevo_json_open(out, "settings", "[");
    for (size_t i = 0; i < tuner->setting_count; i++) {
        opevo_json_next(out, " ");
        print_setting_json(&tuner->settings[i], out);
    }
    opevo_text_add(out, "]}");
}
