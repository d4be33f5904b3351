/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "library_proof_internal.h"

#include <opevo/file.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/network_library.h>

#include <jansson.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_PLAN "the memory plan, "
#define NOT_COVERED                                                                                \
    "the text of the library around its kernels, nodes that are not kernels, and what each proof " \
    "does not cover"

enum { CERTIFICATE_BYTES = 1 << 26, LIST_BYTES = 1 << 20 };

/* Before the number of a kernel: of an ordinary library, and of those of each target. */
static size_t head_of(int target, char *out, size_t size)
{
    const char *name = target ? opevo_library_target_name(target - 1) : "";

    snprintf(out, size, "kernel_%s%s", name, target ? "_" : "");
    return strlen(out);
}

static void name_kernel(const char *folder, int target, size_t i, opevo_text *out)
{
    char head[64];

    head_of(target, head, sizeof head);
    opevo_text_clear(out);
    opevo_text_printf(out, "%s/%s%03zu.c", folder, head, i);
}

/* Its number and one; 0: another name. */
static size_t kernel_of_name(const char *name, int target)
{
    char head[64];
    size_t digits, number, length = head_of(target, head, sizeof head);

    if (strncmp(name, head, length) != 0)
        return 0;
    name += length;
    digits = strspn(name, "0123456789");
    number = strtoul(name, NULL, 10);
    return digits >= 3 && digits < 7 && strncmp(name + digits, ".c", 2) == 0 &&
                   (!name[digits + 2] || name[digits + 2] == '\n')
               ? number + 1
               : 0;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Those of the folder or of its list of files: the last one tells how many there should be. */
static size_t count_kernels(const char *folder, int target)
{
    DIR *entries = opendir(folder);
    opevo_text path = {0};
    char *list = NULL;
    size_t count = 0, size = 0;

    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        count = most(count, kernel_of_name(entry->d_name, target));
    if (entries)
        closedir(entries);
    opevo_text_printf(&path, "%s/net.files", folder);
    if (opevo_file_read(opevo_text_string(&path), LIST_BYTES, &list, &size, NULL) == OPEVO_OK)
        for (const char *line = list; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            count = most(count, kernel_of_name(line, target));
            if (!*line)
                break;
        }
    opevo_free(list);
    opevo_text_free(&path);
    return count;
}

bool opevo_i_cli_library_has_kernels(const char *folder)
{
    size_t count = 0;

    for (int target = 0; target <= OPEVO_LIBRARY_TARGETS && !count; target++)
        count = count_kernels(folder, target);
    return count > 0;
}

static void add_undecided(const char *path, const char *reason, bool json, opevo_text *out)
{
    const char *name = strrchr(path, '/') + 1;

    if (!json) {
        opevo_text_printf(out, "%s: undecided  ", name);
        opevo_text_add_visible(out, reason);
        opevo_text_add(out, "\n");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_string(out, "case", name);
    opevo_json_string(out, "verdict", "undecided");
    opevo_json_string(out, "reason", reason);
    opevo_text_add(out, "}\n");
}

/* The last line of the answers about a kernel says what its verdict rests on. */
static void note_answer(const char *answers, opevo_i_cli_library_proof *proof)
{
    const char *last = answers;
    json_t *root, *example;
    char *text = NULL;

    for (const char *line = answers; *line; line += *line == '\n') {
        last = line;
        line += strcspn(line, "\n");
    }
    root = json_loads(last, 0, NULL);
    proof->probability += json_number_value(json_object_get(root, "probability"));
    example = json_object_get(root, "counterexample");
    if (example && !proof->example.length && (text = json_dumps(example, JSON_PRESERVE_ORDER))) {
        opevo_json_key(&proof->example, "counterexample");
        opevo_text_add(&proof->example, text);
    }
    free(text);
    json_decref(root);
}

static opevo_status prove_one(const char *path, const opevo_i_cli_proof_request *request,
                              opevo_i_cli_library_proof *proof, opevo_text *out, opevo_error *err)
{
    opevo_i_cli_proof_request one = *request;
    opevo_error inner = {OPEVO_OK, ""};
    int code = OPEVO_I_CLI_UNDECIDED;
    size_t before = out->length;
    opevo_status status;

    one.kernel = path;
    one.part = true;
    status = opevo_i_cli_proof_ask(&one, out, &code, &inner);
    if (status == OPEVO_OK && request->json && !out->failed)
        note_answer(opevo_text_string(out) + before, proof);
    if (status == OPEVO_INVALID)
        add_undecided(path, inner.message, request->json, out);
    else if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "%s", inner.message);
    proof->kernels++;
    proof->proved += code == OPEVO_I_CLI_PROVED;
    proof->refuted += code == OPEVO_I_CLI_REFUTED;
    proof->undecided += code == OPEVO_I_CLI_UNDECIDED;
    return opevo_text_check(out, err);
}

/* The answers about one kernel, which end with the hash of its source, or with why it is undecided;
 * *at moves behind them. */
static void take_certificate(const char **at, opevo_text *out)
{
    bool last = false;

    opevo_text_clear(out);
    while (**at && !last) {
        size_t length = strcspn(*at, "\n");
        opevo_text line = {0};

        opevo_text_add_bytes(&line, *at, length);
        last = strstr(opevo_text_string(&line), "\"source\": ") ||
               !strstr(opevo_text_string(&line), "\"operations\": ");
        opevo_text_add(out, opevo_text_string(&line));
        opevo_text_add(out, "\n");
        out->failed |= line.failed;
        opevo_text_free(&line);
        *at += length + ((*at)[length] == '\n');
    }
}

opevo_status opevo_i_cli_library_prove(const char *folder, const opevo_i_cli_proof_request *request,
                                       opevo_i_cli_library_proof *proof, opevo_text *out,
                                       opevo_error *err)
{
    opevo_text path = {0}, certificate = {0};
    opevo_i_cli_proof_request one = *request;
    char *text = NULL;
    const char *at = "";
    size_t size = 0;
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/kernels.proof", folder);
    if (opevo_file_read(opevo_text_string(&path), CERTIFICATE_BYTES, &text, &size, NULL) ==
        OPEVO_OK)
        at = text;
    for (int target = 0; target <= OPEVO_LIBRARY_TARGETS; target++) {
        size_t kernels = count_kernels(folder, target);

        /* As the compiler of the library is called for it. */
        one.words = target ? opevo_library_target_words(target - 1) : request->words;
        for (size_t i = 0; i < kernels; i++) {
            name_kernel(folder, target, i, &path);
            OPEVO_TRY(opevo_text_check(&path, err));
            take_certificate(&at, &certificate);
            one.certificate = certificate.length ? opevo_text_string(&certificate) : NULL;
            OPEVO_TRY(prove_one(path.data, &one, proof, out, err));
        }
    }
cleanup:
    opevo_text_free(&path);
    opevo_text_free(&certificate);
    opevo_free(text);
    return status;
}

static const char *const words[] = {[OPEVO_I_CLI_PROVED] = "proved",
                                    [OPEVO_I_CLI_REFUTED] = "refuted",
                                    [OPEVO_I_CLI_UNDECIDED] = "undecided"};

int opevo_i_cli_library_proof_code(const opevo_i_cli_library_proof *proof)
{
    return proof->refuted     ? OPEVO_I_CLI_REFUTED
           : proof->undecided ? OPEVO_I_CLI_UNDECIDED
                              : OPEVO_I_CLI_PROVED;
}

int opevo_i_cli_library_whole_code(const opevo_i_cli_library_proof *proof)
{
    int code = opevo_i_cli_library_proof_code(proof);

    if (code == OPEVO_I_CLI_REFUTED || proof->network.verdict == OPEVO_NETWORK_REFUTED)
        return OPEVO_I_CLI_REFUTED;
    return proof->network.verdict == OPEVO_NETWORK_UNDECIDED ? OPEVO_I_CLI_UNDECIDED : code;
}

void opevo_i_cli_library_proof_free(opevo_i_cli_library_proof *proof)
{
    opevo_text_free(&proof->example);
}

static const char *not_covered(const opevo_i_cli_library_proof *proof)
{
    return proof->memory_plan ? NOT_COVERED : MEMORY_PLAN NOT_COVERED;
}

static void add_counts(const opevo_i_cli_library_proof *proof, opevo_text *out)
{
    opevo_json_index(out, "kernels", proof->kernels);
    opevo_json_index(out, "proved", proof->proved);
    opevo_json_index(out, "refuted", proof->refuted);
    opevo_json_index(out, "undecided", proof->undecided);
}

void opevo_i_cli_library_proof_print(const opevo_i_cli_library_proof *proof, bool json,
                                     opevo_text *out)
{
    if (!json) {
        opevo_text_printf(out,
                          "%zu of %zu kernel%s proved, %zu refuted, %zu undecided. Not "
                          "covered: %s.\n",
                          proof->proved, proof->kernels, proof->kernels == 1 ? "" : "s",
                          proof->refuted, proof->undecided, not_covered(proof));
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_string(out, "verdict", words[opevo_i_cli_library_proof_code(proof)]);
    add_counts(proof, out);
    opevo_json_string(out, "not_covered", not_covered(proof));
    opevo_text_add(out, "}\n");
}

void opevo_i_cli_library_proof_print_json(const opevo_i_cli_library_proof *proof,
                                          const opevo_i_cli_library_certificate *certificate,
                                          opevo_text *out)
{
    int code = opevo_i_cli_library_whole_code(proof);

    opevo_text_add(out, "{");
    opevo_json_string(out, "verdict", words[code]);
    add_counts(proof, out);
    if (code == OPEVO_I_CLI_PROVED)
        opevo_json_double(out, "probability",
                          fmin(1, proof->probability + proof->network.probability));
    opevo_text_add(out, opevo_text_string(&proof->example));
    out->failed |= proof->example.failed;
    opevo_i_cli_network_add_json_proof(proof, out);
    if (*certificate->verdict) {
        opevo_json_open(out, "certificate", "{");
        opevo_json_string(out, "verdict", certificate->verdict);
        opevo_json_bool(out, "of_these_files", certificate->of_these_files);
        opevo_text_add(out, "}");
    }
    opevo_json_string(out, "not_covered", not_covered(proof));
    opevo_text_add(out, "}\n");
}
