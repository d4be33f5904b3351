/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One worker as the engine sees it: a process, or a command such as ssh that reaches one, and the
 * pipes to it. */

#ifndef OPEVO_CONNECTION_INTERNAL_H
#define OPEVO_CONNECTION_INTERNAL_H

#include <sys/types.h>

#include <opevo/kernel.h>

#include "command_line_internal.h"
#include "line_reader_internal.h"

typedef enum opevo_i_engine_state {
    OPEVO_I_DOWN,
    OPEVO_I_GREETING, /* started; has not said hello */
    OPEVO_I_SETTING,  /* told what to measure; not ready yet */
    OPEVO_I_READY
} opevo_i_engine_state;

/* What is known of a device, of this host or by the greeting of a worker; all "" and 0 where
 * nothing is. */
typedef struct opevo_i_engine_model {
    char identity[256];
    char no_energy[256];   /* why its energy cannot be read; "": it can, or nothing is known */
    char no_compiler[256]; /* that does not work */
    unsigned cores;
    opevo_device_facts facts;
} opevo_i_engine_model;

struct opevo_i_engine_task;

/* A task in the hands of a worker. */
typedef struct opevo_i_engine_errand {
    struct opevo_i_engine_task *task; /* NULL: its result is not wanted any more */
    int64_t id;
    bool started;   /* the worker said so */
    double since_s; /* when that was, or before, when it was sent or came to be the first in hand */
} opevo_i_engine_errand;

enum { OPEVO_I_DEPTH_MOST = 16 };

typedef struct opevo_i_engine_connection {
    opevo_i_process_arguments command; /* owned */
    opevo_text command_text;           /* that, as printed when it was first asked for */
    char *const *environment; /* that it is started with, borrowed; NULL: that of this process */
    bool called;              /* a worker that connects to this process: not started from here */
    opevo_i_engine_state state;
    pid_t pid;
    int in, out, error; /* its standard input, output and error; -1: closed */
    opevo_i_wire_line_reader lines;
    opevo_text outgoing;
    size_t sent;            /* bytes of it */
    opevo_text stderr_tail; /* the end of what it printed to standard error */
    double progress_s;      /* when it last got on: was started, set up or given work, or said so */
    unsigned losses, faults;                           /* in a row, without a result between them */
    unsigned failed_starts;                            /* in a row */
    double retry_s;                                    /* not to be started again before */
    opevo_i_engine_errand errands[OPEVO_I_DEPTH_MOST]; /* what it was given, in order */
    size_t errand_count;
    size_t depth;    /* how many it is given at once */
    double held_s;   /* it has greeted, and is not set up before; 0: it is when it greets */
    bool waits;      /* for a device that others measure on, as it says: no limit of time runs */
    double pace_s;   /* what it takes for one, lately on average; 0: not known */
    double result_s; /* when its last result came */
    char device[256];
    char host[65];     /* "": not said */
    uint64_t measured; /* jobs in all */
    uint64_t failures; /* of its host in all: faults, losses, starts that failed */
    opevo_text words;  /* why it was lost last */
    opevo_i_engine_model model;
    double reference_s; /* that it computed the right result for; 0: not known */
    int64_t unbounded;  /* elements of that without a bound */
} opevo_i_engine_connection;

/* Its command as one text. */
const char *opevo_i_engine_connection_command(opevo_i_engine_connection *worker);
/* Its host failed, in whatever way. */
void opevo_i_engine_connection_note_failure(opevo_i_engine_connection *worker, const char *words);
/* One of them turned out to be that of a task. */
void opevo_i_engine_connection_forget_failure(opevo_i_engine_connection *worker);
/* Start the process, in a session of its own, so that an interrupt from the keyboard reaches the
 * engine alone. Errors: FAULT for want of processes, descriptors or memory; IO. */
opevo_status opevo_i_engine_connection_start(opevo_i_engine_connection *worker, opevo_error *err);
/* A worker has connected: it greets over this socket, which is the connection's. Errors: FAULT for
 * want of descriptors, with the socket closed. */
opevo_status opevo_i_engine_connection_adopt(opevo_i_engine_connection *worker, int connection,
                                             opevo_error *err);
void opevo_i_engine_connection_say(opevo_i_engine_connection *worker, const char *line);
/* It got on: its limits of time and of bytes begin anew. */
void opevo_i_engine_connection_progress(opevo_i_engine_connection *worker);
/* Write what fits. False when it is gone. */
bool opevo_i_engine_connection_flush(opevo_i_engine_connection *worker);
/* Read what is there. False when it is gone, or has sent too much without getting on. */
bool opevo_i_engine_connection_read(opevo_i_engine_connection *worker);
/* Read what is there, and keep only the end of what comes on standard error. */
void opevo_i_engine_connection_discard_output(opevo_i_engine_connection *worker);
/* Whether its launcher says, in the words of Slurm, that it waits in a queue: that has no limit.
 */
bool opevo_i_engine_connection_is_queued(const opevo_i_engine_connection *worker);
/* Close its pipes, which ends it; wait `patience_s` for that, then kill it. */
void opevo_i_engine_connection_hang_up(opevo_i_engine_connection *worker);
void opevo_i_engine_connection_reap(opevo_i_engine_connection *worker, double patience_s);
void opevo_i_engine_connection_clear(opevo_i_engine_connection *worker);

#endif
