/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "igraph_guard.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static igraph_error_handler_t *outer_error_handler;
static igraph_warning_handler_t *outer_warning_handler;

void opevo_i_topology_igraph_enter(void)
{
    pthread_mutex_lock(&lock);
    outer_error_handler = igraph_set_error_handler(igraph_error_handler_ignore);
    outer_warning_handler = igraph_set_warning_handler(igraph_warning_handler_ignore);
}

void opevo_i_topology_igraph_leave(void)
{
    igraph_set_warning_handler(outer_warning_handler);
    igraph_set_error_handler(outer_error_handler);
    pthread_mutex_unlock(&lock);
}
