/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An address in its parts. */

#ifndef OPEVO_ADDRESS_INTERNAL_H
#define OPEVO_ADDRESS_INTERNAL_H

#include <limits.h>
#include <stdbool.h>
#include <sys/socket.h>

#include <opevo/listen.h>

struct addrinfo;
struct sockaddr_un;

typedef struct opevo_i_base_address {
    bool is_path;
    char host[256]; /* or the absolute path; "": loopback, "*": all */
    char port[6];   /* digits */
} opevo_i_base_address;

/* Errors: INVALID; IO without a current folder. */
opevo_status opevo_i_base_address_parse(const char *text, opevo_i_base_address *out,
                                        opevo_error *err);
/* Of one that is a path. */
void opevo_i_base_address_path(const opevo_i_base_address *address, struct sockaddr_un *out);
/* Of one that is not; release with freeaddrinfo. Errors: INVALID for an unknown host; IO. */
opevo_status opevo_i_base_address_resolve(const opevo_i_base_address *address,
                                          struct addrinfo **out, opevo_error *err);
void opevo_i_base_address_print(const char *host, const char *port, char out[OPEVO_ADDRESS_SIZE]);
/* A connection whose other host is gone ends, though nothing is said. */
void opevo_i_base_keep_alive(int descriptor);
bool opevo_i_base_is_loopback(const struct sockaddr *address);
/* INVALID unless the token has the form of one. */
opevo_status opevo_i_base_token_check(const char *token, opevo_error *err);

#endif
