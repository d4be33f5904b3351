/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of the verb watch: the data of the page of `opevo report`, made of a store that others
 * write, and the server that hands them out. */

#ifndef OPEVO_WATCH_INTERNAL_H
#define OPEVO_WATCH_INTERNAL_H

#include "options_internal.h"
#include "run_digest_internal.h"

#include <opevo/watched_store.h>

/* ---- watch_view.c ---- */

/* What a page shows, kept up to date while somebody asks for it: the store, and one run of it. */
typedef struct opevo_i_cli_watch_view {
    int64_t run; /* 0: the one that is busy, where there is only one */
    opevo_i_cli_run_digest digest;
    uint64_t renewal; /* of the store that the digest is of; 0: there is no digest */
    bool all;         /* the digest has all trials */
    opevo_text data;  /* JSON */
    uint64_t version; /* of the store in the data; 0: none */
    uint64_t edition; /* grows with each text of data */
    double made_s, cost_s, asked_s;
} opevo_i_cli_watch_view;

enum { OPEVO_I_WATCH_VIEWS = 8 };

typedef struct opevo_i_cli_watch {
    const opevo_call *call;
    opevo_watched_store *store;
    int64_t run; /* that the call names; 0: none */
    opevo_i_cli_watch_view views[OPEVO_I_WATCH_VIEWS];
    uint64_t editions;
} opevo_i_cli_watch;

/* Read what is new for about `seconds`; *more says whether it is worth to go on at once. Errors:
 * NOMEM. */
opevo_status opevo_i_cli_watch_look(opevo_i_cli_watch *self, double seconds, bool *more,
                                    opevo_error *err);
/* The view of a run (0: of the store), with data that are as new as a tenth of the time for making
 * them allows. It stays valid until the next call. Errors: NOMEM. */
opevo_status opevo_i_cli_watch_see(opevo_i_cli_watch *self, int64_t run,
                                   opevo_i_cli_watch_view **out, opevo_error *err);
void opevo_i_cli_watch_release(opevo_i_cli_watch *self);

/* ---- watch_data.c, watch_study.c ---- */

/* The data of the view: one JSON object. Errors: those of reading the store; NOMEM. */
opevo_status opevo_i_cli_watch_data(const opevo_i_cli_watch *self,
                                    const opevo_i_cli_watch_view *view, opevo_text *out,
                                    opevo_error *err);
/* The run that a view without a number shows: the only one of the store, or the only one that is
 * open; otherwise NULL. */
const opevo_watched_run *opevo_i_cli_watch_shown(const opevo_i_cli_watch *self,
                                                 const opevo_i_cli_watch_view *view);
/* The members "contenders" and "landscapes": means over the runs of each, as far as they are. */
opevo_status opevo_i_cli_watch_study(const opevo_watched_store *store, opevo_text *out,
                                     opevo_error *err);

/* ---- watch_server.c ---- */

/* Serve until interrupted; the address is printed on stdout first. `port` 0: any. Errors: IO if it
 * cannot listen; NOMEM. */
opevo_status opevo_i_cli_watch_serve(opevo_i_cli_watch *self, uint16_t port, opevo_error *err);

#endif
