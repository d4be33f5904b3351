/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Landscapes: objectives without hardware. */

#ifndef OPEVO_LANDSCAPE_H
#define OPEVO_LANDSCAPE_H

#include <opevo/objective.h>
#include <opevo/operator.h>

/* A recorded landscape: a table NAME.csv, NAME.csv.xz or NAME.csv.gz with its NAME.json beside it
 * (either may be named, also NAME alone), or a Kernel Tuner cache file, which may be compressed
 * likewise and may be unfinished (closing brackets missing). docs/formats.md describes both.
 *
 * Numeric parameters become `discrete`, others `categorical`, columns that the description groups a
 * `factor`; `space` (a file, NULL: none) says otherwise. A point without a row is UNRECORDED.
 *
 * Errors: INVALID, as "path:line: ...", for a table that disagrees with its description, a value
 * outside its parameter's list, a point given twice, a row that is cut; IO. Cost:   evaluate is one
 * look-up, about 50 ns. */
opevo_status opevo_recorded_open(const char *path, const char *space, opevo_objective **out,
                                 opevo_error *err);

/* A simulated landscape: an analytic model of a GPU that runs the paper's schedule of an operator.
 *
 *   device  a name of the table below, or the path of a device file
 *
 * No randomness: the same point has the same outcome always. The optimum is found by enumeration on
 * all processors and kept in the user's cache folder. docs/simulator.md derives the model. Cost:
 * evaluate is about 100 ns. */
opevo_status opevo_simulated_open(const opevo_operator *op, const char *device,
                                  opevo_objective **out, opevo_error *err);
typedef struct opevo_device_info {
    const char *name, *title;
} opevo_device_info;
size_t opevo_device_count(void);
opevo_device_info opevo_device_get(size_t i);

#endif
