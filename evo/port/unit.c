/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Units of results: how fitness and time are turned into what is shown. */

#include <opevo/unit.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <opevo/text.h>

static const struct {
    const char *name, *shown, *of_fitness;
    bool is_time;
    double factor; /* of a time: in one second; otherwise: from the fitness to the result */
} units[] = {
    {"1/s", "s", "1/s", true, 1},
    {"ms", "ms", "1/s", true, 1e3},
    {"us", "us", "1/s", true, 1e6},
    {"ns", "ns", "1/s", true, 1e9},
    {"TFLOP/s", "TFLOP/s", "GFLOP/s", false, 1e-3},
};
enum { COUNT = sizeof units / sizeof *units };

/* Its row, COUNT where it has none: results are then the fitness. */
static size_t find(const char *unit)
{
    size_t i = 0;

    while (i < COUNT && strcmp(units[i].name, unit) != 0)
        i++;
    return i;
}

const char *opevo_unit_find(const char *name)
{
    size_t i = find(name);

    return i < COUNT ? units[i].name : NULL;
}

bool opevo_unit_is_time(const char *unit)
{
    size_t i = find(unit);

    return i < COUNT && units[i].is_time;
}

bool opevo_unit_follows_time(const char *unit)
{
    return opevo_unit_is_time(unit) || opevo_unit_is_speedup(unit) ||
           !strcmp(opevo_unit_of_fitness(unit), "GFLOP/s") || !strcmp(unit, "GB/s");
}

bool opevo_unit_is_speedup(const char *unit)
{
    return !strcmp(unit, "x");
}

const char *opevo_unit_name(const char *unit)
{
    size_t i = find(unit);

    return i < COUNT ? units[i].shown : unit;
}

const char *opevo_unit_of_fitness(const char *unit)
{
    size_t i = find(unit);

    return i < COUNT ? units[i].of_fitness : unit;
}

const char *opevo_unit_better(const char *unit)
{
    return opevo_unit_is_time(unit) ? "smaller" : "larger";
}

double opevo_unit_result(const char *unit, double fitness)
{
    size_t i = find(unit);
    char text[OPEVO_DOUBLE_TEXT_SIZE];
    double result = 0;

    if (i == COUNT)
        return fitness;
    if (units[i].is_time && !(fitness > 0))
        return NAN;
    result = units[i].is_time ? units[i].factor / fitness : units[i].factor * fitness;
    snprintf(text, sizeof text, "%.15g", result);
    opevo_parse_double(text, &result);
    return result;
}

/* A measured time t gives the fitness 1 / t after at most three roundings, on either side. */
double opevo_unit_fitness(const char *unit, double result)
{
    size_t i = find(unit);

    if (i == COUNT)
        return result;
    return (units[i].is_time ? units[i].factor / result : result / units[i].factor) *
           (1 - 4 * DBL_EPSILON);
}

double opevo_fitness_share(double share, double optimum)
{
    return share * optimum * (1 - OPEVO_SHARE_ROUNDING);
}

bool opevo_unit_agree(const char *a, const char *b)
{
    return !strcmp(opevo_unit_of_fitness(a), opevo_unit_of_fitness(b));
}
