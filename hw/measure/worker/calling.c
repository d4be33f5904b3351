/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each connection gets a new process, because a worker is set up once and may be damaged by what it
 * measures, while its launcher starts it once. This process measures nothing. It ends when nobody
 * listens any more: then the run is over, or the engine is. */

#include "calling_internal.h"

#include <opevo/clock.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper_internal.h"

/* A network that is down for a while; connections in a row that the engine closed unused. */
enum { DOWN_S = 300, USELESS = 6 };
#define ATTEMPT_S 1.0
#define PATIENCE_S 2.0 /* from the end of a connection to that of its process */

static bool read_line(FILE *input, char *out, int size)
{
    if (!fgets(out, size, input))
        return false;
    out[strcspn(out, "\n")] = '\0';
    return true;
}

opevo_status opevo_i_worker_call_find(const char *file, opevo_i_worker_call_to *out,
                                      opevo_error *err)
{
    const char *address = getenv("OPEVO_CONNECT");
    const char *token = getenv("OPEVO_TOKEN");
    FILE *input = NULL;
    bool good = false;

    *out = (opevo_i_worker_call_to){.address = ""};
    if (!file) {
        snprintf(out->address, sizeof out->address, "%s", address ? address : "");
        snprintf(out->token, sizeof out->token, "%s", token ? token : "");
        return OPEVO_OK;
    }
    input = fopen(file, "re");
    if (!input)
        return OPEVO_FAIL(err, OPEVO_IO, "--connect %.300s: %s.", file, strerror(errno));
    good = read_line(input, out->address, sizeof out->address) && *out->address &&
           read_line(input, out->token, sizeof out->token);
    fclose(input);
    return good ? OPEVO_OK
                : OPEVO_FAIL(err, OPEVO_INVALID,
                             "--connect %.300s: the file has no address and token of an engine.",
                             file);
}

/* Wakes up who waits. */
static void note_end(int number)
{
    (void)number;
}

/* Neither the worker nor what it runs needs the token. */
static void become_worker(int connection, char *const *argv, pid_t parent)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    unsetenv("OPEVO_CONNECT");
    unsetenv("OPEVO_TOKEN");
    if (dup2(connection, STDIN_FILENO) == STDIN_FILENO &&
        dup2(connection, STDOUT_FILENO) == STDOUT_FILENO)
        execv("/proc/self/exe", argv);
    _exit(1);
}

/* Until the process ends; whether it was of use. When the engine closes the connection, closing the
 * other direction, too, is what the process notices while it measures. */
static bool attend(int connection, pid_t worker, const sigset_t *waiting)
{
    int how = 0;
    struct pollfd engine = {.fd = connection, .events = POLLRDHUP};
    struct timespec patience = {.tv_sec = (time_t)PATIENCE_S};
    double due_s = INFINITY;

    while (!opevo_i_process_has_ended(worker)) {
        bool ends = due_s < INFINITY;

        if (opevo_clock_monotonic_s() >= due_s)
            kill(worker, SIGKILL);
        if (ppoll(&engine, 1, ends ? &patience : NULL, waiting) == 1) {
            shutdown(connection, SHUT_RDWR);
            engine.fd = -1;
            due_s = opevo_clock_monotonic_s() + PATIENCE_S;
        }
    }
    while (waitpid(worker, &how, 0) < 0 && errno == EINTR)
        continue;
    return !WIFEXITED(how) || WEXITSTATUS(how) != OPEVO_I_EXIT_UNASKED;
}

static opevo_status serve_one(int connection, char *const *argv, const sigset_t *waiting,
                              bool *used, opevo_error *err)
{
    pid_t parent = getpid();
    pid_t worker = fork();

    if (worker == 0)
        become_worker(connection, argv, parent);
    if (worker < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "A worker cannot be started: %s.", strerror(errno));
    *used = attend(connection, worker, waiting);
    return OPEVO_OK;
}

/* Connect; *over: nobody listens there. */
static opevo_status call(const opevo_i_worker_call_to *to, bool again, int *out, bool *over,
                         opevo_error *err)
{
    const char *token = *to->token ? to->token : NULL;
    double deadline = opevo_clock_monotonic_s() + DOWN_S;
    opevo_status status = OPEVO_OK;

    do {
        status = opevo_dial(to->address, token, ATTEMPT_S, out, err);
        *over = status == OPEVO_IO && (errno == ECONNREFUSED || errno == ENOENT);
    } while (status == OPEVO_IO && !*over && opevo_clock_monotonic_s() < deadline);
    return *over && again ? OPEVO_OK : status;
}

opevo_status opevo_i_worker_call_serve(const opevo_i_worker_call_to *to, char *const *argv,
                                       opevo_error *err)
{
    struct sigaction on_end = {.sa_handler = note_end};
    sigset_t ended;
    sigset_t waiting;
    unsigned useless = 0;
    bool over = false;
    opevo_status status = OPEVO_OK;

    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &waiting);
    sigdelset(&waiting, SIGCHLD);
    sigaction(SIGCHLD, &on_end, NULL);
    for (bool again = false; status == OPEVO_OK; again = true) {
        struct timespec nap = {.tv_nsec = 20000000L << useless};
        int connection = -1;
        bool used = false;

        status = call(to, again, &connection, &over, err);
        if (status != OPEVO_OK || over)
            break;
        status = serve_one(connection, argv, &waiting, &used, err);
        close(connection);
        useless = used ? 0 : useless + 1;
        if (status == OPEVO_OK && useless == USELESS)
            status = OPEVO_FAIL(err, OPEVO_IO,
                                "The engine at %.250s closes every connection at once: it waits "
                                "for another token, version or device.",
                                to->address);
        nanosleep(&nap, NULL);
    }
    return status;
}
