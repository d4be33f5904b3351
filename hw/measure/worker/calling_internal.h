/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A worker that was not started by the engine itself, but by a launcher, connects to the engine. */

#ifndef OPEVO_CALLING_INTERNAL_H
#define OPEVO_CALLING_INTERNAL_H

#include <opevo/listen.h>

/* How a worker ends that the engine left before it was asked for anything. */
enum { OPEVO_I_EXIT_UNASKED = 3 };

/* Where an engine is told to be; without an address, on standard input and output. */
typedef struct opevo_i_worker_call_to {
    char address[OPEVO_ADDRESS_SIZE];
    char token[OPEVO_TOKEN_MOST + 2]; /* "": none */
} opevo_i_worker_call_to;

/* By the environment (OPEVO_CONNECT, OPEVO_TOKEN), or in two lines of a file, where one is given.
 * Errors: IO; INVALID for another file. */
opevo_status opevo_i_worker_call_find(const char *file, opevo_i_worker_call_to *out,
                                      opevo_error *err);
/* Connect, and let a process of this program with these arguments speak to the engine, one after
 * the other, as long as the engine listens. This one keeps the token to itself. Errors: IO where no
 * connection was ever made, or all were closed at once. */
opevo_status opevo_i_worker_call_serve(const opevo_i_worker_call_to *to, char *const *argv,
                                       opevo_error *err);

#endif
