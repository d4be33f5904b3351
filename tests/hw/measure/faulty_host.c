/* SPDX-License-Identifier: GPL-3.0-or-later */

/* faulty_host FAULT EVERY LOG COMMAND...: a launcher of a worker on a host in trouble, as ssh would
 * be. It passes on what engine and worker say; once in EVERY measurements on average, in the midst
 * of one, this happens, and a line FAULT goes to LOG:
 *   kill     the worker is killed
 *   hang     it stops, and nothing is passed on any more
 *   garbage  bytes come that are not a message
 *   cut      the connection ends, and the worker does not know it at once
 *   link     nothing is passed on for a second, and then all of it
 *   any      one of them
 * With `none` nothing happens. */

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const faults[] = {"kill", "hang", "garbage", "cut", "link"};
enum { FAULTS = sizeof faults / sizeof *faults };

typedef struct host {
    const char *fault;
    int every, log;
    pid_t pid;
    int to, from; /* the worker */
    long left;    /* measurements until the next fault */
    unsigned long long random;
} host;

/* Knuth's generator: which measurement it is has to vary and nothing else. */
static unsigned draw(host *self, unsigned below)
{
    self->random = self->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(self->random >> 33) % below;
}

/* Measurements from one fault to the next, EVERY on average. */
static long draw_distance(host *self)
{
    return 1 + (long)draw(self, (unsigned)(2 * self->every - 1));
}

/* Those to the first fault, as seen by who joins at a random time: P(k) is proportional to the
 * probability of a distance of k or more, so that each measurement has a fault with the same
 * probability, 1 / EVERY. That of the lesser of this draw and one from 1 to 2 EVERY is. */
static long draw_first(host *self)
{
    long distance = draw_distance(self);
    long other = 1 + (long)draw(self, (unsigned)(2 * self->every));

    return distance < other ? distance : other;
}

static void pass_on(int to, const char *bytes, ssize_t count)
{
    for (ssize_t put = 0, done = 0; done < count; done += put) {
        put = write(to, bytes + done, (size_t)(count - done));
        if (put < 0)
            exit(0);
    }
}

static void rest(double seconds)
{
    struct timespec nap = {.tv_sec = (time_t)seconds,
                           .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};

    nanosleep(&nap, NULL);
}

/* Until the engine hangs up. */
static void wait_for_end(void)
{
    struct pollfd engine = {.fd = 0};

    while (poll(&engine, 1, -1) < 1 || !(engine.revents & (POLLHUP | POLLERR)))
        rest(0.05);
}

static void go_wrong(host *self)
{
    const char *fault = strcmp(self->fault, "any") != 0 ? self->fault : faults[draw(self, FAULTS)];

    dprintf(self->log, "%s\n", fault);
    self->left = draw_distance(self);
    rest(0.001 * draw(self, 8));
    if (!strcmp(fault, "kill")) {
        kill(self->pid, SIGKILL);
    } else if (!strcmp(fault, "hang")) {
        kill(self->pid, SIGSTOP);
        wait_for_end();
        kill(self->pid, SIGKILL);
        exit(0);
    } else if (!strcmp(fault, "garbage")) {
        pass_on(1, "\0\377{\"type\": \"resu\n{]\n", 20);
    } else if (!strcmp(fault, "cut")) {
        exit(255);
    } else {
        rest(1);
    }
}

/* How many measurements begin, by what the worker says. */
static long count_started(const char *bytes, size_t count)
{
    static const char word[] = "\"started\"";
    const char *end = bytes + count;
    const char *at = bytes;
    long started = 0;

    for (; (at = memmem(at, (size_t)(end - at), word, sizeof word - 1)) != NULL; at++)
        started++;
    return started;
}

/* What the worker says, whole lines as it writes them; a fault comes after it has begun. */
static void hear(host *self)
{
    static char bytes[1 << 16];
    ssize_t count = read(self->from, bytes, sizeof bytes);
    long started = 0;

    if (count <= 0) {
        waitpid(self->pid, NULL, 0);
        exit(1);
    }
    pass_on(1, bytes, count);
    started = count_started(bytes, (size_t)count);
    self->left -= started;
    if (started && self->left <= 0 && strcmp(self->fault, "none") != 0)
        go_wrong(self);
}

static void tell(host *self)
{
    static char bytes[1 << 16];
    ssize_t count = read(0, bytes, sizeof bytes);

    if (count <= 0) {
        close(self->to);
        waitpid(self->pid, NULL, 0);
        exit(0);
    }
    pass_on(self->to, bytes, count);
}

static void start(host *self, char **command)
{
    int in[2], out[2];

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        exit(1);
    self->pid = fork();
    if (self->pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        execvp(command[0], command);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    self->to = in[1];
    self->from = out[0];
}

int main(int argc, char **argv)
{
    host self = {.fault = argc > 4 ? argv[1] : "none"};
    struct stat facts;

    if (argc < 5)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    self.every = atoi(argv[2]);
    self.log = open(argv[3], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (self.log < 0 || fstat(self.log, &facts) < 0)
        return 1;
    self.random = (unsigned long long)facts.st_size * 2654435761U + (unsigned long long)getpid();
    /* The workers of a run begin together; one that begins after a fault replaces another. */
    self.left = facts.st_size == 0 ? draw_first(&self) : draw_distance(&self);
    start(&self, argv + 4);
    for (;;) {
        struct pollfd wait[2] = {{.fd = 0, .events = POLLIN}, {.fd = self.from, .events = POLLIN}};

        poll(wait, 2, -1);
        if (wait[1].revents)
            hear(&self);
        if (wait[0].revents)
            tell(&self);
    }
}
