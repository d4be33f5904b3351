/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The cost models that a tuner may learn, and what they see of a point: the settings `model`,
 * `features` and `updates`. */

#ifndef OPEVO_MODELS_INTERNAL_H
#define OPEVO_MODELS_INTERNAL_H

#include <opevo/tuner.h>

#include "model_internal.h"
#include "tree_gru_model_internal.h"
#include "tree_view_internal.h"

/* A row each: a table of functions and the name that it has. Boosted trees are before them. */
#define OPEVO_I_NETWORK_LIST(X)                                                                    \
    X(opevo_i_tree_gru_ops, "treegru")                                                             \
    X(opevo_i_tree_gru_context_ops, "treegru-context")

typedef struct opevo_i_tvm_model_choice {
    unsigned model;
    unsigned features; /* of trees: opevo_i_tvm_features_choice */
    size_t updates;
} opevo_i_tvm_model_choice;

/* The values of `features`. */
enum { OPEVO_I_FEATURES_AUTO, OPEVO_I_FEATURES_KNOBS, OPEVO_I_FEATURES_VIEWS };

#define OPEVO_I_NETWORK_NAME(ops, name) " " name

/* Rows of a table of settings; `member` of `type` is an opevo_i_tvm_model_choice.
 * NOLINTBEGIN(bugprone-macro-parentheses): a path of members */
#define OPEVO_I_MODEL_ROWS(type, member)                                                           \
    OPEVO_ROW_CHOICE("model", type, member.model,                                                  \
                     "trees" OPEVO_I_NETWORK_LIST(OPEVO_I_NETWORK_NAME),                           \
                     "cost model: boosted trees, or a network that reads loop trees"),             \
        OPEVO_ROW_CHOICE("features", type, member.features, "auto knobs loops relation",           \
                         "what boosted trees see; auto: features of the objective, or else "       \
                         "parameters"),                                                            \
        OPEVO_ROW_COUNT("updates", type, member.updates, 50, 1, 100000,                            \
                        "steps of a training of a network")
/* NOLINTEND(bugprone-macro-parentheses) */

/* The number of the network of this name among the values of `model`. Errors: INVALID. */
opevo_status opevo_i_tvm_model_find(const char *kind, unsigned *out, opevo_error *err);
/* The model of a choice. */
const opevo_i_model_ops *opevo_i_tvm_model_of(const opevo_i_tvm_model_choice *choice);
/* Refuse the settings of `keys`, separated by blanks, that are not at their defaults, although what
 * `because` says leaves them without effect: "model=trees". Errors: INVALID with what to do. */
opevo_status opevo_i_tvm_refuse_idle(const opevo_setting *table, size_t count,
                                     const opevo_setting_value *values, const char *keys,
                                     const char *because, opevo_error *err);
/* The same of those that the chosen model does not read. */
opevo_status opevo_i_tvm_model_check_settings(const opevo_i_tvm_model_choice *choice,
                                              const opevo_setting *table, size_t count,
                                              const opevo_setting_value *values, opevo_error *err);
/* How many times less a search asks it than boosted trees, which are so many times faster. */
size_t opevo_i_tvm_model_thrift(const opevo_i_tvm_model_choice *choice);
/* Steps of a training on `count` trials of earlier runs, which is made once: 20 passes, or
 * `updates` where these are more. */
size_t opevo_i_tvm_model_updates(const opevo_i_tvm_model_choice *choice, size_t count);
/* A stream of a model's own, which follows from the tuner's; that does not move on. */
void opevo_i_tvm_model_stream(const opevo_rng *tuner, opevo_rng *out);
/* Whether it can do with this source of loop trees (NULL: none). Errors: INVALID with what to do.
 */
opevo_status opevo_i_tvm_model_check(const opevo_i_tvm_model_choice *choice,
                                     const opevo_feature_source *trees, opevo_error *err);

/* Whether it can learn from loop trees of other spaces. Errors: INVALID with what to do. */
opevo_status opevo_i_tvm_model_check_transfer(const opevo_i_tvm_model_choice *choice,
                                              opevo_error *err);

#endif
