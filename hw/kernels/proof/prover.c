/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Requests: the texts of a kernel, its cases, and the verdict on all of them. */

#include "prover_internal.h"

#include <opevo/computation_named.h>
#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/memory.h>

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HARNESS_BYTES = 1 << 22, SOURCE_BYTES = 1 << 28 };

/* ---- Requests ---- */

typedef struct request {
    json_t *root;
    const char *kernel, *harness, *computes;
    opevo_text kernel_path, harness_text, computes_text; /* of a folder */
    opevo_i_prover_call call;
    opevo_i_prover_words words;
    bool json, rounding, part;
    bool of_bits;    /* what is proved is that another kernel gives the same bits, */
    bool of_kernel;  /* or that it is the same function as another one */
    bool compare;    /* the certificate with the source, and prove nothing */
    bool of_library; /* the kernel is of a network's */
    uint64_t seed;
} request;

static opevo_status look_at(const char *path, bool *is_folder, opevo_error *err)
{
    struct stat facts;

    if (stat(path, &facts) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
    *is_folder = S_ISDIR(facts.st_mode);
    return OPEVO_OK;
}

/* A kernel of a network's library, as opevo names it. */
static bool is_of_library(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t digits = 0;

    if (strncmp(name, "kernel_", 7) != 0)
        return false;
    name += 7;
    if (strchr(name, '_'))
        name = strchr(name, '_') + 1; /* "v3_000.c": of a target */
    digits = strspn(name, "0123456789");
    return digits >= 3 && strcmp(name + digits, ".c") == 0;
}

static opevo_status read_library(request *self, opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;

    self->of_library = true;
    OPEVO_TRY(opevo_i_prover_library(self->kernel, &self->computes_text, &self->call, err));
    OPEVO_TRY(opevo_computation_read(opevo_text_string(&self->computes_text), &computation, err));
    status = opevo_i_prover_harness(computation, &self->call, &self->harness_text, err);
cleanup:
    opevo_computation_destroy(computation);
    return status;
}

static opevo_status check_library(const request *self, const opevo_i_prover_module *module,
                                  opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_status status;

    if (!self->of_library)
        return OPEVO_OK;
    status = opevo_computation_read(opevo_text_string(&self->computes_text), &computation, err);
    if (status == OPEVO_OK)
        status = opevo_i_prover_library_check(module, self->kernel, computation, &self->call, err);
    opevo_computation_destroy(computation);
    return status;
}

static opevo_status read_request(const char *text, request *out, opevo_error *err)
{
    json_t *root = json_loads(text, 0, NULL);
    bool is_folder = false;
    opevo_status status;

    out->root = root;
    out->kernel = json_string_value(json_object_get(root, "kernel"));
    out->harness = json_string_value(json_object_get(root, "harness"));
    out->computes = json_string_value(json_object_get(root, "computes"));
    out->json = json_is_true(json_object_get(root, "json"));
    out->rounding = json_is_true(json_object_get(root, "rounding"));
    out->part = json_is_true(json_object_get(root, "part"));
    out->of_bits = json_object_get(root, "same_bits") != NULL;
    out->of_kernel = json_object_get(root, "same_function") != NULL;
    out->compare = json_is_true(json_object_get(root, "compare"));
    out->seed = (uint64_t)json_integer_value(json_object_get(root, "seed"));
    status = opevo_i_prover_words_read(json_object_get(root, "set"), &out->words, err);
    if (status == OPEVO_OK && out->of_bits)
        status = opevo_i_prover_words_add(&out->words, "-DOPEVO_TELL_APART\n", err);
    if (status == OPEVO_OK && json_object_get(root, "words"))
        status = opevo_i_prover_words_add(&out->words,
                                          json_string_value(json_object_get(root, "words")), err);
    if (status != OPEVO_OK)
        return status;
    if (!out->kernel)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A request to prove names no kernel.");
    status = look_at(out->kernel, &is_folder, err);
    if (status != OPEVO_OK)
        return status;
    if (is_folder && !out->harness)
        return opevo_i_prover_folder(out->kernel, &out->kernel_path, &out->computes_text,
                                     &out->harness_text, &out->call, err);
    opevo_text_add(&out->kernel_path, out->kernel);
    if (!out->harness && is_of_library(out->kernel))
        return read_library(out, err);
    if (!out->harness)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: how is it called? Name its harness by --harness FILE.", out->kernel);
    return OPEVO_OK;
}

static void close_request(request *self)
{
    json_decref(self->root);
    opevo_text_free(&self->kernel_path);
    opevo_text_free(&self->harness_text);
    opevo_text_free(&self->computes_text);
    opevo_i_prover_words_free(&self->words);
}

/* With the values of its parameters, and its words for the compiler. */
static opevo_status open_harness(request *self, opevo_harness **out, opevo_error *err)
{
    const opevo_harness_values values = opevo_i_prover_values(&self->words);
    opevo_text words = {0};
    char *text = NULL;
    size_t size = 0;
    opevo_status status = OPEVO_OK;

    if (self->harness) {
        OPEVO_TRY(opevo_file_read(self->harness, HARNESS_BYTES, &text, &size, err));
        OPEVO_TRY(opevo_harness_parse_with(self->harness, text, size, &values, out, err));
    } else {
        OPEVO_TRY(opevo_harness_parse(self->kernel, self->harness_text.data,
                                      self->harness_text.length, out, err));
    }
    OPEVO_TRY(opevo_harness_compiler(*out, &values, &words, err));
    status = opevo_i_prover_words_add(&self->words, opevo_text_string(&words), err);
cleanup:
    opevo_text_free(&words);
    opevo_free(text);
    return status;
}

/* ---- Cases ---- */

/* A text over the sizes of the case. */
static opevo_status open_computation(const request *self, const opevo_harness *harness,
                                     const opevo_case *what, opevo_computation **out,
                                     opevo_error *err)
{
    const char *text = self->computes ? self->computes : opevo_harness_computation(harness);
    opevo_binding binding[64];
    size_t count = 0;

    if (self->computes_text.length)
        return opevo_computation_read(opevo_text_string(&self->computes_text), out, err);
    if (!text)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "What does it compute? Say so by --computes TEXT, or in the harness by "
                          "\"reference\": {\"computation\": TEXT}.");
    while (count < sizeof binding / sizeof *binding &&
           opevo_case_value(what, count, &binding[count].name, &binding[count].value))
        count++;
    return opevo_computation_parse(text, "--computes", binding, count, out, err);
}

typedef struct answer {
    const request *request;
    const opevo_harness *harness;
    const opevo_i_prover_module *module;
    opevo_text *out;
    opevo_i_prover_whole whole;
    opevo_text labels; /* of the cases without their seeds, one a line */
} answer;

/* Of buffers that are not inputs of the computation, or without one not floats: their contents are
 * those of the seed. */
static uint64_t hash_fixed(opevo_case *what, const opevo_computation *computation)
{
    size_t count = 0;
    const opevo_buffer *buffers = opevo_case_buffers(what, &count);
    uint64_t hash = OPEVO_HASH_START;

    for (size_t i = 0; i < count; i++) {
        const opevo_tensor *tensor =
            computation ? opevo_computation_find(computation, buffers[i].name) : NULL;
        bool is_input = computation ? tensor && !tensor->definition
                                    : buffers[i].element == OPEVO_KERNEL_ELEMENT_F32 ||
                                          buffers[i].element == OPEVO_KERNEL_ELEMENT_F64;

        if (buffers[i].initialised && !is_input)
            hash = opevo_hash_bytes(hash, buffers[i].data, buffers[i].size_bytes);
    }
    return hash;
}

/* Cases that differ in their seed only, and by it in no contents but inputs, are one: inputs are
 * all inputs. The seed is the last word of a label, whatever sizes are called. */
static bool is_new(answer *self, opevo_case *what, const opevo_computation *computation)
{
    const char *label = opevo_case_label(what), *seed = strrchr(label, ' ');
    opevo_text line = {0};
    bool known;

    opevo_text_printf(&line, "\n%.*s %016llx\n", seed ? (int)(seed - label) : 0, label,
                      (unsigned long long)hash_fixed(what, computation));
    known = strstr(opevo_text_string(&self->labels), opevo_text_string(&line)) != NULL;
    if (!known)
        opevo_text_add(&self->labels, opevo_text_string(&line));
    opevo_text_free(&line);
    return !known;
}

/* The case of a harness, or the file of a library. */
static void print_label(const request *self, const opevo_case *what, opevo_text *out)
{
    const char *slash = strrchr(self->kernel, '/');

    if (self->of_library)
        opevo_text_add(out, slash ? slash + 1 : self->kernel);
    else if (self->harness)
        opevo_text_add(out, opevo_case_label(what));
    if (*self->call.shared)
        opevo_text_printf(out, ", Y0 in %s", self->call.shared);
}

static opevo_proof_options options_of(const request *self)
{
    return (opevo_proof_options){.seed = self->seed,
                                 .rounding = self->rounding,
                                 .own = self->harness_text.length > 0,
                                 .read = *self->call.shared ? self->call.shared : NULL,
                                 .written = "Y0",
                                 .thread_from = (uint64_t)self->call.scratch_bytes,
                                 .thread_bytes = (uint64_t)self->call.thread_bytes};
}

static opevo_status prove_case(answer *self, opevo_harness_set set, size_t i, opevo_error *err)
{
    const opevo_proof_options options = options_of(self->request);
    opevo_case *what = NULL;
    opevo_computation *computation = NULL;
    opevo_text label = {0};
    opevo_proof proof;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_case_open(self->harness, set, i, &what, err));
    OPEVO_TRY(open_computation(self->request, self->harness, what, &computation, err));
    if (!is_new(self, what, computation))
        goto cleanup;
    OPEVO_TRY(
        opevo_prove(self->module->module, self->harness, what, computation, &options, &proof, err));
    opevo_i_prover_note(computation, &proof, &self->whole);
    print_label(self->request, what, &label);
    opevo_i_prover_print(opevo_text_string(&label), computation, &proof, self->request->json,
                         self->out);
cleanup:
    opevo_text_free(&label);
    opevo_computation_destroy(computation);
    opevo_case_close(what);
    return status;
}

static opevo_status prove_all(answer *self, opevo_error *err)
{
    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++)
        for (size_t i = 0; i < opevo_harness_case_count(self->harness, set); i++) {
            opevo_status status = prove_case(self, set, i, err);

            if (status != OPEVO_OK)
                return status;
        }
    return self->whole.cases ? OPEVO_OK
                             : OPEVO_FAIL(err, OPEVO_INVALID, "The harness has no cases.");
}

/* ---- The same bits as another kernel ---- */

typedef struct other {
    request asked;
    opevo_harness *harness;
    opevo_i_prover_module module;
} other;

/* It is called as the first one is. */
static opevo_status open_other(const request *first, other *out, opevo_error *err)
{
    json_t *root = json_copy(first->root);
    char *text = NULL;
    opevo_status status = OPEVO_OK;

    if (!root ||
        json_object_set(root, "kernel",
                        json_object_get(root, first->of_bits ? "same_bits" : "same_function")) !=
            0 ||
        !(text = json_dumps(root, 0))) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a request.");
        goto cleanup;
    }
    OPEVO_TRY(read_request(text, &out->asked, err));
    OPEVO_TRY(open_harness(&out->asked, &out->harness, err));
    status = opevo_i_prover_load(opevo_text_string(&out->asked.kernel_path),
                                 out->asked.harness_text.length > 0,
                                 opevo_text_string(&out->asked.words.lines), &out->module, err);
cleanup:
    free(text);
    json_decref(root);
    return status;
}

static opevo_status compare_case(answer *self, const other *with, opevo_harness_set set, size_t i,
                                 opevo_error *err)
{
    opevo_bits_side sides[] = {{.module = self->module->module,
                                .harness = self->harness,
                                .options = options_of(self->request)},
                               {.module = with->module.module,
                                .harness = with->harness,
                                .options = options_of(&with->asked)}};
    opevo_proof proof;
    opevo_text label = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_case_open(self->harness, set, i, &sides[0].what, err));
    OPEVO_TRY(opevo_case_open(with->harness, set, i, &sides[1].what, err));
    if (!is_new(self, sides[0].what, NULL))
        goto cleanup;
    OPEVO_TRY((self->request->of_bits ? opevo_prove_same_bits
                                      : opevo_prove_same_function)(sides, &proof, err));
    opevo_i_prover_note(NULL, &proof, &self->whole);
    print_label(self->request, sides[0].what, &label);
    opevo_i_prover_print(opevo_text_string(&label), NULL, &proof, self->request->json, self->out);
cleanup:
    opevo_text_free(&label);
    opevo_case_close(sides[0].what);
    opevo_case_close(sides[1].what);
    return status;
}

static opevo_status compare_all(answer *self, opevo_error *err)
{
    other with = {.harness = NULL};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(open_other(self->request, &with, err));
    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++) {
        size_t count = opevo_harness_case_count(self->harness, set);

        if (count != opevo_harness_case_count(with.harness, set)) {
            status =
                OPEVO_FAIL(err, OPEVO_INVALID, "Both kernels need harnesses of the same cases.");
            goto cleanup;
        }
        for (size_t i = 0; i < count; i++)
            OPEVO_TRY(compare_case(self, &with, set, i, err));
    }
cleanup:
    opevo_i_prover_unload(&with.module);
    opevo_harness_destroy(with.harness);
    close_request(&with.asked);
    return status;
}

/* ---- Outputs in inputs ---- */

/* Whether the source says of an operand that no other one lies there. */
static bool is_restricted(const opevo_i_prover_module *module, const request *self,
                          const opevo_workload_list *list, const char *name)
{
    unsigned i = 0;

    while (i < (unsigned)list->count && strcmp(list->item[i].name, name) != 0)
        i++;
    return opevo_i_prover_library_is_restricted(module, &self->call, i);
}

static opevo_status check_shared(const answer *self, const request *asked,
                                 const opevo_computation *computation, opevo_error *err)
{
    opevo_workload *work = NULL;
    opevo_status status = opevo_workload_create(computation, &work, err);

    if (status == OPEVO_OK &&
        (is_restricted(self->module, asked, &work->list, asked->call.shared) ||
         is_restricted(self->module, asked, &work->list, "Y0")))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: Y0 may lie where %s lies, and yet one of them is restrict.",
                            asked->kernel, asked->call.shared);
    opevo_workload_destroy(work);
    return status;
}

/* Once more for each input that the output may overwrite. */
static opevo_status prove_shared(answer *self, request *asked, opevo_error *err)
{
    opevo_computation *computation = NULL;
    const opevo_harness *apart = NULL;
    opevo_harness *shared = NULL;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (!asked->call.reused)
        return OPEVO_OK;
    OPEVO_TRY(opevo_computation_read(opevo_text_string(&asked->computes_text), &computation, err));
    for (unsigned i = 0; i < 32; i++) {
        if (!(asked->call.reused >> i & 1))
            continue;
        snprintf(asked->call.shared, sizeof asked->call.shared, "X%u", i);
        OPEVO_TRY(check_shared(self, asked, computation, err));
        opevo_text_clear(&text);
        OPEVO_TRY(opevo_i_prover_harness(computation, &asked->call, &text, err));
        OPEVO_TRY(opevo_harness_parse(asked->kernel, opevo_text_string(&text), text.length, &shared,
                                      err));
        opevo_text_clear(&self->labels);
        apart = self->harness;
        self->harness = shared;
        status = prove_all(self, err);
        self->harness = apart;
        opevo_harness_destroy(shared);
        shared = NULL;
        OPEVO_TRY(status);
    }
cleanup:
    *asked->call.shared = '\0';
    opevo_computation_destroy(computation);
    opevo_text_free(&text);
    return status;
}

/* ---- Certificates ---- */

static uint64_t add_text(uint64_t hash, const char *text)
{
    return opevo_hash_bytes(hash, text, strlen(text) + 1);
}

/* Of the source, how it is called, and what it should compute. */
static opevo_status hash_source(const request *self, uint64_t *out, opevo_error *err)
{
    char *text = NULL, *harness = NULL;
    size_t size = 0, harness_size = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(
        opevo_file_read(opevo_text_string(&self->kernel_path), SOURCE_BYTES, &text, &size, err));
    if (self->harness)
        OPEVO_TRY(opevo_file_read(self->harness, HARNESS_BYTES, &harness, &harness_size, err));
    *out = opevo_hash_bytes(OPEVO_HASH_START, text, size);
    *out = opevo_hash_bytes(*out, harness ? harness : "", harness_size);
    *out = add_text(*out, opevo_text_string(&self->harness_text));
    *out = add_text(*out, opevo_text_string(&self->computes_text));
    *out = add_text(*out, self->computes ? self->computes : "");
    *out = add_text(*out, opevo_text_string(&self->words.lines));
cleanup:
    opevo_free(text);
    opevo_free(harness);
    return status;
}

/* Earlier answers about the kernel: of the request, else of its folder. */
static void read_certificate(const request *self, opevo_text *out)
{
    const char *given = json_string_value(json_object_get(self->root, "certificate"));
    opevo_text path = {0};
    char *text = NULL;
    size_t size = 0;

    if (given) {
        opevo_text_add(out, given);
        return;
    }
    opevo_text_printf(&path, "%s/kernel.proof", self->kernel);
    if (!self->harness &&
        opevo_file_read(opevo_text_string(&path), HARNESS_BYTES, &text, &size, NULL) == OPEVO_OK)
        opevo_text_add_bytes(out, text, size);
    opevo_free(text);
    opevo_text_free(&path);
}

/* Their last line is about all cases, and has the hash of the source. */
static void read_answers(const char *lines, opevo_i_prover_certificate *out)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        json_t *root = json_loadb(lines, length, 0, NULL);
        const char *verdict = json_string_value(json_object_get(root, "verdict"));
        const char *source = json_string_value(json_object_get(root, "source"));

        snprintf(out->verdict, sizeof out->verdict, "%s", verdict ? verdict : "");
        out->source = source ? strtoull(source, NULL, 16) : 0;
        json_decref(root);
        lines += length + (lines[length] == '\n');
    }
}

/* Load the kernel and prove all of its cases. */
static opevo_status prove(answer *self, request *asked, opevo_error *err)
{
    opevo_i_prover_module module = {NULL, NULL};
    opevo_status status = OPEVO_OK;

    self->module = &module;
    OPEVO_TRY(opevo_i_prover_load(opevo_text_string(&asked->kernel_path),
                                  asked->harness_text.length > 0,
                                  opevo_text_string(&asked->words.lines), &module, err));
    if (asked->of_bits || asked->of_kernel) {
        status = compare_all(self, err);
        goto cleanup;
    }
    OPEVO_TRY(check_library(asked, &module, err));
    OPEVO_TRY(prove_all(self, err));
    status = prove_shared(self, asked, err);
cleanup:
    self->module = NULL;
    opevo_i_prover_unload(&module);
    return status;
}

opevo_status opevo_prover_answer(const char *text, opevo_text *out, int *exit_code,
                                 opevo_error *err)
{
    static const int codes[] = {[OPEVO_PROOF_PROVED] = OPEVO_PROVER_PROVED,
                                [OPEVO_PROOF_REFUTED] = OPEVO_PROVER_REFUTED,
                                [OPEVO_PROOF_UNDECIDED] = OPEVO_PROVER_UNDECIDED};
    request asked = {0};
    opevo_harness *harness = NULL;
    opevo_text earlier = {0};
    opevo_i_prover_certificate certificate = {.source = 0};
    answer self = {.request = &asked, .out = out};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(read_request(text, &asked, err));
    OPEVO_TRY(open_harness(&asked, &harness, err));
    self.harness = harness;
    self.whole.of_bits = asked.of_bits;
    if (json_is_true(json_object_get(asked.root, "preprocess"))) {
        status = opevo_i_prover_preprocess(asked.kernel,
                                           json_is_true(json_object_get(asked.root, "parallel")),
                                           opevo_text_string(&asked.words.lines), out, err);
        *exit_code = OPEVO_PROVER_PROVED;
        goto cleanup;
    }
    if (!asked.compare)
        OPEVO_TRY(prove(&self, &asked, err));
    OPEVO_TRY(hash_source(&asked, &self.whole.source, err));
    if (!asked.of_bits && !asked.of_kernel)
        read_certificate(&asked, &earlier);
    read_answers(opevo_text_string(&earlier), &certificate);
    if (asked.compare)
        opevo_i_prover_print_comparison(&certificate, self.whole.source, out);
    else
        opevo_i_prover_print_all(&self.whole, &certificate, asked.json, asked.part, out);
    *exit_code = codes[self.whole.verdict];
cleanup:
    opevo_text_free(&self.whole.example);
    opevo_text_free(&self.labels);
    opevo_text_free(&earlier);
    opevo_harness_destroy(harness);
    close_request(&asked);
    return status;
}
