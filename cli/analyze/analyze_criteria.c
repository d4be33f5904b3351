/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Fronts over all runs on a landscape, as text and as JSON. */

#include "analyze_internal.h"
#include "criteria_of_call_internal.h"

#include <opevo/json.h>

static opevo_i_cli_shown_front shown(const opevo_landscape_front *self)
{
    return (opevo_i_cli_shown_front){.front = &self->front,
                                     .criteria = self->criteria,
                                     .unit = self->unit,
                                     .space = self->space,
                                     .origins = OPEVO_I_ORIGIN_TUNER};
}

opevo_status opevo_i_cli_analysis_print_front(const opevo_stored_study *data, size_t landscape,
                                              unsigned width, opevo_text *out, opevo_error *err)
{
    opevo_i_cli_shown_front front;

    if (!data->fronts || data->fronts[landscape].front.count == 0)
        return OPEVO_OK;
    front = shown(&data->fronts[landscape]);
    opevo_text_add(out, "\nfront of ");
    opevo_i_cli_criteria_show(data->criteria_words, out);
    opevo_text_printf(out, " over all runs: %zu trial%s\n", front.front->count,
                      front.front->count == 1 ? "" : "s");
    return opevo_i_cli_front_print(&front, width, out, err);
}

static void add_sample(const opevo_landscape_front *self, opevo_text *out)
{
    opevo_json_index(out, "sample_every", self->sample_every);
    opevo_json_open(out, "sample", "[");
    for (size_t i = 0; i < self->sample_count; i++) {
        opevo_json_open_next(out, "", "[");
        for (size_t k = 0; k < self->front.criteria.count; k++) {
            opevo_json_next(out, "");
            opevo_text_add_double(out, self->sample[i][k]);
        }
        opevo_text_add(out, "]");
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_analysis_json_fronts(const opevo_stored_study *data, bool with_sample,
                                      opevo_text *out)
{
    if (!data->fronts)
        return;
    opevo_json_open(out, "fronts", "[");
    for (size_t i = 0; i < data->landscape_count; i++) {
        const opevo_landscape_front *self = &data->fronts[i];
        opevo_i_cli_shown_front front = shown(self);

        opevo_json_open_next(out, "\n  ", "{");
        opevo_json_index(out, "landscape", i);
        opevo_json_key(out, "criteria");
        opevo_i_cli_front_json_criteria(&front, &self->box, out);
        opevo_json_key(out, "front");
        opevo_i_cli_front_json(&front, out);
        if (with_sample)
            add_sample(self, out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}
