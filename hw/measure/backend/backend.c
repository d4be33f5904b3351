/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a backend has of the worker that it is in. */

#include "backend_internal.h"

#include <poll.h>
#include <unistd.h>

#include "memory_folder_internal.h"

static void (*tidy_at_end)(void);
static bool (*take_messages)(void);

bool opevo_i_backend_is_none(const char *which)
{
    return !which;
}

bool opevo_i_backend_is_number(const char *which)
{
    enum { LAST_DEVICE = 1023 };
    uint64_t number = 0;

    return which && opevo_parse_u64(which, &number) && number <= LAST_DEVICE;
}

bool opevo_i_backend_is_some(const char *which)
{
    return which && *which;
}

void opevo_i_backend_at_end(void (*tidy)(void))
{
    tidy_at_end = tidy;
}

void opevo_i_backend_end_with_engine(void)
{
    opevo_i_process_keepers_end(); /* what they run must not write where this cleans up */
    if (tidy_at_end)
        tidy_at_end();
    opevo_i_process_memory_folder_remove();
    _exit(0);
}

void opevo_i_backend_at_message(bool (*take)(void))
{
    take_messages = take;
}

bool opevo_i_backend_check_engine(short revents)
{
    if ((revents & ~POLLIN) || (revents && !take_messages))
        opevo_i_backend_end_with_engine();
    return revents && take_messages();
}

void opevo_i_backend_await(opevo_i_process_keeper *keeper, opevo_i_process_program_end *end)
{
    while (!opevo_i_process_keeper_poll(keeper, end)) {
        struct pollfd wait[2] = {{.fd = keeper->report, .events = POLLIN},
                                 {.fd = OPEVO_I_ENGINE_FD, .events = POLLIN}};

        poll(wait, 2, -1);
        if (opevo_i_backend_check_engine(wait[1].revents))
            opevo_i_process_keeper_stop(keeper);
    }
}
