/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "engine_watch_internal.h"

#include <poll.h>
#include <unistd.h>

#include "backend_internal.h"

/* Standard output tells: the messages on standard input may be complete, and its other end closed,
 * while somebody waits for the answers. The keepers of what this process has started notice its end
 * themselves. */
static void *watch(void *unused)
{
    struct pollfd out = {.fd = STDOUT_FILENO};

    (void)unused;
    while (poll(&out, 1, -1) < 0 || !(out.revents & (POLLERR | POLLHUP | POLLNVAL)))
        continue;
    opevo_i_backend_end_with_engine();
}

void opevo_i_engine_watch_start(opevo_i_engine_watch *out)
{
    out->started = pthread_create(&out->thread, NULL, watch, NULL) == 0;
}

void opevo_i_engine_watch_stop(opevo_i_engine_watch *self)
{
    if (!self->started)
        return;
    pthread_cancel(self->thread);
    pthread_join(self->thread, NULL);
    self->started = false;
}
