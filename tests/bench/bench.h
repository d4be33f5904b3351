/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What every benchmark shares: a table of measured against wanted numbers, and the clocks:
 * processor time of the process is what other jobs on the machine disturb least. Benchmarks are
 * plain executables; a row that misses its goal is printed as MISSED and makes the exit status
 * 1. */

#ifndef OPEVO_TESTS_BENCH_H
#define OPEVO_TESTS_BENCH_H

#include <opevo/clock.h>

#include <stdbool.h>
#include <stdio.h>

/* Rows printed so far that missed their goal; start from {0}. */
typedef struct bench {
    int missed;
} bench;

static inline void bench_title(const char *title)
{
    printf("\n%s\n%-62s %12s  %-10s %14s  %s\n", title, "name", "measured", "unit", "wanted", "");
}

static inline void bench_print(const char *name, double measured, const char *unit,
                               const char *wanted, const char *verdict)
{
    printf("%-62s %12.4g  %-10s %14s  %s\n", name, measured, unit, wanted, verdict);
    fflush(stdout);
}

/* A number without a goal. */
static inline void bench_note(const char *name, double measured, const char *unit)
{
    bench_print(name, measured, unit, "-", "");
}

static inline void bench_judge(bench *self, const char *name, double measured, const char *unit,
                               const char *relation, double goal, bool reached)
{
    char wanted[32];

    snprintf(wanted, sizeof wanted, "%s %.4g", relation, goal);
    bench_print(name, measured, unit, wanted, reached ? "ok" : "MISSED");
    self->missed += !reached;
}

static inline void bench_at_least(bench *self, const char *name, double measured, double goal,
                                  const char *unit)
{
    bench_judge(self, name, measured, unit, ">=", goal, measured >= goal);
}

static inline void bench_at_most(bench *self, const char *name, double measured, double goal,
                                 const char *unit)
{
    bench_judge(self, name, measured, unit, "<=", goal, measured <= goal);
}

/* The exit status of the program. */
static inline int bench_end(const bench *self)
{
    printf("\n%d missed\n", self->missed);
    return self->missed != 0;
}

#endif
