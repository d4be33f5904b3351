/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sockets that other processes of this user connect to, here or on other hosts.
 *
 * An address is the path of a Unix socket, which has a '/', or HOST:PORT, where HOST is a name, an
 * IPv4 address, an IPv6 address in brackets, or * for all addresses of this host. Without HOST it
 * is loopback, and without PORT, or with 0, the system chooses one: "/tmp/x.sock", "7000",
 * "node1", "node1:7000", "[::1]:7000", "*:7000".
 *
 * A client sends the token and a line feed first; whatever follows belongs to the two of them. A
 * Unix socket can do without a token: it then admits the processes of this user alone, as it does
 * beside a token. Who sends anything else, or nothing for OPEVO_LISTEN_PATIENCE_S, is
 * disconnected without an answer. */

#ifndef OPEVO_LISTEN_H
#define OPEVO_LISTEN_H

#include <stddef.h>

#include <opevo/status.h>

OPEVO_BEGIN_C

enum {
    OPEVO_TOKEN_LEAST = 8, /* characters, none of them a blank or a control character */
    OPEVO_TOKEN_MOST = 64,
    OPEVO_LISTEN_PATIENCE_S = 10,
    OPEVO_LISTEN_PENDING = 256, /* clients that have not sent the token; beyond, the oldest goes */
    OPEVO_ADDRESS_SIZE = 300
};

typedef struct opevo_listener opevo_listener;

/* Listen at the address. A Unix socket gets mode 600; one left behind that nobody listens at is
 * replaced. A name that this host resolves to loopback, as Debian does for the host's own, is
 * listened for at all addresses.
 *
 *   token  that clients must send; NULL: a random one for TCP, none for a Unix socket
 *
 * Errors: INVALID for an ill-formed address or token, or an address in use; IO; NOMEM. */
opevo_status opevo_listener_open(const char *address, const char *token, opevo_listener **out,
                                 opevo_error *err);
/* Also removes the Unix socket. NULL does nothing. */
void opevo_listener_close(opevo_listener *listener);
/* What clients connect to: an absolute path, or HOST:PORT with the port in use. */
const char *opevo_listener_address(const opevo_listener *listener);
/* NULL without one. */
const char *opevo_listener_token(const opevo_listener *listener);
/* For poll: readable when opevo_listener_next has something to do. */
int opevo_listener_descriptor(const opevo_listener *listener);
/* Accept clients and look at what they sent; never blocks. The socket of one that was admitted,
 * non-blocking and closed on exec, which is the caller's; -1 when none is left for now. */
int opevo_listener_next(opevo_listener *listener);
/* Clients that were disconnected for a wrong token, a foreign user or silence. Hook of tests. */
size_t opevo_listener_refused(const opevo_listener *listener);

/* Connect to a listener and send the token (NULL: none); the socket, blocking and closed on exec.
 *
 *   limit_s  how long to try; a connection that is refused is tried again until then
 *
 * Errors: INVALID for an ill-formed address or token; IO, with errno set where nobody was
 * reached. */
opevo_status opevo_dial(const char *address, const char *token, double limit_s, int *out,
                        opevo_error *err);

/* The address of this host that its default route uses, else of the first interface that is up and
 * not loopback, as text without a port. Errors: IO if none exists. */
opevo_status opevo_host_address(char out[OPEVO_ADDRESS_SIZE], opevo_error *err);

OPEVO_END_C

#endif
