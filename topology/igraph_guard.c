/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "igraph_guard.h"

#include <pthread.h>
#include <stdio.h>

/* igraph's handlers take no context, so what they are to remember stands here, under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char first_reason[256];
static igraph_error_handler_t *outer_error_handler;
static igraph_warning_handler_t *outer_warning_handler;

/* Callers up the stack report the same failure again, without words. */
static void remember(const char *reason, const char *file, int line, igraph_error_t code)
{
    (void)file;
    (void)line;
    (void)code;
    if (first_reason[0] == '\0')
        snprintf(first_reason, sizeof first_reason, "%s", reason);
    IGRAPH_FINALLY_FREE();
}

void opevo_i_igraph_enter(void)
{
    pthread_mutex_lock(&lock);
    first_reason[0] = '\0';
    outer_error_handler = igraph_set_error_handler(remember);
    outer_warning_handler = igraph_set_warning_handler(igraph_warning_handler_ignore);
}

const char *opevo_i_igraph_reason(void)
{
    return first_reason;
}

void opevo_i_igraph_leave(void)
{
    igraph_set_warning_handler(outer_warning_handler);
    igraph_set_error_handler(outer_error_handler);
    pthread_mutex_unlock(&lock);
}
