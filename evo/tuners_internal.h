/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tables of functions of all tuners: one line each, for the table in tuners.c. */

#ifndef OPEVO_TUNERS_INTERNAL_H
#define OPEVO_TUNERS_INTERNAL_H

#include <opevo/tuner.h>

extern const opevo_tuner_ops opevo_i_ansor_knobs_ops;
extern const opevo_tuner_ops opevo_i_autotvm_ga_ops;
extern const opevo_tuner_ops opevo_i_autotvm_ops;
extern const opevo_tuner_ops opevo_i_droplet_ops;
extern const opevo_tuner_ops opevo_i_gbfs_ops;
extern const opevo_tuner_ops opevo_i_gbfs_reference_ops;
extern const opevo_tuner_ops opevo_i_grid_ops;
extern const opevo_tuner_ops opevo_i_kt_annealing_ops;
extern const opevo_tuner_ops opevo_i_kt_diff_evo_ops;
extern const opevo_tuner_ops opevo_i_kt_genetic_ops;
extern const opevo_tuner_ops opevo_i_kt_greedy_ils_ops;
extern const opevo_tuner_ops opevo_i_kt_greedy_mls_ops;
extern const opevo_tuner_ops opevo_i_kt_pso_ops;
extern const opevo_tuner_ops opevo_i_kt_tabu_greywolf_ops;
extern const opevo_tuner_ops opevo_i_kt_vndx_ops;
extern const opevo_tuner_ops opevo_i_na2c_ops;
extern const opevo_tuner_ops opevo_i_na2c_reference_ops;
extern const opevo_tuner_ops opevo_i_na2c_uniform_ops;
extern const opevo_tuner_ops opevo_i_opevo_ops;
extern const opevo_tuner_ops opevo_i_opevo_reference_ops;
extern const opevo_tuner_ops opevo_i_qgp_ops;
extern const opevo_tuner_ops opevo_i_random_search_ops;
extern const opevo_tuner_ops opevo_i_tpe_ops;

#endif
