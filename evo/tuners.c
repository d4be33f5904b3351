/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of tuners, sorted by name. */

#include <opevo/tuners.h>

#include <opevo/closest.h>

#include "tuners_internal.h"

#include <string.h>

static const opevo_tuner_ops *const tuners[] = {
    &opevo_i_ansor_knobs_ops,
    &opevo_i_autotvm_ops,
    &opevo_i_autotvm_ga_ops,
    &opevo_i_droplet_ops,
    &opevo_i_gbfs_ops,
    &opevo_i_gbfs_reference_ops,
    &opevo_i_grid_ops,
    &opevo_i_kt_annealing_ops,
    &opevo_i_kt_diff_evo_ops,
    &opevo_i_kt_genetic_ops,
    &opevo_i_kt_greedy_ils_ops,
    &opevo_i_kt_greedy_mls_ops,
    &opevo_i_kt_pso_ops,
    &opevo_i_kt_tabu_greywolf_ops,
    &opevo_i_kt_vndx_ops,
    &opevo_i_na2c_ops,
    &opevo_i_na2c_reference_ops,
    &opevo_i_na2c_uniform_ops,
    &opevo_i_opevo_ops,
    &opevo_i_opevo_reference_ops,
    &opevo_i_qgp_ops,
    &opevo_i_random_search_ops,
    &opevo_i_tpe_ops,
};

size_t opevo_tuner_count(void)
{
    return sizeof tuners / sizeof(void *);
}

const opevo_tuner_ops *opevo_tuner_get(size_t i)
{
    return tuners[i];
}

opevo_status opevo_tuner_find(const char *name, const opevo_tuner_ops **out, opevo_error *err)
{
    opevo_closest closest = {.word = name};
    opevo_text names = {0};

    for (size_t i = 0; i < opevo_tuner_count(); i++) {
        if (!strcmp(tuners[i]->name, name)) {
            *out = tuners[i];
            return OPEVO_OK;
        }
        opevo_closest_offer(&closest, tuners[i]->name);
    }
    if (closest.found)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown tuner %s; did you mean %s?", name,
                          closest.found);
    for (size_t i = 0; i < opevo_tuner_count(); i++)
        opevo_text_printf(&names, "%s%s", i ? ", " : "", tuners[i]->name);
    OPEVO_FAIL(err, OPEVO_INVALID, "Unknown tuner %s; use one of %s.", name,
               opevo_text_string(&names));
    opevo_text_free(&names);
    return OPEVO_INVALID;
}
