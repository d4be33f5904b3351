/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The lock of a device: a record lock on a file, given up with the process that holds it. */

#include "device_lock_internal.h"

#include "backend_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ASK_EVERY_MS = 1 };

static bool is_taken(int file)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(file, F_SETLK, &range) < 0;
}

/* A slice of the wait; poll sleeps where there is nothing to watch. */
static void wait_slice(const opevo_i_backend_lock_wait *wait)
{
    struct pollfd engine = {.fd = OPEVO_I_ENGINE_FD};

    if (poll(&engine, wait->watch_engine, ASK_EVERY_MS) > 0)
        opevo_i_backend_end_with_engine();
}

/* The lock belongs to the process, so that neither what it starts nor its death keeps it. */
int opevo_i_backend_device_lock_take(const char *folder, const char *name,
                                     const opevo_i_backend_lock_wait *wait)
{
    char path[4096];
    int file = -1;
    bool waits = false;

    snprintf(path, sizeof path, "%s/turn.%s", folder, name);
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    while (file >= 0 && is_taken(file)) {
        if (errno != EAGAIN && errno != EACCES) {
            close(file);
            file = -1;
            break;
        }
        if (!waits && wait->note)
            wait->note(wait->context, false);
        waits = true;
        wait_slice(wait);
    }
    if (waits && wait->note)
        wait->note(wait->context, true);
    return file;
}

/* Whoever waits asks before this process can ask again. */
void opevo_i_backend_device_lock_release(int lock)
{
    struct timespec nap = {.tv_nsec = 2 * ASK_EVERY_MS * 1000000L};

    if (lock < 0)
        return;
    close(lock);
    nanosleep(&nap, NULL);
}
