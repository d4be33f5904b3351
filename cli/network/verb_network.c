/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `opevo network`: what is in a model, and whether it computes what is expected. */

#include "live_options_internal.h"
#include "network_cli_internal.h"
#include "options_internal.h"
#include "reasons_internal.h"
#include "starts_of_call_internal.h"

#include <opevo/memory.h>

#include <string.h>

static const opevo_option options[] = {
    {"shape", "NAME=N,N,...", "shape of an input whose dimensions the model leaves open", true},
    {"bind", "NAME=VALUE",
     "make an input a constant: numbers with commas between, or a TensorProto file (.pb)", true},
    {"dynamic", "NAME=N..N,...",
     "with -o: sizes of a dimension that inputs or --shape name, such as batch=1..32; each run of "
     "the library has its own",
     false},
    {"tune-at", "N,N,...",
     "with --dynamic: sizes that kernels are made for, and with --on tuned at (default: the "
     "largest)",
     false},
    {"run", "FILE,FILE,...", "run it untuned on tensors (TensorProto files), one for each input",
     false},
    {"expect", "FILE,FILE,...", "with --run: compare each output; status 1 if one differs", false},
    {"write", "PREFIX",
     "with --run: write the outputs to files, PREFIX0.pb, PREFIX1.pb, ... (TensorProto)", false},
    {"-o", "DIR", "write a library in C that runs the network; with --on, for a GPU", false},
    {"name", "PREFIX",
     "with -o: what names of the library begin with, so that one program can have several (default "
     "net)",
     false},
    {"freestanding", NULL,
     "with -o: for microcontrollers, in C99 without a heap, files or vectors, with weights as "
     "arrays",
     false},
    {"target", "NAME,NAME,...",
     "with -o: kernels for each of v2, v3, v4 (levels of x86-64) and aarch64 that is named; the "
     "library takes the best that the processor can run (default: for this CPU only)",
     false},
    {"threads", "N", "threads of --run, and that kernels of -o are made for (default 0: all cores)",
     false},
    {"seed", "N", "of the inputs of -o's test, and of the runs of --on (default 1)", false},
    {"check-input", "FILE,FILE,...",
     "with -o: what its test runs on, a tensor for each input (default: drawn from --seed); "
     "without "
     "--shape also the shapes that the model leaves open",
     false},
    {"on", "DEVICE",
     "with -o: cpu tunes the kernels there; cuda:N and hip:N make a library for a GPU, and with "
     "--trials or --seconds tune it there",
     false},
    {"tuner", "NAME", "tuner; opevo tuners lists them (default opevo)", false},
    {"set", "KEY=VALUE", "a setting of the tuner", true},
    {"trials", "N", "stop after N trials (default 500 for each task)", false},
    {"seconds", "S", "stop when the trials have cost S seconds", false},
    {"store", "FILE", "store every trial here; the same command resumes", false},
    OPEVO_I_START_OPTIONS,
    OPEVO_I_GIVE_UP_OPTION,
    {"finals", "K", "re-evaluate the best K of each task side by side (default 5)", false},
    {"rounds", "N", "finals: rounds of the re-evaluation (default 30)", false},
    {"no-null", NULL, "finals: do not measure the first kernel twice (A/A)", false},
    OPEVO_I_WORKERS_OPTIONS,
    {"timeout", "S", "time limit of one execution (default 5 s)", false},
    {"prove", NULL,
     "with -o: prove each kernel of a library in C, its memory plan, and its steps against the "
     "model",
     false},
    {"quiet", NULL, "no progress line", false},
    {"passes", NULL, "print what each pass changes; with --run: run the network after the passes",
     false},
    {"only", "PASS,PASS,...",
     "the passes to run (default all, for a GPU without attention and block): fold, split, drop, "
     "scale, fuse, attention, block, winograd",
     false},
    {"without", "PASS,PASS,...", "the passes to leave out", false},
    {"error", "E",
     "Winograd's convolutions where no result is wrong by more than E times the largest input "
     "times the sum of absolute weights (default: none)",
     false},
    {"json", NULL, "print one JSON object", false},
};

static opevo_status read_shapes(const opevo_call *call, opevo_network_shapes *out, opevo_error *err)
{
    const char **texts = NULL;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;
    size_t count = 0;

    OPEVO_TRY(opevo_i_cli_option_all(call, "shape", &texts, &count, err));
    if (opevo_network_shapes_read(texts, count, out, &inner) != OPEVO_OK)
        status = OPEVO_FAIL(err, inner.status, "--shape %s", inner.message);
cleanup:
    opevo_free(texts);
    return status;
}

static opevo_status describe(const opevo_call *call, opevo_network_inference *inference,
                             uint32_t mask, opevo_text *out, opevo_error *err)
{
    opevo_network_tasks tasks = {0};
    opevo_status status = OPEVO_OK;

    if (opevo_i_cli_flag(call, "passes"))
        return opevo_i_cli_network_print_passes(inference, mask, out, err);
    OPEVO_TRY(opevo_network_inference_pass(inference, mask, err));
    OPEVO_TRY(opevo_network_inference_tasks(inference, &tasks, err));
    if (opevo_i_cli_flag(call, "json"))
        OPEVO_TRY(opevo_i_cli_network_print_json(inference, &tasks, out, err));
    else
        OPEVO_TRY(opevo_i_cli_network_print(inference, &tasks, out, err));
cleanup:
    opevo_network_tasks_free(&tasks);
    return status;
}

static opevo_status check_name(const opevo_call *call, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};

    if (!opevo_i_cli_flag(call, "-o"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--name needs -o with a folder for the library.");
    if (opevo_network_library_check_name(opevo_i_cli_option(call, "name"), &inner) != OPEVO_OK)
        return OPEVO_FAIL(err, inner.status, "--name: %s", inner.message);
    return OPEVO_OK;
}

static opevo_status check_target(const opevo_call *call, opevo_error *err)
{
    opevo_network_library_options library = {.name = NULL};
    opevo_library_targets targets;

    if (!opevo_i_cli_flag(call, "-o"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--target needs -o with a folder for the library.");
    if (opevo_i_cli_flag(call, "freestanding"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--target excludes --freestanding, whose kernels are for any processor; "
                          "leave one of them out.");
    if (opevo_i_cli_network_for_gpu(call))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--target is for libraries in C: use --on cpu, or leave --on out.");
    return opevo_i_cli_network_targets(call, &targets, &library, err);
}

/* Options that only libraries have. */
static opevo_status check_of_libraries(const opevo_call *call, bool library, opevo_error *err)
{
    static const char *const of_libraries[] = {"seed", "check-input", "quiet", "on", NULL};

    for (const char *const *name = of_libraries; *name; name++) {
        if (opevo_i_cli_flag(call, *name) && !library)
            return OPEVO_FAIL(err, OPEVO_INVALID, "--%s needs -o with a folder for the library.",
                              *name);
    }
    if (opevo_i_cli_flag(call, "prove") && (!library || opevo_i_cli_network_for_gpu(call)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--prove is of libraries in C: use -o, and no --on but cpu.");
    if (opevo_i_cli_flag(call, "freestanding") &&
        (!library || opevo_i_cli_flag(call, "on") || opevo_i_cli_flag(call, "prove") ||
         opevo_i_cli_flag(call, "threads") || opevo_i_cli_flag(call, "error")))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--freestanding needs -o with a folder for the library, and none of --on, "
            "--threads, --error and --prove.");
    for (const char *const *name = opevo_i_cli_network_of_tuning; *name; name++) {
        if (opevo_i_cli_flag(call, *name) && !opevo_i_cli_flag(call, "on"))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--%s needs --on DEVICE and -o DIR: it is about tuning.", *name);
    }
    return OPEVO_OK;
}

static opevo_status check_options(const opevo_call *call, size_t shape_count, opevo_error *err)
{
    const char *files = opevo_i_cli_option(call, "run");
    bool passes = opevo_i_cli_flag(call, "passes"), library = opevo_i_cli_flag(call, "-o");
    opevo_status status = OPEVO_OK;
    uint64_t number = 0;

    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 0, 0, 1024, &number, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 1, 0, UINT64_MAX, &number, err));
    if (opevo_i_cli_flag(call, "threads") && !library && !files)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--threads needs --run with the inputs, or -o with a folder.");
    if (opevo_i_cli_option(call, "expect") && !files)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--expect needs --run with the inputs.");
    if (opevo_i_cli_option(call, "write") && !files)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--write needs --run with the inputs.");
    if (files && shape_count)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--run and --shape exclude each other: the tensors have shapes.");
    if (files && !passes &&
        (opevo_i_cli_option(call, "only") || opevo_i_cli_option(call, "without")))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--run runs the network as it is; add --passes to run the passes first.");
    OPEVO_TRY(check_of_libraries(call, library, err));
    if (library && (files || passes))
        return OPEVO_FAIL(err, OPEVO_INVALID, "-o excludes --run and --passes.");
    if (passes && opevo_i_cli_flag(call, "json"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--passes and --json exclude each other.");
    if (opevo_i_cli_flag(call, "name"))
        OPEVO_TRY(check_name(call, err));
    if (opevo_i_cli_flag(call, "target"))
        OPEVO_TRY(check_target(call, err));
    if (opevo_i_cli_flag(call, "dynamic") || opevo_i_cli_flag(call, "tune-at"))
        status = opevo_i_cli_network_check_dynamic(call, err);
cleanup:
    return status;
}

/* The passes that --only and --without leave. */
static opevo_status read_passes(const opevo_call *call, uint32_t *mask, opevo_error *err)
{
    const char *on = opevo_i_cli_option(call, "on");
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C;
    unsigned cores = 1;
    opevo_status status = OPEVO_OK;

    if (on) {
        OPEVO_TRY(opevo_i_cli_device_of(on, &dialect, err));
        OPEVO_TRY(opevo_live_sketch_dialect(on, &dialect, &cores, err));
    }
    status = opevo_network_plan_passes(dialect, opevo_i_cli_flag(call, "freestanding"),
                                       opevo_i_cli_option(call, "only"),
                                       opevo_i_cli_option(call, "without"), mask, err);
cleanup:
    return status;
}

/* What the pass `winograd` may do. */
static opevo_status read_error(const opevo_call *call, uint32_t mask, double *out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (!opevo_i_cli_flag(call, "error"))
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_cli_option_positive(call, "error", out, err));
    if (opevo_network_plan_check_error(mask, &inner) != OPEVO_OK)
        return OPEVO_FAIL(err, inner.status, "--%s", inner.message);
    if (opevo_i_cli_option(call, "run") && !opevo_i_cli_flag(call, "passes"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--run runs the network as it is; add --passes for --error.");
cleanup:
    return status;
}

/* The library; where --error changes results, its test expects those of the model without. */
static opevo_status emit(const opevo_call *call, const opevo_network *network,
                         const opevo_i_cli_arrays *inputs, uint32_t mask, double error,
                         opevo_text *out, int *exit_code, opevo_error *err)
{
    const opevo_network_plan_options how = {
        .passes = mask, .error = error, .chooses = opevo_i_cli_network_is_tuned(call)};
    opevo_network_plan *plan = NULL;
    opevo_status status = OPEVO_OK;

    opevo_i_cli_network_say(call, "running the passes");
    OPEVO_TRY(opevo_network_plan_create(network, &how, &plan, err));
    OPEVO_TRY(opevo_i_cli_library_emit(call, plan, &how, inputs, out, exit_code, err));
cleanup:
    opevo_network_plan_destroy(plan);
    return status;
}

/* What --run does not find to be a network of known shapes runs while it is read. */
static opevo_status read(const opevo_call *call, opevo_network_given *given, opevo_network **out,
                         opevo_error *err)
{
    opevo_error reason = {OPEVO_OK, ""};
    opevo_status status = opevo_network_read(call->arguments[0], given, out, &reason);

    given->eager = status == OPEVO_INVALID && opevo_i_cli_option(call, "run");
    if (given->eager)
        return opevo_network_read(call->arguments[0], given, out, err);
    return status == OPEVO_OK ? OPEVO_OK : OPEVO_FAIL(err, status, "%s", reason.message);
}

/* Describe the network, or run it on the inputs of --run. */
static opevo_status examine(const opevo_call *call, const opevo_network *network, uint32_t mask,
                            double error, const opevo_i_cli_arrays *inputs, opevo_text *out,
                            int *exit_code, opevo_error *err)
{
    opevo_network_inference *inference = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_inference_create(network, &inference, err));
    inference->winograd.error = error;
    if (!opevo_i_cli_option(call, "run")) {
        OPEVO_TRY(describe(call, inference, mask, out, err));
        goto cleanup;
    }
    if (opevo_i_cli_flag(call, "passes"))
        OPEVO_TRY(opevo_network_inference_pass(inference, mask, err));
    OPEVO_TRY(opevo_i_cli_network_compare(call, inference, inputs, out, exit_code, err));
cleanup:
    opevo_network_inference_destroy(inference);
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *files = opevo_i_cli_option(call, "run");
    opevo_network *network = NULL;
    opevo_i_cli_arrays inputs = {0};
    opevo_network_given given = {0};
    opevo_status status = OPEVO_OK;
    uint32_t mask = 0;
    double error = 0;
    opevo_network_shapes list = {0};
    const char **bindings = NULL;
    size_t binding_count = 0;
    bool made = false;

    OPEVO_TRY(read_passes(call, &mask, err));
    OPEVO_TRY(read_error(call, mask, &error, err));
    OPEVO_TRY(read_shapes(call, &list, err));
    OPEVO_TRY(opevo_i_cli_option_all(call, "bind", &bindings, &binding_count, err));
    OPEVO_TRY(check_options(call, list.count, err));
    if (files)
        OPEVO_TRY(opevo_i_cli_arrays_read("run", files, &inputs, err));
    else if (opevo_i_cli_flag(call, "check-input"))
        OPEVO_TRY(opevo_i_cli_arrays_read("check-input", opevo_i_cli_option(call, "check-input"),
                                          &inputs, err));
    given = (opevo_network_given){.shapes = list.shape,
                                  .shape_count = list.count,
                                  .bindings = bindings,
                                  .binding_count = binding_count,
                                  .values = files || !list.count ? inputs.array : NULL,
                                  .files = inputs.file,
                                  .value_count = (size_t)inputs.count,
                                  .lengths = inputs.length,
                                  .length_count = (size_t)inputs.files,
                                  .shapes_only = !files,
                                  .counts = !files};
    if (opevo_i_cli_flag(call, "-o"))
        OPEVO_TRY(opevo_i_cli_library_prepare(call, &made, err));
    opevo_i_cli_network_say(call, "reading the model");
    if (opevo_i_cli_flag(call, "dynamic")) {
        status = opevo_i_cli_network_emit_dynamic(call, &given, mask, out, exit_code, err);
        goto cleanup;
    }
    OPEVO_TRY(read(call, &given, &network, err));
    opevo_i_cli_network_say(call, "");
    opevo_i_cli_network_warn(call, network);
    if (opevo_i_cli_flag(call, "-o"))
        OPEVO_TRY(emit(call, network, &inputs, mask, error, out, exit_code, err));
    else
        OPEVO_TRY(examine(call, network, mask, error, &inputs, out, exit_code, err));
cleanup:
    opevo_i_cli_network_say(call, "");
    if (status != OPEVO_OK)
        opevo_i_cli_library_leave(opevo_i_cli_option(call, "-o"), made);
    opevo_network_destroy(network);
    opevo_i_cli_arrays_free(&inputs);
    opevo_network_shapes_free(&list);
    opevo_free(bindings);
    return status;
}

const opevo_verb opevo_i_cli_verb_network = {
    .name = "network",
    .arguments = "MODEL.onnx",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Describe a neural network from an ONNX file, run it, or make a library in C of it.",
    .details = "Prints inputs, outputs, operators, weights and operations of the model, and its\n"
               "different computations, each with the number of steps that compute it, after\n"
               "the passes that join operators (docs/networks.md); --passes prints what each\n"
               "changes. docs/formats/onnx.md lists the operators. --run evaluates the\n"
               "definitions in double precision and rounds each result to float32. -o writes a\n"
               "library in C that stands alone, with kernels that --on tunes; measured times\n"
               "then decide where channels lie in blocks, and where --error is used. With\n"
               "--on cuda:N or hip:N its kernels are for a GPU, which is needed for tuning\n"
               "only; with --on opencl:N it is for OpenCL (docs/how-to/network-library.md).\n\n"
               "  opevo network model.onnx --shape data=1,3,224,224\n"
               "  opevo network model.onnx --passes\n"
               "  opevo network model.onnx --run input_0.pb --expect output_0.pb\n"
               "  opevo network model.onnx -o library && make -C library check\n"
               "  opevo network model.onnx --dynamic batch=1..32 -o library\n"
               "  opevo network model.onnx --target v2,v3,v4,aarch64 -o library\n"
               "  opevo network model.onnx --on cpu --trials 2000 --store runs.db -o library\n"
               "  opevo network model.onnx --on cuda:0 -o library && make -C library emulate",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
