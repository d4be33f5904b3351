/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The page and its data by HTTP, on this host alone, for those who have the token. One thread reads
 * the store and answers; a reader that is slow has its answer in memory that all readers share. */

#include "watch_internal.h"

#include "report_internal.h"
#include "terminal_internal.h"
#include "web_library_internal.h"

#include <opevo/clock.h>
#include <opevo/json.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

enum {
    TOKEN_BYTES = 16,
    TOKEN = 2 * TOKEN_BYTES,
    CONNECTIONS = 128,
    REQUEST_BYTES = 32 << 10, /* of a connection: its request's head */
    SILENT_S = 10,            /* a connection without a byte for so long is closed */
    LIFE_S = 120,             /* and any after so long: pages connect again */
    WAIT_MS = 100
};

static const opevo_i_cli_web_library *web; /* open from opevo_i_cli_watch_serve on */

static const double look_s = 0.02, pause_s = 0.25;

typedef struct guest {
    int socket; /* -1: the place is free */
    double since_s;
} guest;

typedef struct server {
    opevo_i_cli_watch *watch;
    struct MHD_Daemon *daemon;
    char token[TOKEN + 1];
    char host[32], named[32]; /* what a request may call this server */
    opevo_text page;
    guest guests[CONNECTIONS];
    opevo_status status; /* of making data: NOMEM ends the server */
    opevo_error *err;
} server;

/* ---- Answers -------------------------------------------------------------------------------- */

static enum MHD_Result queue(struct MHD_Connection *to, unsigned code, struct MHD_Response *answer)
{
    static const char *const headers[][2] = {{"Cache-Control", "no-store"},
                                             {"X-Content-Type-Options", "nosniff"},
                                             {"X-Frame-Options", "DENY"},
                                             {"Referrer-Policy", "no-referrer"},
                                             {"Cross-Origin-Resource-Policy", "same-origin"}};
    enum MHD_Result result = MHD_NO;

    if (!answer)
        return MHD_NO; /* closes the connection */
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        (void)web->MHD_add_response_header(answer, headers[i][0], headers[i][1]);
    result = web->MHD_queue_response(to, code, answer);
    web->MHD_destroy_response(answer);
    return result;
}

/* A sentence, after which the connection is closed: what follows a refused request is not read. */
static enum MHD_Result refuse(struct MHD_Connection *to, unsigned code, const char *sentence)
{
    struct MHD_Response *answer = web->MHD_create_response_from_buffer(
        strlen(sentence), (void *)(uintptr_t)sentence, MHD_RESPMEM_PERSISTENT);

    if (answer) {
        (void)web->MHD_add_response_header(answer, "Content-Type", "text/plain; charset=utf-8");
        (void)web->MHD_add_response_header(answer, "Connection", "close");
        if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
            (void)web->MHD_add_response_header(answer, "Allow", "GET, HEAD");
    }
    return queue(to, code, answer);
}

static enum MHD_Result send_text(struct MHD_Connection *to, const opevo_text *text,
                                 const char *type, const char *tag)
{
    struct MHD_Response *answer =
        web->MHD_create_response_from_buffer(text->length, text->data, MHD_RESPMEM_MUST_COPY);

    if (answer) {
        (void)web->MHD_add_response_header(answer, "Content-Type", type);
        if (tag)
            (void)web->MHD_add_response_header(answer, "ETag", tag);
    }
    return queue(to, MHD_HTTP_OK, answer);
}

/* The run of "?run=N"; 0 without. */
static bool read_run(struct MHD_Connection *from, int64_t *out)
{
    const char *text = web->MHD_lookup_connection_value(from, MHD_GET_ARGUMENT_KIND, "run");

    *out = 0;
    return !text || (opevo_parse_i64(text, out) && *out >= 0);
}

/* The data, or that they are those which the reader has. */
static enum MHD_Result send_data(server *self, struct MHD_Connection *to)
{
    const char *had = web->MHD_lookup_connection_value(to, MHD_HEADER_KIND, "If-None-Match");
    opevo_i_cli_watch_view *view = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    int64_t run = 0;
    char tag[32];

    if (!read_run(to, &run))
        return refuse(to, MHD_HTTP_BAD_REQUEST, "run is the number of a run.\n");
    self->status = opevo_i_cli_watch_see(self->watch, run ? run : self->watch->run, &view, &inner);
    if (self->status == OPEVO_NOMEM) {
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "%s", inner.message);
        return MHD_NO;
    }
    if (self->status != OPEVO_OK) {
        self->status = OPEVO_OK;
        return refuse(to, MHD_HTTP_SERVICE_UNAVAILABLE, "The store cannot be read just now.\n");
    }
    snprintf(tag, sizeof tag, "\"%llu\"", (unsigned long long)view->edition);
    if (had && strcmp(had, tag) == 0)
        return queue(to, MHD_HTTP_NOT_MODIFIED,
                     web->MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));
    return send_text(to, &view->data, "application/json", tag);
}

/* ---- Requests ------------------------------------------------------------------------------- */

/* Takes as long for every text of this length. */
static bool is_token(const server *self, const char *text)
{
    unsigned char differs = 0;

    for (size_t i = 0; i < TOKEN; i++) {
        if (!text[i])
            return false;
        differs |= (unsigned char)(text[i] ^ self->token[i]);
    }
    return differs == 0;
}

/* Whether the request names this host as the address does: a page of another name that resolves to
 * loopback is not let in. */
static bool is_host(const server *self, struct MHD_Connection *from)
{
    const char *host = web->MHD_lookup_connection_value(from, MHD_HEADER_KIND, "Host");

    return host && (!strcmp(host, self->host) || !strcmp(host, self->named));
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request)
{
    server *self = context;
    const char *rest = url;

    (void)version;
    (void)upload;
    (void)upload_size;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "This page can only be read.\n");
    /* An answer to the head of a request would close the connection. */
    if (!*request) {
        *request = self;
        return MHD_YES;
    }
    if (!is_host(self, connection))
        return refuse(connection, MHD_HTTP_FORBIDDEN,
                      "Use the address that opevo watch printed.\n");
    if (*url != '/' || !is_token(self, url + 1))
        return refuse(connection, MHD_HTTP_NOT_FOUND,
                      "Use the address that opevo watch printed.\n");
    rest = url + 1 + TOKEN;
    if (strcmp(rest, "/") == 0)
        return send_text(connection, &self->page, "text/html; charset=utf-8", NULL);
    if (strcmp(rest, "/data") == 0)
        return send_data(self, connection);
    return refuse(connection, MHD_HTTP_NOT_FOUND, "There is a page and its data.\n");
}

/* ---- Guests --------------------------------------------------------------------------------- */

static void note_guest(void *context, struct MHD_Connection *connection, void **own,
                       enum MHD_ConnectionNotificationCode code)
{
    server *self = context;
    const union MHD_ConnectionInfo *info =
        web->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    (void)own;
    for (size_t i = 0; info && i < CONNECTIONS; i++) {
        guest *one = &self->guests[i];

        if (one->socket != (code == MHD_CONNECTION_NOTIFY_STARTED ? -1 : info->connect_fd))
            continue;
        one->socket = code == MHD_CONNECTION_NOTIFY_STARTED ? info->connect_fd : -1;
        one->since_s = opevo_clock_monotonic_s();
        return;
    }
}

/* Who takes a byte now and then is not silent, but keeps a place from others. */
static void send_off(server *self)
{
    double now_s = opevo_clock_monotonic_s();

    for (size_t i = 0; i < CONNECTIONS; i++) {
        if (self->guests[i].socket >= 0 && now_s - self->guests[i].since_s > LIFE_S)
            (void)shutdown(self->guests[i].socket, SHUT_RDWR);
    }
}

/* ---- Serving -------------------------------------------------------------------------------- */

static opevo_status make_token(char *out, opevo_error *err)
{
    unsigned char bytes[TOKEN_BYTES];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return OPEVO_FAIL(err, OPEVO_IO, "No random bytes for a token: %s.", strerror(errno));
    for (size_t i = 0; i < TOKEN_BYTES; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return OPEVO_OK;
}

static opevo_status make_page(server *self, opevo_error *err)
{
    opevo_text json = {0}, title = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&title, "%s - opevo watch", self->watch->call->arguments[0]);
    opevo_text_add(&json, "{");
    opevo_i_cli_report_json_head("watch", self->watch->call->arguments[0], self->watch->call,
                                 &json);
    opevo_text_add(&json, "}");
    OPEVO_TRY(opevo_text_check(&title, err));
    OPEVO_TRY(opevo_text_check(&json, err));
    OPEVO_TRY(
        opevo_i_cli_report_page_fill(opevo_text_string(&title), &json, true, &self->page, err));
cleanup:
    opevo_text_free(&json);
    opevo_text_free(&title);
    return status;
}

static opevo_status listen_at(server *self, uint16_t port, opevo_error *err)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const union MHD_DaemonInfo *info = NULL;

    self->daemon = web->MHD_start_daemon(
        MHD_USE_EPOLL, port, NULL, NULL, answer, self, MHD_OPTION_SOCK_ADDR, &address,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)REQUEST_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENT_S,
        MHD_OPTION_NOTIFY_CONNECTION, note_guest, self, MHD_OPTION_END);
    if (!self->daemon)
        return OPEVO_FAIL(err, OPEVO_IO, "--port %u: it cannot be listened at: %s.", port,
                          strerror(errno));
    info = web->MHD_get_daemon_info(self->daemon, MHD_DAEMON_INFO_BIND_PORT);
    snprintf(self->host, sizeof self->host, "127.0.0.1:%u", info ? info->port : port);
    snprintf(self->named, sizeof self->named, "localhost:%u", info ? info->port : port);
    return OPEVO_OK;
}

static opevo_status serve(server *self, opevo_error *err)
{
    double looked_s = 0;
    opevo_status status = OPEVO_OK;
    bool more = true;

    while (!opevo_interrupt_is_raised(&opevo_i_cli_interrupted)) {
        double now_s = opevo_clock_monotonic_s();

        if (more || now_s - looked_s >= pause_s) {
            OPEVO_TRY(opevo_i_cli_watch_look(self->watch, look_s, &more, err));
            looked_s = now_s;
        }
        (void)web->MHD_run_wait(self->daemon, more ? 0 : WAIT_MS);
        OPEVO_TRY(self->status);
        send_off(self);
    }
cleanup:
    return status;
}

opevo_status opevo_i_cli_watch_serve(opevo_i_cli_watch *watch, uint16_t port, opevo_error *err)
{
    server self = {.watch = watch, .err = err};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < CONNECTIONS; i++)
        self.guests[i].socket = -1;
    OPEVO_TRY(opevo_i_cli_web_library_open(&web, err));
    signal(SIGPIPE, SIG_IGN);
    opevo_i_cli_catch_interrupts();
    OPEVO_TRY(make_token(self.token, err));
    OPEVO_TRY(make_page(&self, err));
    OPEVO_TRY(listen_at(&self, port, err));
    printf("http://%s/%s/\n", self.host, self.token);
    if (fflush(stdout) != 0)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_IO, "The address cannot be printed: %s.", strerror(errno)));
    OPEVO_TRY(serve(&self, err));
cleanup:
    if (self.daemon)
        web->MHD_stop_daemon(self.daemon);
    opevo_text_free(&self.page);
    return status;
}
