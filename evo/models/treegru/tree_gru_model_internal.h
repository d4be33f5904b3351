/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the table of models has of TreeGRU; tree_gru_internal.h says what it is. */

#ifndef OPEVO_TREE_GRU_MODEL_INTERNAL_H
#define OPEVO_TREE_GRU_MODEL_INTERNAL_H

#include "model_internal.h"

extern const opevo_i_model_ops opevo_i_tree_gru_ops;         /* by names */
extern const opevo_i_model_ops opevo_i_tree_gru_context_ops; /* by context */

#endif
