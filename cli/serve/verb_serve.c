/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Serve: any tuner for any program, over standard input and output, or for several at once over a
 * socket (serve_listen.c). Replies are written when no
 * whole request is waiting, so that a client that sends many at once costs few writes. */

#include "options_internal.h"
#include "serve_internal.h"
#include "terminal_internal.h"

#include <opevo/interrupt.h>
#include <opevo/text.h>

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
    OUT_MOST = 1 << 16, /* bytes of replies that wait for more */
    LEASE_S = 3600
};

typedef struct loop {
    opevo_i_cli_server *server;
    opevo_i_cli_request_lines lines;
    opevo_text out;
    bool at_end; /* no more input */
    bool gone;   /* nobody reads the replies */
} loop;

static volatile sig_atomic_t by_sigint;

static void note_sigint(int number)
{
    (void)number;
    by_sigint = 1;
    opevo_interrupt_raise(&opevo_i_cli_interrupted);
}

/* As every verb that can be interrupted, and note which signal it was. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_sigint, .sa_flags = (int)SA_RESETHAND};

    signal(SIGPIPE, SIG_IGN);
    opevo_i_cli_catch_interrupts();
    sigaction(SIGINT, &action, NULL);
}

/* Wait until the file can be read from or written to, or a signal came, also one that comes just
 * before the waiting. False where it cannot; after a signal this is known at once. */
static bool await(int file, short events)
{
    static const struct timespec at_once = {0, 0};
    struct pollfd wanted = {.fd = file, .events = events};
    bool ready = false;
    sigset_t signals;
    sigset_t before;

    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &before);
    ready = ppoll(&wanted, 1, opevo_interrupt_is_raised(&opevo_i_cli_interrupted) ? &at_once : NULL,
                  &before) > 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ready;
}

/* Pieces of PIPE_BUF bytes do not block once there is room, so that a signal ends the server also
 * where nobody reads. */
static opevo_status write_out(loop *self, opevo_error *err)
{
    size_t written = 0;
    opevo_status status = opevo_text_check(&self->out, err);

    while (status == OPEVO_OK && written < self->out.length && !self->gone) {
        size_t left = self->out.length - written;
        bool ready = await(STDOUT_FILENO, POLLOUT);
        ssize_t got = ready ? write(STDOUT_FILENO, self->out.data + written,
                                    left < PIPE_BUF ? left : PIPE_BUF)
                            : -1;

        if (got >= 0)
            written += (size_t)got;
        else if (!ready || errno == EINTR || errno == EAGAIN)
            self->gone = opevo_interrupt_is_raised(&opevo_i_cli_interrupted);
        else if (errno == EPIPE)
            self->gone = true;
        else
            status = OPEVO_FAIL(err, OPEVO_IO, "Standard output: %s.", strerror(errno));
    }
    opevo_text_clear(&self->out);
    return status;
}

/* Read once. */
static opevo_status receive(loop *self, opevo_error *err)
{
    char piece[1 << 16];
    ssize_t got = 0;

    if (!await(STDIN_FILENO, POLLIN) || opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        return OPEVO_OK;
    got = read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return OPEVO_OK;
    if (got < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "Standard input: %s.", strerror(errno));
    self->at_end = got == 0;
    return opevo_i_cli_request_lines_add(&self->lines, piece, (size_t)got)
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a request.");
}

/* Answer all whole requests that were received. */
static opevo_status answer(loop *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const char *line = NULL;
    size_t length = 0;
    opevo_i_cli_got_line got = OPEVO_I_LINE_NONE;

    while (status == OPEVO_OK && !self->gone &&
           !opevo_interrupt_is_raised(&opevo_i_cli_interrupted) &&
           (got = opevo_i_cli_request_lines_next(&self->lines, self->at_end, &line, &length)) !=
               OPEVO_I_LINE_NONE) {
        if (got == OPEVO_I_LINE_TOO_LONG)
            opevo_i_cli_serve_refuse("The request is longer than 1 MiB.", &self->out);
        else
            opevo_i_cli_serve_line(self->server, line, length, &self->out);
        if (self->out.length >= OUT_MOST || self->out.failed)
            status = write_out(self, err);
    }
    return status == OPEVO_OK ? write_out(self, err) : status;
}

static opevo_status serve_one(opevo_i_cli_server *server, opevo_error *err)
{
    loop self = {.server = server};
    opevo_status status = OPEVO_OK;

    while (status == OPEVO_OK && !self.at_end && !self.gone &&
           !opevo_interrupt_is_raised(&opevo_i_cli_interrupted)) {
        status = receive(&self, err);
        if (status == OPEVO_OK)
            status = answer(&self, err);
    }
    opevo_i_cli_request_lines_free(&self.lines);
    opevo_text_free(&self.out);
    return status;
}

static const opevo_option options[] = {
    {"listen", "ADDRESS", "serve clients of a socket: a path, HOST:PORT or PORT (loopback)", false},
    {"contact", "FILE", "write address and token there, for clients with the same files", false},
    {"store", "FILE", "keep sessions that name no store in this one", false},
    {"lease", "SECONDS", "how long a silent client keeps its trials (default 3600)", false},
};

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *address = opevo_i_cli_option(call, "listen");
    opevo_i_cli_server server = {.shared = address != NULL,
                                 .store = opevo_i_cli_option(call, "store")};
    opevo_status status = OPEVO_OK;
    opevo_status ended = OPEVO_OK;

    (void)out;
    if (!address && call->given_count > 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--%s needs --listen ADDRESS.",
                          call->given[0].option->name);
    status = opevo_i_cli_option_positive(call, "lease", &server.lease_s, err);
    if (status != OPEVO_OK)
        return status;
    server.lease_s = server.lease_s > 0 ? server.lease_s : LEASE_S;
    catch_signals();
    status = address ? opevo_i_cli_serve_listen(&server, address,
                                                opevo_i_cli_option(call, "contact"), err)
                     : serve_one(&server, err);
    ended = opevo_i_cli_serve_end(&server, status == OPEVO_OK ? err : NULL);
    *exit_code = by_sigint ? OPEVO_EXIT_SIGINT : OPEVO_EXIT_OK;
    return status == OPEVO_OK ? ended : status;
}

const opevo_verb opevo_i_cli_verb_serve = {
    .name = "serve",
    .arguments = "",
    .summary = "Let another program ask for trials and tell their outcomes, in lines of JSON.",
    .details =
        "The program that evaluates the trials starts the server, writes one request a\n"
        "line to its standard input, and reads one reply a line from its standard\n"
        "output. docs/formats/serve.md specifies both. For example:\n\n"
        "  > {\"op\":\"create\",\"space\":{\"X\":{\"_type\":\"factor\",\"_value\":[1024,3]}}}\n"
        "  < {\"ok\": true, \"session\": 1, \"trials\": 0, \"size\": 66}\n"
        "  > {\"op\":\"ask\",\"session\":1}\n"
        "  < {\"ok\": true, \"trials\": [{\"number\": 1, \"config\": {\"X\": [8, 32, 4]}}]}\n"
        "  > {\"op\":\"tell\",\"session\":1,\"trials\":[{\"number\":1,\"score\":7.5}]}\n"
        "  < {\"ok\": true, \"told\": 1, \"trials\": 1}\n\n"
        "With --listen it serves any number of clients, here or on other hosts, until it\n"
        "is ended by a signal. Clients that create the same session share it: each trial\n"
        "is given to one of them, and to another when its client disconnects, or is silent\n"
        "for the time of a lease. Clients send the token and a line feed first, which is\n"
        "$OPEVO_TOKEN, or a random one that is printed or written to the contact file; a\n"
        "path serves this user, without a token. For example:\n\n"
        "  opevo serve --listen \"$(hostname):0\" --contact search.json --store runs.db\n\n"
        "Without --listen the server ends with its input. What was told to a session with a store "
        "survives\n"
        "a kill of the server: the same create resumes the run.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints_data = true,
    .run = run,
};
