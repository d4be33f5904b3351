/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of tuners, sorted by name. */

#include <opevo/tuners.h>

#include <opevo/closest.h>

#include <string.h>

/* A row is a tuner's opevo_i_NAME_ops, which its file defines. */
#define TUNERS(ROW)                                                                                \
    ROW(ansor)                                                                                     \
    ROW(ansor_knobs)                                                                               \
    ROW(autotvm)                                                                                   \
    ROW(autotvm_ga)                                                                                \
    ROW(climb)                                                                                     \
    ROW(droplet)                                                                                   \
    ROW(gbfs)                                                                                      \
    ROW(gbfs_reference)                                                                            \
    ROW(grid)                                                                                      \
    ROW(kt_annealing)                                                                              \
    ROW(kt_diff_evo)                                                                               \
    ROW(kt_genetic)                                                                                \
    ROW(kt_greedy_ils)                                                                             \
    ROW(kt_greedy_mls)                                                                             \
    ROW(kt_pso)                                                                                    \
    ROW(kt_tabu_greywolf)                                                                          \
    ROW(kt_vndx)                                                                                   \
    ROW(na2c)                                                                                      \
    ROW(na2c_reference)                                                                            \
    ROW(na2c_uniform)                                                                              \
    ROW(nsga2)                                                                                     \
    ROW(opevo)                                                                                     \
    ROW(opevo_reference)                                                                           \
    ROW(qgp)                                                                                       \
    ROW(random_search)                                                                             \
    ROW(tpe)

#define DECLARE(name) extern const opevo_tuner_ops opevo_i_##name##_ops;
#define ENTRY(name) &opevo_i_##name##_ops,
TUNERS(DECLARE)
static const opevo_tuner_ops *const tuners[] = {TUNERS(ENTRY)};

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
