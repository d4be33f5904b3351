/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any program as a device: it is run, and its exit status and what it prints are the outcome. */

#include "backend_internal.h"

#include <opevo/memory.h>

#include <opevo/parallel.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu_internal.h"
#include "host_fault_internal.h"
#include "keeper_internal.h"
#include "result_reader_internal.h"
#include "samples_internal.h"

enum { OUTPUT_LIMIT = 1 << 20, EXIT_COUNT = 256 };

extern const opevo_i_backend_ops opevo_i_backend_cmd;

/* A criterion, and its values in the executions of a job. */
typedef struct criterion {
    opevo_i_wire_named_reading named;
    double *values;
    size_t count, capacity;
} criterion;

typedef struct command_backend {
    opevo_i_backend super;
    opevo_i_wire_result_reader reading;
    criterion criteria[OPEVO_CRITERIA_MOST - 1];
    size_t criterion_count;
    bool fixed; /* the same program for all configurations */
    double limit_s;
    unsigned repeats;
    size_t threads;         /* processors that the program is bound to; 0: it may use all */
    int cores[CPU_SETSIZE]; /* those that build, then those that measure */
    opevo_outcome_class of_exit[EXIT_COUNT];
} command_backend;

static void list(void (*add)(void *context, const opevo_hardware *row), void *context)
{
    (void)add;
    (void)context; /* a program is not a device */
}

static opevo_status open_backend(const char *which, opevo_i_backend **out, opevo_error *err)
{
    command_backend *self = opevo_calloc(1, sizeof *self);

    (void)which;
    OPEVO_NEED_OR_RETURN(self, "a worker");
    self->super.ops = &opevo_i_backend_cmd;
    opevo_i_cpu_title(self->super.device, sizeof self->super.device);
    *out = &self->super;
    return OPEVO_OK;
}

static void close_backend(opevo_i_backend *backend)
{
    command_backend *self = (command_backend *)backend;

    opevo_i_wire_result_reader_clear(&self->reading);
    for (size_t i = 0; i < self->criterion_count; i++) {
        opevo_i_wire_named_reading_clear(&self->criteria[i].named);
        opevo_free(self->criteria[i].values);
    }
    opevo_free(self);
}

/* Exit status 126 and 127 are what shells and launchers give for a program that cannot be
 * started. */
static opevo_status read_exits(command_backend *self, const json_t *exits, opevo_error *err)
{
    const char *key = NULL;
    json_t *value = NULL;

    for (int i = 0; i < EXIT_COUNT; i++)
        self->of_exit[i] = OPEVO_OUTCOME_CRASHED;
    self->of_exit[0] = OPEVO_OUTCOME_OK;
    self->of_exit[126] = self->of_exit[127] = OPEVO_OUTCOME_LAUNCH_ERROR;
    json_object_foreach((json_t *)exits, key, value)
    {
        const char *name = json_string_value(value);
        uint64_t code = 0;

        if (!opevo_parse_u64(key, &code) || code >= EXIT_COUNT || !name ||
            !opevo_outcome_parse(name, &self->of_exit[code]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "\"exits\": %s is not an exit status with a class.", key);
    }
    return OPEVO_OK;
}

static opevo_status read_criteria(command_backend *self, const json_t *criteria, opevo_error *err)
{
    for (size_t i = 0; i < json_array_size(criteria); i++) {
        const char *text = json_string_value(json_array_get(criteria, i));
        opevo_error inner = {OPEVO_OK, ""};

        if (i == OPEVO_CRITERIA_MOST - 1)
            return OPEVO_FAIL(err, OPEVO_INVALID, "\"criteria\" has more than %d members.",
                              OPEVO_CRITERIA_MOST - 1);
        if (opevo_i_wire_named_reading_parse(text ? text : "", &self->criteria[i].named, &inner))
            return OPEVO_FAIL(err, inner.status, "\"criteria\": %.800s", inner.message);
        self->criterion_count++;
    }
    return OPEVO_OK;
}

/* Builds run beside measurements only where the processors of these are known. */
static opevo_status share_cores(command_backend *self, const json_t *threads, opevo_error *err)
{
    opevo_i_backend *super = &self->super;
    json_int_t wanted = json_integer_value(threads);
    size_t count = 0;

    if (!threads)
        return OPEVO_OK;
    self->threads = wanted > 0 && wanted <= CPU_SETSIZE ? (size_t)wanted : CPU_SETSIZE + 1;
    count = opevo_i_cpu_share(self->cores, self->threads);
    if (count < self->threads)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "A program of %lld threads needs as many processors, and this process may "
            "use %zu.",
            (long long)wanted, count);
    super->core_count = count - self->threads;
    super->cores = super->core_count ? self->cores : NULL;
    return OPEVO_OK;
}

static bool is_here(const char *folder)
{
    struct stat here;
    struct stat there;

    return stat(".", &here) == 0 && stat(folder, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* What a launcher such as ssh starts in the home folder goes to that of the engine, if this host
 * has it; who starts a worker elsewhere means that. */
static void enter_folder(const char *folder)
{
    const char *home = getenv("HOME");

    if (folder && (is_here("/") || (home && is_here(home))) && chdir(folder) < 0)
        return; /* a program that is looked for there is not found */
}

/* Where the program is the same for all configurations, it is there, or this host has no part in
 * any. */
static opevo_status find_program(command_backend *self, const json_t *message, opevo_error *err)
{
    const char *program = json_string_value(json_object_get(message, "program"));
    const char *folder = json_string_value(json_object_get(message, "folder"));
    opevo_text path = {0};
    char now[PATH_MAX];
    bool found = false;

    enter_folder(folder);
    self->fixed = program != NULL;
    found = !program || opevo_i_process_executable_find(program, &path);
    opevo_text_free(&path);
    if (found)
        return OPEVO_OK;
    if (strchr(program, '/'))
        return OPEVO_FAIL(err, OPEVO_FAULT,
                          "%.200s is not an executable file on this host, in the folder %.300s.",
                          program, getcwd(now, sizeof now) ? now : "of the worker");
    return OPEVO_FAIL(err, OPEVO_FAULT, "This host has no program %.200s in its PATH.", program);
}

static opevo_status setup(opevo_i_backend *backend, const json_t *message, opevo_error *err)
{
    command_backend *self = (command_backend *)backend;
    const char *result = json_string_value(json_object_get(message, "result"));
    json_int_t repeats = json_integer_value(json_object_get(message, "repeats"));
    opevo_status status = OPEVO_OK;
    opevo_error inner = {OPEVO_OK, ""};

    self->limit_s = json_number_value(json_object_get(message, "run_limit_s"));
    self->repeats = repeats > 0 ? (unsigned)repeats : 1;
    if (!(self->limit_s > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"run_limit_s\" is missing.");
    if (opevo_i_wire_result_reader_parse(result ? result : "s:wall", &self->reading, &inner))
        return OPEVO_FAIL(err, inner.status, "\"result\": %.800s", inner.message);
    OPEVO_TRY(read_criteria(self, json_object_get(message, "criteria"), err));
    OPEVO_TRY(read_exits(self, json_object_get(message, "exits"), err));
    OPEVO_TRY(share_cores(self, json_object_get(message, "threads"), err));
    OPEVO_TRY(find_program(self, message, err));
    backend->build_limit_s = json_number_value(json_object_get(message, "build_limit_s"));
    backend->builds_programs = backend->build_limit_s > 0;
    backend->builders = opevo_processor_count();
cleanup:
    return status;
}

/* The words with the path of what was built, if anything was, in the places for it. */
static opevo_status put_output(const opevo_i_process_arguments *words, const char *path,
                               opevo_i_process_arguments *out, opevo_error *err)
{
    opevo_text word = {0};
    bool good = true;

    for (size_t i = 0; good && i < words->count; i++) {
        opevo_text_clear(&word);
        for (const char *at = words->items[i]; *at; at++) {
            if (path && *at == OPEVO_I_OUTPUT_PLACE)
                opevo_text_add(&word, path);
            else
                opevo_text_add_bytes(&word, at, 1);
        }
        good = !word.failed &&
               opevo_i_process_arguments_add(out, opevo_text_string(&word), word.length);
    }
    opevo_text_free(&word);
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
}

static opevo_status build_command(const opevo_i_backend *backend, const opevo_i_wire_job *job,
                                  const char *source, const char *object,
                                  opevo_i_process_arguments *out, opevo_error *err)
{
    (void)backend;
    (void)source;
    return put_output(&job->build, object, out, err);
}

/* Run to the end, or until nobody wants to know; ends this process if the engine goes away
 * meanwhile, and the keeper follows. */
static opevo_status run_program(const command_backend *self,
                                const opevo_i_process_arguments *command,
                                opevo_i_process_program_end *end, opevo_error *err)
{
    opevo_i_process_program program = {.argv = command->items,
                                       .limit_s = self->limit_s,
                                       .output_limit = OUTPUT_LIMIT,
                                       .cores = self->threads ? self->cores + self->super.core_count
                                                              : NULL,
                                       .core_count = self->threads};
    opevo_i_process_keeper keeper;
    opevo_status status = opevo_i_process_keeper_start(&program, &keeper, err);

    if (status != OPEVO_OK)
        return status;
    opevo_i_backend_await(&keeper, end);
    return OPEVO_OK;
}

/* A program that a signal of others ended is run once more before that counts. */
static opevo_status run_fairly(const command_backend *self,
                               const opevo_i_process_arguments *command,
                               opevo_i_process_program_end *end, opevo_error *err)
{
    opevo_status status = run_program(self, command, end, err);

    if (status == OPEVO_OK && end->kept && !end->start_errno && !end->timed_out &&
        WIFSIGNALED(end->wait_status) &&
        opevo_i_process_foreign_signal(WTERMSIG(end->wait_status))) {
        opevo_i_process_program_end_free(end);
        *end = (opevo_i_process_program_end){0};
        status = run_program(self, command, end, err);
    }
    return status;
}

/* The samples in what the program printed; false when there are none. */
static bool read_output(const command_backend *self, const opevo_i_process_program_end *end,
                        const char *words, opevo_i_wire_result *result)
{
    opevo_text why = {0};
    bool good = false;

    errno = 0; /* a regular expression for which the host failed says no more than that it fails */
    good = opevo_i_wire_result_reader_apply(&self->reading, opevo_text_string(&end->out),
                                            end->elapsed_s, &result->samples, &result->sample_count,
                                            &result->sample_capacity, &why);
    if (!good && opevo_i_process_host_errno(errno))
        opevo_i_wire_result_fault(result, "the output of the program cannot be read: %s",
                                  strerror(errno));
    else if (!good)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_WRONG, "%s%s", opevo_text_string(&why),
                                 words);
    opevo_text_free(&why);
    return good;
}

/* Append the values of each criterion; one that cannot be read stays as it was, and the message
 * says why. */
static void read_values(command_backend *self, const opevo_i_process_program_end *end,
                        opevo_i_wire_result *result)
{
    for (size_t i = 0; i < self->criterion_count; i++) {
        criterion *one = &self->criteria[i];
        size_t before = one->count;
        opevo_text why = {0};

        if (!opevo_i_wire_result_reader_apply(&one->named.reading, opevo_text_string(&end->out),
                                              end->elapsed_s, &one->values, &one->count,
                                              &one->capacity, &why)) {
            one->count = before;
            opevo_text_printf(&result->message, "%s%s is unknown: %s",
                              result->message.length ? "; " : "", one->named.name,
                              opevo_text_string(&why));
        }
        opevo_text_free(&why);
    }
}

/* The median over all executions. */
static void summarise(command_backend *self, opevo_i_wire_result *result)
{
    for (size_t i = 0; i < self->criterion_count; i++) {
        criterion *one = &self->criteria[i];

        opevo_i_wire_sort(one->values, one->count);
        result->criteria[i] = one->count ? opevo_i_wire_median(one->values, one->count) : NAN;
    }
    result->criterion_count = self->criterion_count;
}

/* True when the run gave samples. */
static bool judge(const command_backend *self, const opevo_i_wire_job *job,
                  const opevo_i_process_program_end *end, opevo_i_wire_result *result)
{
    char words[512];
    int code = WIFEXITED(end->wait_status) ? WEXITSTATUS(end->wait_status) : 0;
    bool good = false;

    opevo_i_process_program_tail(end, words, sizeof words);
    if (!end->kept)
        opevo_i_wire_result_fault(result, "the process that keeps %s was killed",
                                  job->command.items[0]);
    else if (end->start_errno && (self->fixed || opevo_i_process_host_errno(end->start_errno)))
        opevo_i_wire_result_fault(result, "%s cannot be started: %s", job->command.items[0],
                                  strerror(end->start_errno));
    else if (end->start_errno)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s: %s",
                                 job->command.items[0], strerror(end->start_errno));
    else if (end->timed_out)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_TIMEOUT, "killed after %g s", self->limit_s);
    else if (WIFSIGNALED(end->wait_status))
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_CRASHED, "killed by signal %d (%s)%s",
                                 WTERMSIG(end->wait_status), strsignal(WTERMSIG(end->wait_status)),
                                 words);
    else if (self->of_exit[code] != OPEVO_OUTCOME_OK)
        opevo_i_wire_result_fail(result, self->of_exit[code], "exit status %d%s", code, words);
    else
        good = read_output(self, end, words, result);
    return good;
}

static void measure(opevo_i_backend *backend, const opevo_i_wire_job *job, const char *object,
                    opevo_i_wire_result *result)
{
    command_backend *self = (command_backend *)backend;
    unsigned repeats = job->single_sample ? 1 : self->repeats;
    opevo_i_process_arguments command = {0};
    opevo_error err = {OPEVO_OK, ""};
    bool good = put_output(&job->command, object, &command, &err) == OPEVO_OK;

    if (!good)
        opevo_i_wire_result_fault(result, "%s", err.message);
    for (size_t i = 0; i < self->criterion_count; i++)
        self->criteria[i].count = 0;
    for (unsigned i = 0; i < repeats && good; i++) {
        opevo_i_process_program_end end = {0};

        good = run_fairly(self, &command, &end, &err) == OPEVO_OK;
        if (!good) {
            opevo_i_wire_result_fault(result, "%s", err.message);
            break;
        }
        result->run_s += end.elapsed_s;
        good = judge(self, job, &end, result);
        if (good)
            read_values(self, &end, result);
        opevo_i_process_program_end_free(&end);
    }
    opevo_i_process_arguments_clear(&command);
    if (!good)
        return;
    result->kind = OPEVO_OUTCOME_OK;
    summarise(self, result);
}

const opevo_i_backend_ops opevo_i_backend_cmd = {
    .kind = "cmd",
    .suffix = ".in",
    .list = list,
    .is_name = opevo_i_backend_is_none,
    .open = open_backend,
    .setup = setup,
    .build_command = build_command,
    .measure = measure,
    .close = close_backend,
};
