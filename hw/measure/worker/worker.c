/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program opevo-worker: reads messages, builds ahead, measures one job at a time. It ends when
 * its standard input does, and whatever it started ends with it. */

#include <opevo/worker.h>

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/version.h>

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "backend_internal.h"
#include "builds_internal.h"
#include "calling_internal.h"
#include "device_lock_internal.h"
#include "engine_watch_internal.h"
#include "gpu_internal.h"
#include "kernel_criteria_internal.h"
#include "line_reader_internal.h"
#include "protocol_internal.h"

typedef struct worker {
    opevo_i_backend *backend;
    opevo_i_wire_line_reader lines;
    opevo_i_worker_builds builds;
    bool asked; /* to be set up */
    bool ready; /* it is */
    bool over;
    int64_t at;                              /* the job that is measured; 0: none */
    bool dropped;                            /* it is not wanted any more */
    opevo_i_worker_kernel_criteria criteria; /* of kernels */
} worker;

static worker *the_worker; /* for tidy and handle_line */

static void release(worker *self)
{
    opevo_i_process_keepers_end();
    opevo_i_worker_builds_clear(&self->builds);
    opevo_i_wire_line_reader_free(&self->lines);
    if (self->backend)
        self->backend->ops->close(self->backend);
    self->backend = NULL;
}

static void tidy(void)
{
    if (the_worker)
        opevo_i_worker_builds_clear(&the_worker->builds);
}

/* Takes the message; when nobody reads it, the worker is over. */
static void send_message(worker *self, json_t *message)
{
    char *line = opevo_i_wire_message_line(message);

    if (!line || !opevo_write_all(STDOUT_FILENO, line, strlen(line)))
        self->over = true;
    free(line);
}

static void send_error(worker *self, const char *sentence)
{
    send_message(self, json_pack("{s:s, s:o}", "type", "error", "message",
                                 opevo_i_wire_json_text(sentence)));
    self->over = true;
}

/* Also whether this host is why. */
static void send_failure(worker *self, const opevo_error *err)
{
    bool fault =
        err->status == OPEVO_IO || err->status == OPEVO_NOMEM || err->status == OPEVO_FAULT;

    send_message(self, json_pack("{s:s, s:b, s:o}", "type", "error", "fault", fault, "message",
                                 opevo_i_wire_json_text(err->message)));
    self->over = true;
}

/* What the engine asks its own host for where the device is here. */
typedef struct facts {
    const char *name;
    json_t *message; /* NULL: not found */
} facts;

static void note_facts(void *context, const opevo_hardware *row)
{
    facts *self = context;
    const char *identity = row->identity ? row->identity : row->title;

    if (!row->present || self->message || strcmp(row->name, self->name) != 0)
        return;
    self->message =
        json_pack("{s:o, s:i, s:i, s:I, s:I}", "identity", opevo_i_wire_json_text(identity),
                  "cores", (int)row->cores, "vector_bits", (int)row->vector_bits, "l1_bytes",
                  (json_int_t)row->l1_bytes, "l2_bytes", (json_int_t)row->l2_bytes);
    if (self->message && row->no_energy)
        json_object_set_new(self->message, "no_energy", opevo_i_wire_json_text(row->no_energy));
}

/* As many workers as this one was started together with, by what launchers say; 0: not known. */
static uint64_t count_siblings(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    uint64_t count = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);

        if (text && opevo_parse_u64(text, &count))
            return count;
    }
    return 0;
}

static void send_hello(worker *self, const char *name)
{
    facts known = {.name = name};
    uint64_t among = count_siblings();
    char host[65] = "";
    json_t *hello =
        json_pack("{s:s, s:i, s:s, s:s, s:o}", "type", "hello", "protocol", OPEVO_I_PROTOCOL,
                  "version", OPEVO_VERSION, "kind", self->backend->ops->kind, "device",
                  opevo_i_wire_json_text(self->backend->device));

    if (hello && among > 1)
        json_object_set_new(hello, "among", json_integer((json_int_t)among));
    if (hello && gethostname(host, sizeof host - 1) == 0)
        json_object_set_new(hello, "host", opevo_i_wire_json_text(host));
    self->backend->ops->list(note_facts, &known);
    if (hello && known.message)
        json_object_set(hello, "facts", known.message);
    json_decref(known.message);
    send_message(self, hello);
}

/* An engine that asked for threads waits for their number, which earlier workers do not know. */
static void send_ready(worker *self)
{
    unsigned threads = self->backend->threads;
    json_t *message =
        json_pack("{s:s, s:f, s:I}", "type", "ready", "reference_s", self->backend->reference_s,
                  "unbounded", (json_int_t)self->backend->unbounded);

    if (message && threads > 1 &&
        json_object_set_new(message, "threads", json_integer((json_int_t)threads))) {
        json_decref(message);
        message = NULL;
    }
    send_message(self, message);
}

/* ---- Messages ------------------------------------------------------------------------------- */

static void take_setup(worker *self, const json_t *message)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_i_engine_watch watch;
    opevo_status status = OPEVO_OK;

    self->asked = true;
    if (self->ready) {
        send_error(self, "A worker is set up once.");
        return;
    }
    opevo_i_engine_watch_start(&watch);
    status = self->backend->ops->setup(self->backend, message, &err);
    opevo_i_engine_watch_stop(&watch);
    if (status == OPEVO_OK && self->backend->ops->builds &&
        !opevo_i_worker_kernel_criteria_read(json_object_get(message, "criteria"), &self->criteria))
        status = OPEVO_FAIL(&err, OPEVO_INVALID,
                            "\"criteria\" has a member that this worker does not know.");
    if (status == OPEVO_OK)
        status = opevo_i_worker_builds_init(&self->builds, self->backend, &err);
    if (status == OPEVO_OK)
        status = opevo_i_worker_builds_probe(&self->builds, &err);
    if (status == OPEVO_OK)
        status = opevo_i_worker_builds_reference(&self->builds, &err);
    if (status != OPEVO_OK) {
        send_failure(self, &err);
        return;
    }
    self->ready = true;
    send_ready(self);
}

static void take_job(worker *self, const json_t *message)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_i_wire_job job = {0};

    if (!self->ready || !opevo_i_wire_job_from_json(message, &job)) {
        send_error(self, self->ready ? "A job is malformed." : "A job came before the setup.");
        return;
    }
    if (!job.command.count == !self->backend->ops->builds) {
        opevo_i_wire_job_clear(&job);
        send_error(self, self->backend->ops->builds
                             ? "A program is not a job for this device."
                             : "A kernel is not a job for opevo-worker cmd.");
        return;
    }
    if (opevo_i_worker_builds_add(&self->builds, &job, &err) != OPEVO_OK) {
        opevo_i_wire_job_clear(&job);
        send_failure(self, &err);
    }
}

/* What is measured answers itself, when it has ended. */
static void take_drop(worker *self, const json_t *message)
{
    json_int_t id = json_integer_value(json_object_get(message, "job"));

    if (id && id == self->at)
        self->dropped = true;
    else if (self->ready && opevo_i_worker_builds_drop(&self->builds, id))
        send_message(self, json_pack("{s:s, s:I}", "type", "dropped", "job", id));
}

static void take_message(worker *self, const char *line)
{
    json_t *message = json_loads(line, 0, NULL);
    const char *type = json_string_value(json_object_get(message, "type"));

    if (!type)
        send_error(self, "A message is not a JSON object with a type.");
    else if (!strcmp(type, "setup"))
        take_setup(self, message);
    else if (!strcmp(type, "measure"))
        take_job(self, message);
    else if (!strcmp(type, "drop"))
        take_drop(self, message);
    else if (!strcmp(type, "quit"))
        self->over = true;
    else
        send_error(self, "A message has an unknown type.");
    json_decref(message);
}

static void take_messages(worker *self)
{
    const char *line = NULL;

    if (opevo_i_wire_line_reader_read(&self->lines, OPEVO_I_ENGINE_FD, OPEVO_I_ENGINE_BYTES) ==
        OPEVO_I_READ_END)
        self->over = true;
    while (!self->over && (line = opevo_i_wire_line_reader_next(&self->lines)) != NULL) {
        self->lines.unparsed_bytes = 0;
        take_message(self, line);
    }
}

/* ---- The loop ------------------------------------------------------------------------------- */

/* Until the engine says something, a compiler ends, or at once when there is a job to measure. */
static void wait_for_something(worker *self, bool at_once)
{
    size_t count = 1;
    struct pollfd *wait = opevo_calloc(self->builds.count + 1, sizeof *wait);

    if (!wait) {
        self->over = true;
        return;
    }
    wait[0] = (struct pollfd){.fd = OPEVO_I_ENGINE_FD, .events = POLLIN};
    for (size_t i = 0; i < self->builds.count; i++) {
        if (self->builds.items[i].stage == OPEVO_I_BUILDING)
            wait[count++] =
                (struct pollfd){.fd = self->builds.items[i].keeper.report, .events = POLLIN};
    }
    if (poll(wait, count, at_once ? 0 : -1) > 0 && wait[0].revents)
        take_messages(self);
    opevo_free(wait);
}

/* Messages that come while something is measured. */
static bool handle_line(void)
{
    worker *self = the_worker;

    take_messages(self);
    if (self->over)
        opevo_i_backend_end_with_engine();
    return self->dropped;
}

/* What came while the job waited. */
static bool is_dropped(void)
{
    struct pollfd engine = {.fd = OPEVO_I_ENGINE_FD, .events = POLLIN};

    return poll(&engine, 1, 0) > 0 && opevo_i_backend_check_engine(engine.revents);
}

/* A kernel is not to blame on a device that runs none. */
static void recheck(worker *self, opevo_i_wire_result *result)
{
    const opevo_i_backend_ops *ops = self->backend->ops;
    opevo_error err = {OPEVO_OK, ""};

    if (!ops->recheck || result->kind == OPEVO_OUTCOME_OK || result->context_lost ||
        ops->recheck(self->backend, &err) == OPEVO_OK)
        return;
    opevo_i_wire_result_fault(result, "%s", err.message);
    result->context_lost = true;
}

/* Measure what is built, or say why it is not. */
static void fill_result(worker *self, opevo_i_worker_queued *item)
{
    const opevo_i_backend_ops *ops = self->backend->ops;
    const char *object = item->object.length ? item->object.data : NULL;

    if (item->stage == OPEVO_I_BUILT) {
        ops->measure(self->backend, &item->job, object, &item->result);
        recheck(self, &item->result);
    }
    if (ops->builds)
        opevo_i_worker_kernel_criteria_fill(&self->criteria, object, &item->result);
    if (item->refused.length)
        opevo_text_printf(&item->result.message, "%srebuilt, because %s",
                          item->result.message.length ? "; " : "", item->refused.data);
}

static void measure(worker *self, opevo_i_worker_queued *item)
{
    json_int_t id = item->job.id;
    int lock = -1;

    self->at = id;
    self->dropped = false;
    if (item->stage == OPEVO_I_BUILT)
        lock = opevo_i_worker_builds_take_turn(&self->builds);
    if (!is_dropped()) {
        send_message(self, json_pack("{s:s, s:I}", "type", "started", "job", id));
        fill_result(self, item);
    }
    self->at = 0;
    /* A kernel that does not end goes with the process, and the lock with both. */
    if (!item->result.context_lost)
        opevo_i_backend_device_lock_release(lock);
    if (self->dropped && !item->result.context_lost)
        send_message(self, json_pack("{s:s, s:I}", "type", "dropped", "job", id));
    else
        send_message(self, opevo_i_wire_result_to_json(&item->result));
    if (item->result.context_lost)
        opevo_i_backend_end_with_engine(); /* at once: a driver tidies up after its kernels have
                                              ended */
}

static void build(worker *self)
{
    if (self->ready && opevo_i_worker_builds_any(self->backend))
        opevo_i_worker_builds_step(&self->builds);
}

static void serve(worker *self)
{
    while (!self->over) {
        opevo_i_worker_queued item;

        build(self); /* also what came while something was measured */
        wait_for_something(self, opevo_i_worker_builds_any_ready(&self->builds));
        if (self->over)
            break;
        build(self);
        if (!opevo_i_worker_builds_take(&self->builds, &item))
            continue;
        measure(self, &item);
        opevo_i_worker_queued_clear(&item);
    }
}

/* What the user asks of OpenMP elsewhere is not for measured kernels, and the runtime has read it
 * before this program began: begin again without. */
static void forget_openmp(char **argv)
{
    static const char *const prefixes[] = {"OMP_", "GOMP_", "KMP_"};
    size_t kept = 0;
    size_t count = 0;

    for (; environ && environ[count]; count++) {
        bool of_openmp = false;

        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            of_openmp |= !strncmp(environ[count], prefixes[i], strlen(prefixes[i]));
        if (!of_openmp)
            environ[kept++] = environ[count];
    }
    if (kept == count)
        return;
    environ[kept] = NULL;
    execv("/proc/self/exe", argv); /* without /proc, go on as it is */
}

/* -1: the engine is at the other end of standard input and output, else the exit status. */
static int call_engine(int *argc, char **argv)
{
    const char *file = NULL;
    opevo_i_worker_call_to to;
    opevo_error err = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (*argc == 4 && !strcmp(argv[1], "--connect")) {
        file = argv[2];
        argv[1] = argv[3];
        argv[2] = NULL;
        *argc = 2;
    }
    if (*argc != 2 || argv[1][0] == '-')
        return -1;
    status = opevo_i_worker_call_find(file, &to, &err);
    if (status == OPEVO_OK && !*to.address)
        return -1;
    if (status == OPEVO_OK)
        status = opevo_i_worker_call_serve(&to, argv, &err);
    if (status != OPEVO_OK)
        fprintf(stderr, "opevo-worker: %s\n", err.message);
    return status == OPEVO_OK ? 0 : 1;
}

int opevo_worker_main(int argc, char **argv)
{
    worker self = {0};
    const opevo_i_backend_ops *ops = NULL;
    opevo_error err = {OPEVO_OK, ""};
    const char *which = NULL;
    opevo_status status = OPEVO_OK;
    int code = call_engine(&argc, argv);

    if (code >= 0)
        return code;
    if (argc == 2 && !strcmp(argv[1], "cpu"))
        forget_openmp(argv);
    if (argc > 2 && !strcmp(argv[1], "--build")) { /* what a worker for a GPU starts to compile */
        code = opevo_i_gpu_builder_ask(argc - 2, argv + 2);
        return code >= 0 ? code : opevo_i_gpu_build_main(argc - 2, argv + 2);
    }
    if (argc > 2 && !strcmp(argv[1], "--builder"))
        return opevo_i_gpu_builder_main(argc - 2, argv + 2);
    opevo_i_backend_at_end(tidy);
    opevo_i_backend_at_message(handle_line);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error, as a full disk is */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (argc != 2 || argv[1][0] == '-') {
        fputs("usage: opevo-worker [--connect FILE] cpu | cuda:N | hip:N | opencl:N | simt | cmd\n"
              "Measures kernels for opevo, which starts it and speaks to it over its standard\n"
              "input and output, or whose address and token it has from its environment or from\n"
              "FILE.\n",
              stderr);
        return 2;
    }
    the_worker = &self;
    status = opevo_i_backend_find(argv[1], &ops, &which, &err);
    if (status == OPEVO_OK)
        status = ops->open(which, &self.backend, &err);
    if (status == OPEVO_OK) {
        send_hello(&self, argv[1]);
        serve(&self);
    } else {
        send_failure(&self, &err);
    }
    release(&self);
    if (status != OPEVO_OK)
        return 1;
    return self.asked ? 0 : OPEVO_I_EXIT_UNASKED;
}
