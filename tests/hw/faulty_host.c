/* SPDX-License-Identifier: GPL-3.0-or-later */

/* faulty_host FAULT EVERY LOG COMMAND...: a launcher of a worker on a host in trouble, as ssh would
 * be. It passes on what engine and worker say; about once in EVERY measurements, in the midst of
 * one, this happens, and a line FAULT goes to LOG:
 *   kill     the worker is killed
 *   hang     it stops, and nothing is passed on any more
 *   garbage  bytes come that are no message
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
    self->left = 1 + (long)draw(self, (unsigned)(2 * self->every - 1));
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

/* What the worker says, whole lines as it writes them; a fault comes after it has begun. */
static void hear(host *self)
{
    static char bytes[1 << 16];
    ssize_t count = read(self->from, bytes, sizeof bytes);

    if (count <= 0) {
        waitpid(self->pid, NULL, 0);
        exit(1);
    }
    pass_on(1, bytes, count);
    if (strcmp(self->fault, "none") != 0 && memmem(bytes, (size_t)count, "\"started\"", 9) &&
        --self->left <= 0)
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
    self.left = 1 + (long)draw(&self, (unsigned)(2 * self.every - 1));
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
