/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A network's library as a whole: it is made once more of its model, the files of the folder must
 * be those that are made, and what they do is proved of what was made.
 *
 * What the folder says of itself, how it was made and its certificate, decides nothing: with
 * another note another library is made, whose files differ. */

#include "library_proof_internal.h"

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/network_made.h>

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CERTIFICATE_BYTES = 1 << 26 };

typedef struct whole {
    const char *folder;
    opevo_text note, path;
    opevo_network_model model; /* as the folder names it */
    opevo_network_remade made;
    opevo_i_cli_library_proof *proof;
} whole;

static void say(whole *self, const char *reason)
{
    self->proof->network.verdict = OPEVO_NETWORK_UNDECIDED;
    snprintf(self->proof->network.reason, sizeof self->proof->network.reason, "%s", reason);
}

/* Where the model is; an empty path where it is not, which is said. */
static opevo_status find_model(whole *self, const char *given, opevo_error *err)
{
    opevo_text reason = {0};
    uint64_t hash = 0;
    opevo_status status = OPEVO_OK;

    if (given)
        opevo_text_add(&self->path, given);
    else
        opevo_text_printf(&self->path, "%s/%s", self->folder, opevo_text_string(&self->model.name));
    OPEVO_TRY(opevo_text_check(&self->path, err));
    if (!given && access(self->path.data, F_OK) != 0) {
        opevo_text_printf(&reason, "The folder does not have its model: name it by --model %s.",
                          opevo_text_string(&self->model.name));
    } else {
        OPEVO_TRY(opevo_network_model_hash(self->path.data, &hash, err));
        if (hash != self->model.hash)
            opevo_text_printf(&reason,
                              "%s is another file than the model of the library: its hash is "
                              "%016llx, and that of the model %016llx.",
                              self->path.data, (unsigned long long)hash,
                              (unsigned long long)self->model.hash);
    }
    if (reason.length) {
        say(self, reason.data);
        opevo_text_clear(&self->path);
    }
cleanup:
    opevo_text_free(&reason);
    return status;
}

static opevo_status prove(whole *self, uint64_t seed, opevo_error *err)
{
    opevo_text why = {0};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status =
        opevo_network_remake(opevo_text_string(&self->note), self->path.data, &self->made, &inner);

    /* The model is the one that was read before: so the note is another. */
    if (status == OPEVO_INVALID) {
        say(self, inner.message);
        return OPEVO_OK;
    }
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "%s", inner.message);
    OPEVO_TRY(opevo_network_library_compare(self->made.library, self->folder, &why, err));
    if (why.length) {
        say(self, why.data);
        goto cleanup;
    }
    OPEVO_TRY(opevo_network_library_check_memory(self->made.library, err));
    self->proof->memory_plan = true;
    status = opevo_network_prove(self->made.network, self->made.plan->inference, self->made.passes,
                                 seed, &self->proof->network, err);
cleanup:
    opevo_text_free(&why);
    return status;
}

opevo_status opevo_i_cli_library_prove_whole(const char *folder, const char *model, uint64_t seed,
                                             opevo_i_cli_library_proof *proof, opevo_error *err)
{
    whole self = {.folder = folder, .proof = proof};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (opevo_network_library_read_note(folder, &self.note, &inner) != OPEVO_OK ||
        opevo_network_made_model(opevo_text_string(&self.note), &self.model, &inner) != OPEVO_OK) {
        say(&self, "The folder does not say of which model the library is: write it again.");
        goto cleanup;
    }
    OPEVO_TRY(find_model(&self, model, err));
    if (self.path.length)
        OPEVO_TRY(prove(&self, seed, err));
cleanup:
    opevo_network_remade_free(&self.made);
    opevo_text_free(&self.model.name);
    opevo_text_free(&self.note);
    opevo_text_free(&self.path);
    return status;
}

/* ---- Certificates ---- */

static opevo_status add_file(const char *folder, const char *name, uint64_t *hash, opevo_error *err)
{
    opevo_text path = {0};
    char *data = NULL;
    size_t size = 0;
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/%s", folder, name);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_file_read(path.data, OPEVO_NETWORK_FILE, &data, &size, err));
    *hash = opevo_hash_u64(opevo_hash_bytes(*hash, name, strlen(name)), size);
    *hash = opevo_hash_bytes(*hash, data, size);
cleanup:
    opevo_free(data);
    opevo_text_free(&path);
    return status;
}

/* Of all files that net.files names, and of itself, which says of which model they are. */
static opevo_status hash_files(const char *folder, uint64_t *out, opevo_error *err)
{
    static const char list[] = "net.files";
    opevo_text path = {0};
    char *text = NULL, *rest = NULL;
    size_t size = 0;
    opevo_status status = OPEVO_OK;

    *out = OPEVO_HASH_START;
    opevo_text_printf(&path, "%s/%s", folder, list);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_file_read(path.data, (size_t)1 << 20, &text, &size, err));
    *out = opevo_hash_bytes(*out, text, size);
    for (char *name = strtok_r(text, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
        if (*name != '#' && !strchr(name, '/'))
            OPEVO_TRY(add_file(folder, name, out, err));
cleanup:
    opevo_free(text);
    opevo_text_free(&path);
    return status;
}

opevo_status opevo_i_cli_library_certify(const char *folder, const opevo_i_cli_library_proof *proof,
                                         opevo_text *out, opevo_error *err)
{
    char hash[24];
    uint64_t bytes = 0;
    opevo_status status = hash_files(folder, &bytes, err);

    if (status != OPEVO_OK)
        return status;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)bytes);
    opevo_text_add(out, "{");
    opevo_json_string(out, "library", opevo_i_cli_network_verdict(proof));
    opevo_i_cli_network_add_json_proof(proof, out);
    opevo_json_string(out, "files", hash);
    opevo_text_add(out, "}\n");
    return opevo_text_check(out, err);
}

opevo_status opevo_i_cli_library_read_certificate(const char *folder,
                                                  opevo_i_cli_library_certificate *out,
                                                  opevo_error *err)
{
    opevo_text path = {0};
    char *text = NULL;
    const char *verdict, *files, *last;
    size_t size = 0;
    uint64_t hash = 0;
    json_t *root = NULL;
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/kernels.proof", folder);
    OPEVO_TRY(opevo_text_check(&path, err));
    if (opevo_file_read(path.data, CERTIFICATE_BYTES, &text, &size, NULL) != OPEVO_OK)
        goto cleanup;
    while (size && text[size - 1] == '\n')
        text[--size] = '\0';
    last = strrchr(text, '\n');
    root = json_loads(last ? last + 1 : text, 0, NULL);
    verdict = json_string_value(json_object_get(root, "library"));
    files = json_string_value(json_object_get(root, "files"));
    if (!verdict || !files || hash_files(folder, &hash, NULL) != OPEVO_OK)
        goto cleanup;
    snprintf(out->verdict, sizeof out->verdict, "%s", verdict);
    out->of_these_files = strtoull(files, NULL, 16) == hash;
cleanup:
    json_decref(root);
    opevo_free(text);
    opevo_text_free(&path);
    return status;
}
