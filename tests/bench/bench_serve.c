/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What `opevo serve` costs beside tuner and client: pairs of an ask and a tell a second over two
 * pipes, one pair at a time and many in a request, without and with a store. A pair at a time is
 * four messages between two processes. The fastest of many windows is judged, for other jobs only
 * slow one down; the processor time of the server is of all windows. */

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "remove_tree.h"

enum { WINDOWS = 40, PAIRS = 500, BATCH = 100, REPLY_MOST = 1 << 20 };

/* 4,152,720 points, as a product of matrices has. */
static const char create_text[] = "{\"op\":\"create\",\"tuner\":\"random\",%s\"space\":{"
                                  "\"K\":{\"_type\":\"factor\",\"_value\":[1024,3]},\"X\":{\"_"
                                  "type\":\"factor\",\"_value\":[512,4]},"
                                  "\"Y\":{\"_type\":\"factor\",\"_value\":[1024,4]}}}\n";

typedef struct server {
    pid_t pid;
    int in, out;
    char reply[REPLY_MOST];
} server;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void start(server *self)
{
    int in[2], out[2];

    if (pipe(in) || pipe(out))
        fail("pipe");
    self->pid = fork();
    if (self->pid < 0)
        fail("fork");
    if (self->pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        for (int i = 0; i < 2; i++) {
            close(in[i]);
            close(out[i]);
        }
        execl(OPEVO_PATH, "opevo", "serve", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    self->in = in[1];
    self->out = out[0];
}

/* Send one request, and wait for its reply, which is then in `reply` as a text. */
static void exchange(server *self, const char *request, size_t length)
{
    size_t got = 0;

    if (write(self->in, request, length) != (ssize_t)length)
        fail("write");
    while (got == 0 || self->reply[got - 1] != '\n') {
        ssize_t more =
            got < REPLY_MOST - 1 ? read(self->out, self->reply + got, REPLY_MOST - 1 - got) : 0;

        if (more <= 0)
            fail("read");
        got += (size_t)more;
    }
    self->reply[got] = '\0';
    if (strncmp(self->reply, "{\"ok\": true", 11) != 0) {
        fputs(self->reply, stderr);
        exit(1);
    }
}

/* Ask for `count` trials and tell them. */
static void pairs(server *self, int count)
{
    static char request[BATCH * 64];
    int length =
        snprintf(request, sizeof request, "{\"op\":\"ask\",\"session\":1,\"count\":%d}\n", count);
    const char *at = self->reply;

    exchange(self, request, (size_t)length);
    length = snprintf(request, sizeof request, "{\"op\":\"tell\",\"session\":1,\"trials\":[");
    for (int i = 0; i < count; i++) {
        at = strstr(at, "\"number\": ");
        if (!at)
            fail("a reply without numbers");
        at += 10;
        length += snprintf(request + length, sizeof request - (size_t)length,
                           "%s{\"number\":%ld,\"score\":%d.5}", i ? "," : "", strtol(at, NULL, 10),
                           i % 7);
    }
    length += snprintf(request + length, sizeof request - (size_t)length, "]}\n");
    exchange(self, request, (size_t)length);
}

static void measure(bench *self, const char *store, int at_once, double goal)
{
    static server served;
    struct rusage before, after;
    char member[256] = "", create[1024], name[128];
    double fastest_s = 1e9, cpu_s = 0;

    if (store)
        snprintf(member, sizeof member, "\"store\":\"%s\",", store);
    getrusage(RUSAGE_CHILDREN, &before);
    start(&served);
    exchange(&served, create, (size_t)snprintf(create, sizeof create, create_text, member));
    for (int window = 0; window < WINDOWS; window++) {
        double started_s = opevo_clock_monotonic_s();

        for (int i = 0; i < PAIRS; i += at_once)
            pairs(&served, at_once);
        started_s = opevo_clock_monotonic_s() - started_s;
        fastest_s = started_s < fastest_s ? started_s : fastest_s;
    }
    close(served.in);
    close(served.out);
    waitpid(served.pid, NULL, 0);
    getrusage(RUSAGE_CHILDREN, &after);
    cpu_s = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
            (double)(after.ru_stime.tv_sec - before.ru_stime.tv_sec) +
            1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) +
            1e-6 * (double)(after.ru_stime.tv_usec - before.ru_stime.tv_usec);
    snprintf(name, sizeof name, "%s, %d in a request", store ? "with a store" : "no store",
             at_once);
    if (goal > 0)
        bench_at_least(self, name, PAIRS / fastest_s, goal, "pairs/s");
    else
        bench_note(name, PAIRS / fastest_s, "pairs/s");
    bench_note("  processor time of the server", 1e6 * cpu_s / (WINDOWS * PAIRS), "us/pair");
}

int main(void)
{
    bench self = {0};
    char folder[] = "/tmp/opevo-bench-XXXXXX";
    char path[64];

    if (!mkdtemp(folder))
        fail("mkdtemp");
    bench_title("opevo serve, tuner random: pairs of an ask and a tell");
    measure(&self, NULL, 1, 20000);
    measure(&self, NULL, BATCH, 20000);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%d.db", folder, i);
        measure(&self, path, i ? BATCH : 1, 0);
    }
    if (remove_tree(folder) != 0)
        fail(folder);
    return bench_end(&self);
}
