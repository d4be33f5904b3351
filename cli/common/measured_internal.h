/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Who measured a run (measured.c). */

#ifndef OPEVO_CLI_MEASURED_INTERNAL_H
#define OPEVO_CLI_MEASURED_INTERNAL_H

#include <opevo/store_workers.h>

typedef struct opevo_i_cli_measured_worker {
    int64_t number;
    uint64_t trials, faults;
    char *command, *host, *device, *state, *words; /* owned */
} opevo_i_cli_measured_worker;

/* Start from what is read; release with opevo_i_cli_measured_free. */
typedef struct opevo_i_cli_measured {
    opevo_i_cli_measured_worker *workers; /* in the order in which they came */
    size_t count;
    uint32_t *of_trial; /* for each trial the number of its worker, 0: unknown; or NULL */
    uint64_t trials;    /* of them */
} opevo_i_cli_measured;
/* Of the first `trials` trials of a run; nothing where nothing is known. */
opevo_status opevo_i_cli_measured_read(opevo_store *store, int64_t run, uint64_t trials,
                                       opevo_i_cli_measured *out, opevo_error *err);
void opevo_i_cli_measured_free(opevo_i_cli_measured *self);
/* The worker that measured a trial; NULL: not known. */
const opevo_i_cli_measured_worker *opevo_i_cli_measured_of(const opevo_i_cli_measured *self,
                                                           uint64_t trial);
/* A line for each worker, unless there is one without a fault. */
void opevo_i_cli_measured_print(const opevo_i_cli_measured *self, opevo_text *out);
/* A line for each objective whose runs in the store were measured on several devices. Errors: those
 * of the file; NOMEM. */
opevo_status opevo_i_cli_measured_print_several(opevo_store *store, opevo_text *out,
                                                opevo_error *err);
/* "workers" of the JSON object being written; nothing where nothing is known. */
void opevo_i_cli_measured_print_json(const opevo_i_cli_measured *self, opevo_text *out);

/* "'ssh node1 opevo-worker cpu' (node1: AMD EPYC ...)" */
void opevo_i_cli_worker_print(const char *command, const char *host, const char *device,
                              opevo_text *out);

/* "workers" of the JSON object being written: those of the objective; nothing where it is
 * computed. */
void opevo_i_cli_add_json_workers(const opevo_objective *objective, opevo_text *out);
/* Say on stderr how many of the workers of an objective measured, and what of each is known, where
 * one of them had a fault or has not come up. */
void opevo_i_cli_tell_workers(const char *verb, const opevo_objective *objective);

/* The results of a run on one of its devices. */
typedef struct opevo_i_cli_measured_device {
    const char *device; /* borrowed from the workers */
    uint64_t trials, succeeded;
    double best, median; /* fitness of the successes; 0 without one */
} opevo_i_cli_measured_device;
/* Of each device, in the order in which they came; the list is the caller's. One device, or none
 * known: none. Errors: those of the store; NOMEM. */
opevo_status opevo_i_cli_measured_devices_of_run(opevo_store *store, int64_t run,
                                                 const opevo_i_cli_measured *measured,
                                                 opevo_i_cli_measured_device **out, size_t *count,
                                                 opevo_error *err);

#endif
