/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A listening socket and the clients that have not sent the token yet, all behind one descriptor of
 * epoll. Of a client no byte beyond the token's line is read, so that its new owner finds the rest
 * in the socket. */

#include <opevo/listen.h>

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "address_internal.h"

enum { BACKLOG = 128 };

typedef struct client {
    int descriptor; /* -1: the place is free */
    double due_s;
    size_t length;
    char line[OPEVO_TOKEN_MOST + 1];
} client;

struct opevo_listener {
    int listening, events;
    int spare; /* given up to turn a client away where no descriptor is left */
    opevo_i_base_address where;
    char address[OPEVO_ADDRESS_SIZE];
    char token[OPEVO_TOKEN_MOST + 1]; /* "": none */
    bool bound;                       /* the Unix socket is ours to remove */
    size_t refused;
    client clients[OPEVO_LISTEN_PENDING];
};

const char *opevo_listener_address(const opevo_listener *self)
{
    return self->address;
}

const char *opevo_listener_token(const opevo_listener *self)
{
    return *self->token ? self->token : NULL;
}

int opevo_listener_descriptor(const opevo_listener *self)
{
    return self->events;
}

size_t opevo_listener_refused(const opevo_listener *self)
{
    return self->refused;
}

void opevo_listener_close(opevo_listener *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < OPEVO_LISTEN_PENDING; i++) {
        if (self->clients[i].descriptor >= 0)
            close(self->clients[i].descriptor);
    }
    if (self->listening >= 0)
        close(self->listening);
    if (self->events >= 0)
        close(self->events);
    if (self->spare >= 0)
        close(self->spare);
    if (self->bound)
        unlink(self->where.host);
    opevo_free(self);
}

/* ---- The token ------------------------------------------------------------------------------ */

opevo_status opevo_i_base_token_check(const char *token, opevo_error *err)
{
    size_t length = strlen(token);

    for (size_t i = 0; i < length; i++) {
        if (token[i] <= ' ' || token[i] > '~')
            length = 0;
    }
    if (length < OPEVO_TOKEN_LEAST || length > OPEVO_TOKEN_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A token has %d to %d printable characters of ASCII, without blanks.",
                          OPEVO_TOKEN_LEAST, OPEVO_TOKEN_MOST);
    return OPEVO_OK;
}

static opevo_status choose_token(opevo_listener *self, const char *token, opevo_error *err)
{
    unsigned char bytes[16];

    if (token) {
        snprintf(self->token, sizeof self->token, "%s", token);
        return opevo_i_base_token_check(token, err);
    }
    if (self->where.is_path)
        return OPEVO_OK;
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return OPEVO_FAIL(err, OPEVO_IO, "No random numbers for a token: %s.", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(self->token + 2 * i, 3, "%02x", bytes[i]);
    return OPEVO_OK;
}

/* In a time that does not depend on where they differ. */
static bool is_token(const opevo_listener *self, const client *from)
{
    char expected[sizeof from->line] = "";
    unsigned char differs = from->length != strlen(self->token);

    memcpy(expected, self->token, sizeof expected);
    for (size_t i = 0; i < sizeof expected; i++)
        differs |= (unsigned char)(expected[i] ^ from->line[i]);
    return !differs;
}

/* ---- Listening ------------------------------------------------------------------------------ */

static opevo_status in_use(const char *address, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID, "%.250s: another process listens there; give another.",
                      address);
}

/* A socket that nobody listens at is what a killed process left. */
static opevo_status clear_path(const struct sockaddr_un *path, opevo_error *err)
{
    struct stat there;
    int probe = -1;
    bool dead = false;

    if (lstat(path->sun_path, &there) != 0)
        return OPEVO_OK;
    if (!S_ISSOCK(there.st_mode))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: exists and is not a socket; give another path.",
                          path->sun_path);
    probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    dead = probe >= 0 && connect(probe, (const struct sockaddr *)path, sizeof *path) != 0 &&
           errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    if (!dead)
        return in_use(path->sun_path, err);
    unlink(path->sun_path);
    return OPEVO_OK;
}

/* The mode is set before anybody can connect, which listening begins. */
static opevo_status bind_path(opevo_listener *self, opevo_error *err)
{
    struct sockaddr_un path;
    opevo_status status = OPEVO_OK;

    opevo_i_base_address_path(&self->where, &path);
    status = clear_path(&path, err);
    if (status != OPEVO_OK)
        return status;
    self->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (self->listening >= 0 &&
        bind(self->listening, (const struct sockaddr *)&path, sizeof path) == 0)
        self->bound = true;
    if (!self->bound || chmod(path.sun_path, 0600) != 0 || listen(self->listening, BACKLOG) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: cannot listen there: %s.", path.sun_path,
                          strerror(errno));
    snprintf(self->address, sizeof self->address, "%s", path.sun_path);
    return OPEVO_OK;
}

static bool bind_one(opevo_listener *self, const struct addrinfo *one)
{
    const int on = 1;

    self->listening = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (self->listening < 0)
        return false;
    setsockopt(self->listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(self->listening, one->ai_addr, one->ai_addrlen) == 0 &&
        listen(self->listening, BACKLOG) == 0)
        return true;
    close(self->listening);
    self->listening = -1;
    return false;
}

/* What clients are told: the host as it was given, and the port that the system chose. */
static opevo_status print_address(opevo_listener *self, opevo_error *err)
{
    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof bound;
    char own[OPEVO_ADDRESS_SIZE] = "127.0.0.1";
    char port[NI_MAXSERV] = "";
    const char *host = self->where.host;

    if (getsockname(self->listening, (struct sockaddr *)&bound, &size) != 0 ||
        getnameinfo((const struct sockaddr *)&bound, size, NULL, 0, port, sizeof port,
                    NI_NUMERICSERV) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "The address of a socket is not known: %s.",
                          strerror(errno));
    if (!strcmp(host, "*")) {
        opevo_status status = opevo_host_address(own, err);

        if (status != OPEVO_OK)
            return status;
    }
    opevo_i_base_address_print(*host && strcmp(host, "*") != 0 ? host : own, port, self->address);
    return OPEVO_OK;
}

/* Whether clients elsewhere would mean another address by this name than this host does. */
static bool is_own_name(const opevo_i_base_address *where, const struct addrinfo *one)
{
    bool numeric = strspn(where->host, "0123456789.") == strlen(where->host) ||
                   strchr(where->host, ':') != NULL;

    return !numeric && strcmp(where->host, "localhost") != 0 &&
           opevo_i_base_is_loopback(one->ai_addr);
}

static opevo_status bind_host(opevo_listener *self, opevo_error *err)
{
    struct addrinfo *found = NULL;
    opevo_i_base_address any = self->where;
    opevo_status status = opevo_i_base_address_resolve(&self->where, &found, err);

    if (status == OPEVO_OK && is_own_name(&self->where, found)) {
        freeaddrinfo(found);
        found = NULL;
        snprintf(any.host, sizeof any.host, "*");
        status = opevo_i_base_address_resolve(&any, &found, err);
    }
    if (status != OPEVO_OK)
        return status;
    for (const struct addrinfo *one = found; one && self->listening < 0; one = one->ai_next)
        bind_one(self, one);
    if (self->listening < 0) {
        opevo_i_base_address_print(self->where.host, self->where.port, self->address);
        status = errno == EADDRINUSE ? in_use(self->address, err)
                                     : OPEVO_FAIL(err, OPEVO_IO, "%s: cannot listen there: %s.",
                                                  self->address, strerror(errno));
    }
    freeaddrinfo(found);
    return status == OPEVO_OK ? print_address(self, err) : status;
}

static opevo_status watch(opevo_listener *self, opevo_error *err)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = OPEVO_LISTEN_PENDING};

    self->events = epoll_create1(EPOLL_CLOEXEC);
    self->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (self->events < 0 || self->spare < 0 ||
        epoll_ctl(self->events, EPOLL_CTL_ADD, self->listening, &event) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: cannot listen there: %s.", self->address,
                          strerror(errno));
    return OPEVO_OK;
}

opevo_status opevo_listener_open(const char *address, const char *token, opevo_listener **out,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_listener *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "listening");
    self->listening = self->events = self->spare = -1;
    for (size_t i = 0; i < OPEVO_LISTEN_PENDING; i++)
        self->clients[i].descriptor = -1;
    OPEVO_TRY(opevo_i_base_address_parse(address, &self->where, err));
    OPEVO_TRY(choose_token(self, token, err));
    OPEVO_TRY(self->where.is_path ? bind_path(self, err) : bind_host(self, err));
    OPEVO_TRY(watch(self, err));
    *out = self;
    self = NULL;
cleanup:
    opevo_listener_close(self);
    return status;
}

/* ---- Clients -------------------------------------------------------------------------------- */

static void refuse(opevo_listener *self, client *from)
{
    close(from->descriptor);
    from->descriptor = -1;
    self->refused++;
}

static bool is_own_process(int descriptor)
{
    struct ucred peer = {0};
    socklen_t size = sizeof peer;

    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           peer.uid == geteuid();
}

/* A free place, if need be that of the oldest. */
static client *make_place(opevo_listener *self)
{
    client *oldest = &self->clients[0];

    for (size_t i = 0; i < OPEVO_LISTEN_PENDING && oldest->descriptor >= 0; i++) {
        client *one = &self->clients[i];

        if (one->descriptor < 0 || one->due_s < oldest->due_s)
            oldest = one;
    }
    if (oldest->descriptor >= 0)
        refuse(self, oldest);
    return oldest;
}

/* The client's socket once its line is the token, else -1. */
static int read_token(opevo_listener *self, client *from)
{
    int descriptor = from->descriptor;
    ssize_t got = 0;
    char byte = '\0';

    while ((got = recv(descriptor, &byte, 1, 0)) == 1 && byte != '\n' &&
           from->length < OPEVO_TOKEN_MOST)
        from->line[from->length++] = byte;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return -1;
    if (got != 1 || byte != '\n' || !is_token(self, from)) {
        refuse(self, from);
        return -1;
    }
    epoll_ctl(self->events, EPOLL_CTL_DEL, descriptor, NULL);
    from->descriptor = -1;
    return descriptor;
}

/* Its token is read at once where it is there, so that many who come together need few places. */
static int take_in(opevo_listener *self, int descriptor)
{
    client *place = make_place(self);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)(place - self->clients)};

    *place = (client){.descriptor = descriptor,
                      .due_s = opevo_clock_monotonic_s() + OPEVO_LISTEN_PATIENCE_S};
    if (epoll_ctl(self->events, EPOLL_CTL_ADD, descriptor, &event) != 0) {
        refuse(self, place);
        return -1;
    }
    return read_token(self, place);
}

/* Take in who waits; the socket of the first that is admitted, else -1. */
static int accept_clients(opevo_listener *self)
{
    for (;;) {
        int descriptor = accept4(self->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (descriptor < 0 && (errno == EMFILE || errno == ENFILE) && self->spare >= 0) {
            close(self->spare);
            descriptor = accept4(self->listening, NULL, NULL, SOCK_CLOEXEC);
            if (descriptor >= 0)
                close(descriptor);
            self->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
            self->refused++;
            return -1;
        }
        if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (descriptor < 0)
            return -1;
        if (!self->where.is_path) {
            opevo_i_base_keep_alive(descriptor);
        } else if (!is_own_process(descriptor)) {
            close(descriptor);
            self->refused++;
            continue;
        }
        if (*self->token)
            descriptor = take_in(self, descriptor);
        if (descriptor >= 0)
            return descriptor;
    }
}

int opevo_listener_next(opevo_listener *self)
{
    struct epoll_event event;
    double now = opevo_clock_monotonic_s();
    int admitted = -1;

    for (size_t i = 0; i < OPEVO_LISTEN_PENDING; i++) {
        if (self->clients[i].descriptor >= 0 && self->clients[i].due_s < now)
            refuse(self, &self->clients[i]);
    }
    while (admitted < 0 && epoll_wait(self->events, &event, 1, 0) == 1) {
        if (event.data.u32 == OPEVO_LISTEN_PENDING)
            admitted = accept_clients(self);
        else
            admitted = read_token(self, &self->clients[event.data.u32]);
    }
    return admitted;
}
