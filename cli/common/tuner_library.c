/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a run says of the library and of the features that its tuner depends on. */

#include "tuner_library_internal.h"

#include <opevo/json.h>
#include <opevo/tuner.h>

#include <string.h>

/* Whether the setting `key` has not its first value. */
static bool is_changed(const opevo_tuner_ops *tuner, const opevo_setting_value *values,
                       const char *key)
{
    for (size_t i = 0; i < tuner->setting_count && values; i++) {
        if (!strcmp(tuner->settings[i].key, key))
            return values[i].number > 0;
    }
    return false;
}

/* False for one without a library, or whose settings choose a model that needs none. */
static bool library_of(const opevo_tuner_ops *tuner, const opevo_setting_value *settings,
                       opevo_tuner_library *out)
{
    if (!tuner->library || is_changed(tuner, settings, "model"))
        return false;
    tuner->library(out);
    return true;
}

void opevo_i_cli_add_library(const opevo_tuner_ops *tuner, const opevo_setting_value *settings,
                             opevo_text *out)
{
    opevo_tuner_library library;

    if (library_of(tuner, settings, &library))
        opevo_text_printf(out, " with %s", library.name);
}

void opevo_i_cli_add_library_json(const opevo_tuner_ops *tuner, const opevo_setting_value *settings,
                                  opevo_text *out)
{
    opevo_tuner_library library;

    if (!library_of(tuner, settings, &library))
        return;
    opevo_json_string(out, "library", library.name);
    opevo_json_bool(out, "library_as_tested", library.as_tested);
}

void opevo_i_cli_print_library_note(const opevo_tuner_ops *tuner,
                                    const opevo_setting_value *settings, opevo_text *out)
{
    opevo_tuner_library library;

    if (library_of(tuner, settings, &library) && !library.as_tested)
        opevo_text_printf(out,
                          "the results of %s differ from those of %s, so the trials of %s may "
                          "differ from those with these versions\n",
                          library.name, library.tested, tuner->name);
}

void opevo_i_cli_print_features_note(const opevo_tuner_ops *tuner,
                                     const opevo_setting_value *settings,
                                     const opevo_objective *objective, opevo_text *out)
{
    if (tuner->of_programs && !objective->features && !is_changed(tuner, settings, "model") &&
        !is_changed(tuner, settings, "features"))
        opevo_text_printf(out,
                          "%s has no features of programs, so the cost model of %s sees the values "
                          "of the parameters instead\n",
                          objective->name, tuner->name);
}
