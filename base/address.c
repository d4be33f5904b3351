/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Texts of addresses, and the addresses of this host. */

#include "address_internal.h"

#include <opevo/text.h>

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static opevo_status parse_path(const char *text, opevo_i_base_address *out, opevo_error *err)
{
    char folder[PATH_MAX] = "";
    int length = 0;

    if (*text != '/' && !getcwd(folder, sizeof folder))
        return OPEVO_FAIL(err, OPEVO_IO, "%.200s: the current folder is not known: %s.", text,
                          strerror(errno));
    length = snprintf(out->host, sizeof out->host, "%s%s%s", folder, *folder ? "/" : "", text);
    if (length < 0 || (size_t)length >= sizeof((struct sockaddr_un){0}).sun_path)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%.200s: the path of a socket has %zu bytes at most; give a shorter one.",
                          text, sizeof((struct sockaddr_un){0}).sun_path - 1);
    out->is_path = true;
    return OPEVO_OK;
}

static opevo_status ill_formed(const char *text, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%.200s: give an address as HOST:PORT, or as the path of a socket.", text);
}

opevo_status opevo_i_base_address_parse(const char *text, opevo_i_base_address *out,
                                        opevo_error *err)
{
    const char *host = text;
    const char *port = NULL;
    size_t length = 0;
    uint64_t number = 0;

    *out = (opevo_i_base_address){.is_path = false};
    if (strchr(text, '/'))
        return parse_path(text, out, err);
    if (*text == '[') {
        host = text + 1;
        length = strcspn(host, "]");
        port = host[length] == ']' ? host + length + 1 : NULL;
        if (!length || !port || (*port && *port != ':'))
            return ill_formed(text, err);
    } else if (opevo_parse_u64(text, &number)) {
        port = text;
    } else {
        length = strcspn(host, ":");
        port = host + length;
    }
    port += *port == ':';
    if ((*port && (!opevo_parse_u64(port, &number) || number > UINT16_MAX)) ||
        length >= sizeof out->host || (!*text))
        return ill_formed(text, err);
    snprintf(out->host, sizeof out->host, "%.*s", (int)length, host);
    snprintf(out->port, sizeof out->port, "%s", *port ? port : "0");
    return OPEVO_OK;
}

opevo_status opevo_i_base_address_resolve(const opevo_i_base_address *address,
                                          struct addrinfo **out, opevo_error *err)
{
    /* This machine has the name localhost where no file says so as well (RFC 6761, 6.3). */
    const bool here = !*address->host || strcmp(address->host, "localhost") == 0;
    const char *host = here ? "127.0.0.1" : address->host;
    const bool any = strcmp(host, "*") == 0;
    const struct addrinfo hints = {.ai_family = any ? AF_INET : AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICSERV | (any ? AI_PASSIVE : 0)};
    int code = getaddrinfo(any ? NULL : host, address->port, &hints, out);

    if (code)
        return OPEVO_FAIL(err, code == EAI_NONAME ? OPEVO_INVALID : OPEVO_IO,
                          "The host %.200s is not known here: %s.", host, gai_strerror(code));
    return OPEVO_OK;
}

void opevo_i_base_address_path(const opevo_i_base_address *address, struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(out->sun_path, address->host, strlen(address->host) + 1);
}

void opevo_i_base_address_print(const char *host, const char *port, char out[OPEVO_ADDRESS_SIZE])
{
    bool six = strchr(host, ':') != NULL;

    snprintf(out, OPEVO_ADDRESS_SIZE, "%s%.255s%s:%.5s", six ? "[" : "", host, six ? "]" : "",
             port);
}

void opevo_i_base_keep_alive(int descriptor)
{
    static const struct {
        int level, name, value;
    } options[] = {{IPPROTO_TCP, TCP_NODELAY, 1},   {SOL_SOCKET, SO_KEEPALIVE, 1},
                   {IPPROTO_TCP, TCP_KEEPIDLE, 60}, {IPPROTO_TCP, TCP_KEEPINTVL, 15},
                   {IPPROTO_TCP, TCP_KEEPCNT, 4},   {IPPROTO_TCP, TCP_USER_TIMEOUT, 120000}};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        setsockopt(descriptor, options[i].level, options[i].name, &options[i].value,
                   sizeof options[i].value);
}

bool opevo_i_base_is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 ==
               IN_LOOPBACKNET;
    return address->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static bool print_host(const struct sockaddr *address, socklen_t size, char *out)
{
    return getnameinfo(address, size, out, OPEVO_ADDRESS_SIZE, NULL, 0, NI_NUMERICHOST) == 0;
}

/* Connecting a datagram socket sends nothing, but chooses the address to send from. The address to
 * send to is of those for documentation. */
static bool ask_route(char *out)
{
    struct sockaddr_in far = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {.s_addr = htonl(0xc0000201)}};
    struct sockaddr_storage near = {0};
    socklen_t size = sizeof near;
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool good = descriptor >= 0 &&
                connect(descriptor, (const struct sockaddr *)&far, sizeof far) == 0 &&
                getsockname(descriptor, (struct sockaddr *)&near, &size) == 0 &&
                !opevo_i_base_is_loopback((const struct sockaddr *)&near) &&
                print_host((const struct sockaddr *)&near, size, out);

    if (descriptor >= 0)
        close(descriptor);
    return good;
}

static bool ask_interfaces(char *out)
{
    struct ifaddrs *list = NULL;
    bool good = false;

    if (getifaddrs(&list) != 0)
        return false;
    for (const struct ifaddrs *one = list; one && !good; one = one->ifa_next)
        good = one->ifa_addr && one->ifa_addr->sa_family == AF_INET &&
               (one->ifa_flags & IFF_UP) != 0 && !(one->ifa_flags & IFF_LOOPBACK) &&
               print_host(one->ifa_addr, sizeof(struct sockaddr_in), out);
    freeifaddrs(list);
    return good;
}

opevo_status opevo_host_address(char out[OPEVO_ADDRESS_SIZE], opevo_error *err)
{
    if (ask_route(out) || ask_interfaces(out))
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_IO, "This host has no address that others reach; give one.");
}
