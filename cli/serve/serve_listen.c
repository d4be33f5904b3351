/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The server for clients that connect to a socket. A client that does not read its replies is not
 * read from; one that is gone gives back its trials. */

#include "serve_internal.h"
#include "terminal_internal.h"

#include <opevo/file.h>
#include <opevo/interrupt.h>
#include <opevo/json.h>
#include <opevo/listen.h>
#include <opevo/memory.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUT_MOST = 1 << 20 }; /* bytes of replies that wait to be read */

typedef struct guest {
    int socket;
    uint64_t number;
    opevo_i_cli_request_lines lines;
    opevo_text out;
    size_t sent; /* bytes of `out` */
    bool at_end; /* no more requests */
    bool gone;
} guest;

typedef struct hall {
    opevo_i_cli_server *server;
    opevo_listener *listener;
    guest *guests;
    struct pollfd *polled; /* the listener, then one for each guest */
    size_t count, capacity, polled_capacity;
    uint64_t admitted;
} hall;

static size_t waiting(const guest *self)
{
    return self->out.length - self->sent;
}

static void send_out(guest *self)
{
    while (!self->gone && waiting(self) > 0) {
        ssize_t got = send(self->socket, self->out.data + self->sent, waiting(self), MSG_NOSIGNAL);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        self->gone = got < 0;
        self->sent += got > 0 ? (size_t)got : 0;
    }
    opevo_text_clear(&self->out);
    self->sent = 0;
}

/* Answer whole requests as long as their replies find room. */
static void answer(opevo_i_cli_server *server, guest *self)
{
    const char *line = NULL;
    size_t length = 0;
    opevo_i_cli_got_line got = OPEVO_I_LINE;

    server->client = self->number;
    send_out(self);
    while (!self->gone && got != OPEVO_I_LINE_NONE && waiting(self) < OUT_MOST) {
        got = opevo_i_cli_request_lines_next(&self->lines, self->at_end, &line, &length);
        if (got == OPEVO_I_LINE_TOO_LONG)
            opevo_i_cli_serve_refuse("The request is longer than 1 MiB.", &self->out);
        else if (got == OPEVO_I_LINE)
            opevo_i_cli_serve_line(server, line, length, &self->out);
        self->gone = self->gone || self->out.failed;
        if (got == OPEVO_I_LINE_NONE || waiting(self) >= OUT_MOST)
            send_out(self);
    }
    self->gone = self->gone || (self->at_end && waiting(self) == 0);
}

static void receive(opevo_i_cli_server *server, guest *self)
{
    char piece[1 << 16];
    ssize_t got = recv(self->socket, piece, sizeof piece, 0);

    if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
        return;
    self->at_end = got == 0;
    self->gone = got < 0 || !opevo_i_cli_request_lines_add(&self->lines, piece, (size_t)got);
    answer(server, self);
}

static void leave(hall *self, size_t place)
{
    guest *one = &self->guests[place];

    opevo_i_cli_share_leave(self->server, one->number);
    close(one->socket);
    opevo_i_cli_request_lines_free(&one->lines);
    opevo_text_free(&one->out);
    self->guests[place] = self->guests[--self->count];
}

static opevo_status admit(hall *self, opevo_error *err)
{
    int socket = -1;

    while ((socket = opevo_listener_next(self->listener)) >= 0) {
        if (!opevo_reserve((void **)&self->guests, &self->capacity, self->count + 1,
                           sizeof *self->guests) ||
            !opevo_reserve((void **)&self->polled, &self->polled_capacity, self->count + 2,
                           sizeof *self->polled)) {
            close(socket);
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu clients.", self->count + 1);
        }
        self->guests[self->count++] = (guest){.socket = socket, .number = ++self->admitted};
    }
    return OPEVO_OK;
}

/* Wait for clients or a signal, also one that comes just before the waiting. */
static bool await(hall *self)
{
    static const struct timespec at_once = {0, 0};
    bool ready = false;
    sigset_t signals;
    sigset_t before;

    self->polled[0] =
        (struct pollfd){.fd = opevo_listener_descriptor(self->listener), .events = POLLIN};
    for (size_t i = 0; i < self->count; i++) {
        const guest *one = &self->guests[i];
        bool reads = !one->at_end && waiting(one) < OUT_MOST;

        self->polled[i + 1] = (struct pollfd){
            .fd = one->socket,
            .events = (short)((reads ? POLLIN : 0) | (waiting(one) > 0 ? POLLOUT : 0))};
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &before);
    ready =
        ppoll(self->polled, self->count + 1,
              opevo_interrupt_is_raised(&opevo_i_cli_interrupted) ? &at_once : NULL, &before) > 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ready;
}

static opevo_status serve(hall *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t polled = 0;

    OPEVO_NEED_OR_RETURN(
        opevo_reserve((void **)&self->polled, &self->polled_capacity, 1, sizeof *self->polled),
        "listening");
    while (status == OPEVO_OK && !opevo_interrupt_is_raised(&opevo_i_cli_interrupted)) {
        polled = await(self) ? self->count : 0;
        for (size_t i = 0; i < polled; i++) {
            guest *one = &self->guests[i];

            if (self->polled[i + 1].revents & POLLOUT)
                answer(self->server, one); /* what waits in its lines, too */
            if (self->polled[i + 1].revents & (POLLIN | POLLHUP | POLLERR) && !one->gone)
                receive(self->server, one);
        }
        for (size_t i = self->count; i-- > 0;) {
            if (self->guests[i].gone)
                leave(self, i);
        }
        status = admit(self, err);
    }
    return status;
}

/* Writing a file keeps its mode: let that be of this user alone. */
static opevo_status keep_private(const char *path, opevo_error *err)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    opevo_status status = OPEVO_OK;

    if (file < 0 || fchmod(file, 0600) != 0)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
    if (file >= 0)
        close(file);
    return status;
}

/* One line on standard output, and the contact file, which only this user may read. A token that
 * was made here stands in the file, or else in the line. */
static opevo_status announce(const opevo_listener *listener, bool given, const char *contact,
                             opevo_error *err)
{
    const char *token = opevo_listener_token(listener);
    opevo_text line = {0};
    opevo_text file = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_add(&line, "{");
    opevo_json_string(&line, "listening", opevo_listener_address(listener));
    if (token && !given && !contact)
        opevo_json_string(&line, "token", token);
    opevo_text_add(&line, "}\n");
    opevo_text_add(&file, "{");
    opevo_json_string(&file, "address", opevo_listener_address(listener));
    if (token)
        opevo_json_string(&file, "token", token);
    opevo_text_add(&file, "}\n");
    OPEVO_TRY(opevo_text_check(&line, err));
    OPEVO_TRY(opevo_text_check(&file, err));
    if (contact)
        OPEVO_TRY(keep_private(contact, err));
    if (contact)
        OPEVO_TRY(opevo_file_write(contact, file.data, file.length, err));
    if (!opevo_write_all(STDOUT_FILENO, line.data, line.length))
        status = OPEVO_FAIL(err, OPEVO_IO, "Standard output: %s.", strerror(errno));
cleanup:
    opevo_text_free(&line);
    opevo_text_free(&file);
    return status;
}

opevo_status opevo_i_cli_serve_listen(opevo_i_cli_server *server, const char *address,
                                      const char *contact, opevo_error *err)
{
    const char *token = getenv("OPEVO_TOKEN");
    hall self = {.server = server};
    opevo_status status = OPEVO_OK;
    bool announced = false;

    token = token && *token ? token : NULL;
    OPEVO_TRY(opevo_listener_open(address, token, &self.listener, err));
    OPEVO_TRY(announce(self.listener, token != NULL, contact, err));
    announced = true;
    OPEVO_TRY(serve(&self, err));
cleanup:
    if (announced && contact)
        unlink(contact);
    while (self.count > 0)
        leave(&self, self.count - 1);
    opevo_free(self.guests);
    opevo_free(self.polled);
    opevo_listener_close(self.listener);
    return status;
}
