/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of the verb analyze: what a store holds as a study, the landscapes that its runs were
 * made on, and the forms in which an analysis is printed. */

#ifndef OPEVO_ANALYZE_INTERNAL_H
#define OPEVO_ANALYZE_INTERNAL_H

#include "options_internal.h"

#include <opevo/stored_study.h>

/* What the options of analyze say; the study's options point into it. */
enum { OPEVO_I_MOST_LISTED = 100 };
typedef struct opevo_i_cli_analyze_settings {
    uint64_t checkpoints[OPEVO_I_MOST_LISTED];
    double targets[OPEVO_I_MOST_LISTED];
    opevo_analysis_options options;
} opevo_i_cli_analyze_settings;

/* "A.db", "A.db and B.db", "A.db and 3 more stores": the arguments of the call. */
void opevo_i_cli_stores_name(const opevo_call *call, opevo_text *out);
/* Read the runs of the stores on `threads` threads, those that --landscape, --tuner and --budget
 * name. Errors: INVALID where no run is wanted; whatever a store reports. */
opevo_status opevo_i_cli_study_read(const opevo_call *call, unsigned threads,
                                    opevo_stored_study *out, opevo_error *err);
/* Evaluate the landscapes: by --objective, by what the store says, or by the name of a simulated
 * one. What cannot be opened, or is not what the runs were made on, becomes a note, unless
 * --objective names it. Landscapes of one name whose points are the same become one. */
opevo_status opevo_i_cli_study_open_landscapes(const opevo_call *call, unsigned threads,
                                               opevo_stored_study *data, opevo_error *err);
/* The front over all runs on a landscape; nothing without --criteria. */
opevo_status opevo_i_cli_analysis_print_front(const opevo_stored_study *data, size_t landscape,
                                              unsigned width, opevo_text *out, opevo_error *err);
/* With a sample of the values of all successful trials on demand. */
void opevo_i_cli_analysis_json_fronts(const opevo_stored_study *data, bool with_sample,
                                      opevo_text *out);
/* What a call with the options of analyze asks for; starts as zeros. */
typedef struct opevo_i_cli_analysis_work {
    opevo_i_cli_analyze_settings settings;
    opevo_stored_study data;
    opevo_study_analysis *analysis;
} opevo_i_cli_analysis_work;
#define OPEVO_I_INTERVALS_OPTION                                                                   \
    {                                                                                              \
        "intervals", "KIND",                                                                       \
            "stores: intervals of means: approximate (default), or exact, which hold for any "     \
            "distribution",                                                                        \
            false                                                                                  \
    }
/* Read --at, --targets, --confidence, --intervals, --alpha, --resamples, --seed and --threads,
 * and then the stores that the call names, and analyse them; free it in any case. */
opevo_status opevo_i_cli_analysis_make(const opevo_call *call, opevo_i_cli_analysis_work *work,
                                       opevo_error *err);
void opevo_i_cli_analysis_free(opevo_i_cli_analysis_work *work);

/* Members of the JSON object being written that a report has as well: the settings and the runs,
 * the A/A comparisons (null without twins), who a contender is (with its settings as stored, or for
 * readers), what a landscape is, the regret of a cell (null if not known), how many runs and trials
 * it has, and of the object "overall", which is left open, the tests; false, with null written, if
 * no tests exist. */
void opevo_i_cli_analysis_json_settings(const opevo_stored_study *data,
                                        const opevo_analysis_options *options, opevo_text *out);
void opevo_i_cli_analysis_json_null(const opevo_study_analysis *analysis, opevo_text *out);
void opevo_i_cli_analysis_json_contender(const opevo_stored_contender *row, bool for_readers,
                                         opevo_text *out);
void opevo_i_cli_analysis_json_place(const opevo_stored_landscape *row,
                                     const opevo_study_place *place, opevo_text *out);
void opevo_i_cli_analysis_json_regret(const opevo_study_regret *regret, opevo_text *out);
void opevo_i_cli_analysis_json_counts(const opevo_study_cell *cell, opevo_text *out);
bool opevo_i_cli_analysis_json_overall(const opevo_study_analysis *analysis, opevo_text *out);

/* ---- What analyze and report say first, in the same words ---- */

enum { OPEVO_I_RANKING_COLUMNS = 7, OPEVO_I_RANKING_ROWS = 20 /* shown at first */ };
extern const char *const opevo_i_cli_ranking_heads[OPEVO_I_RANKING_COLUMNS]; /* "<": to the left */
extern const char opevo_i_cli_random_name[];
/* "optimum" or "best of all runs". */
const char *opevo_i_cli_fraction_of(const opevo_study_place *place);
/* How a does against b on a landscape; false where they are not compared. Takes the time of one
 * pass over the pairs. */
bool opevo_i_cli_verdict_of(const opevo_study_analysis *analysis, size_t landscape, size_t a,
                            size_t b, opevo_verdict *out);
/* A cell at the number of trials at which contenders are compared. */
const opevo_study_point *opevo_i_cli_compared_point(const opevo_study_place *place,
                                                    const opevo_study_cell *cell);
/* The contenders that ran on a landscape, best mean first; free it with opevo_free. */
opevo_status opevo_i_cli_ranking_make(const opevo_study_analysis *analysis, size_t landscape,
                                      size_t **out, size_t *count, opevo_error *err);
/* The last column: how a contender of the ranking does against its first. */
const char *opevo_i_cli_ranking_verdict(const opevo_study_analysis *analysis, size_t landscape,
                                        const size_t *order, size_t count, size_t contender);

/* Who is best, as "WHERE: WHO REST"; empty where there is nothing to say. Starts as zeros. */
typedef struct opevo_i_cli_short {
    opevo_text where, who, rest;
} opevo_i_cli_short;
opevo_status opevo_i_cli_short_place(const opevo_study_analysis *analysis, size_t landscape,
                                     opevo_i_cli_short *out, opevo_error *err);
opevo_status opevo_i_cli_short_overall(const opevo_study_analysis *analysis, opevo_i_cli_short *out,
                                       opevo_error *err);
void opevo_i_cli_short_free(opevo_i_cli_short *self);

void opevo_i_cli_analysis_print_json(const opevo_stored_study *data,
                                     const opevo_study_analysis *analysis, opevo_text *out);
void opevo_i_cli_analysis_print_csv(const opevo_stored_study *data,
                                    const opevo_study_analysis *analysis, opevo_text *out);
void opevo_i_cli_analysis_print_latex(const opevo_stored_study *data,
                                      const opevo_study_analysis *analysis, opevo_text *out);
/* In short and the ranking; with `all`, everything. */
opevo_status opevo_i_cli_analysis_print_text(const char *name, const opevo_stored_study *data,
                                             const opevo_study_analysis *analysis, bool all,
                                             opevo_text *out, opevo_error *err);

#endif
