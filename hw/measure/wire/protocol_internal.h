/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The messages between engine and worker, one JSON object a line: docs/formats/worker.md. */

#ifndef OPEVO_PROTOCOL_INTERNAL_H
#define OPEVO_PROTOCOL_INTERNAL_H

#include <jansson.h>

#include "job_internal.h"

/* Raised when a message changes its meaning; both sides must speak the same. */
enum { OPEVO_I_PROTOCOL = 6 };

/* Of one job: more say nothing more, and stores keep them all. */
enum { OPEVO_I_SAMPLES_LIMIT = 10000 };

/* Bytes of scratch memory that a job may ask for; what a host has is less. */
#define OPEVO_I_SCRATCH_LIMIT (INT64_C(1) << 40)

/* A text as JSON, with what is not UTF-8 replaced by '?'. NULL without memory. */
json_t *opevo_i_wire_json_text(const char *text);

/* NULL without memory. */
json_t *opevo_i_wire_job_to_json(const opevo_i_wire_job *job);
/* False for what is not a job. */
bool opevo_i_wire_job_from_json(const json_t *message, opevo_i_wire_job *out);
json_t *opevo_i_wire_result_to_json(const opevo_i_wire_result *result);
bool opevo_i_wire_result_from_json(const json_t *message, opevo_i_wire_result *out);

/* The message as a line with its end; NULL, also for a NULL message, without memory. Takes the
 * message. Release with free. */
char *opevo_i_wire_message_line(json_t *message);

/* What the kernels of a setup compute: its member "computation". */
int opevo_i_wire_setup_add_workload(json_t *setup,
                                    const opevo_workload *work); /* 0, -1 without memory */
/* The same back, for the caller to destroy. Errors: INVALID for none; those of reading it. */
opevo_status opevo_i_wire_setup_workload(const json_t *setup, opevo_workload **out,
                                         opevo_error *err);

/* Seconds for which a kernel is measured at least: where a setup asks for energy, long enough for
 * its counters, which are renewed so often; otherwise 0. */
double opevo_i_wire_setup_least_s(const json_t *setup, double counter_s);

#endif
