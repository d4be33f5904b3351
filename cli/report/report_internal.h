/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of the verb report: a page that the build has assembled from cli/report, and the data
 * that is put into it. */

#ifndef OPEVO_REPORT_INTERNAL_H
#define OPEVO_REPORT_INTERNAL_H

#include "analyze_internal.h"
#include "options_internal.h"
#include "reasons_internal.h"
#include "run_digest_internal.h"

#include <opevo/text.h>

/* The page, with the marks @CONNECT@, @TITLE@ and @DATA@ once each, and @LIVE@ around what only a
 * live page has, in this order; ended by a zero byte. Made by cmake/OpevoReport.cmake. */
extern const unsigned char opevo_i_cli_report_page[];

/* The page with its title and its data, which is JSON. Both may hold any text: what could end the
 * element that they stand in is escaped. A page that is `live` may ask where it came from for more.
 * Errors: NOMEM. */
opevo_status opevo_i_cli_report_page_fill(const char *title, const opevo_text *json, bool live,
                                          opevo_text *out, opevo_error *err);

/* Members of every report: title, version and the command that makes it. */
void opevo_i_cli_report_json_head(const char *kind, const char *title, const opevo_call *call,
                                  opevo_text *out);
/* An array of one double of each of `count` structs, `stride` bytes apart; null where one is not
 * finite. */
void opevo_i_cli_report_json_column(opevo_text *out, const char *key, const double *first,
                                    size_t count, size_t stride);

/* The member "words": those that the text of analyze has as well. */
void opevo_i_cli_report_json_words(opevo_text *out);

/* The runs of the stores, or the landscape, that the call names, as one JSON object. */
opevo_status opevo_i_cli_report_study(const opevo_call *call, const char *title, opevo_text *json,
                                      opevo_error *err);
/* One run of a store: of the program that was tuned, not of tuners. */
opevo_status opevo_i_cli_report_run(const opevo_call *call, const char *path, int64_t run,
                                    opevo_text *json, opevo_error *err);
opevo_status opevo_i_cli_report_landscape(const opevo_call *call, opevo_text *json,
                                          opevo_error *err);

/* The members of the run, whose info and reasons are those of the trials that the digest took, in
 * the object being written. */
opevo_status opevo_i_cli_report_run_members(opevo_store *store, const opevo_run_info *info,
                                            const opevo_i_cli_run_digest *digest,
                                            const opevo_i_cli_reasons *reasons, opevo_text *out,
                                            opevo_error *err);

/* The member "networks": the groups of tasks of the stores whose runs are all in `data`. Errors:
 * those of reading a store. */
opevo_status opevo_i_cli_report_networks(const opevo_stored_study *data, opevo_text *out,
                                         opevo_error *err);

/* The member "edits": the files that the options --edits name. Errors: IO; INVALID naming the
 * file. */
opevo_status opevo_i_cli_report_edits(const opevo_call *call, opevo_text *json, opevo_error *err);

#endif
