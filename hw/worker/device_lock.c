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

/* The lock belongs to the process, so that neither what it starts nor its death keeps it. */
int opevo_i_device_lock_take(const char *folder, const char *name)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct pollfd engine = {.fd = OPEVO_I_ENGINE_FD};
    char path[4096];
    int file = -1;

    snprintf(path, sizeof path, "%s/turn.%s", folder, name);
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    while (file >= 0 && fcntl(file, F_SETLK, &range) < 0) {
        if (errno != EAGAIN && errno != EACCES) {
            close(file);
            return -1;
        }
        if (poll(&engine, 1, ASK_EVERY_MS) > 0)
            opevo_i_end_with_engine();
    }
    return file;
}

/* Whoever waits asks before this process can ask again. */
void opevo_i_device_lock_release(int turn)
{
    struct timespec nap = {.tv_nsec = 2 * ASK_EVERY_MS * 1000000L};

    if (turn < 0)
        return;
    close(turn);
    nanosleep(&nap, NULL);
}
