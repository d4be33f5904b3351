/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statistics of repeated measurements. */

#ifndef OPEVO_SAMPLES_INTERNAL_H
#define OPEVO_SAMPLES_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

/* Ascending. */
void opevo_i_wire_sort(double *values, size_t count);
/* Of ascending values, count >= 1. */
double opevo_i_wire_median(const double *sorted, size_t count);

/* The time of one execution in each of `count` windows into `times`: the smaller one of elapsed and
 * processor time. What other processes took of a core is in the first only. */
void opevo_i_wire_window_times(const double *elapsed_s, const double *processor_s, size_t count,
                               double *times);

/* The time of a kernel from those of its windows, `count` >= 1 ascending ones: the 10 % quantile,
 * by nearest rank. What other processes do to caches and memory makes windows longer, never
 * shorter; the least of many is that of a clock's error. */
double opevo_i_wire_time_of_windows(const double *sorted, size_t count);

/* A time that survives being written in milliseconds: itself where it is some double / 1000,
 * otherwise the nearest that is. */
double opevo_i_wire_recordable_s(double time_s);

#endif
