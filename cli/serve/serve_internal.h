/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The server of `opevo serve`: requests as lines of JSON, a reply in a line for each.
 * docs/formats/serve.md specifies them. A request that is refused changes nothing. */

#ifndef OPEVO_SERVE_INTERNAL_H
#define OPEVO_SERVE_INTERNAL_H

#include <opevo/front.h>
#include <opevo/json_read.h>
#include <opevo/run.h>
#include <opevo/start_list.h>

enum {
    OPEVO_I_SERVE_PROTOCOL = 1,
    OPEVO_I_SERVE_LINE_MOST = 1 << 20, /* bytes of a request */
    OPEVO_I_SERVE_ASK_MOST = 10000     /* trials of one ask */
};

/* What a session is told of a success, and what it is called in requests and replies. */
typedef enum opevo_i_cli_told {
    OPEVO_I_TOLD_SCORE,
    OPEVO_I_TOLD_TIME,
    OPEVO_I_TOLD_GFLOPS
} opevo_i_cli_told;

/* A trial that was asked for and not told, of a session that several clients share. */
typedef struct opevo_i_cli_lease {
    uint64_t number;
    uint64_t client; /* who evaluates it; 0: nobody */
    double due_s;    /* when it may be given to another client */
} opevo_i_cli_lease;

/* One session with what it needs. */
typedef struct opevo_i_cli_serving {
    opevo_session *session;
    opevo_objective *objective;
    opevo_i_cli_told told;
    opevo_run_options run;
    opevo_setting_value *settings;
    opevo_earlier earlier;
    opevo_start_list *starts;
    opevo_requirement *requirements;
    char *store_path; /* from the root; NULL without a store */
    opevo_front front;
    bool shows_front, front_failed;
    /* Of a shared session: */
    char *identity; /* the request that made it */
    opevo_i_cli_lease *leases;
    opevo_trial *pending; /* as many as leases, in the order of their numbers */
    size_t lease_count;
    uint64_t asked; /* the largest number that was asked for */
} opevo_i_cli_serving;

typedef struct opevo_i_cli_server {
    opevo_i_cli_serving **sessions; /* number n at n - 1; NULL once closed */
    size_t count, capacity;
    bool without_files; /* requests that name files are refused */
    /* With several clients, which share sessions: */
    bool shared;
    uint64_t client;   /* whose request is answered; from 1 */
    double lease_s;    /* how long a silent client keeps a trial */
    const char *store; /* for sessions that name none; NULL: none */
} opevo_i_cli_server;

/* ---- serve_dispatch.c ---- */

/* Answer one request of `length` bytes: append one line to `out`. */
void opevo_i_cli_serve_line(opevo_i_cli_server *server, const char *line, size_t length,
                            opevo_text *out);
/* Append the line that refuses a request which cannot be read. */
void opevo_i_cli_serve_refuse(const char *sentence, opevo_text *out);
/* Close all sessions. Errors: the first of theirs. */
opevo_status opevo_i_cli_serve_end(opevo_i_cli_server *server, opevo_error *err);

/* A request; members that it does not have, or that its operation does not know, keep what stands
 * behind them. */
typedef struct opevo_i_cli_request {
    const json_t *root;
    const char *op;           /* NULL */
    json_t *id;               /* NULL */
    uint64_t session;         /* 0 */
    uint64_t count, until;    /* of ask; 1, UINT64_MAX */
    json_t *hold;             /* of pending: a list; NULL */
    json_t *trials;           /* of tell: a list */
    json_t *space, *settings; /* of create, as all below; NULL each */
    const char *tuner, *store, *name, *criteria, *signature;
    json_t *criterion, *require, *learn;       /* lists of texts */
    json_t *start;                             /* of law: a value; of create: a list of texts */
    uint64_t seed, workers;                    /* 1, 0 */
    unsigned result;                           /* opevo_i_cli_told; SCORE */
    const char *parameter, *topology, *method; /* of law; NULL each */
    double q, tolerance;                       /* 0.5, 0 */
    const char *task, *on;                     /* of judge; NULL each */
    json_t *kernels, *baselines;               /* lists of texts; NULL each */
    uint64_t rounds, calls, threads;           /* 0 each: as the task says, or the defaults */
    double timeout;                            /* likewise */
} opevo_i_cli_request;

/* What answers an operation: it adds members to the object of the reply. */
typedef opevo_status opevo_i_cli_answerer(opevo_i_cli_server *server,
                                          const opevo_i_cli_request *request, opevo_text *out,
                                          opevo_error *err);
typedef opevo_i_cli_answerer *opevo_i_cli_answer;
opevo_i_cli_answerer opevo_i_cli_serve_create, opevo_i_cli_serve_ask, opevo_i_cli_serve_pending,
    opevo_i_cli_serve_tell, opevo_i_cli_serve_best, opevo_i_cli_serve_judge, opevo_i_cli_serve_law,
    opevo_i_cli_serve_tuners, opevo_i_cli_serve_version, opevo_i_cli_serve_close;

/* ---- serving.c ---- */

/* The words of "result", in the order of opevo_i_cli_told. */
extern const char *const opevo_i_cli_told_names[];
/* The open session that the request names. Errors: INVALID. */
opevo_status opevo_i_cli_serving_find(const opevo_i_cli_server *server,
                                      const opevo_i_cli_request *request, opevo_i_cli_serving **out,
                                      opevo_error *err);
/* End the session, say in the store why it ended where it did, and release everything. Errors:
 * those of the store, and LOST where that is gone. */
opevo_status opevo_i_cli_serving_close(opevo_i_cli_serving *self, opevo_error *err);

/* ---- serve_request.c ---- */

/* The request in the tree, which stays the caller's, and what answers its operation. Errors:
 * INVALID for an unknown operation or key, or a value that it does not take; NOMEM. */
opevo_status opevo_i_cli_request_read(const json_t *root, opevo_i_cli_request *out,
                                      opevo_i_cli_answer *answer, opevo_error *err);

/* ---- serve_create.c ---- */

/* The session that the same request made, leaving starting points aside; NULL: none. `identity` is
 * the request's text, which the caller frees. Errors: NOMEM. */
opevo_status opevo_i_cli_share_find(const opevo_i_cli_server *server, const json_t *request,
                                    opevo_i_cli_serving **found, char **identity, opevo_error *err);

/* ---- serve_share.c: leases of trials. Each call renews those of its client. ---- */

/* As opevo_session_ask, with trials that nobody evaluates any more first; those above number
 * `until` are not given. Also *elsewhere: how many others have. */
opevo_status opevo_i_cli_share_ask(opevo_i_cli_server *server, opevo_i_cli_serving *serving,
                                   size_t wanted, uint64_t until, opevo_trial *trials,
                                   size_t *count, size_t *elsewhere, opevo_error *err);
/* Let the client have those of the `count` numbers that nobody else has, then give all that it
 * has; release *trials with opevo_free. Trials that were not asked for yet are asked for. */
opevo_status opevo_i_cli_share_hold(opevo_i_cli_server *server, opevo_i_cli_serving *serving,
                                    const uint64_t *numbers, size_t held, opevo_trial **trials,
                                    size_t *count, opevo_error *err);
/* Remove the trials that were told before, and return how many are left. Errors: NOMEM. */
opevo_status opevo_i_cli_share_sift(opevo_i_cli_server *server, opevo_i_cli_serving *serving,
                                    opevo_trial *trials, size_t *count, opevo_error *err);
/* The client gives back what it has of the session. */
void opevo_i_cli_share_release(opevo_i_cli_serving *serving, uint64_t client);
/* The same in all sessions. */
void opevo_i_cli_share_leave(opevo_i_cli_server *server, uint64_t client);

/* ---- serve_listen.c ---- */

/* Answer clients that connect to the address until a signal comes.
 *
 *   contact  file in which address and token stand for clients; NULL: none */
opevo_status opevo_i_cli_serve_listen(opevo_i_cli_server *server, const char *address,
                                      const char *contact, opevo_error *err);

/* ---- serve_lines.c ---- */

/* Lines of bounded length out of what is received in any pieces. A plain value: start from {0}. */
typedef struct opevo_i_cli_request_lines {
    char *data;
    size_t length, capacity;
    size_t taken;    /* bytes given out */
    size_t searched; /* bytes known to hold no further line end */
    bool skipping;   /* within a line that is too long */
} opevo_i_cli_request_lines;

typedef enum opevo_i_cli_got_line {
    OPEVO_I_LINE_NONE, /* more must be received */
    OPEVO_I_LINE,
    OPEVO_I_LINE_TOO_LONG /* its beginning is dropped, and the rest will be */
} opevo_i_cli_got_line;

/* Append bytes. False without memory. */
bool opevo_i_cli_request_lines_add(opevo_i_cli_request_lines *self, const char *bytes,
                                   size_t length);
/* The next line without its end, borrowed until bytes are added; at the end of the input also what
 * stands there without a line end. A line that is too long is told once. */
opevo_i_cli_got_line opevo_i_cli_request_lines_next(opevo_i_cli_request_lines *self, bool at_end,
                                                    const char **line, size_t *length);
void opevo_i_cli_request_lines_free(opevo_i_cli_request_lines *self);

#endif
