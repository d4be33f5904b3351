/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The workers find address and token in their environment, which only their user can read, or in a
 * file of mode 600. Neither stands in a command line, which everybody can. */

#include "launch_internal.h"

#include <opevo/clock.h>
#include <opevo/file.h>
#include <opevo/listen.h>
#include <opevo/memory.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper_internal.h"

/* Ends of the launcher in a row without a worker that got ready. */
enum { STARTS = 3 };
#define AGAIN_S 1.0 /* from a failure to the next start */
#define GRACE_S 10  /* for workers to connect, from the end of a launcher that did not fail */
#define QUIET_S 1.0 /* from the end of the connections to that of the launcher */
#define TERM_S 8.0  /* from SIGTERM to SIGKILL: srun asks its controller meanwhile */
#define LOOK_S 0.5  /* a launcher whose workers hold its pipes ends unheard */
#define FILE_PLACE "{file}"

struct opevo_i_engine_launch {
    opevo_i_engine_launch *next; /* of all that are open */
    char *key;                   /* its command and address */
    opevo_listener *listener;
    opevo_i_engine_connection process; /* the launcher; of its pipes only standard error is read */
    opevo_i_process_arguments environment;
    char *file; /* with address and token; NULL: the command has no place for it */
    opevo_i_engine_launch_user *users;
    size_t user_count, user_capacity;
    int *waiting; /* workers that have connected */
    size_t waiting_count, waiting_capacity;
    bool called; /* a worker has connected since its start */
    unsigned failures;
    double due_s;   /* when it is started again, or given up */
    opevo_text end; /* how it ended last, as a clause */
};

static opevo_i_engine_launch *launches;

const opevo_i_process_arguments *opevo_i_engine_launch_command(const opevo_i_engine_launch *self)
{
    return &self->process.command;
}

const char *opevo_i_engine_launch_words(const opevo_i_engine_launch *self)
{
    return opevo_text_string(&self->process.stderr_tail);
}

/* ---- Opening -------------------------------------------------------------------------------- */

/* By the name of its program, or by options of GNU parallel. What a shell would start is not
 * known. */
static bool reaches_other_hosts(const opevo_i_process_arguments *command)
{
    static const char *const names[] = {
        "srun",  "salloc", "sbatch", "mpirun", "mpiexec", "orterun", "prterun", "ssh",  "pdsh",
        "clush", "pbsdsh", "jsrun",  "aprun",  "flux",    "qrsh",    "blaunch", "lsrun"};
    const char *slash = strrchr(command->items[0], '/');
    const char *name = slash ? slash + 1 : command->items[0];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(name, names[i]))
            return true;
    }
    for (size_t i = 1; i < command->count && !strcmp(name, "parallel"); i++) {
        if (!strncmp(command->items[i], "-S", 2) || !strncmp(command->items[i], "--sshlogin", 10) ||
            !strncmp(command->items[i], "--slf", 5))
            return true;
    }
    return false;
}

static opevo_status listen_for(opevo_i_engine_launch *self, const char *address, opevo_error *err)
{
    char own[OPEVO_ADDRESS_SIZE] = "127.0.0.1";
    opevo_error inner = {OPEVO_OK, ""};

    if (!address && reaches_other_hosts(&self->process.command))
        opevo_host_address(own, NULL); /* or else loopback, which serves this host */
    if (opevo_listener_open(address ? address : own, NULL, &self->listener, &inner) == OPEVO_OK)
        return OPEVO_OK;
    return OPEVO_FAIL(err, inner.status, "--workers-address: %s", inner.message);
}

static bool add_variable(opevo_i_process_arguments *list, const char *name, const char *before,
                         const char *value)
{
    opevo_text text = {0};
    bool good = false;

    opevo_text_printf(&text, "%s=%s%s", name, before, value);
    good = !text.failed && opevo_i_process_arguments_add(list, text.data, text.length);
    opevo_text_free(&text);
    return good;
}

/* Open MPI hands on to other hosts only those variables that one of its own lists. */
static opevo_status make_environment(opevo_i_engine_launch *self, opevo_error *err)
{
    static const char list[] = "OMPI_MCA_mca_base_env_list";
    static const char *const replaced[] = {"OPEVO_CONNECT=", "OPEVO_TOKEN=", list};
    const char *token = opevo_listener_token(self->listener);
    const char *listed = getenv(list);
    char before[1024];
    bool good = true;

    snprintf(before, sizeof before, "%s%s", listed ? listed : "", listed && *listed ? ";" : "");
    for (char *const *at = environ; *at && good; at++) {
        bool ours = false;

        for (size_t k = 0; k < sizeof replaced / sizeof *replaced; k++)
            ours = ours || !strncmp(*at, replaced[k], strlen(replaced[k]));
        good = ours || opevo_i_process_arguments_add(&self->environment, *at, strlen(*at));
    }
    good = good &&
           add_variable(&self->environment, "OPEVO_CONNECT", "",
                        opevo_listener_address(self->listener)) &&
           add_variable(&self->environment, "OPEVO_TOKEN", "", token ? token : "") &&
           add_variable(&self->environment, list, before, "OPEVO_CONNECT;OPEVO_TOKEN");
    self->process.environment = self->environment.items;
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a launcher.");
}

/* Where the environment does not reach the workers: on hosts that share the cache folder. */
static opevo_status write_file(opevo_i_engine_launch *self, opevo_error *err)
{
    const char *token = opevo_listener_token(self->listener);
    opevo_text text = {0};
    char *path = NULL;
    int file = -1;
    opevo_status status = opevo_cache_path("connect-XXXXXX", &path, err);

    if (status != OPEVO_OK)
        return status;
    opevo_text_printf(&text, "%s\n%s\n", opevo_listener_address(self->listener),
                      token ? token : "");
    file = mkostemp(path, O_CLOEXEC); /* with mode 600 */
    if (file < 0 || text.failed || !opevo_write_all(file, text.data, text.length))
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
    if (file >= 0 && status == OPEVO_OK)
        self->file = path;
    else if (file >= 0)
        unlink(path);
    if (file >= 0)
        close(file);
    if (!self->file)
        opevo_free(path);
    opevo_text_free(&text);
    return status;
}

static opevo_status fill_place(opevo_i_engine_launch *self, char **word, opevo_error *err)
{
    const char *at = strstr(*word, FILE_PLACE);
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (!at)
        return OPEVO_OK;
    if (!self->file)
        OPEVO_TRY(write_file(self, err));
    opevo_text_printf(&text, "%.*s%s%s", (int)(at - *word), *word, self->file,
                      at + strlen(FILE_PLACE));
    OPEVO_TRY(opevo_text_check(&text, err));
    opevo_free(*word);
    *word = opevo_strdup(text.data);
    if (!*word)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a launcher.");
cleanup:
    opevo_text_free(&text);
    return status;
}

static void destroy(opevo_i_engine_launch *self)
{
    if (!self)
        return;
    opevo_listener_close(self->listener);
    opevo_i_engine_connection_clear(&self->process);
    if (self->file)
        unlink(self->file);
    opevo_free(self->file);
    opevo_free(self->key);
    opevo_i_process_arguments_clear(&self->environment);
    opevo_text_free(&self->end);
    opevo_free(self->users);
    opevo_free(self->waiting);
    opevo_free(self);
}

static opevo_status create(const char *command, const char *address, opevo_i_engine_launch **out,
                           opevo_error *err)
{
    opevo_i_engine_launch *self = opevo_calloc(1, sizeof *self);
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "a launcher");
    self->process.in = self->process.out = self->process.error = -1;
    if (opevo_i_process_command_split(command, &self->process.command, &inner) != OPEVO_OK) {
        status = OPEVO_FAIL(err, inner.status, "--workers-from \"%.200s\": %.700s", command,
                            inner.message);
        goto cleanup;
    }
    OPEVO_TRY(listen_for(self, address, err));
    OPEVO_TRY(make_environment(self, err));
    for (size_t i = 0; i < self->process.command.count; i++)
        OPEVO_TRY(fill_place(self, &self->process.command.items[i], err));
    *out = self;
    self = NULL;
cleanup:
    destroy(self);
    return status;
}

/* What tells launchers apart. */
static char *key_of(const char *command, const char *address)
{
    opevo_text text = {0};
    char *out = NULL;

    opevo_text_printf(&text, "%s\n%s", address ? address : "", command);
    out = text.failed ? NULL : opevo_strdup(text.data);
    opevo_text_free(&text);
    return out;
}

opevo_status opevo_i_engine_launch_open(const char *command, const char *address,
                                        const opevo_i_engine_launch_user *user,
                                        opevo_i_engine_launch **out, opevo_error *err)
{
    opevo_i_engine_launch *self = launches;
    char *key = key_of(command, address);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(key, "a launcher");
    while (self && strcmp(self->key, key) != 0)
        self = self->next;
    if (!self) {
        OPEVO_TRY(create(command, address, &self, err));
        self->key = key;
        key = NULL;
        self->next = launches;
        launches = self;
    }
    OPEVO_NEED(opevo_reserve((void **)&self->users, &self->user_capacity, self->user_count + 1,
                             sizeof *self->users),
               "a launcher");
    self->users[self->user_count++] = *user;
    *out = self;
cleanup:
    opevo_free(key);
    return status;
}

/* ---- Ending --------------------------------------------------------------------------------- */

static void wait_for_end(const opevo_i_engine_launch *self, double limit_s)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    double deadline = opevo_clock_monotonic_s() + limit_s;

    while (!opevo_i_process_has_ended(self->process.pid) && opevo_clock_monotonic_s() < deadline)
        nanosleep(&nap, NULL);
}

/* Its workers end when their connections do, and it with them; but not one that waits in a queue,
 * which SIGTERM lets withdraw its job. */
static void end_launcher(opevo_i_engine_launch *self)
{
    opevo_listener_close(self->listener);
    self->listener = NULL;
    for (size_t i = 0; i < self->waiting_count; i++)
        close(self->waiting[i]);
    self->waiting_count = 0;
    if (self->process.state == OPEVO_I_DOWN)
        return;
    wait_for_end(self, self->called ? QUIET_S : 0);
    if (!opevo_i_process_has_ended(self->process.pid)) {
        kill(-self->process.pid, SIGTERM);
        wait_for_end(self, TERM_S);
    }
    opevo_i_engine_connection_reap(&self->process, 0);
}

void opevo_i_engine_launch_close(opevo_i_engine_launch *self, const void *context)
{
    opevo_i_engine_launch **link = &launches;

    if (!self)
        return;
    for (size_t i = 0; i < self->user_count; i++) {
        if (self->users[i].context == context)
            self->users[i--] = self->users[--self->user_count];
    }
    if (self->user_count)
        return;
    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    end_launcher(self);
    destroy(self);
}

/* ---- Running -------------------------------------------------------------------------------- */

/* It ended: how, and what that means. Workers that it left behind may still connect. */
static void note_end(opevo_i_engine_launch *self)
{
    const char *words = NULL;
    size_t length = 0;
    siginfo_t info = {0};
    double now = opevo_clock_monotonic_s();
    bool failed = false;

    waitid(P_PID, (id_t)self->process.pid, &info, WEXITED | WNOHANG | WNOWAIT);
    failed = info.si_code != CLD_EXITED || info.si_status != 0;
    /* What it left running goes on. */
    while (waitpid(self->process.pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    opevo_i_engine_connection_discard_output(&self->process);
    opevo_i_engine_connection_hang_up(&self->process);
    self->process.state = OPEVO_I_DOWN;
    words = opevo_i_engine_launch_words(self);
    length = strlen(words);
    while (length && strchr(" .\r\n", words[length - 1]))
        length--;
    opevo_text_clear(&self->end);
    opevo_text_printf(&self->end, "the launcher %s ended with %s %d%s%.*s",
                      self->process.command.items[0],
                      info.si_code == CLD_EXITED ? "exit status" : "signal", info.si_status,
                      length ? ": " : "", (int)(length < 600 ? length : 600), words);
    self->failures = failed || self->called ? self->failures + 1 : STARTS;
    self->due_s = now + (failed ? AGAIN_S : GRACE_S);
}

static void start(opevo_i_engine_launch *self)
{
    opevo_error err = {OPEVO_OK, ""};

    self->called = false;
    if (opevo_i_engine_connection_start(&self->process, &err) == OPEVO_OK) {
        close(self->process.in); /* nothing comes on its standard input */
        self->process.in = -1;
        return;
    }
    opevo_text_clear(&self->end);
    opevo_text_add_bytes(&self->end, err.message, strcspn(err.message, "\n") - 1);
    self->failures = STARTS;
}

static void take_in(opevo_i_engine_launch *self)
{
    int connection = -1;

    while ((connection = opevo_listener_next(self->listener)) >= 0) {
        if (!opevo_reserve((void **)&self->waiting, &self->waiting_capacity,
                           self->waiting_count + 1, sizeof *self->waiting)) {
            close(connection);
            continue;
        }
        self->waiting[self->waiting_count++] = connection;
        self->called = true;
    }
}

static void ask_others(opevo_i_engine_launch *self, const void *context)
{
    for (size_t i = 0; i < self->user_count; i++) {
        if (self->users[i].context != context)
            self->users[i].yield(self->users[i].context);
    }
}

void opevo_i_engine_launch_step(opevo_i_engine_launch *self, const void *context, bool needed)
{
    if (self->process.state != OPEVO_I_DOWN) {
        opevo_i_engine_connection_discard_output(&self->process);
        if (opevo_i_process_has_ended(self->process.pid))
            note_end(self);
    }
    take_in(self);
    if (!needed || self->waiting_count)
        return;
    ask_others(self, context);
    if (self->process.state == OPEVO_I_DOWN && self->failures < STARTS &&
        opevo_clock_monotonic_s() >= self->due_s)
        start(self);
}

bool opevo_i_engine_launch_has_waiting(const opevo_i_engine_launch *self)
{
    return self->waiting_count > 0;
}

int opevo_i_engine_launch_take(opevo_i_engine_launch *self)
{
    int out = self->waiting_count ? self->waiting[0] : -1;

    for (size_t i = 1; i < self->waiting_count; i++)
        self->waiting[i - 1] = self->waiting[i];
    self->waiting_count -= self->waiting_count > 0;
    return out;
}

void opevo_i_engine_launch_praise(opevo_i_engine_launch *self)
{
    self->failures = 0;
}

bool opevo_i_engine_launch_is_promising(const opevo_i_engine_launch *self, opevo_text *why)
{
    if (self->process.state != OPEVO_I_DOWN || self->waiting_count || self->failures < STARTS ||
        opevo_clock_monotonic_s() < self->due_s)
        return true;
    opevo_text_add(why, opevo_text_string(&self->end));
    return false;
}

void opevo_i_engine_launch_watch(const opevo_i_engine_launch *self, struct pollfd *out)
{
    bool up = self->process.state != OPEVO_I_DOWN;

    out[0] = (struct pollfd){.fd = opevo_listener_descriptor(self->listener), .events = POLLIN};
    out[1] = (struct pollfd){.fd = up ? self->process.out : -1, .events = POLLIN};
    out[2] = (struct pollfd){.fd = up ? self->process.error : -1, .events = POLLIN};
}

double opevo_i_engine_launch_due_s(const opevo_i_engine_launch *self)
{
    double now = opevo_clock_monotonic_s();

    if (self->process.state != OPEVO_I_DOWN)
        return now + LOOK_S;
    return self->due_s > now ? self->due_s : now + LOOK_S;
}
