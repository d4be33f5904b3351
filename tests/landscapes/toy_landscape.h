/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A landscape of 16 rows that has every kind of parameter, status and cost, as texts to write into
 * files and to spoil. A is `discrete`, B `categorical`, F a `factor` over two columns; of the 18
 * points the constraint excludes A = 4, f1 = 4. */

#ifndef OPEVO_TESTS_TOY_LANDSCAPE_H
#define OPEVO_TESTS_TOY_LANDSCAPE_H

#include "landscape_files.h"

#include <opevo/landscape.h>

#define TOY_ROWS 16
#define TOY_OK 12

static const char toy_table[] =
    "A,B,f1,f2,time_ms,status,gflops,time_sd_ms,runs,compile_ms,cost_ms\n"
    "1,x,1,4,4,ok,0.25,0.1,10,100,150\n"
    "1,x,2,2,2,ok,0.5,0.1,10,100,130\n"
    "1,x,4,1,1,ok,1,0.1,10,100,120\n"
    "1,y,1,4,,compile_error,,,,80,80\n"
    "1,y,2,2,,runtime_error,,,,100,101\n"
    "1,y,4,1,,timeout,,,,100,1100\n"
    "2,x,1,4,,invalid,,,,0,1\n"
    "2,x,4,1,0.25,ok,4,0.02,10,100,115\n"
    "2,x,2,2,0.25,ok,4,0.01,10,100,116\n"
    "2,y,1,4,0.5,ok,2,,1,,\n"
    "2,y,2,2,0.5,ok,2,,8,50,\n"
    "2,y,4,1,0.8,ok,1.25,,,,\n"
    "4,x,1,4,1.6,ok,0.625,,4,10,5\n"
    "4,x,2,2,8,ok,0.125,,,,\n"
    "4,y,1,4,10,ok,0.1,,,,\n"
    "4,y,2,2,16,ok,0.0625,,,,\n";

static const char toy_description[] =
    "{\n"
    " \"format\": \"tuning-landscape 1\",\n"
    " \"name\": \"toy\",\n"
    " \"flop_per_run\": 1000000,\n"
    " \"parameters\": [\n"
    "  {\"name\": \"A\", \"type\": \"int\", \"values\": [1, 2, 4]},\n"
    "  {\"name\": \"B\", \"type\": \"string\", \"values\": [\"x\", \"y\"]},\n"
    "  {\"name\": \"F\", \"type\": \"factor\", \"product\": 4, \"parts\": 2,\n"
    "   \"columns\": [\"f1\", \"f2\"]}\n"
    " ],\n"
    " \"constraints\": [\"A * f1 <= 8\"],\n"
    " \"rows\": 16,\n"
    " \"valid\": 12,\n"
    " \"status_counts\": {\"ok\": 12, \"compile_error\": 1, \"runtime_error\": 1, \"invalid\": 1,\n"
    "  \"timeout\": 1},\n"
    " \"best\": {\"time_ms\": 0.25, \"gflops\": 4},\n"
    " \"columns\": [{\"name\": \"A\"}, \"B\", \"f1\", \"f2\", \"time_ms\", \"status\", "
    "\"gflops\",\n"
    "  \"time_sd_ms\", \"runs\", \"compile_ms\", \"cost_ms\"]\n"
    "}\n";

static inline void write_toy(test_folder *folder)
{
    folder_write(folder, "toy.csv", toy_table);
    folder_write(folder, "toy.json", toy_description);
}

static inline opevo_objective *open_recorded(test_folder *folder, const char *name,
                                             const char *space)
{
    opevo_objective *objective = NULL;
    char path[512];

    strcpy(path, folder_file(folder, name));
    CHECK_OK(
        opevo_recorded_open(path, space ? folder_file(folder, space) : NULL, &objective, &err));
    return objective;
}

static inline opevo_outcome outcome_of(opevo_objective *objective, const char *configuration)
{
    opevo_index point = 0;
    opevo_outcome outcome;

    CHECK_OK(opevo_space_read(objective->space, configuration, &point, &err));
    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    return outcome;
}

/* The outcome has this kind, fitness, time and costs; time NAN for a failure. */
static inline void check_outcome(opevo_objective *objective, const char *configuration,
                                 opevo_outcome_class kind, double fitness, double time_s,
                                 double build_s, double run_s)
{
    opevo_outcome outcome = outcome_of(objective, configuration);

    assert_int_equal(outcome.kind, kind);
    CHECK_CLOSE(outcome.fitness, fitness, 1e-15);
    if (isnan(time_s))
        assert_true(isnan(outcome.time_s));
    else
        CHECK_CLOSE(outcome.time_s, time_s, 1e-15);
    CHECK_CLOSE(outcome.build_s, build_s, 1e-15);
    CHECK_CLOSE(outcome.run_s, run_s, 1e-15);
    assert_true(outcome.check_s == 0 && outcome.other_s == 0);
    assert_null(outcome.samples_s);
}

#endif
