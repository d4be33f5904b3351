/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of the verb `landscape` that analyse a landscape under topologies. */

#ifndef OPEVO_CLI_LANDSCAPE_INTERNAL_H
#define OPEVO_CLI_LANDSCAPE_INTERNAL_H

#include "options_internal.h"

#include <opevo/improvement.h>
#include <opevo/landscape_profile.h>
#include <opevo/landscape_summary.h>

/* What is known under one topology. */
typedef struct opevo_i_cli_landscape_entry {
    const opevo_topology_choice *choice; /* NULL: the space as it is */
    opevo_landscape_profile profile;
    opevo_improvement *curve; /* NULL where it was not asked for; else one for each q */
} opevo_i_cli_landscape_entry;

typedef struct opevo_i_cli_landscape_analysis {
    opevo_objective *objective;
    opevo_landscape_table *table;
    opevo_profile_options options;
    opevo_topology_choice *choices;
    size_t choice_count;
    opevo_i_cli_landscape_entry *entries; /* by ascending expected cost */
    size_t entry_count;
    bool interactions; /* also where there are several topologies, of one of them */
    /* The generation whose improvement is computed; no seen points: none. */
    opevo_index *seen;
    size_t seen_count;
    opevo_index *parents; /* the fittest of them */
    double *weights;
    opevo_generation generation;
    double *q;
    size_t q_count;
    uint64_t seed;
    const char *population; /* as given */
} opevo_i_cli_landscape_analysis;

/* The objective, which must know its points without measuring. */
opevo_status opevo_i_cli_landscape_open(const opevo_call *call, const char *what, const char *on,
                                        opevo_objective **out, opevo_error *err);

/* Whether an option asks for the analysis; and all of it, from the options of `call`. */
bool opevo_i_cli_landscape_wants_analysis(const opevo_call *call);
opevo_status opevo_i_cli_landscape_analysis_run(const opevo_call *call, opevo_objective *objective,
                                                unsigned threads,
                                                opevo_i_cli_landscape_analysis *self,
                                                opevo_error *err);
void opevo_i_cli_landscape_analysis_release(opevo_i_cli_landscape_analysis *self);

/* landscape_population.c: fill seen, parents and generation from --population, --lambda, --rho,
 * --duplicates and --seed, and q from --q. */
opevo_status opevo_i_cli_landscape_population(const opevo_call *call,
                                              opevo_i_cli_landscape_analysis *self,
                                              opevo_error *err);

/* Add the name of the topology: of the space as it is, those that its parameters have. */
void opevo_i_cli_landscape_topology(const opevo_i_cli_landscape_analysis *self,
                                    const opevo_i_cli_landscape_entry *entry, opevo_text *out);

/* Index of the q with the largest probability of improvement. */
size_t opevo_i_cli_landscape_best_q(const opevo_i_cli_landscape_analysis *self,
                                    const opevo_i_cli_landscape_entry *entry);

opevo_status opevo_i_cli_landscape_analysis_print(const opevo_i_cli_landscape_analysis *self,
                                                  opevo_text *out, opevo_error *err);
/* The member "analysis" of the JSON object at the end of `out`, with at most `listed` local optima
 * of each topology. */
void opevo_i_cli_landscape_analysis_json(const opevo_i_cli_landscape_analysis *self, size_t listed,
                                         opevo_text *out);
/* All of what `opevo landscape --json` prints; a study without entries is left out. */
void opevo_i_cli_landscape_json(const opevo_objective *objective,
                                const opevo_landscape_summary *facts,
                                const opevo_i_cli_landscape_analysis *study, size_t listed,
                                opevo_text *out);
enum { OPEVO_I_LISTED_OPTIMA = 1000 };
/* Landscapes up to this many points are evaluated whole: c2, the largest of the paper, has
 * 22,579,200. */
#define OPEVO_I_MOST_EVALUATED ((opevo_index)1 << 25)

#endif
