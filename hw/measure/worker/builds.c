/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Two jobs with the same recipe are built once: while one is being built, the other waits, and then
 * finds it in the cache. */

#include "builds_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_lock_internal.h"
#include "host_fault_internal.h"

enum { MESSAGE_LIMIT = 4096 };
#define PROBE_S 60.0 /* whatever the limit of kernels */

bool opevo_i_worker_builds_any(const opevo_i_backend *backend)
{
    return backend->ops->builds || backend->builds_programs;
}

opevo_status opevo_i_worker_builds_init(opevo_i_worker_builds *self, opevo_i_backend *backend,
                                        opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *self = (opevo_i_worker_builds){.backend = backend};
    /* One more than cores: while a measurement keeps this process waiting, no core falls idle. */
    self->most = backend->core_count ? (unsigned)backend->core_count + 1
                 : backend->builders ? backend->builders
                                     : 1;
    if (!opevo_i_worker_builds_any(backend))
        return OPEVO_OK;
    status = opevo_i_worker_cache_open(&self->cache, err);
    if (status != OPEVO_OK)
        return status;
    if (backend->builds_programs) {
        opevo_i_worker_cache_confine(&self->cache);
        return OPEVO_OK;
    }
    /* What a killed compiler leaves behind lies where the next worker finds it. Programs of others
     * have the environment that they were given. */
    setenv("TMPDIR", self->cache.scratch_folder, 1);
    setenv("LC_ALL", "C", 1);
    return OPEVO_OK;
}

void opevo_i_worker_queued_clear(opevo_i_worker_queued *item)
{
    opevo_i_wire_job_clear(&item->job);
    opevo_i_wire_result_clear(&item->result);
    opevo_text_free(&item->recipe);
    opevo_text_free(&item->source);
    opevo_text_free(&item->scratch);
    opevo_text_free(&item->object);
    opevo_text_free(&item->refused);
}

static void remove_scratch(const opevo_i_worker_queued *item)
{
    char helper[4200];

    if (item->source.length)
        unlink(item->source.data);
    if (!item->scratch.length)
        return;
    unlink(item->scratch.data);
    snprintf(helper, sizeof helper, "%.4096s" OPEVO_I_BUILD_HELPER, item->scratch.data);
    unlink(helper);
}

void opevo_i_worker_builds_clear(opevo_i_worker_builds *self)
{
    for (size_t i = 0; i < self->count; i++) {
        remove_scratch(&self->items[i]);
        opevo_i_worker_queued_clear(&self->items[i]);
    }
    opevo_free(self->items);
    opevo_i_worker_cache_close(&self->cache);
    *self = (opevo_i_worker_builds){0};
}

opevo_status opevo_i_worker_builds_add(opevo_i_worker_builds *self, opevo_i_wire_job *job,
                                       opevo_error *err)
{
    void *items = self->items;

    OPEVO_NEED_OR_RETURN(
        opevo_reserve(&items, &self->capacity, self->count + 1, sizeof *self->items), "a job");
    self->items = items;
    self->items[self->count++] = (opevo_i_worker_queued){
        .job = *job,
        .stage = opevo_i_worker_builds_any(self->backend) && !job->library ? OPEVO_I_WAITING
                                                                           : OPEVO_I_BUILT,
        .result = {.id = job->id}};
    *job = (opevo_i_wire_job){0};
    return OPEVO_OK;
}

static void give_up(opevo_i_worker_queued *item, const char *why)
{
    opevo_i_wire_result_fail(&item->result, OPEVO_OUTCOME_BUILD_ERROR, "%s", why);
    item->stage = OPEVO_I_UNBUILT;
}

/* The host cannot build at present, whatever the source. */
static void give_back(opevo_i_worker_queued *item, const char *why)
{
    opevo_i_wire_result_fault(&item->result, "%s", why);
    item->stage = OPEVO_I_UNBUILT;
}

/* ---- Starting ------------------------------------------------------------------------------- */

/* The command with the names of scratch files left out of the recipe, then device and source. */
static opevo_status write_recipe(const opevo_i_worker_builds *self, opevo_i_worker_queued *item,
                                 opevo_error *err)
{
    opevo_i_process_arguments command = {0};
    opevo_status status = self->backend->ops->build_command(self->backend, &item->job, "SOURCE",
                                                            "OBJECT", &command, err);

    for (size_t i = 0; status == OPEVO_OK && i < command.count; i++)
        opevo_text_printf(&item->recipe, "%s\n", command.items[i]);
    opevo_text_printf(&item->recipe, "%s\n%s", self->backend->device,
                      opevo_text_string(&item->job.kernel.source));
    opevo_i_process_arguments_clear(&command);
    return status == OPEVO_OK ? opevo_text_check(&item->recipe, err) : status;
}

static bool is_being_built(const opevo_i_worker_builds *self, const opevo_text *recipe)
{
    for (size_t i = 0; i < self->count; i++) {
        const opevo_i_worker_queued *other = &self->items[i];

        if (other->stage == OPEVO_I_BUILDING && other->recipe.length == recipe->length &&
            !memcmp(other->recipe.data, recipe->data, recipe->length))
            return true;
    }
    return false;
}

static opevo_status launch(opevo_i_worker_builds *self, opevo_i_worker_queued *item, double limit_s,
                           opevo_error *err)
{
    opevo_i_backend *backend = self->backend;
    const opevo_text *text = &item->job.kernel.source;
    opevo_i_process_arguments command = {0};
    opevo_text helper = {0};
    opevo_i_process_program program = {.limit_s = limit_s,
                                       .output_limit = MESSAGE_LIMIT,
                                       .memory_bytes = backend->build_memory_bytes,
                                       .processor_limit = true,
                                       .waits_apart = true,
                                       .cores = backend->cores,
                                       .core_count = backend->core_count};
    opevo_status status = OPEVO_OK;

    opevo_i_worker_cache_scratch(&self->cache, backend->ops->suffix, &item->source);
    opevo_i_worker_cache_scratch(&self->cache, backend->builds_programs ? ".out" : ".obj",
                                 &item->scratch);
    OPEVO_TRY(opevo_text_check(&item->source, err));
    OPEVO_TRY(opevo_text_check(&item->scratch, err));
    OPEVO_TRY(opevo_i_worker_scratch_write(item->source.data, opevo_text_string(text), text->length,
                                           err));
    OPEVO_TRY(backend->ops->build_command(backend, &item->job, item->source.data,
                                          item->scratch.data, &command, err));
    opevo_text_printf(&helper, "%s" OPEVO_I_BUILD_HELPER, item->scratch.data);
    OPEVO_TRY(opevo_text_check(&helper, err));
    program.argv = command.items;
    program.helper = opevo_text_string(&helper);
    if (backend->ops->before_build)
        backend->ops->before_build(backend);
    OPEVO_TRY(opevo_i_process_keeper_start(&program, &item->keeper, err));
    item->started_s = opevo_clock_monotonic_s();
    item->stage = OPEVO_I_BUILDING;
    self->building++;
cleanup:
    opevo_i_process_arguments_clear(&command);
    opevo_text_free(&helper);
    if (status != OPEVO_OK)
        remove_scratch(item);
    return status;
}

static void start(opevo_i_worker_builds *self, opevo_i_worker_queued *item)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (!item->recipe.length)
        status = write_recipe(self, item, &err);
    if (status == OPEVO_OK && is_being_built(self, &item->recipe))
        return;
    if (status == OPEVO_OK && opevo_i_worker_cache_find(&self->cache, &item->recipe, &item->object,
                                                        &item->result.object_s, &item->refused)) {
        item->stage = OPEVO_I_BUILT;
        return;
    }
    if (status == OPEVO_OK)
        status = launch(self, item, self->backend->build_limit_s, &err);
    if (status != OPEVO_OK)
        give_back(item, err.message);
}

/* ---- Whether this host builds anything ------------------------------------------------------ */

/* By what it said and how it ended. The compiler is the first line of the recipe. */
static bool is_host_fault(const opevo_i_worker_builds *self, const opevo_i_worker_queued *item,
                          const opevo_i_process_program_end *end, opevo_text *why)
{
    const char *recipe = opevo_text_string(&item->recipe);
    char compiler[512];

    snprintf(compiler, sizeof compiler, "%.*s", (int)strcspn(recipe, "\n"), recipe);
    return opevo_i_process_build_fault(end, compiler, self->backend->build_memory_bytes, why);
}

/* To its end; when the engine goes meanwhile, so does this process. */
static void await_program(opevo_i_process_keeper *keeper, opevo_i_process_program_end *end)
{
    while (!opevo_i_process_keeper_poll(keeper, end)) {
        struct pollfd wait[2] = {{.fd = keeper->report, .events = POLLIN},
                                 {.fd = OPEVO_I_ENGINE_FD}};

        poll(wait, 2, -1);
        if (wait[1].revents)
            opevo_i_backend_end_with_engine();
    }
}

/* How a compiler failed on a source without a fault, as a clause. */
static void describe_failure(const opevo_i_worker_builds *self, const opevo_i_worker_queued *probe,
                             const opevo_i_process_program_end *end, opevo_text *out)
{
    const char *words = opevo_text_string(&end->error);

    if (is_host_fault(self, probe, end, out))
        return;
    opevo_text_add(out, "a kernel without a fault is not compiled: ");
    if (end->timed_out)
        opevo_text_printf(out, "the compiler was killed after %g s", PROBE_S);
    else if (WIFSIGNALED(end->wait_status))
        opevo_text_printf(out, "the compiler was killed by signal %d", WTERMSIG(end->wait_status));
    else
        opevo_text_printf(out, "exit status %d of the compiler%s%.*s",
                          WEXITSTATUS(end->wait_status), *words ? ": " : "",
                          (int)strcspn(words, "\n"), words);
}

/* To its end, and within PROBE_S. */
static opevo_status build_at_once(opevo_i_worker_builds *self, opevo_i_worker_queued *item,
                                  opevo_i_process_program_end *end, opevo_error *err)
{
    opevo_status status = item->recipe.length ? OPEVO_OK : write_recipe(self, item, err);

    if (status == OPEVO_OK)
        status = launch(self, item, PROBE_S, err);
    if (status != OPEVO_OK)
        return status;
    self->building--;
    await_program(&item->keeper, end);
    return OPEVO_OK;
}

/* Whether it was built before, with the same command on the same device. */
static bool find_built(opevo_i_worker_builds *self, opevo_i_worker_queued *item)
{
    return write_recipe(self, item, NULL) == OPEVO_OK &&
           opevo_i_worker_cache_find(&self->cache, &item->recipe, &item->object,
                                     &item->result.object_s, &item->refused);
}

/* For the next worker. Without room in the cache it stays where it was built. */
static void keep_built(opevo_i_worker_builds *self, opevo_i_worker_queued *item, double build_s)
{
    if (opevo_i_worker_cache_add(&self->cache, &item->recipe, item->scratch.data, build_s,
                                 &item->object, NULL) != OPEVO_OK) {
        opevo_text_clear(&item->object);
        opevo_text_add(&item->object, item->scratch.data);
    }
}

/* Build the backend's own kernel, which has no fault; what fails then is this host, and the message
 * a clause. */
static opevo_status build_probe(opevo_i_worker_builds *self, opevo_i_worker_queued *probe,
                                bool anew, opevo_error *err)
{
    opevo_i_process_program_end end = {0};
    opevo_text why = {0};
    opevo_status status = OPEVO_OK;

    self->backend->ops->probe(&probe->job.kernel);
    anew |= !self->backend->ops->keeps_probe;
    if (!anew && find_built(self, probe))
        return OPEVO_OK;
    OPEVO_TRY(build_at_once(self, probe, &end, err));
    if (!end.kept || end.start_errno || end.timed_out || end.wait_status != 0) {
        describe_failure(self, probe, &end, &why);
        status = OPEVO_FAIL(err, OPEVO_FAULT, "%.500s", opevo_text_string(&why));
    } else if (anew) {
        opevo_text_add(&probe->object, probe->scratch.data);
    } else {
        keep_built(self, probe, end.elapsed_s);
    }
cleanup:
    opevo_i_process_program_end_free(&end);
    opevo_text_free(&why);
    return status;
}

int opevo_i_worker_builds_take_turn(const opevo_i_worker_builds *self)
{
    const opevo_i_backend_lock_wait wait = {.watch_engine = true};
    char name[128];

    if (!self->backend->ops->lock_name)
        return -1;
    self->backend->ops->lock_name(self->backend, name, sizeof name);
    return opevo_i_backend_device_lock_take(self->cache.folder, name, &wait);
}

static opevo_status run_probe(const opevo_i_worker_builds *self, const opevo_i_worker_queued *probe,
                              opevo_error *err)
{
    int turn = opevo_i_worker_builds_take_turn(self);
    opevo_status status =
        self->backend->ops->run_probe(self->backend, &probe->job.kernel, probe->object.data, err);

    if (status == OPEVO_OK) /* what does not end on the device goes with this process */
        opevo_i_backend_device_lock_release(turn);
    return status;
}

opevo_status opevo_i_worker_builds_probe(opevo_i_worker_builds *self, opevo_error *err)
{
    opevo_i_worker_queued probe = {.stage = OPEVO_I_WAITING};
    opevo_error why = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (!self->backend->ops->probe)
        return OPEVO_OK;
    status = build_probe(self, &probe, false, &why);
    if (status != OPEVO_OK)
        OPEVO_FAIL(err, status,
                   "This host cannot build kernels: %.*s; fix that, then repeat the command.",
                   (int)strcspn(why.message, "\n"), why.message);
    if (status == OPEVO_OK)
        status = run_probe(self, &probe, err);
    remove_scratch(&probe);
    opevo_i_worker_queued_clear(&probe);
    return status;
}

/* Whether a compiler that ended with an error could have built anything. */
static bool is_sound(opevo_i_worker_builds *self, const opevo_i_worker_queued *failed,
                     opevo_error *err)
{
    opevo_i_worker_queued probe = {.stage = OPEVO_I_WAITING};
    bool sound = !self->backend->ops->probe || self->good_s >= failed->started_s;

    if (!sound) {
        sound = build_probe(self, &probe, true, err) == OPEVO_OK;
        remove_scratch(&probe);
        opevo_i_worker_queued_clear(&probe);
    }
    if (sound)
        self->good_s = opevo_clock_monotonic_s();
    return sound;
}

/* ---- The reference -------------------------------------------------------------------------- */

static const char *complaint(const opevo_i_worker_builds *self, opevo_text *said);

opevo_status opevo_i_worker_builds_reference(opevo_i_worker_builds *self, opevo_error *err)
{
    opevo_i_backend *backend = self->backend;
    opevo_i_worker_queued item = {.stage = OPEVO_I_WAITING, .job = backend->reference};
    opevo_i_process_program_end end = {0};
    opevo_error inner = {OPEVO_OK, ""};
    double start = opevo_clock_monotonic_s();
    opevo_status status = OPEVO_OK;

    if (!item.job.kernel.source.length)
        return OPEVO_OK;
    if (!find_built(self, &item)) {
        OPEVO_TRY(build_at_once(self, &item, &end, err));
        if (!end.kept || end.start_errno || end.timed_out || end.wait_status != 0) {
            opevo_text *said = end.error.length ? &end.error : &end.out;

            status = OPEVO_FAIL(err, OPEVO_INVALID, "The reference kernel is not compiled: %.800s",
                                end.timed_out ? "it takes too long." : complaint(self, said));
            goto cleanup;
        }
        keep_built(self, &item, end.elapsed_s);
    }
    if (backend->ops->run_reference(backend, &item.job.kernel, item.object.data, &inner))
        status = OPEVO_FAIL(err, inner.status, "%s", inner.message);
    backend->reference_s += opevo_clock_monotonic_s() - start;
cleanup:
    remove_scratch(&item);
    item.job = (opevo_i_wire_job){.id = 0}; /* the backend's */
    opevo_i_process_program_end_free(&end);
    opevo_i_worker_queued_clear(&item);
    return status;
}

/* ---- Ending --------------------------------------------------------------------------------- */

/* What the compiler said, from its first line with "error" in it, which is the one that helps,
 * without the name of the folder. */
static const char *complaint(const opevo_i_worker_builds *self, opevo_text *said)
{
    const char *folder = self->cache.scratch_folder;
    size_t length = folder ? strlen(folder) + 1 : 0;
    char *text = said->data;
    char *found = text ? strstr(text, "error") : NULL;

    if (!text)
        return "";
    while (found && found > text && found[-1] != '\n')
        found--;
    found = found ? found : text;
    for (char *at = found; length > 1 && (at = strstr(at, folder)) != NULL;)
        memmove(at, at + length, strlen(at + length) + 1);
    for (size_t end = strlen(found); end && strchr(" \r\n", found[end - 1]);)
        found[--end] = '\0';
    return found;
}

/* No compiler ends with what shells and launchers give for a program that cannot be started; what
 * users build with may be a script that does. */
static bool is_missing(const opevo_i_worker_builds *self, const opevo_i_process_program_end *end)
{
    int code = WIFEXITED(end->wait_status) ? WEXITSTATUS(end->wait_status) : 0;

    return !self->backend->builds_programs && (code == 126 || code == 127);
}

/* Whether it was the host that failed; then the job goes back. */
static bool is_fault(const opevo_i_worker_builds *self, opevo_i_worker_queued *item,
                     const opevo_i_process_program_end *end)
{
    opevo_text why = {0};
    bool fault = is_host_fault(self, item, end, &why);

    if (fault)
        give_back(item, opevo_text_string(&why));
    opevo_text_free(&why);
    return fault;
}

/* Whether a build of another program than a compiler of ours left what it was asked for. */
static bool is_made(const opevo_i_worker_queued *item)
{
    struct stat facts;

    return stat(item->scratch.data, &facts) == 0 && S_ISREG(facts.st_mode);
}

static void judge(opevo_i_worker_builds *self, opevo_i_worker_queued *item,
                  opevo_i_process_program_end *end)
{
    const char *said = complaint(self, end->error.length ? &end->error : &end->out);
    const char *who = self->backend->builds_programs ? "build" : "compiler";
    opevo_error err = {OPEVO_OK, ""};
    char sentence[OPEVO_ERROR_SIZE];

    if (end->kept && !end->start_errno && !end->timed_out && WIFEXITED(end->wait_status) &&
        WEXITSTATUS(end->wait_status) == 0) {
        if (self->backend->builds_programs && !is_made(item))
            give_up(item, "the build ended without an error, but made no file {out}");
        else if (opevo_i_worker_cache_add(&self->cache, &item->recipe, item->scratch.data,
                                          end->elapsed_s, &item->object, &err))
            give_back(item, err.message);
        else
            item->stage = OPEVO_I_BUILT;
        self->good_s = opevo_clock_monotonic_s();
        return;
    }
    if (is_fault(self, item, end))
        return;
    if (!is_sound(self, item, &err)) {
        give_back(item, err.message);
        return;
    }
    if (is_missing(self, end)) {
        snprintf(sentence, sizeof sentence,
                 "exit status %d of the compiler, which compiles other kernels",
                 WEXITSTATUS(end->wait_status));
        give_back(item, sentence);
        return;
    }
    if (end->timed_out)
        snprintf(sentence, sizeof sentence, "the %s was killed after %g s", who,
                 self->backend->build_limit_s);
    else if (WIFSIGNALED(end->wait_status))
        snprintf(sentence, sizeof sentence, "the %s was killed by signal %d", who,
                 WTERMSIG(end->wait_status));
    else
        snprintf(sentence, sizeof sentence, "exit status %d of the %s: %.900s",
                 WEXITSTATUS(end->wait_status), who, said);
    give_up(item, sentence);
}

static void remove_at(opevo_i_worker_builds *self, size_t at)
{
    self->count--;
    memmove(self->items + at, self->items + at + 1, (self->count - at) * sizeof *self->items);
}

void opevo_i_worker_builds_step(opevo_i_worker_builds *self)
{
    for (size_t i = 0; i < self->count; i++) {
        opevo_i_worker_queued *item = &self->items[i];
        opevo_i_process_program_end end;

        if (item->stage != OPEVO_I_BUILDING || !opevo_i_process_keeper_poll(&item->keeper, &end))
            continue;
        self->building--;
        item->result.build_s = end.elapsed_s;
        item->result.object_s = end.elapsed_s;
        judge(self, item, &end);
        remove_scratch(item);
        opevo_i_process_program_end_free(&end);
        if (item->unwanted) {
            opevo_i_worker_queued_clear(item);
            remove_at(self, i--);
        }
    }
    for (size_t i = 0; i < self->count && self->building < self->most; i++) {
        if (self->items[i].stage == OPEVO_I_WAITING)
            start(self, &self->items[i]);
    }
}

/* Its place; `count` if it is absent. */
static size_t find_ready(const opevo_i_worker_builds *self)
{
    /* With a single core, a compiler beside a measurement would spoil it. */
    if (self->building && self->backend->core_count == 0)
        return self->count;
    for (size_t i = 0; i < self->count; i++) {
        if (self->items[i].stage == OPEVO_I_BUILT || self->items[i].stage == OPEVO_I_UNBUILT)
            return i;
    }
    return self->count;
}

bool opevo_i_worker_builds_any_ready(const opevo_i_worker_builds *self)
{
    return find_ready(self) < self->count;
}

bool opevo_i_worker_builds_take(opevo_i_worker_builds *self, opevo_i_worker_queued *out)
{
    size_t at = find_ready(self);

    if (at == self->count)
        return false;
    *out = self->items[at];
    remove_at(self, at);
    return true;
}

bool opevo_i_worker_builds_drop(opevo_i_worker_builds *self, int64_t id)
{
    size_t at = 0;

    while (at < self->count && self->items[at].job.id != id)
        at++;
    if (at == self->count)
        return false;
    if (self->items[at].stage == OPEVO_I_BUILDING) {
        self->items[at].unwanted = true; /* what it makes may be wanted again */
        self->items[at].job.id = 0;
    } else {
        opevo_i_worker_queued_clear(&self->items[at]);
        remove_at(self, at);
    }
    return true;
}
