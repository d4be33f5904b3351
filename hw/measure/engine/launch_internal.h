/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A launcher: one command, such as srun, that starts workers somewhere, which then connect to this
 * process. Objectives with the same command share it: a queue that gave its nodes to the first
 * would let the second wait. Its users belong to one thread. */

#ifndef OPEVO_LAUNCH_INTERNAL_H
#define OPEVO_LAUNCH_INTERNAL_H

#include <opevo/live.h>

#include "connection_internal.h"

typedef struct opevo_i_engine_launch opevo_i_engine_launch;

/* Who has workers of a launcher. */
typedef struct opevo_i_engine_launch_user {
    void (*yield)(void *context); /* hang up on all workers of it, as another user needs them */
    void *context;
} opevo_i_engine_launch_user;

/* Listen for workers of the command; it is started when they are first needed.
 *
 *   address  to listen at; NULL: loopback, or the host's own where the launcher reaches others
 *
 * Errors: INVALID for a command or an address that cannot be used; IO; NOMEM. */
opevo_status opevo_i_engine_launch_open(const char *command, const char *address,
                                        const opevo_i_engine_launch_user *user,
                                        opevo_i_engine_launch **out, opevo_error *err);
/* With the last user the launcher ends, and whatever it started or queued. NULL does nothing. */
void opevo_i_engine_launch_close(opevo_i_engine_launch *self, const void *context);
/* Hear what the launcher says, and take in who connects. Where the user has no worker at all,
 * `needed`, the others yield theirs, or the launcher is started. */
void opevo_i_engine_launch_step(opevo_i_engine_launch *self, const void *context, bool needed);
/* Whether a worker waits for work; its socket, which is the caller's, -1: none does. */
bool opevo_i_engine_launch_has_waiting(const opevo_i_engine_launch *self);
int opevo_i_engine_launch_take(opevo_i_engine_launch *self);
/* A worker of it is ready: its failed starts are forgotten. */
void opevo_i_engine_launch_praise(opevo_i_engine_launch *self);
/* Whether workers may still come. Otherwise why not, as a clause. */
bool opevo_i_engine_launch_is_promising(const opevo_i_engine_launch *self, opevo_text *why);
/* What its users wait for, and until when. */
struct pollfd;
enum { OPEVO_I_LAUNCH_POLLS = 3 };
void opevo_i_engine_launch_watch(const opevo_i_engine_launch *self, struct pollfd *out);
double opevo_i_engine_launch_due_s(const opevo_i_engine_launch *self);
/* The words of the command; what its workers are called in messages. */
const opevo_i_process_arguments *opevo_i_engine_launch_command(const opevo_i_engine_launch *self);
/* What it said last, "" for nothing; borrowed. */
const char *opevo_i_engine_launch_words(const opevo_i_engine_launch *self);

#endif
