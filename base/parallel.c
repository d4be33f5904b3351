/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A loop over threads, and the number of processors for it. */

#include <opevo/parallel.h>

#include <opevo/memory.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct job {
    opevo_parallel_body body;
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_uint workers;
    atomic_bool failed;
    pthread_mutex_t lock; /* guards what follows */
    size_t failed_index;
    opevo_error error;
} job;

unsigned opevo_processor_count(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) < 1)
        return 1;
    return (unsigned)CPU_COUNT(&set);
}

/* Indices are started in order, so every index below a failed one has run or is running; keeping
 * the lowest failure therefore gives the same answer on any number of threads. */
static void *work(void *argument)
{
    job *self = argument;
    unsigned worker = atomic_fetch_add(&self->workers, 1);

    while (!atomic_load(&self->failed)) {
        size_t index = atomic_fetch_add(&self->next, 1);
        opevo_error error = {OPEVO_OK, ""};
        opevo_status status = OPEVO_OK;

        if (index >= self->count)
            break;
        status = self->body(self->context, index, worker, &error);
        if (status != OPEVO_OK) {
            pthread_mutex_lock(&self->lock);
            if (index < self->failed_index) {
                self->failed_index = index;
                self->error = error;
                self->error.status = status;
            }
            pthread_mutex_unlock(&self->lock);
            atomic_store(&self->failed, true);
        }
    }
    return NULL;
}

opevo_status opevo_parallel_for(size_t count, unsigned threads, opevo_parallel_body body,
                                void *context, opevo_error *err)
{
    job self = {.body = body, .context = context, .count = count, .failed_index = (size_t)-1};
    pthread_t *helpers = NULL;
    unsigned started = 0;

    if (threads == 0)
        threads = opevo_processor_count();
    if (threads > count)
        threads = (unsigned)count;
    pthread_mutex_init(&self.lock, NULL);
    if (threads > 1)
        helpers = opevo_malloc(threads - 1, sizeof *helpers);
    /* Fewer threads than wished only take longer: the caller's own does what is left. */
    while (helpers && started < threads - 1 &&
           pthread_create(&helpers[started], NULL, work, &self) == 0)
        started++;
    work(&self);
    for (unsigned i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    opevo_free(helpers);
    pthread_mutex_destroy(&self.lock);
    if (!self.failed)
        return OPEVO_OK;
    if (err)
        *err = self.error;
    return self.error.status;
}
