/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A compiler that is a library may take longer to start than to compile: PoCL reads its library of
 * functions anew in each process. So a process that has compiled once, the builder, forks for each
 * build. The program that the worker runs for a build asks it over a socket that both inherited,
 * and ends as the fork does; where the builder does not answer, it compiles by itself. The builder
 * goes with the keeper that the worker has for it, and a fork with the program that asked. */

#include "gpu_internal.h"

#include <opevo/memory.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET "OPEVO_BUILDER_SOCKET"
enum {
    REQUEST_BYTES = 1 << 16,
    WORDS = OPEVO_I_GPU_OPTIONS + 8,
    PASSED = 3, /* the socket of the answer, standard output and standard error */
    FORKS = 64
};

/* A message with descriptors. */
typedef struct envelope {
    struct msghdr head;
    struct iovec part;
    _Alignas(struct cmsghdr) char passed[CMSG_SPACE(PASSED * sizeof(int))];
} envelope;

static void prepare(envelope *self, void *data, size_t size)
{
    memset(self, 0, sizeof *self);
    self->part = (struct iovec){.iov_base = data, .iov_len = size};
    self->head.msg_iov = &self->part;
    self->head.msg_iovlen = 1;
    self->head.msg_control = self->passed;
    self->head.msg_controllen = sizeof self->passed;
}

/* ---- The program that asks ------------------------------------------------------------------ */

/* The number of this process and the words, each with its end. 0: too long. */
static size_t write_request(int argc, char **argv, char out[REQUEST_BYTES])
{
    size_t at = (size_t)snprintf(out, REQUEST_BYTES, "%d", (int)getpid()) + 1;

    for (int i = 0; i < argc; i++) {
        size_t length = strlen(argv[i]) + 1;

        if (length > REQUEST_BYTES - at)
            return 0;
        memcpy(out + at, argv[i], length);
        at += length;
    }
    return argc <= WORDS ? at : 0;
}

static bool send_request(int to, int answer, char *request, size_t size)
{
    const int passed[PASSED] = {answer, STDOUT_FILENO, STDERR_FILENO};
    struct cmsghdr *header = NULL;
    envelope letter;

    prepare(&letter, request, size);
    header = CMSG_FIRSTHDR(&letter.head);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof passed);
    memcpy(CMSG_DATA(header), passed, sizeof passed);
    return sendmsg(to, &letter.head, MSG_NOSIGNAL) == (ssize_t)size;
}

/* End as the fork ended, where that was by a signal. */
static int end_alike(int wait_status)
{
    if (WIFSIGNALED(wait_status)) {
        signal(WTERMSIG(wait_status), SIG_DFL);
        kill(getpid(), WTERMSIG(wait_status));
        pause();
    }
    return WEXITSTATUS(wait_status);
}

int opevo_i_gpu_builder_ask(int argc, char **argv)
{
    const char *number = getenv(SOCKET);
    char request[REQUEST_BYTES];
    uint64_t to = 0;
    size_t size = 0;
    int ends[2] = {-1, -1}, wait_status = 0;
    ssize_t got = 0;

    if (!number || !opevo_parse_u64(number, &to) || to > INT16_MAX)
        return -1;
    size = write_request(argc, argv, request);
    if (!size || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return -1;
    if (!send_request((int)to, ends[1], request, size)) {
        opevo_i_process_close_pipe(ends);
        return -1;
    }
    close(ends[1]);
    do
        got = recv(ends[0], &wait_status, sizeof wait_status, 0);
    while (got < 0 && errno == EINTR);
    close(ends[0]);
    return got == (ssize_t)sizeof wait_status ? end_alike(wait_status) : -1;
}

/* ---- The builder ---------------------------------------------------------------------------- */

typedef struct builder {
    int requests, ended; /* sockets of programs that ask; a signal of a fork that ended */
    struct {
        pid_t pid;
        int answer;
    } forks[FORKS];
    size_t count;
} builder;

/* In the fork: as the program that asked was started, and to its end only. */
static void become_build(pid_t asker, int passed[PASSED])
{
    struct rlimit processor;
    struct pollfd gone = {.fd = passed[0]};
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    fcntl(passed[0], F_SETOWN, getpid());
    fcntl(passed[0], F_SETFL, fcntl(passed[0], F_GETFL) | O_ASYNC); /* SIGIO when it is closed */
    if (poll(&gone, 1, 0) > 0)
        _exit(1);
    if (prlimit(asker, RLIMIT_CPU, NULL, &processor) == 0)
        setrlimit(RLIMIT_CPU, &processor);
    dup2(passed[1], STDOUT_FILENO);
    dup2(passed[2], STDERR_FILENO);
}

/* Behind the object's name, for the keeper of the program that asked. */
static void write_number(const char *object)
{
    char path[4200];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%.4096s" OPEVO_I_BUILD_HELPER, object);
    file = fopen(path, "we");
    if (!file)
        return;
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
}

static void build(char *request, size_t size, int passed[PASSED])
{
    char *words[WORDS + 1] = {NULL};
    pid_t asker = (pid_t)strtol(request, NULL, 10);
    int count = 0, code = 0;

    for (size_t at = strlen(request) + 1; at < size && count < WORDS;
         at += strlen(request + at) + 1)
        words[count++] = request + at;
    become_build(asker, passed);
    if (count > 4)
        write_number(words[4]);
    code = opevo_i_gpu_build_main(count, words);
    fflush(NULL);
    _exit(code); /* the driver's threads, which its own ends wait for, are not in this process */
}

static void close_all(const int *descriptors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        close(descriptors[i]);
}

/* Start a build. Who is not answered compiles by himself. */
static bool take_request(builder *self)
{
    char request[REQUEST_BYTES];
    int passed[PASSED];
    envelope letter;
    ssize_t size = 0;
    pid_t pid = -1;

    prepare(&letter, request, sizeof request - 1);
    size = recvmsg(self->requests, &letter.head, MSG_CMSG_CLOEXEC);
    if (size <= 0)
        return size < 0 && errno == EINTR;
    request[size] = '\0';
    if (letter.head.msg_controllen < CMSG_LEN(sizeof passed))
        return true;
    memcpy(passed, CMSG_DATA(CMSG_FIRSTHDR(&letter.head)), sizeof passed);
    if (self->count < FORKS)
        pid = fork();
    if (pid == 0)
        build(request, (size_t)size, passed);
    if (pid > 0) {
        self->forks[self->count].pid = pid;
        self->forks[self->count++].answer = passed[0];
    }
    close_all(passed + (pid > 0), PASSED - (pid > 0));
    return true;
}

static void send_ends(builder *self)
{
    struct signalfd_siginfo signal;
    int wait_status = 0;

    if (read(self->ended, &signal, sizeof signal) < 0)
        return;
    for (size_t i = 0; i < self->count; i++) {
        if (waitpid(self->forks[i].pid, &wait_status, WNOHANG) <= 0)
            continue;
        (void)!send(self->forks[i].answer, &wait_status, sizeof wait_status, MSG_NOSIGNAL);
        close(self->forks[i].answer);
        self->forks[i--] = self->forks[--self->count];
    }
}

/* Compile a kernel without a fault, which starts the compiler in this process. */
static bool start_compiler(const char *kind, const char *ordinal)
{
    const opevo_i_gpu_vendor *vendor = NULL;
    const char *which = NULL;
    uint64_t number = 0;
    opevo_kernel probe = {.own = false};
    char device[64], *code = NULL;
    size_t size = 0;
    opevo_status status = OPEVO_OK;

    snprintf(device, sizeof device, "%.16s:%.16s", kind, ordinal);
    vendor = opevo_i_gpu_vendor_of(device, &which);
    if (!vendor || !vendor->own || !opevo_parse_u64(ordinal, &number))
        return false;
    OPEVO_TRY(opevo_i_gpu_choose_device(vendor, (unsigned)number, NULL));
    opevo_i_opencl_probe(&probe);
    status = opevo_i_gpu_compile(vendor, "", opevo_text_string(&probe.source), NULL, 0, &code,
                                 &size, NULL);
cleanup:
    opevo_free(code);
    opevo_kernel_free(&probe);
    return status == OPEVO_OK;
}

int opevo_i_gpu_builder_main(int argc, char **argv)
{
    builder self = {.count = 0};
    uint64_t requests = 0;
    sigset_t ends;

    if (argc != 3 || !opevo_parse_u64(argv[2], &requests) || requests > INT16_MAX)
        return 2;
    self.requests = (int)requests;
    fcntl(self.requests, F_SETFD, FD_CLOEXEC);
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL); /* in the driver's threads, too */
    self.ended = signalfd(-1, &ends, SFD_CLOEXEC);
    if (self.ended < 0 || !start_compiler(argv[0], argv[1]))
        return 1;
    for (bool asked = true; asked;) {
        struct pollfd wait[2] = {{.fd = self.requests, .events = POLLIN},
                                 {.fd = self.ended, .events = POLLIN}};

        poll(wait, 2, -1);
        if (wait[1].revents)
            send_ends(&self);
        if (wait[0].revents)
            asked = take_request(&self);
    }
    return 0;
}

/* ---- The worker ----------------------------------------------------------------------------- */

void opevo_i_gpu_builder_start(const char *program, const char *kind, const char *ordinal,
                               opevo_i_process_keeper *out)
{
    int ends[2] = {-1, -1};
    char number[16];
    char *const argv[] = {(char *)program, "--builder", (char *)kind,
                          (char *)ordinal, number,      NULL};
    const opevo_i_process_program what = {.argv = argv, .limit_s = 1e9};

    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) < 0)
        return;
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    snprintf(number, sizeof number, "%d", ends[0]);
    if (opevo_i_process_keeper_start(&what, out, NULL) == OPEVO_OK) {
        snprintf(number, sizeof number, "%d", ends[1]);
        fcntl(ends[1], F_SETFD, 0); /* the programs that ask inherit it */
        setenv(SOCKET, number, 1);
        ends[1] = -1;
    }
    opevo_i_process_close_pipe(ends);
}
