/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "igraph_internal.h"

#include <pthread.h>
#include <stdbool.h>

#define SYMBOL(name) OPEVO_LIBRARY_SYMBOL(opevo_i_fig_igraph, name)

static const opevo_library_symbol symbols[] = {OPEVO_I_IGRAPH_FUNCTIONS(SYMBOL)};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static opevo_i_fig_igraph functions;
static bool is_open;
static igraph_error_handler_t *outer_error_handler;
static igraph_warning_handler_t *outer_warning_handler;

opevo_status opevo_i_fig_igraph_enter(const opevo_i_fig_igraph **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    pthread_mutex_lock(&lock);
    if (!is_open)
        status = opevo_shared_library_open(OPEVO_IGRAPH_PATH, "igraph", symbols,
                                           sizeof symbols / sizeof *symbols, &functions, err);
    is_open = status == OPEVO_OK;
    if (!is_open) {
        pthread_mutex_unlock(&lock);
        return status;
    }
    outer_error_handler = functions.igraph_set_error_handler(functions.igraph_error_handler_ignore);
    outer_warning_handler =
        functions.igraph_set_warning_handler(functions.igraph_warning_handler_ignore);
    *out = &functions;
    return OPEVO_OK;
}

void opevo_i_fig_igraph_leave(void)
{
    functions.igraph_set_warning_handler(outer_warning_handler);
    functions.igraph_set_error_handler(outer_error_handler);
    pthread_mutex_unlock(&lock);
}
