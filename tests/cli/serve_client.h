/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A client of `opevo serve`: the program at the other end of two pipes. Nothing waits longer than
 * SERVE_WAIT_MS for a reply. */

#ifndef OPEVO_TESTS_SERVE_CLIENT_H
#define OPEVO_TESTS_SERVE_CLIENT_H

#include "check.h"

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SERVE_WAIT_MS = 600000, SERVE_REPLY_MOST = 1 << 22 };

typedef struct serve_client {
    pid_t pid;
    int in, out; /* its standard input and output */
    char *received;
    size_t length;
} serve_client;

/* With flags of pipe2 for its standard output. */
static inline serve_client serve_start_to(int flags)
{
    serve_client self = {.received = malloc(SERVE_REPLY_MOST)};
    int in[2], out[2];

    assert_non_null(self.received);
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC | flags), 0);
    self.pid = fork();
    assert_true(self.pid >= 0);
    if (self.pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        execl(OPEVO_PATH, "opevo", "serve", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    self.in = in[1];
    self.out = out[0];
    return self;
}

static inline serve_client serve_start(void)
{
    return serve_start_to(0);
}

/* Exit status, or 256 + the signal that ended it. */
static inline int serve_wait(serve_client *self)
{
    int status = 0;

    if (self->in >= 0)
        close(self->in);
    if (self->out >= 0)
        close(self->out);
    assert_int_equal(waitpid(self->pid, &status, 0), self->pid);
    free(self->received);
    *self = (serve_client){.in = -1, .out = -1};
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static inline void serve_send_bytes(serve_client *self, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = write(self->in, bytes, length);

        assert_true(sent > 0);
        bytes += sent;
        length -= (size_t)sent;
    }
}

static inline void serve_send(serve_client *self, const char *text)
{
    serve_send_bytes(self, text, strlen(text));
    serve_send_bytes(self, "\n", 1);
}

/* The next reply; NULL at the end of the output. */
static inline json_t *serve_receive(serve_client *self)
{
    char *end = NULL;
    json_t *reply = NULL;

    while (self->length == 0 || !(end = memchr(self->received, '\n', self->length))) {
        struct pollfd ready = {.fd = self->out, .events = POLLIN};
        ssize_t got = 0;

        assert_int_equal(poll(&ready, 1, SERVE_WAIT_MS), 1);
        assert_true(self->length < SERVE_REPLY_MOST);
        got = read(self->out, self->received + self->length, SERVE_REPLY_MOST - self->length);
        assert_true(got >= 0);
        if (got == 0)
            return NULL;
        self->length += (size_t)got;
    }
    reply = json_loadb(self->received, (size_t)(end - self->received), 0, NULL);
    assert_non_null(reply);
    self->length -= (size_t)(end + 1 - self->received);
    memmove(self->received, end + 1, self->length);
    return reply;
}

static inline json_t *serve_ask(serve_client *self, const char *request)
{
    json_t *reply = NULL;

    serve_send(self, request);
    reply = serve_receive(self);
    assert_non_null(reply);
    return reply;
}

/* The request is done; the reply is the caller's. */
static inline json_t *serve_done(serve_client *self, const char *request)
{
    json_t *reply = serve_ask(self, request);

    if (!json_is_true(json_object_get(reply, "ok")))
        fail_msg("%s: %s", request, json_string_value(json_object_get(reply, "error")));
    return reply;
}

/* The same, where only the number of that key matters. */
static inline long long serve_number(serve_client *self, const char *request, const char *key)
{
    json_t *reply = serve_done(self, request);
    long long number = json_integer_value(json_object_get(reply, key));

    assert_true(json_is_integer(json_object_get(reply, key)));
    json_decref(reply);
    return number;
}

/* The request is refused with a whole sentence that has these words. */
static inline void serve_refused(serve_client *self, const char *request, const char *words)
{
    json_t *reply = serve_ask(self, request);
    const char *sentence = json_string_value(json_object_get(reply, "error"));

    assert_true(json_is_false(json_object_get(reply, "ok")));
    assert_non_null(sentence);
    if (!strstr(sentence, words) || !strchr(".?", sentence[strlen(sentence) - 1]))
        fail_msg("%.200s: %s", request, sentence);
    json_decref(reply);
}

#endif
