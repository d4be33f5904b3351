/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tables of functions of all tuners: one line each, for the table in tuners.c. */

#ifndef OPEVO_TUNERS_INTERNAL_H
#define OPEVO_TUNERS_INTERNAL_H

#include <opevo/tuner.h>

extern const opevo_tuner_ops opevo_i_opevo_ops;
extern const opevo_tuner_ops opevo_i_random_search_ops;

#endif
