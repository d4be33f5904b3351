/* SPDX-License-Identifier: GPL-3.0-or-later */

#ifndef OPEVO_TREES_MODEL_INTERNAL_H
#define OPEVO_TREES_MODEL_INTERNAL_H

#include "model_internal.h"

/* Boosted trees, cost_model_internal.h, of any rows. */
extern const opevo_i_model_ops opevo_i_trees_ops;

#endif
