/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The one thread that writes while the others compute. What is handed to it is committed together a
 * few times a second: a commit for each run would cost as much as computing it. */

#include "study_parts_internal.h"

#include <opevo/memory.h>

#include <pthread.h>
#include <time.h>

enum {
    GATHER_MS = 250,        /* between two commits */
    COMMIT_BYTES = 8 << 20, /* or sooner, when this much has come */
    QUEUE_BYTES = 64 << 20  /* at which the others wait */
};

struct opevo_i_study_writer {
    opevo_store *store;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    opevo_i_study_done *first, **last;
    size_t bytes; /* queued */
    bool finishing;
    opevo_status status;
    opevo_error error;
};

void opevo_i_study_done_free(opevo_i_study_done *done)
{
    while (done) {
        opevo_i_study_done *next = done->next;

        opevo_text_free(&done->packed.data);
        opevo_text_free(&done->packed.fresh);
        opevo_free(done);
        done = next;
    }
}

/* Take the whole queue once it is time to commit; NULL when all is done. Called with the lock. */
static opevo_i_study_done *take(opevo_i_study_writer *self)
{
    opevo_i_study_done *taken = NULL;
    struct timespec until;

    while (!self->first && !self->finishing)
        pthread_cond_wait(&self->changed, &self->lock);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += GATHER_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (self->bytes < COMMIT_BYTES && !self->finishing &&
           pthread_cond_timedwait(&self->changed, &self->lock, &until) == 0)
        ;
    taken = self->first;
    self->first = NULL;
    self->last = &self->first;
    self->bytes = 0;
    pthread_cond_broadcast(&self->changed);
    return taken;
}

static void *work(void *argument)
{
    opevo_i_study_writer *self = argument;
    opevo_i_study_done *taken = NULL;

    pthread_mutex_lock(&self->lock);
    while ((taken = take(self)) != NULL) {
        opevo_status failed = self->status;
        opevo_error error = {OPEVO_OK, ""};
        opevo_status status = OPEVO_OK;

        pthread_mutex_unlock(&self->lock);
        if (!failed)
            status = opevo_i_study_store_put(self->store, taken, &error);
        opevo_i_study_done_free(taken);
        pthread_mutex_lock(&self->lock);
        if (status != OPEVO_OK) {
            self->status = status;
            self->error = error;
        }
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

opevo_status opevo_i_study_writer_create(opevo_store *store, opevo_i_study_writer **out,
                                         opevo_error *err)
{
    opevo_i_study_writer *self = opevo_calloc(1, sizeof *self);
    pthread_condattr_t clock;

    OPEVO_NEED_OR_RETURN(self, "writing %s", opevo_store_path(store));
    self->store = store;
    self->last = &self->first;
    pthread_mutex_init(&self->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&self->changed, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&self->thread, NULL, work, self)) {
        pthread_cond_destroy(&self->changed);
        pthread_mutex_destroy(&self->lock);
        opevo_free(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "Cannot create a thread to write %s.",
                          opevo_store_path(store));
    }
    *out = self;
    return OPEVO_OK;
}

bool opevo_i_study_writer_put(opevo_i_study_writer *self, opevo_i_study_done *done)
{
    bool ok = false;

    pthread_mutex_lock(&self->lock);
    while (self->bytes >= QUEUE_BYTES && self->status == OPEVO_OK)
        pthread_cond_wait(&self->changed, &self->lock);
    ok = self->status == OPEVO_OK;
    if (ok) {
        bool was_empty = !self->first;

        self->bytes += sizeof *done + done->packed.data.length + done->packed.fresh.length;
        *self->last = done;
        self->last = &done->next;
        if (was_empty || self->bytes >= COMMIT_BYTES)
            pthread_cond_broadcast(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    if (!ok)
        opevo_i_study_done_free(done);
    return ok;
}

opevo_status opevo_i_study_writer_finish(opevo_i_study_writer *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    pthread_mutex_lock(&self->lock);
    self->finishing = true;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    pthread_join(self->thread, NULL);
    status = self->status;
    if (status != OPEVO_OK && err)
        *err = self->error;
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    opevo_free(self);
    return status;
}
