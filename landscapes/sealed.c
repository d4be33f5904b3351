/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sealed landscapes. The file is a line that says what it is, a line of JSON with the sizes and the
 * hash of the content, the content, which is disguised so that nobody reads it by accident, and the
 * log: a line of JSON for each entry, which ends with the SHA-256 of the chain up to it. */

#include <opevo/sealed.h>

#include "recorded_internal.h"

#include <opevo/file.h>
#include <opevo/json.h>
#include <opevo/json_read.h>
#include <opevo/landscape.h>
#include <opevo/memory.h>
#include <opevo/sha256.h>
#include <opevo/version.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char magic[] = OPEVO_I_SEALED_MAGIC;
#define SEALED_BYTES_MAX ((size_t)2 << 30)

/* A sealed file that was read whole. */
typedef struct sealed {
    const char *path;
    char *text;
    size_t size;
    const char *header; /* its line */
    size_t header_length;
    char *content; /* disguised */
    size_t table_size, json_size;
    char name[256];
    const char *log, *log_end;
} sealed;

/* ---- The content ----------------------------------------------------------------------------- */

/* Change bytes by a stream of digests of the content's hash and a counter; twice gives them back.
 * It is not a secret: eyes and other programs do not see the rows, whoever has this program may. */
static void disguise(const char *hash, char *bytes, size_t size)
{
    char seed[OPEVO_SHA256_SIZE + 24], block[OPEVO_SHA256_SIZE];

    for (size_t at = 0; at < size; at += OPEVO_SHA256_SIZE - 1) {
        snprintf(seed, sizeof seed, "%s %zu", hash, at);
        opevo_sha256_of(seed, strlen(seed), block);
        for (size_t i = 0; i < OPEVO_SHA256_SIZE - 1 && at + i < size; i++)
            bytes[at + i] = (char)(bytes[at + i] ^ block[i] ^ 0x80);
    }
}

static opevo_status fail_altered(const char *path, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s is not what was sealed: its content or its log was altered.", path);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static opevo_status read_header(sealed *self, opevo_error *err)
{
    char hash[OPEVO_SHA256_SIZE];
    const char *end = memchr(self->header, '\n', self->size - strlen(magic));
    json_t *root = NULL;
    const char *name = NULL, *stated = NULL;
    opevo_status status = OPEVO_OK;

    if (!end)
        return fail_altered(self->path, err);
    self->header_length = (size_t)(end - self->header);
    root = json_loadb(self->header, self->header_length, 0, NULL);
    name = json_string_value(json_object_get(root, "name"));
    stated = json_string_value(json_object_get(root, "sha256"));
    self->table_size = (size_t)json_integer_value(json_object_get(root, "table_bytes"));
    self->json_size = (size_t)json_integer_value(json_object_get(root, "json_bytes"));
    self->content = (char *)end + 1;
    if (!name || !name[0] || !stated || self->table_size > self->size ||
        self->json_size > self->size ||
        self->table_size + self->json_size > (size_t)(self->text + self->size - self->content)) {
        status = fail_altered(self->path, err);
        goto cleanup;
    }
    snprintf(self->name, sizeof self->name, "%s", name);
    self->log = self->content + self->table_size + self->json_size;
    self->log_end = self->text + self->size;
    disguise(stated, self->content, self->table_size + self->json_size);
    opevo_sha256_of(self->content, self->table_size + self->json_size, hash);
    if (strcmp(hash, stated) != 0)
        status = fail_altered(self->path, err);
cleanup:
    json_decref(root);
    return status;
}

/* The file whole, from its descriptor: the path may lead to another one by now. */
static opevo_status read_text(int file, sealed *out, opevo_error *err)
{
    struct stat info;

    if (fstat(file, &info) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", out->path, strerror(errno));
    if ((uint64_t)info.st_size > SEALED_BYTES_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s is larger than a sealed landscape can be.",
                          out->path);
    out->text = opevo_malloc((size_t)info.st_size + 1, 1);
    OPEVO_NEED_OR_RETURN(out->text, "reading %s", out->path);
    while (out->size < (size_t)info.st_size) {
        ssize_t got =
            pread(file, out->text + out->size, (size_t)info.st_size - out->size, (off_t)out->size);

        if (got < 0 && errno != EINTR)
            return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", out->path, strerror(errno));
        if (got == 0)
            break;
        out->size += got > 0 ? (size_t)got : 0;
    }
    out->text[out->size] = '\0';
    return OPEVO_OK;
}

static opevo_status fail_unsealed(const char *path, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a sealed landscape; opevo seal makes one.",
                      path);
}

static opevo_status read_sealed(const char *path, int file, sealed *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *out = (sealed){.path = path};
    OPEVO_TRY(read_text(file, out, err));
    if (out->size < strlen(magic) || memcmp(out->text, magic, strlen(magic)) != 0)
        OPEVO_TRY(fail_unsealed(path, err));
    out->header = out->text + strlen(magic);
    status = read_header(out, err);
cleanup:
    return status;
}

/* The same by its path, while nobody writes an entry. */
static opevo_status read_path(const char *path, sealed *out, opevo_error *err)
{
    int file = -1;
    opevo_status status = opevo_file_open(path, SEALED_BYTES_MAX, &file, err);

    *out = (sealed){.path = path};
    if (status != OPEVO_OK)
        return status;
    (void)flock(file, LOCK_SH); /* where there are no locks, a half entry may be read */
    status = read_sealed(path, file, out, err);
    close(file);
    return status;
}

/* ---- The log --------------------------------------------------------------------------------- */

/* The chain begins with the hash of the header, which has that of the content. */
static void begin_chain(const sealed *self, char chain[OPEVO_SHA256_SIZE])
{
    opevo_sha256_of(self->header, self->header_length, chain);
}

/* The chain with an entry, which is its text without the chain's member. */
static void extend_chain(const char *entry, size_t length, char chain[OPEVO_SHA256_SIZE])
{
    opevo_sha256 digest;

    opevo_sha256_begin(&digest);
    opevo_sha256_add(&digest, chain, OPEVO_SHA256_SIZE - 1);
    opevo_sha256_add(&digest, entry, length);
    opevo_sha256_end(&digest, chain);
}

static const char chain_member[] = ", \"chain\": \"";
/* Of an entry's line: the member, the digits and the end. */
#define CHAIN_LENGTH (sizeof chain_member - 1 + OPEVO_SHA256_SIZE - 1 + 2)

typedef struct last_entry {
    uint64_t device, inode;
} last_entry;

/* Take an entry of the log into account; false where it is not what was written. */
static bool take_entry(const char *line, size_t length, opevo_sealed_log *log, last_entry *last)
{
    size_t text = length > CHAIN_LENGTH ? length - CHAIN_LENGTH : 0;
    json_t *root = json_loadb(line, length, 0, NULL);
    const char *chain = json_string_value(json_object_get(root, "chain"));
    bool good = text && chain;

    if (good) {
        extend_chain(line, text, log->head);
        good = !strcmp(chain, log->head) &&
               (uint64_t)json_integer_value(json_object_get(root, "entry")) == log->looks + 1;
        log->copies += json_is_true(json_object_get(root, "copied"));
        *last = (last_entry){(uint64_t)json_integer_value(json_object_get(root, "device")),
                             (uint64_t)json_integer_value(json_object_get(root, "inode"))};
        log->looks++;
    }
    json_decref(root);
    return good;
}

static void read_log(const sealed *self, opevo_sealed_log *log, last_entry *last)
{
    *log = (opevo_sealed_log){.looks = 0};
    snprintf(log->name, sizeof log->name, "%s", self->name);
    begin_chain(self, log->head);
    for (const char *at = self->log; at < self->log_end && !log->altered;) {
        const char *end = memchr(at, '\n', (size_t)(self->log_end - at));

        log->altered = !end || !take_entry(at, (size_t)(end - at), log, last);
        at = end ? end + 1 : self->log_end;
    }
}

opevo_status opevo_sealed_read_log(const char *path, opevo_sealed_log *out, opevo_error *err)
{
    sealed self;
    last_entry last = {0, 0};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = read_path(path, &self, &inner);

    if (status == OPEVO_OK) {
        read_log(&self, out, &last);
    } else if (self.name[0]) { /* its header was read, but the content is another */
        *out = (opevo_sealed_log){.altered = true};
        snprintf(out->name, sizeof out->name, "%s", self.name);
        status = OPEVO_OK;
    } else if (err) {
        *err = inner;
    }
    opevo_free(self.text);
    return status;
}

opevo_status opevo_sealed_print_log(const char *path, opevo_text *out, opevo_error *err)
{
    sealed self;
    opevo_status status = read_path(path, &self, err);

    if (status == OPEVO_OK)
        opevo_text_add_bytes(out, self.log, (size_t)(self.log_end - self.log));
    opevo_free(self.text);
    return status == OPEVO_OK ? opevo_text_check(out, err) : status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void add_time(opevo_text *out)
{
    char text[32] = "";
    time_t now = time(NULL);
    struct tm parts;

    if (gmtime_r(&now, &parts))
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    opevo_json_string(out, "time", text);
}

/* Within the integers that readers of JSON take. */
static last_entry place_of(const struct stat *info)
{
    return (last_entry){(uint64_t)info->st_dev & INT64_MAX, (uint64_t)info->st_ino & INT64_MAX};
}

static void add_entry(const opevo_sealed_log *log, const char *command, const struct stat *info,
                      bool copied, opevo_text *out)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    opevo_text_add(out, "{");
    opevo_json_index(out, "entry", log->looks + 1);
    add_time(out);
    opevo_json_key(out, "command");
    opevo_text_add(out, command);
    opevo_json_string(out, "host", host);
    opevo_json_index(out, "user", getuid());
    opevo_json_string(out, "program", "opevo " OPEVO_VERSION);
    opevo_json_string(out, "build", opevo_build());
    opevo_json_index(out, "device", place_of(info).device);
    opevo_json_index(out, "inode", place_of(info).inode);
    opevo_json_bool(out, "copied", copied);
}

/* Append an entry to the file, which is locked; on the disk before anything is opened. */
static opevo_status append(int file, const sealed *self, const char *command, opevo_sealed_log *log,
                           opevo_error *err)
{
    last_entry last = {0, 0};
    struct stat info;
    opevo_text entry = {0};
    opevo_status status = OPEVO_OK;

    read_log(self, log, &last);
    if (log->altered)
        return fail_altered(self->path, err);
    if (fstat(file, &info) != 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", self->path, strerror(errno));
    add_entry(log, command, &info,
              log->looks > 0 &&
                  (last.inode != place_of(&info).inode || last.device != place_of(&info).device),
              &entry);
    OPEVO_TRY(opevo_text_check(&entry, err));
    extend_chain(entry.data, entry.length, log->head);
    opevo_text_printf(&entry, "%s%s\"}\n", chain_member, log->head);
    OPEVO_TRY(opevo_text_check(&entry, err));
    if (!opevo_write_all(file, entry.data, entry.length) || fsync(file) != 0) {
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s: it opens only where its log can be written.",
                            self->path, strerror(errno));
        if (ftruncate(file, (off_t)self->size) != 0) /* a half entry would be an altered log */
            status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s: its last entry is a part of one.",
                                self->path, strerror(errno));
    }
    log->looks++;
cleanup:
    opevo_text_free(&entry);
    return status;
}

static opevo_status look(const char *path, const char *command, sealed *self, opevo_sealed_log *log,
                         opevo_error *err)
{
    int file = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK);
    opevo_status status = OPEVO_OK;

    if (file < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s: it opens only where its log can be written.",
                          path, strerror(errno));
    if (flock(file, LOCK_EX) != 0)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path, strerror(errno));
    if (status == OPEVO_OK)
        status = read_sealed(path, file, self, err);
    if (status == OPEVO_OK)
        status = append(file, self, command, log, err);
    close(file);
    return status;
}

/* Whether a command can be in an entry, which is a line of JSON. */
static bool is_line(const char *command)
{
    json_t *root = command ? json_loads(command, JSON_DECODE_ANY, NULL) : NULL;
    bool good = root && !strpbrk(command, "\n\r");

    json_decref(root);
    return good;
}

opevo_status opevo_sealed_open(const char *path, const char *command, uint64_t *number,
                               opevo_objective **out, opevo_error *err)
{
    sealed self = {.path = path};
    opevo_sealed_log log = {.looks = 0};
    char *table = NULL, *json = NULL;
    opevo_status status = OPEVO_OK;

    if (!opevo_sealed_is(path))
        return fail_unsealed(path, err);
    if (!is_line(command))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The command of a look must be a line of JSON, such as [\"tune\"].");
    OPEVO_TRY(look(path, command, &self, &log, err));
    table = opevo_strndup(self.content, self.table_size);
    json = opevo_strndup(self.content + self.table_size, self.json_size);
    if (!table || !json) {
        opevo_free(table);
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to open %s.", path);
        goto cleanup;
    }
    OPEVO_TRY(opevo_i_landscape_recorded_unsealed(self.name, table, self.table_size, json,
                                                  self.json_size, out, err));
    if (number)
        *number = log.looks;
cleanup:
    opevo_free(json);
    opevo_free(self.text);
    return status;
}

/* ---- Sealing --------------------------------------------------------------------------------- */

/* The last part of a path without the ending of its table. */
static void name_of(const char *path, size_t stem, char *out, size_t size)
{
    const char *slash = memrchr(path, '/', stem);
    const char *name = slash ? slash + 1 : path;

    snprintf(out, size, "%.*s", (int)(path + stem - name), name);
}

static opevo_status write_sealed(const char *path, const char *name, const char *table,
                                 size_t table_size, const char *json, size_t json_size,
                                 opevo_error *err)
{
    char hash[OPEVO_SHA256_SIZE];
    opevo_text out = {0}, content = {0};
    int file = -1;
    opevo_status status = OPEVO_OK;

    opevo_text_add_bytes(&content, table, table_size);
    opevo_text_add_bytes(&content, json, json_size);
    OPEVO_TRY(opevo_text_check(&content, err));
    opevo_sha256_of(content.data, content.length, hash);
    opevo_text_printf(&out, "%s{", magic);
    opevo_json_string(&out, "name", name);
    add_time(&out);
    opevo_json_index(&out, "table_bytes", table_size);
    opevo_json_index(&out, "json_bytes", json_size);
    opevo_json_string(&out, "sha256", hash);
    opevo_text_add(&out, "}\n");
    disguise(hash, content.data, content.length);
    opevo_text_add_bytes(&out, content.data, content.length);
    OPEVO_TRY(opevo_text_check(&out, err));
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 || !opevo_write_all(file, out.data, out.length) || fsync(file) != 0)
        status = OPEVO_FAIL(err, errno == EEXIST ? OPEVO_INVALID : OPEVO_IO, "%s: %s.", path,
                            strerror(errno));
    if (file >= 0 && status != OPEVO_OK)
        unlink(path); /* a part of a file */
cleanup:
    if (file >= 0)
        close(file);
    opevo_text_free(&out);
    opevo_text_free(&content);
    return status;
}

opevo_status opevo_sealed_create(const char *path, const char *out, opevo_error *err)
{
    static const char *const endings[] = {".csv.xz", ".csv.gz", ".csv"};
    opevo_objective *checked = NULL;
    opevo_text description = {0};
    char name[256], *table = NULL, *json = NULL;
    size_t table_size = 0, json_size = 0, stem = 0;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < 3 && !stem; i++) {
        if (opevo_i_landscape_ends_with(path, endings[i]))
            stem = strlen(path) - strlen(endings[i]);
    }
    if (!stem || path[stem - 1] == '/')
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s: name the table of a recording, NAME.csv, NAME.csv.xz or NAME.csv.gz, "
            "with its NAME.json beside it.",
            path);
    opevo_text_printf(&description, "%.*s.json", (int)stem, path);
    OPEVO_TRY(opevo_text_check(&description, err));
    OPEVO_TRY(opevo_file_read(description.data, OPEVO_I_JSON_LIMIT, &json, &json_size, err));
    OPEVO_TRY(opevo_recorded_open(path, NULL, &checked, err));
    OPEVO_TRY(opevo_i_landscape_text_read(path, OPEVO_I_TEXT_LIMIT, &table, &table_size, err));
    name_of(path, stem, name, sizeof name);
    status = write_sealed(out, name, table, table_size, json, json_size, err);
cleanup:
    opevo_objective_destroy(checked);
    opevo_text_free(&description);
    opevo_free(table);
    opevo_free(json);
    return status;
}
