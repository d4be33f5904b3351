/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A library from a model in one call: the options as those of the passes, the library and the
 * tuning, and these in their order. */

#include <opevo/network_build.h>

#include <opevo/network_made.h>
#include <opevo/network_passes.h>
#include <opevo/network_targets.h>
#include <opevo/network_tuning.h>
#include <opevo/parallel.h>
#include <opevo/struct_size.h>
#include <opevo/tuners.h>
#include <opevo/version.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { GIVE_UP = 20, FINALISTS = 5 };

typedef struct build {
    opevo_network_build_options options;
    opevo_kernel_dialect dialect;
    const char *model; /* its file, without the folder */
    opevo_network_shapes shapes;
    opevo_text name; /* in the store */
    opevo_network *network;
    opevo_network_plan *plan;
    opevo_network_plan_options how; /* of it */
    opevo_library_targets targets;
    opevo_network_library_options library_options;
    opevo_network_library *library;
    uint64_t trials; /* observed */
} build;

static bool is_tuned(const build *self)
{
    return self->options.trials || self->options.seconds > 0;
}

/* ---- The options ---- */

static opevo_status check_numbers(const opevo_network_build_options *options, opevo_error *err)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {{"seconds", options->seconds},
                {"error", options->error},
                {"worker_start_s", options->worker_start_s},
                {"run_limit_s", options->run_limit_s}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(rows[i].value >= 0) || isinf(rows[i].value))
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s is %g: give a number from 0.", rows[i].name,
                              rows[i].value);
    }
    return OPEVO_OK;
}

/* Freestanding libraries have plain kernels, on one thread. */
static opevo_status check_freestanding(const opevo_network_build_options *options, opevo_error *err)
{
    bool is_for_cpu = !options->device || strcmp(options->device, "cpu") == 0;

    if (options->freestanding && (!is_for_cpu || options->threads > 1 || options->error > 0 ||
                                  options->targets || options->trials || options->seconds > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "freestanding excludes other devices than cpu, several threads, error, "
                          "targets, trials and seconds: leave them 0.");
    return OPEVO_OK;
}

/* What the caller left out. */
static opevo_status complete(build *self, const char *model, opevo_error *err)
{
    opevo_network_build_options *options = &self->options;
    const char *slash = strrchr(model, '/');
    opevo_network_library_options made_first = {.name = NULL};
    unsigned cores = 1;
    opevo_status status = OPEVO_OK;

    self->model = slash ? slash + 1 : model;
    options->device = options->device ? options->device : "cpu";
    OPEVO_TRY(opevo_live_sketch_dialect(options->device, &self->dialect, &cores, err));
    if (self->dialect != OPEVO_KERNEL_C)
        options->threads = cores;
    else if (options->freestanding)
        options->threads = 1;
    else if (!options->threads && (options->worker_count || options->workers_from))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "threads is 0: give their number, as other hosts have other cores.");
    else if (!options->threads)
        options->threads = opevo_processor_count();
    options->give_up = options->give_up ? options->give_up : GIVE_UP;
    options->finals = options->no_finals ? 0 : options->finals ? options->finals : FINALISTS;
    if (!options->tuner)
        OPEVO_TRY(opevo_tuner_find("opevo", &options->tuner, err));
    if (options->name)
        OPEVO_TRY(opevo_network_library_check_name(options->name, err));
    if (options->targets && self->dialect != OPEVO_KERNEL_C)
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "targets are of CPUs: leave them or the device out.");
    else if (options->targets)
        OPEVO_TRY(opevo_library_targets_read(options->targets, &self->targets, err));
    if (status == OPEVO_OK)
        status = opevo_network_targets_choose(&self->targets, is_tuned(self), &made_first, err);
cleanup:
    return status;
}

/* The shapes, and the name in the store: "model.onnx, x=1,3,224,224". */
static opevo_status read_shapes(build *self, opevo_error *err)
{
    const opevo_network_build_options *options = &self->options;
    opevo_status status =
        opevo_network_shapes_read(options->shapes, options->shape_count, &self->shapes, err);

    if (status != OPEVO_OK)
        return status;
    opevo_text_add(&self->name, self->model);
    for (size_t i = 0; i < options->shape_count; i++)
        opevo_text_printf(&self->name, ", %s", options->shapes[i]);
    return opevo_text_check(&self->name, err);
}

static void release(build *self)
{
    opevo_network_library_destroy(self->library);
    opevo_network_plan_destroy(self->plan);
    opevo_network_destroy(self->network);
    opevo_network_shapes_free(&self->shapes);
    opevo_text_free(&self->name);
}

/* ---- The untuned library ---- */

static opevo_status run_passes(build *self, opevo_error *err)
{
    opevo_network_plan_options how = {.error = self->options.error, .chooses = is_tuned(self)};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_plan_passes(self->dialect, self->options.freestanding,
                                        self->options.only, self->options.without, &how.passes,
                                        err));
    if (how.error > 0)
        OPEVO_TRY(opevo_network_plan_check_error(how.passes, err));
    self->how = how;
    status = opevo_network_plan_create(self->network, &how, &self->plan, err);
cleanup:
    return status;
}

static opevo_status make_library(build *self, const char *folder, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->library_options =
        (opevo_network_library_options){.dialect = self->dialect,
                                        .threads = self->options.threads,
                                        .seed = self->options.seed,
                                        .model = self->model,
                                        .version = OPEVO_VERSION,
                                        .freestanding = self->options.freestanding,
                                        .name = self->options.name};
    if (opevo_kernel_is_for_cpu(self->dialect))
        self->library_options.facts = opevo_live_cpu_facts();
    OPEVO_TRY(
        opevo_network_targets_choose(&self->targets, is_tuned(self), &self->library_options, err));
    OPEVO_TRY(opevo_network_plan_library(self->plan, &self->library_options, &self->library, err));
    status = opevo_network_library_check_folder(self->library, folder, err);
cleanup:
    return status;
}

/* ---- Tuning ---- */

static opevo_network_tuning_options tuning_options(const build *self)
{
    const opevo_network_build_options *options = &self->options;
    opevo_network_tuning_options out = {
        .live = opevo_live_defaults(),
        .threads = options->threads,
        .tuner = options->tuner,
        .settings = options->settings,
        .setting_count = options->setting_count,
        .seed = options->seed,
        .trials = options->trials,
        .seconds = options->seconds,
        .give_up = options->give_up,
        .finals = {.most = options->finals, .rounds = options->rounds},
        .starts = {.starts = options->starts,
                   .count = options->start_count,
                   .transfer = options->transfer,
                   .needed = options->transfer != NULL,
                   .dashes = ""},
        .store = options->store,
        .name = opevo_text_string(&self->name),
        .interrupt = options->interrupt};

    out.live.device = options->device;
    out.live.workers = (opevo_workers){.commands = options->workers,
                                       .count = options->worker_count,
                                       .from = options->workers_from,
                                       .address = options->workers_address,
                                       .program = options->worker,
                                       .start_s = options->worker_start_s,
                                       .mixed = options->mixed_devices};
    if (options->run_limit_s > 0)
        out.live.run_limit_s = options->run_limit_s;
    out.live.meet = true;
    out.live.interrupt = options->interrupt;
    return out;
}

static void observe(void *context, const opevo_network_tuning *tuning, size_t task,
                    const opevo_trial *trial, bool resumed)
{
    build *self = context;
    opevo_network_tuning_state state = opevo_network_tuning_state_of(tuning);

    self->options.observer(
        self->options.observer_context,
        &(const opevo_network_trial){.task = opevo_network_tuning_task(tuning, task)->name,
                                     .trial = trial,
                                     .resumed = resumed,
                                     .trials = ++self->trials,
                                     .known = state.known,
                                     .tasks = state.tasks,
                                     .latency_s = state.latency_s});
}

static opevo_status tune(build *self, opevo_network_built *out, opevo_error *err)
{
    opevo_network_tuning_options options = tuning_options(self);
    opevo_network_tuning *tuning = NULL;
    opevo_network_tuning_state state;
    opevo_status status = OPEVO_OK;

    if (self->options.observer)
        options.watch = (opevo_network_watch){.context = self, .trial = observe};
    OPEVO_TRY(opevo_network_tuning_create(self->plan, self->library, &options, &tuning, err));
    OPEVO_TRY(opevo_network_tuning_run(tuning, &self->library_options, &self->library, err));
    state = opevo_network_tuning_state_of(tuning);
    out->tuned = state.tuned;
    out->known = state.known;
    out->trials = state.result->trials;
    out->resumed = state.result->resumed;
    out->failed = state.result->failed;
    out->latency_s = state.latency_s;
    out->interrupted = opevo_interrupt_is_raised(options.interrupt);
cleanup:
    opevo_network_tuning_destroy(tuning);
    return status;
}

/* ---- All of it ---- */

static opevo_status note_making(build *self, const char *model, opevo_error *err)
{
    const opevo_network_maker maker = {.model = model,
                                       .how = self->how,
                                       .threads = self->options.threads,
                                       .name = self->options.name};

    return self->dialect == OPEVO_KERNEL_C
               ? opevo_network_made_note(&maker, self->plan, self->library, err)
               : OPEVO_OK;
}

static opevo_status write_all(build *self, const char *folder, opevo_network_built *out,
                              opevo_error *err)
{
    opevo_network_target_libraries all = {.count = 0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_targets_create(self->plan, &self->library_options, &self->targets,
                                           self->library, &all, err));
    OPEVO_TRY(opevo_network_targets_write(&all, folder, err));
    for (size_t i = 0; i < all.count; i++) {
        const opevo_network_library_sizes *sizes = &all.sizes[i];

        out->kernels = sizes->kernels;
        out->weight_bytes = sizes->weight_bytes;
        out->arena_bytes = sizes->arena_bytes;
        out->peak_bytes = sizes->peak_bytes;
        if (sizes->packed_bytes > out->packed_bytes)
            out->packed_bytes = sizes->packed_bytes;
        if (sizes->scratch_bytes > out->scratch_bytes)
            out->scratch_bytes = sizes->scratch_bytes;
    }
cleanup:
    opevo_network_targets_free(&all);
    return status;
}

opevo_status opevo_network_build_sized(const char *model, const char *folder,
                                       const opevo_network_build_options *options, size_t size,
                                       opevo_network_built *out, opevo_error *err)
{
    build self = {.model = NULL};
    opevo_network_given given = {0};
    opevo_network_built built = {.latency_s = NAN};
    opevo_status status = OPEVO_OK;
    bool made = false;

    OPEVO_TRY(opevo_struct_read(options, size, "opevo_network_build_options", &self.options,
                                sizeof self.options, err));
    OPEVO_TRY(check_numbers(&self.options, err));
    OPEVO_TRY(check_freestanding(&self.options, err));
    OPEVO_TRY(complete(&self, model, err));
    OPEVO_TRY(read_shapes(&self, err));
    OPEVO_TRY(opevo_network_library_make_folder(folder, &made, err));
    given = (opevo_network_given){
        .shapes = self.shapes.shape, .shape_count = self.shapes.count, .counts = true};
    OPEVO_TRY(opevo_network_read(model, &given, &self.network, err));
    OPEVO_TRY(run_passes(&self, err));
    OPEVO_TRY(make_library(&self, folder, err));
    if (is_tuned(&self))
        OPEVO_TRY(tune(&self, &built, err));
    if (!self.targets.count)
        OPEVO_TRY(note_making(&self, model, err));
    OPEVO_TRY(write_all(&self, folder, &built, err));
    *out = built;
cleanup:
    if (status != OPEVO_OK && made)
        (void)rmdir(folder); /* unless something is in it */
    release(&self);
    return status;
}
