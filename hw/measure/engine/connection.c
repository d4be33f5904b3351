/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Its standard input is a socket, because writing to one whose other end is closed can be made to
 * fail without a signal. */

#include "connection_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host_fault_internal.h"
#include "keeper_internal.h"

extern char **environ;

#define WITHDRAW_S 8.0 /* for a launcher to take its job out of a queue */

enum { WORDS_LIMIT = 2048, MOST_READS = 16 };

static void close_end(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

static opevo_status spawn(opevo_i_engine_connection *worker, const int *ends, opevo_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    sigset_t all;
    sigset_t none;
    int code = 0;

    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&how);
    sigfillset(&all);
    sigemptyset(&none);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&actions, ends[i], i);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    code = posix_spawnp(&worker->pid, worker->command.items[0], &actions, &how,
                        worker->command.items, worker->environment ? worker->environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&how);
    if (code)
        return OPEVO_FAIL(err, opevo_i_process_host_errno(code) ? OPEVO_FAULT : OPEVO_IO,
                          "The worker %s cannot be started: %s.", worker->command.items[0],
                          strerror(code));
    return OPEVO_OK;
}

static void begin(opevo_i_engine_connection *worker, int in, int out, int error)
{
    fcntl(out, F_SETFL, O_NONBLOCK);
    if (error >= 0)
        fcntl(error, F_SETFL, O_NONBLOCK);
    worker->in = in;
    worker->out = out;
    worker->error = error;
    worker->state = OPEVO_I_GREETING;
    opevo_i_wire_line_reader_free(&worker->lines);
    opevo_i_engine_connection_progress(worker);
    opevo_text_clear(&worker->outgoing);
    opevo_text_clear(&worker->stderr_tail);
    worker->sent = 0;
    worker->errand_count = 0;
    worker->waits = false;
    worker->held_s = 0;
}

opevo_status opevo_i_engine_connection_start(opevo_i_engine_connection *worker, opevo_error *err)
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    int error[2] = {-1, -1};
    opevo_status status = OPEVO_OK;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0 || pipe2(out, O_CLOEXEC) < 0 ||
        pipe2(error, O_CLOEXEC) < 0)
        status =
            OPEVO_FAIL(err, OPEVO_FAULT, "Cannot create pipes to a worker: %s.", strerror(errno));
    else
        status = spawn(worker, (int[]){in[1], out[1], error[1]}, err);
    close_end(&in[1]);
    close_end(&out[1]);
    close_end(&error[1]);
    if (status != OPEVO_OK) {
        close_end(&in[0]);
        close_end(&out[0]);
        close_end(&error[0]);
        return status;
    }
    begin(worker, in[0], out[0], error[0]);
    return OPEVO_OK;
}

opevo_status opevo_i_engine_connection_adopt(opevo_i_engine_connection *worker, int connection,
                                             opevo_error *err)
{
    int out = fcntl(connection, F_DUPFD_CLOEXEC, 0);

    if (out < 0) {
        close(connection);
        return OPEVO_FAIL(err, OPEVO_FAULT, "Cannot take in a worker: %s.", strerror(errno));
    }
    worker->called = true;
    begin(worker, connection, out, -1);
    return OPEVO_OK;
}

const char *opevo_i_engine_connection_command(opevo_i_engine_connection *worker)
{
    if (!worker->command_text.length)
        opevo_i_process_arguments_print(&worker->command, &worker->command_text);
    return opevo_text_string(&worker->command_text);
}

void opevo_i_engine_connection_note_failure(opevo_i_engine_connection *worker, const char *words)
{
    worker->failures++;
    opevo_text_clear(&worker->words);
    opevo_text_add(&worker->words, words);
}

void opevo_i_engine_connection_forget_failure(opevo_i_engine_connection *worker)
{
    if (--worker->failures == 0)
        opevo_text_clear(&worker->words);
}

void opevo_i_engine_connection_progress(opevo_i_engine_connection *worker)
{
    worker->progress_s = opevo_clock_monotonic_s();
    worker->lines.unparsed_bytes = 0;
}

void opevo_i_engine_connection_say(opevo_i_engine_connection *worker, const char *line)
{
    opevo_text_add(&worker->outgoing, line);
}

bool opevo_i_engine_connection_flush(opevo_i_engine_connection *worker)
{
    opevo_text *text = &worker->outgoing;

    while (worker->sent < text->length) {
        ssize_t put = send(worker->in, text->data + worker->sent, text->length - worker->sent,
                           MSG_NOSIGNAL | MSG_DONTWAIT);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK;
        worker->sent += (size_t)put;
    }
    opevo_text_clear(text);
    worker->sent = 0;
    return !text->failed;
}

/* Keep the end of what comes on standard error. */
static void read_stderr(opevo_i_engine_connection *worker)
{
    opevo_text *words = &worker->stderr_tail;
    opevo_i_process_read got = OPEVO_I_READ_SOME;

    for (int i = 0; i < MOST_READS && worker->error >= 0 && got == OPEVO_I_READ_SOME; i++) {
        got = opevo_i_process_text_read_from(words, worker->error, SIZE_MAX);
        if (words->length > WORDS_LIMIT) {
            memmove(words->data, words->data + words->length - WORDS_LIMIT, WORDS_LIMIT + 1);
            words->length = WORDS_LIMIT;
        }
    }
    if (got == OPEVO_I_READ_END)
        close_end(&worker->error);
}

void opevo_i_engine_connection_discard_output(opevo_i_engine_connection *worker)
{
    opevo_text dropped = {0};
    opevo_i_process_read got = OPEVO_I_READ_SOME;

    read_stderr(worker);
    for (int i = 0; i < MOST_READS && worker->out >= 0 && got == OPEVO_I_READ_SOME; i++)
        got = opevo_i_process_text_read_from(&dropped, worker->out, 0);
    if (got == OPEVO_I_READ_END)
        close_end(&worker->out);
    opevo_text_free(&dropped);
}

bool opevo_i_engine_connection_read(opevo_i_engine_connection *worker)
{
    opevo_i_process_read got = OPEVO_I_READ_SOME;

    read_stderr(worker);
    while (got == OPEVO_I_READ_SOME) {
        got = opevo_i_wire_line_reader_read(&worker->lines, worker->out, OPEVO_I_WORKER_BYTES);
        if (opevo_i_wire_line_reader_ready(&worker->lines))
            return true;
    }
    return got == OPEVO_I_READ_NOTHING;
}

void opevo_i_engine_connection_hang_up(opevo_i_engine_connection *worker)
{
    if (worker->state == OPEVO_I_DOWN)
        return;
    read_stderr(worker);
    close_end(&worker->in);
    close_end(&worker->out);
}

bool opevo_i_engine_connection_is_queued(const opevo_i_engine_connection *worker)
{
    const char *words = opevo_text_string(&worker->stderr_tail);

    return worker->state == OPEVO_I_GREETING && strstr(words, "queued and waiting for resources") &&
           !strstr(words, "has been allocated resources");
}

static void end_process(const opevo_i_engine_connection *worker, double deadline)
{
    struct timespec nap = {.tv_nsec = 2000000};

    if (opevo_i_engine_connection_is_queued(worker)) { /* or its job would stay in the queue */
        kill(-worker->pid, SIGTERM);
        deadline = fmax(deadline, opevo_clock_monotonic_s() + WITHDRAW_S);
    }
    while (!opevo_i_process_has_ended(worker->pid) && opevo_clock_monotonic_s() < deadline)
        nanosleep(&nap, NULL);
    kill(-worker->pid, SIGKILL); /* a number that is taken until the process is reaped */
    kill(worker->pid, SIGKILL);
    while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void opevo_i_engine_connection_reap(opevo_i_engine_connection *worker, double patience_s)
{
    double deadline = opevo_clock_monotonic_s() + patience_s;

    if (worker->state == OPEVO_I_DOWN)
        return;
    opevo_i_engine_connection_hang_up(worker);
    if (!worker->called)
        end_process(worker, deadline);
    read_stderr(worker);
    close_end(&worker->error);
    worker->errand_count = 0;
    worker->held_s = 0;
    worker->state = OPEVO_I_DOWN;
}

void opevo_i_engine_connection_clear(opevo_i_engine_connection *worker)
{
    opevo_i_engine_connection_reap(worker, 2);
    opevo_i_process_arguments_clear(&worker->command);
    opevo_text_free(&worker->command_text);
    opevo_i_wire_line_reader_free(&worker->lines);
    opevo_text_free(&worker->outgoing);
    opevo_text_free(&worker->stderr_tail);
    opevo_text_free(&worker->words);
}
