/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which program a command runs: where its executable file is, the contents of that and, where it is
 * an interpreter, of the script that it is given. */

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_line_internal.h"

#define PROGRAM_BYTES_MAX ((size_t)256 << 20)

/* Continue a hash by the contents of a file; false where it cannot be read. */
static bool hash_file(const char *path, uint64_t *hash)
{
    char *data = NULL;
    size_t size = 0;
    bool read = opevo_file_read(path, PROGRAM_BYTES_MAX, &data, &size, NULL) == OPEVO_OK;

    if (read)
        *hash = opevo_hash_bytes(*hash, data, size);
    opevo_free(data);
    return read;
}

bool opevo_i_process_executable_find(const char *word, opevo_text *out)
{
    const char *folders = getenv("PATH");

    if (strchr(word, '/')) {
        opevo_text_add(out, word);
        return !out->failed && access(word, X_OK) == 0;
    }
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");

        opevo_text_clear(out);
        opevo_text_add_bytes(out, length ? folders : ".", length ? length : 1);
        opevo_text_printf(out, "/%s", word);
        if (!out->failed && access(out->data, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

bool opevo_i_process_executable_beside(const char *name, opevo_text *out)
{
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own);
    opevo_text path = {0};
    bool found = false;

    while (length > 0 && own[length - 1] != '/')
        length--;
    if (length <= 0)
        return false;
    opevo_text_add_bytes(&path, own, (size_t)length);
    opevo_text_add(&path, name);
    found = !path.failed && access(path.data, X_OK) == 0;
    if (found)
        opevo_text_add(out, path.data);
    opevo_text_free(&path);
    return found && !out->failed;
}

static bool is_interpreter(const char *word)
{
    static const char *const known[] = {"bash", "dash",   "julia", "ksh",     "lua", "node",
                                        "perl", "python", "ruby",  "Rscript", "sh",  "zsh"};
    const char *slash = strrchr(word, '/');
    const char *name = slash ? slash + 1 : word;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i]);

        /* python3.11, lua5.4 */
        if (!strncmp(name, known[i], length) &&
            !name[length + strspn(name + length, ".0123456789")])
            return true;
    }
    return false;
}

uint64_t opevo_i_process_build_hash(const opevo_i_process_arguments *command)
{
    opevo_text path = {0};
    uint64_t hash = OPEVO_HASH_START;
    bool known =
        opevo_i_process_executable_find(command->items[0], &path) && hash_file(path.data, &hash);

    opevo_text_free(&path);
    for (size_t i = 1; known && i < command->count; i++)
        hash_file(command->items[i], &hash); /* most words are not files */
    return known ? hash | !hash : 0;
}

uint64_t opevo_i_process_program_hash(const opevo_i_process_arguments *command)
{
    opevo_text path = {0};
    uint64_t hash = OPEVO_HASH_START;
    size_t script = 1;
    bool known =
        opevo_i_process_executable_find(command->items[0], &path) && hash_file(path.data, &hash);

    opevo_text_free(&path);
    if (known && is_interpreter(command->items[0])) {
        while (script < command->count && command->items[script][0] == '-')
            script++;
        if (script < command->count && strchr(command->items[script], '{') == NULL &&
            strpbrk(command->items[script], " \n;") == NULL)
            known = hash_file(command->items[script], &hash);
    }
    return known ? hash | !hash : 0;
}
