/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of models. */

#include "models_internal.h"

#include "trees_model_internal.h"

#include <stdio.h>
#include <string.h>

enum { NETWORK_THRIFT = 10, EARLIER_PASSES = 20 };

const opevo_i_model_ops *opevo_i_tvm_model_of(const opevo_i_tvm_model_choice *choice)
{
#define NETWORK_ROW(ops, name) &(ops),
    static const opevo_i_model_ops *const table[] = {&opevo_i_trees_ops,
                                                     OPEVO_I_NETWORK_LIST(NETWORK_ROW)};
#undef NETWORK_ROW

    return table[choice->model];
}

opevo_status opevo_i_tvm_model_find(const char *kind, unsigned *out, opevo_error *err)
{
#define NETWORK_NAME(ops, name) name,
    static const char *const kinds[] = {OPEVO_I_NETWORK_LIST(NETWORK_NAME)};
#undef NETWORK_NAME

    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!strcmp(kinds[i], kind)) {
            *out = i + 1; /* after the trees */
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "The model %s is not one that is stored: use treegru or treegru-context.",
                      kind);
}

size_t opevo_i_tvm_model_thrift(const opevo_i_tvm_model_choice *choice)
{
    return opevo_i_tvm_model_of(choice)->reads_trees ? NETWORK_THRIFT : 1;
}

size_t opevo_i_tvm_model_updates(const opevo_i_tvm_model_choice *choice, size_t count)
{
    size_t passes = EARLIER_PASSES * count / OPEVO_I_MODEL_BATCH;

    return passes > choice->updates ? passes : choice->updates;
}

void opevo_i_tvm_model_stream(const opevo_rng *tuner, opevo_rng *out)
{
    opevo_rng copy = *tuner;

    opevo_rng_init(out, opevo_rng_u64(&copy), "model", 0);
}

static bool names(const char *keys, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = keys; (at = strstr(at, key)); at += length) {
        if ((at == keys || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    }
    return false;
}

opevo_status opevo_i_tvm_refuse_idle(const opevo_setting *table, size_t count,
                                     const opevo_setting_value *values, const char *keys,
                                     const char *because, opevo_error *err)
{
    for (size_t i = 0; values && i < count; i++) {
        double standard = table[i].kind == OPEVO_SETTING_CHOICE ? 0 : table[i].default_value;

        if (values[i].number != standard && names(keys, table[i].key))
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s= has no effect with %s: leave it out.",
                              table[i].key, because);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_tvm_model_check_settings(const opevo_i_tvm_model_choice *choice,
                                              const opevo_setting *table, size_t count,
                                              const opevo_setting_value *values, opevo_error *err)
{
    const opevo_i_model_ops *model = opevo_i_tvm_model_of(choice);
    char because[64];

    snprintf(because, sizeof because, "model=%s", model->name);
    return opevo_i_tvm_refuse_idle(table, count, values,
                                   model->reads_trees ? "features trees" : "updates", because, err);
}

opevo_status opevo_i_tvm_model_check(const opevo_i_tvm_model_choice *choice,
                                     const opevo_feature_source *trees, opevo_error *err)
{
    const opevo_i_model_ops *model = opevo_i_tvm_model_of(choice);

    if (trees)
        return OPEVO_OK;
    if (model->reads_trees)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "model=%s reads loop trees, and the objective has none: use model=trees.",
                          model->name);
    if (choice->features >= OPEVO_I_FEATURES_VIEWS)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "features=%s are of loop trees, and the objective has none: use "
                          "features=auto or features=knobs.",
                          opevo_i_tree_view_name(choice->features - OPEVO_I_FEATURES_VIEWS));
    return OPEVO_OK;
}

opevo_status opevo_i_tvm_model_check_transfer(const opevo_i_tvm_model_choice *choice,
                                              opevo_error *err)
{
    if (opevo_i_tvm_model_of(choice)->reads_trees || choice->features >= OPEVO_I_FEATURES_VIEWS)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "Runs on other search spaces are learned from by their loop trees: use "
                      "model=treegru-context or features=relation.");
}
