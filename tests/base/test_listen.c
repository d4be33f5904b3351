/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Listeners and who connects to them: tokens, addresses, and clients that mean no good. */

#include "check.h"
#include "remove_tree.h"

#include <opevo/listen.h>

#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef"

static char folder[] = "/tmp/opevo-test-XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    remove_tree(folder);
    return 0;
}

static opevo_listener *listen_at(const char *address, const char *token)
{
    opevo_listener *out = NULL;
    opevo_error err = {OPEVO_OK, ""};

    if (opevo_listener_open(address, token, &out, &err) != OPEVO_OK)
        fail_msg("%s: %s", address, err.message);
    return out;
}

static int dial(const opevo_listener *listener, const char *token)
{
    int out = -1;
    opevo_error err = {OPEVO_OK, ""};

    if (opevo_dial(opevo_listener_address(listener), token, 1, &out, &err) != OPEVO_OK)
        fail_msg("%s", err.message);
    return out;
}

/* The next client, waited for; -1 if none comes in the time. */
static int next_of(opevo_listener *listener, int wait_ms)
{
    struct pollfd wait = {.fd = opevo_listener_descriptor(listener), .events = POLLIN};
    int got = -1;

    while (got < 0 && poll(&wait, 1, wait_ms) == 1)
        got = opevo_listener_next(listener);
    return got;
}

/* `got` is the other end of `client`. */
static void check_pair(int got, int client)
{
    char bytes[3] = "";

    assert_true(got >= 0);
    assert_int_equal(write(client, "yes", 3), 3);
    assert_int_equal(poll(&(struct pollfd){.fd = got, .events = POLLIN}, 1, 2000), 1);
    assert_int_equal(read(got, bytes, sizeof bytes), 3);
    assert_memory_equal(bytes, "yes", 3);
    close(got);
    close(client);
}

static void check_ended(int client)
{
    char byte = '\0';

    assert_int_equal(poll(&(struct pollfd){.fd = client, .events = POLLIN}, 1, 2000), 1);
    assert_true(read(client, &byte, 1) <= 0);
    close(client);
}

/* What follows the token in the same packet is for the owner of the socket. */
CHECK_TEST(only_the_token_is_read)
{
    static const char *const addresses[] = {"0", "127.0.0.1", "localhost:0", ":0", "*:0"};

    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        opevo_listener *listener = listen_at(addresses[i], NULL);
        int client = -1;
        int got = -1;
        char line[100];
        char rest[10] = "";
        int length = snprintf(line, sizeof line, "%s\nhello", opevo_listener_token(listener));

        assert_int_equal(strlen(opevo_listener_token(listener)), 32);
        client = dial(listener, NULL);
        assert_int_equal(write(client, line, (size_t)length), length);
        got = next_of(listener, 2000);
        assert_true(got >= 0);
        assert_int_equal(read(got, rest, sizeof rest), 5);
        assert_string_equal(rest, "hello");
        check_pair(got, client);
        opevo_listener_close(listener);
    }
}

/* Byte by byte, with others between. */
CHECK_TEST(tokens_come_in_pieces)
{
    opevo_listener *listener = listen_at("0", TOKEN);
    int slow = dial(listener, NULL);
    int quick = -1;

    for (size_t i = 0; i < strlen(TOKEN); i++) {
        assert_int_equal(write(slow, &TOKEN[i], 1), 1);
        assert_int_equal(next_of(listener, 5), -1);
    }
    quick = dial(listener, TOKEN);
    check_pair(next_of(listener, 2000), quick);
    assert_int_equal(write(slow, "\n", 1), 1);
    check_pair(next_of(listener, 2000), slow);
    assert_int_equal(opevo_listener_refused(listener), 0);
    opevo_listener_close(listener);
}

CHECK_TEST(others_are_refused)
{
    static const char *const lines[] = {"\n",
                                        "0123456789abcdeg\n",
                                        "0123456789abcde\n",
                                        "0123456789abcdeff\n",
                                        " " TOKEN "\n",
                                        "GET / HTTP/1.1\r\nHost: x\r\n",
                                        TOKEN "\r\n",
                                        "{\"token\": 1}\n"};
    opevo_listener *listener = listen_at("0", TOKEN);
    char flood[4096];
    int client = -1;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        client = dial(listener, NULL);
        assert_int_equal(write(client, lines[i], strlen(lines[i])), strlen(lines[i]));
        assert_int_equal(next_of(listener, 100), -1);
        check_ended(client);
        assert_int_equal(opevo_listener_refused(listener), i + 1);
    }
    memset(flood, '0', sizeof flood); /* no end of line; zero bytes */
    for (int k = 0; k < 2; k++) {
        client = dial(listener, NULL);
        assert_int_equal(write(client, flood, sizeof flood), sizeof flood);
        assert_int_equal(next_of(listener, 100), -1);
        check_ended(client);
        memset(flood, 0, sizeof flood);
    }
    client = dial(listener, TOKEN);
    check_pair(next_of(listener, 2000), client);
    opevo_listener_close(listener);
}

/* More than there are places for. */
CHECK_TEST(silent_clients_shut_nobody_out)
{
    enum { MANY = OPEVO_LISTEN_PENDING + 20 };
    opevo_listener *listener = listen_at("0", TOKEN);
    int silent[MANY];
    int client = -1;

    for (size_t i = 0; i < MANY; i++) {
        silent[i] = dial(listener, NULL);
        assert_int_equal(next_of(listener, 1), -1);
    }
    client = dial(listener, TOKEN);
    check_pair(next_of(listener, 2000), client);
    assert_true(opevo_listener_refused(listener) >= 20);
    assert_true(opevo_listener_refused(listener) <= 21);
    for (size_t i = 0; i < MANY; i++)
        close(silent[i]);
    opevo_listener_close(listener);
}

/* A client without a free descriptor is turned away; otherwise waiting for others would be a busy
 * loop. */
CHECK_TEST(descriptors_may_run_out)
{
    opevo_listener *listener = listen_at("0", TOKEN);
    struct rlimit before;
    struct rlimit tight;
    int client = dial(listener, TOKEN);
    int next = dup(0);

    assert_true(next >= 0);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    tight = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
    assert_int_equal(next_of(listener, 100), -1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    check_ended(client);
    client = dial(listener, TOKEN);
    check_pair(next_of(listener, 2000), client);
    opevo_listener_close(listener);
}

CHECK_TEST(paths_are_for_this_user)
{
    char path[64];
    struct stat info;
    opevo_listener *listener = NULL;
    opevo_listener *second = NULL;
    opevo_error err = {OPEVO_OK, ""};
    int client = -1;

    snprintf(path, sizeof path, "%s/socket", folder);
    listener = listen_at(path, NULL);
    assert_null(opevo_listener_token(listener));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    client = dial(listener, NULL);
    check_pair(next_of(listener, 2000), client);
    assert_int_equal(opevo_listener_open(path, NULL, &second, &err), OPEVO_INVALID);
    assert_non_null(strstr(err.message, "another process listens"));
    opevo_listener_close(listener);
    assert_int_equal(stat(path, &info), -1);
}

/* As a killed process leaves it; a file stays as it is. */
CHECK_TEST(only_dead_sockets_are_replaced)
{
    char path[64];
    opevo_listener *listener = NULL;
    opevo_error err = {OPEVO_OK, ""};
    FILE *file = NULL;
    int client = -1;
    pid_t child = 0;

    snprintf(path, sizeof path, "%s/left", folder);
    child = fork();
    if (child == 0) {
        listener = listen_at(path, NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(access(path, F_OK), 0);
    listener = listen_at(path, TOKEN);
    client = dial(listener, TOKEN);
    check_pair(next_of(listener, 2000), client);
    opevo_listener_close(listener);
    listener = NULL;
    file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(opevo_listener_open(path, NULL, &listener, &err), OPEVO_INVALID);
    assert_int_equal(access(path, F_OK), 0);
}

CHECK_TEST(ill_formed_addresses_are_named)
{
    static const char *const addresses[] = {"",
                                            "host:x",
                                            "host:65536",
                                            "[::1",
                                            "[::1]x",
                                            "[]:1",
                                            "127.0.0.1:-1",
                                            "a:b:1",
                                            "no.such.host.invalid:1"};
    static const char *const tokens[] = {"", "short", "with a blank", "line\nfeed-in-it"};
    opevo_listener *listener = NULL;
    char deep[200];
    opevo_error err = {OPEVO_OK, ""};

    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (opevo_listener_open(addresses[i], TOKEN, &listener, &err) == OPEVO_OK)
            fail_msg("\"%s\" was taken", addresses[i]);
    }
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        assert_int_equal(opevo_listener_open("0", tokens[i], &listener, &err), OPEVO_INVALID);
    memset(deep, 'a', sizeof deep);
    deep[0] = '/';
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(opevo_listener_open(deep, NULL, &listener, &err), OPEVO_INVALID);
    assert_null(listener);
}

CHECK_TEST(nobody_listens)
{
    opevo_listener *listener = listen_at("0", TOKEN);
    char address[OPEVO_ADDRESS_SIZE];
    opevo_error err = {OPEVO_OK, ""};
    int out = -1;

    snprintf(address, sizeof address, "%s", opevo_listener_address(listener));
    opevo_listener_close(listener);
    assert_int_equal(opevo_dial(address, TOKEN, 0.1, &out, &err), OPEVO_IO);
    assert_non_null(strstr(err.message, address));
    assert_int_equal(out, -1);
}

int main(void)
{
    return check_tests(make_folder, remove_folder);
}
