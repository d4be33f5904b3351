/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "engine_watch_internal.h"

#include <opevo/file.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "backend_internal.h"
#include "keeper_internal.h"

/* Standard output tells: the messages on standard input may be complete, and its other end closed,
 * while somebody waits for the answers. The keepers of what this process has started notice its end
 * themselves. */
static void *watch(void *of)
{
    const opevo_i_engine_watch *self = of;
    struct pollfd files[] = {{.fd = STDOUT_FILENO}, {.fd = self->wake[0], .events = POLLIN}};

    while (poll(files, 2, -1) < 0 || !(files[0].revents | files[1].revents))
        continue;
    if (!files[1].revents)
        opevo_i_backend_end_with_engine();
    return NULL;
}

void opevo_i_engine_watch_start(opevo_i_engine_watch *out)
{
    out->started = pipe2(out->wake, O_CLOEXEC) == 0;
    if (out->started && pthread_create(&out->thread, NULL, watch, out) != 0) {
        opevo_i_process_close_pipe(out->wake);
        out->started = false;
    }
}

void opevo_i_engine_watch_stop(opevo_i_engine_watch *self)
{
    if (!self->started)
        return;
    if (opevo_write_all(self->wake[1], "", 1)) /* a child may have the pipe as well */
        pthread_join(self->thread, NULL);
    opevo_i_process_close_pipe(self->wake);
    self->started = false;
}
