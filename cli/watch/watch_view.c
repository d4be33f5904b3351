/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Views: what is asked for is read and made once for all who ask. */

#include "watch_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>
#include <opevo/store_follow.h>

enum {
    PIECES = 16,     /* of 256 trials that a digest takes at a time */
    FORGOTTEN_S = 30 /* a view that nobody asks for is no longer kept up to date */
};

static const double least_age_s = 0.5;

/* ---- Digests -------------------------------------------------------------------------------- */

typedef struct starter {
    opevo_i_cli_watch_view *view;
    opevo_store *store;
    opevo_status status;
    opevo_error *err;
} starter;

static void start(void *context, const opevo_run_info *info)
{
    enum { MOST = 2000 }; /* dots of a chart */
    starter *self = context;

    self->status =
        opevo_i_cli_run_digest_start(self->store, info, MOST, &self->view->digest, self->err);
}

/* Origins and criteria of a digest are the store's, so that it ends with the open store. */
static void drop_digest(opevo_i_cli_watch_view *view)
{
    opevo_i_cli_run_digest_free(&view->digest);
    view->renewal = 0;
    view->all = false;
}

/* Let the digest of the view take some of what the store has. */
static opevo_status feed(opevo_i_cli_watch *self, opevo_i_cli_watch_view *view, opevo_error *err)
{
    const opevo_watched_run *run = opevo_i_cli_watch_shown(self, view);
    opevo_store *store = self->store->store;
    starter starting = {.view = view, .store = store, .err = err};
    opevo_status status = OPEVO_OK;

    if (view->renewal && (view->renewal != self->store->opened || !run ||
                          run->run != view->digest.run || view->digest.read > run->trials))
        drop_digest(view);
    view->all = !run || !store || view->digest.read == run->trials;
    if (view->all && (view->renewal || !run || !store))
        return OPEVO_OK;
    if (!view->renewal) {
        OPEVO_TRY(opevo_store_describe(store, run->run, start, &starting, err));
        OPEVO_TRY(starting.status);
        view->renewal = self->store->opened;
    }
    OPEVO_TRY(opevo_i_cli_run_digest_read(&view->digest, store, PIECES, &view->all, err));
    view->version = 0;
cleanup:
    return status;
}

opevo_status opevo_i_cli_watch_look(opevo_i_cli_watch *self, double seconds, bool *more,
                                    opevo_error *err)
{
    double now_s = opevo_clock_monotonic_s();
    opevo_status status = opevo_watched_store_look(self->store, seconds, err);

    *more = self->store->behind;
    for (size_t i = 0; i < OPEVO_I_WATCH_VIEWS && status == OPEVO_OK; i++) {
        opevo_i_cli_watch_view *view = &self->views[i];
        opevo_error inner = {OPEVO_OK, ""};

        if (view->asked_s == 0 || now_s - view->asked_s > FORGOTTEN_S)
            continue;
        status = feed(self, view, &inner);
        if (status != OPEVO_OK && status != OPEVO_NOMEM)
            status = OPEVO_OK; /* the store changed meanwhile: at the next look */
        *more = *more || !view->all;
    }
    return status == OPEVO_OK
               ? status
               : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to watch %s.", self->store->path);
}

/* ---- Views ---------------------------------------------------------------------------------- */

static void release_view(opevo_i_cli_watch_view *view)
{
    opevo_text_free(&view->data);
    drop_digest(view);
    *view = (opevo_i_cli_watch_view){.run = 0};
}

void opevo_i_cli_watch_release(opevo_i_cli_watch *self)
{
    for (size_t i = 0; i < OPEVO_I_WATCH_VIEWS; i++)
        release_view(&self->views[i]);
    opevo_watched_store_destroy(self->store);
    self->store = NULL;
}

/* That of the run, or else the one that was asked for longest ago. */
static opevo_i_cli_watch_view *find_view(opevo_i_cli_watch *self, int64_t run)
{
    opevo_i_cli_watch_view *found = &self->views[0];

    for (size_t i = 0; i < OPEVO_I_WATCH_VIEWS; i++) {
        if (self->views[i].asked_s != 0 && self->views[i].run == run)
            return &self->views[i];
        if (self->views[i].asked_s < found->asked_s)
            found = &self->views[i];
    }
    release_view(found);
    found->run = run;
    return found;
}

opevo_status opevo_i_cli_watch_see(opevo_i_cli_watch *self, int64_t run,
                                   opevo_i_cli_watch_view **out, opevo_error *err)
{
    opevo_i_cli_watch_view *view = find_view(self, run);
    double now_s = opevo_clock_monotonic_s(), age_s = now_s - view->made_s;
    opevo_text made = {0};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    view->asked_s = now_s;
    *out = view;
    if (view->data.length &&
        (view->version == self->store->version || age_s < least_age_s || age_s < 10 * view->cost_s))
        return OPEVO_OK;
    if (!view->data.length)
        OPEVO_TRY(feed(self, view, &inner));
    OPEVO_TRY(opevo_i_cli_watch_data(self, view, &made, &inner));
    OPEVO_TRY(opevo_text_check(&made, &inner));
    opevo_text_free(&view->data);
    view->data = made;
    made = (opevo_text){0};
    view->version = self->store->version;
    view->edition = ++self->editions;
    view->made_s = opevo_clock_monotonic_s();
    view->cost_s = view->made_s - now_s;
cleanup:
    opevo_text_free(&made);
    /* The store changed meanwhile: what was seen before stays. */
    if (status != OPEVO_OK && status != OPEVO_NOMEM && view->data.length)
        status = OPEVO_OK;
    return status == OPEVO_OK ? status : OPEVO_FAIL(err, status, "%s", inner.message);
}
