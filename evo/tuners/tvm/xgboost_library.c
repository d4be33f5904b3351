/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "xgboost_internal.h"

#include <pthread.h>
#include <stdbool.h>

#define SYMBOL(name) OPEVO_LIBRARY_SYMBOL(opevo_i_tvm_xgboost, name)
#define WRITTEN(name) #name
#define NAME(macro) WRITTEN(macro)

static const opevo_library_symbol symbols[] = {
    OPEVO_I_XGBOOST_FUNCTIONS(SYMBOL){NAME(OPEVO_I_XGBOOST_GROW),
                                      offsetof(opevo_i_tvm_xgboost, grow)},
};

opevo_status opevo_i_tvm_xgboost_open(opevo_i_tvm_xgboost **out, opevo_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static opevo_i_tvm_xgboost functions;
    static bool is_open;
    opevo_status status = OPEVO_OK;

    pthread_mutex_lock(&lock);
    if (!is_open)
        status = opevo_shared_library_open(OPEVO_XGBOOST_PATH, "XGBoost", symbols,
                                           sizeof symbols / sizeof *symbols, &functions, err);
    is_open = status == OPEVO_OK;
    pthread_mutex_unlock(&lock);
    if (is_open)
        *out = &functions;
    return status;
}
