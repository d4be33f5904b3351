/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The other side of a listener. */

#include <opevo/listen.h>

#include <opevo/clock.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "address_internal.h"

enum { TRY_S = 10 }; /* for one address of several */

/* -1 with errno set on failure. */
static int connect_one(const struct sockaddr *address, socklen_t size, double deadline)
{
    double left_s = fmin(TRY_S, deadline - opevo_clock_monotonic_s());
    int descriptor = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct pollfd wait = {.fd = descriptor, .events = POLLOUT};
    socklen_t length = sizeof errno;
    int code = 0;

    if (descriptor < 0)
        return -1;
    if (connect(descriptor, address, size) != 0) {
        code = errno;
        if (code == EINPROGRESS) {
            code = ETIMEDOUT;
            if (poll(&wait, 1, (int)(1e3 * fmax(left_s, 0.1))) == 1)
                getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length);
        }
    }
    if (code) {
        close(descriptor);
        errno = code;
        return -1;
    }
    fcntl(descriptor, F_SETFL, 0);
    return descriptor;
}

static int connect_path(const opevo_i_base_address *where, double deadline)
{
    struct sockaddr_un address;

    opevo_i_base_address_path(where, &address);
    return connect_one((const struct sockaddr *)&address, sizeof address, deadline);
}

static opevo_status connect_any(const opevo_i_base_address *where, double deadline, int *out,
                                opevo_error *err)
{
    struct addrinfo *found = NULL;
    opevo_status status = OPEVO_OK;

    if (where->is_path) {
        *out = connect_path(where, deadline);
        return OPEVO_OK;
    }
    status = opevo_i_base_address_resolve(where, &found, err);
    if (status != OPEVO_OK)
        return status;
    for (const struct addrinfo *one = found; one && *out < 0; one = one->ai_next)
        *out = connect_one(one->ai_addr, one->ai_addrlen, deadline);
    if (*out >= 0)
        opevo_i_base_keep_alive(*out);
    freeaddrinfo(found);
    return OPEVO_OK;
}

opevo_status opevo_dial(const char *address, const char *token, double limit_s, int *out,
                        opevo_error *err)
{
    const struct timespec nap = {.tv_nsec = 100000000};
    const double deadline = opevo_clock_monotonic_s() + limit_s;
    char line[OPEVO_TOKEN_MOST + 2];
    opevo_i_base_address where;
    int found = -1;
    int code = 0;
    opevo_status status = token ? opevo_i_base_token_check(token, err) : OPEVO_OK;

    if (status == OPEVO_OK)
        status = opevo_i_base_address_parse(address, &where, err);
    while (status == OPEVO_OK && found < 0) {
        status = connect_any(&where, deadline, &found, err);
        code = errno;
        if (found >= 0 || opevo_clock_monotonic_s() >= deadline)
            break;
        nanosleep(&nap, NULL);
    }
    if (status == OPEVO_OK && found < 0) {
        status = OPEVO_FAIL(err, OPEVO_IO, "%.250s: cannot connect: %s.", address, strerror(code));
        errno = code;
    }
    if (status == OPEVO_OK && token) {
        int length = snprintf(line, sizeof line, "%s\n", token);

        if (send(found, line, (size_t)length, MSG_NOSIGNAL) != length) {
            status = OPEVO_FAIL(err, OPEVO_IO, "%.250s: %s.", address, strerror(errno));
            close(found);
        }
    }
    if (status == OPEVO_OK)
        *out = found;
    return status;
}
