/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One worker as the engine sees it: a process, or a command such as ssh that reaches one, and the
 * pipes to it. */

#ifndef OPEVO_MEMBER_INTERNAL_H
#define OPEVO_MEMBER_INTERNAL_H

#include <sys/types.h>

#include "command_line_internal.h"
#include "lines_internal.h"

typedef enum opevo_i_state {
    OPEVO_I_DOWN,
    OPEVO_I_GREETING, /* started; has not said hello */
    OPEVO_I_SETTING,  /* told what to measure; not ready yet */
    OPEVO_I_READY
} opevo_i_state;

typedef struct opevo_i_member {
    opevo_i_arguments command; /* owned */
    opevo_i_state state;
    pid_t pid;
    int in, out, error; /* its standard input, output and error; -1: closed */
    opevo_i_lines lines;
    opevo_text outgoing;
    size_t sent;           /* bytes of it */
    opevo_text last_words; /* the end of what it printed to standard error */
    double progress_s;     /* when it last got on: was started, set up or given work, or said so */
    unsigned losses;       /* in a row, without a result between them */
    double retry_s;        /* not to be started again before */
    size_t in_flight;
    char device[256];
} opevo_i_member;

/* Start the process, in a session of its own, so that an interrupt from the keyboard reaches the
 * engine alone. Errors: FAULT for want of processes, descriptors or memory; IO. */
opevo_status opevo_i_member_start(opevo_i_member *member, opevo_error *err);
void opevo_i_member_say(opevo_i_member *member, const char *line);
/* It got on: its limits of time and of bytes begin anew. */
void opevo_i_member_progress(opevo_i_member *member);
/* Write what fits. False when it is gone. */
bool opevo_i_member_flush(opevo_i_member *member);
/* Read what is there. False when it is gone, or has sent too much without getting on. */
bool opevo_i_member_read(opevo_i_member *member);
/* Close its pipes, which ends it; wait `patience_s` for that, then kill it. */
void opevo_i_member_hang_up(opevo_i_member *member);
void opevo_i_member_bury(opevo_i_member *member, double patience_s);
void opevo_i_member_clear(opevo_i_member *member);

#endif
