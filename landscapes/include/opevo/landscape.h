/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Landscapes: objectives without hardware. */

#ifndef OPEVO_LANDSCAPE_H
#define OPEVO_LANDSCAPE_H

#include <opevo/api.h>
#include <opevo/objective.h>
#include <opevo/operator.h>

OPEVO_BEGIN_C

/* A recorded landscape: a table NAME.csv, NAME.csv.xz or NAME.csv.gz with its NAME.json beside it
 * (either may be named, also NAME alone), a Kernel Tuner cache file, which may be compressed too
 * and may be unfinished (closing brackets missing), or T4 results. docs/formats/landscape.md
 * describes them, with every rule. Of a table without its JSON the parameters are inferred: its
 * path ends in "#UNIT:COLUMN", which names the result, such as "runs.csv#ms:time", and in
 * "#...,mean" where rows of one configuration are averaged. An empty path is the recording that is
 * built into the library.
 *
 * Numeric parameters become `discrete`, others `categorical`, columns that the description groups a
 * `factor`; `space` (a space file, NULL: none) says otherwise, and rows outside it are left out. A
 * point without a row is UNRECORDED. The optimum is the best row; it is known unless no row is OK.
 *
 * Errors: INVALID, as "path:line: ...", for a table that disagrees with its description, a value
 * outside its parameter's list, a point given twice, a row that is cut; LIMIT for a text above 1
 * GiB; IO. Cost: open reads everything once; evaluate is one look-up, about 50 ns, from any number
 * of threads. */
OPEVO_API opevo_status opevo_recorded_open(const char *path, const char *space,
                                           opevo_objective **out, opevo_error *err);
/* Make the rows of a recorded landscape that was just opened all of its allowed points, so that its
 * space and its signatures are others; it is then called "only-recorded:..." Errors: INVALID for
 * any other objective; NOMEM, with the objective to be destroyed. */
OPEVO_API opevo_status opevo_recorded_keep_rows(opevo_objective *objective, opevo_error *err);
/* The name of the objective that was recorded, as its description has it, such as
 * "cpu:sketch gmm(1,512,512,512)"; NULL where that is not known, and for any other objective. */
OPEVO_API const char *opevo_recorded_of(const opevo_objective *objective);
/* What is known of the programs behind the points of a recorded landscape, before it is used:
 * sources of features and of loop trees (NULL: none), which live as long as `owner`; that is
 * released with the objective. */
typedef struct opevo_recorded_programs {
    const opevo_feature_source *features, *trees;
    void *owner;
    void (*release)(void *owner);
} opevo_recorded_programs;
OPEVO_API void opevo_recorded_use_programs(opevo_objective *objective,
                                           const opevo_recorded_programs *programs);
/* What was inferred of a table without a description, in lines; NULL for any other objective. */
OPEVO_API const char *opevo_recorded_inferred(const opevo_objective *objective);
/* How many points of a recorded landscape have a row; 0 for any other objective. */
OPEVO_API size_t opevo_recorded_rows(const opevo_objective *objective);
/* The point of one of these rows. */
OPEVO_API opevo_index opevo_recorded_point(const opevo_objective *objective, size_t row);
/* How many rows of a recorded landscape lie outside the space file that it was opened with, or the
 * restrictions of its cache, and were left out; 0 for any other objective. */
OPEVO_API size_t opevo_recorded_ignored(const opevo_objective *objective);

/* ---- Tables written: opevo_recorded_open reads them back ---- */

/* Append the line that names the columns of a table of the objective, of which space, unit and
 * criteria are read: one for each component of each parameter, those of results, and one for each
 * criterion after the fitness. Errors: INVALID where two of them would have one name. */
OPEVO_API opevo_status opevo_recorded_add_columns(const opevo_objective *objective, opevo_text *out,
                                                  opevo_error *err);
/* Append the row of a point. The outcome has a status; without memory out->failed is set. */
OPEVO_API void opevo_recorded_add_row(const opevo_objective *objective, opevo_index point,
                                      const opevo_outcome *outcome, opevo_text *out);
/* What tables call an outcome, such as "compile_error"; NULL for one that they do not hold. */
OPEVO_API const char *opevo_recorded_status(opevo_outcome_class kind);

/* A simulated landscape: an analytic model of a GPU that runs the paper's schedule of an operator.
 *
 *   device  a name of the table below, or the path of a device file (holds a '/' or ends in
 *           ".json")
 *
 * No randomness: the same point has the same outcome always. run_s is what the paper's harness
 * would run for; building is not modelled and build_s is 0. The optimum is found by enumeration on
 * all processors, for spaces of at most 2^33 points, and kept in the user's cache folder.
 * docs/simulator.md derives the model.
 *
 * Errors: INVALID for an unknown device, or a device file with a missing, unknown or impossible
 *         key; LIMIT for a parameter of more than 2^24 values; IO; NOMEM.
 * Cost:   evaluate is 50 to 250 ns. */
OPEVO_API opevo_status opevo_simulated_open(const opevo_operator *op, const char *device,
                                            opevo_objective **out, opevo_error *err);
typedef struct opevo_device_info {
    const char *name, *title;
} opevo_device_info;
OPEVO_API size_t opevo_device_count(void);
OPEVO_API opevo_device_info opevo_device_get(size_t i);

OPEVO_END_C

#endif
