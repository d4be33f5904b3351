/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Energy and power among the measurements of Kernel Tuner and its neighbours. Its observers call
 * them "energy" alone or at the end, as in nvml_energy, ps_energy and pmt_energy, in joules;
 * likewise power in watts. One observer serves the whole file. */

#include "recorded_internal.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const opevo_criterion kinds[OPEVO_I_OBSERVED_COUNT] = {{"energy", "J", false},
                                                              {"power", "W", false}};

/* As they are written, whatever their case. */
static const struct {
    const char *name;
    size_t kind;
    double scale;
} units[] = {
    {"J", 0, 1},     {"joule", 0, 1},         {"joules", 0, 1},
    {"mJ", 0, 1e-3}, {"kJ", 0, 1e3},          {"millijoules", 0, 1e-3},
    {"W", 1, 1},     {"watt", 1, 1},          {"watts", 1, 1},
    {"mW", 1, 1e-3}, {"milliwatts", 1, 1e-3},
};

static bool is_kind(const char *key, const char *kind)
{
    size_t length = strlen(kind);
    size_t whole = strlen(key);

    return !strcmp(key, kind) || (whole > length && key[whole - length - 1] == '_' &&
                                  !strcmp(key + whole - length, kind));
}

/* Whether a measurement of that name is taken rather than the one before: the plain name first,
 * then by the alphabet. */
static bool is_preferred(const char *key, const char *before, const char *kind)
{
    return !before ||
           (strcmp(before, kind) != 0 && (!strcmp(key, kind) || strcmp(key, before) < 0));
}

/* What a number in the unit is multiplied by; NAN for another quantity and for an unknown unit. */
static double scale_of(const json_t *unit, size_t kind)
{
    const char *name = json_string_value(unit);

    if (!name || !*name)
        return 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (units[i].kind == kind && !strcasecmp(units[i].name, name))
            return units[i].scale;
    }
    return NAN;
}

void opevo_i_landscape_observed_note(opevo_i_landscape_observed *self, const char *key,
                                     const json_t *value, const json_t *unit)
{
    for (size_t i = 0; i < OPEVO_I_OBSERVED_COUNT; i++) {
        if (json_is_number(value) && is_kind(key, kinds[i].name) && !isnan(scale_of(unit, i)) &&
            is_preferred(key, self->names[i], kinds[i].name))
            self->names[i] = key;
    }
}

opevo_status opevo_i_landscape_observed_begin(const opevo_i_landscape_observed *self,
                                              opevo_i_landscape_recording *recording,
                                              opevo_error *err)
{
    for (size_t i = 0; i < OPEVO_I_OBSERVED_COUNT; i++) {
        if (self->names[i] && !opevo_i_landscape_criteria_add(&recording->criteria, kinds[i].name,
                                                              kinds[i].unit, false))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", recording->path);
    }
    return OPEVO_OK;
}

void opevo_i_landscape_observed_clear(opevo_i_landscape_row *row)
{
    for (size_t i = 0; i < OPEVO_CRITERIA_MOST - 1; i++)
        row->more[i] = NAN;
}

void opevo_i_landscape_observed_fill(const opevo_i_landscape_observed *self, const char *key,
                                     const json_t *value, const json_t *unit,
                                     opevo_i_landscape_row *row)
{
    size_t place = 0;

    for (size_t i = 0; i < OPEVO_I_OBSERVED_COUNT; i++) {
        if (!self->names[i])
            continue;
        if (!strcmp(self->names[i], key) && json_is_number(value))
            row->more[place] = json_number_value(value) * scale_of(unit, i);
        place++;
    }
}
