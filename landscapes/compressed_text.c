/* Text files that may be compressed with xz or gzip. The end of the name decides, so that a file in
 * another form than its name says is an error and not read as text. Data are read and decompressed
 * piece by piece, so a file that grows without end is stopped at a limit. */

#include "recorded_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <lzma.h>
#define ZLIB_CONST /* zlib may be given constant input */
#include <zlib.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = OPEVO_I_TEXT_PIECE };
/* xz -9 needs 65 MiB; a header may ask for gigabytes. */
#define XZ_MEMORY_LIMIT ((uint64_t)256 << 20)

struct opevo_i_landscape_text {
    const char *path;
    int file;        /* that input comes from; -1: it lies at `raw` whole */
    const char *raw; /* input that is not decompressed yet */
    size_t raw_size;
    bool raw_ends; /* no more input follows */
    char *piece;   /* where input is read to */
    bool ended;    /* no more text follows */
    bool any;      /* text was given */
    enum { PLAIN, XZ, GZ } form;
    lzma_stream xz;
    z_stream gz;
    bool gz_member_ended;
};

static opevo_status fail_too_large(const char *path, size_t limit, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_LIMIT,
                      "%s: the text is larger than %zu bytes; split it into smaller ones.", path,
                      limit);
}

static opevo_status fail_damaged(const opevo_i_landscape_text *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s: the compressed data are damaged; copy the file again.", self->path);
}

static opevo_status fail_truncated(const opevo_i_landscape_text *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s: the file ends in the middle of its compressed data; copy it again.",
                      self->path);
}

static opevo_status fail_xz(const opevo_i_landscape_text *self, lzma_ret code, opevo_error *err)
{
    switch (code) {
    case LZMA_BUF_ERROR:
        return fail_truncated(self, err);
    case LZMA_FORMAT_ERROR:
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is not an xz file, although its name ends in .xz.", self->path);
    case LZMA_MEM_ERROR:
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to decompress %s.", self->path);
    case LZMA_MEMLIMIT_ERROR:
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "%s: decompressing takes more than %d MiB; compress it with xz -9 or less.", self->path,
            (int)(XZ_MEMORY_LIMIT >> 20));
    case LZMA_OPTIONS_ERROR:
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: a feature of xz that this liblzma lacks; compress it again.",
                          self->path);
    default:
        return fail_damaged(self, err);
    }
}

static void *xz_allocate(void *opaque, size_t count, size_t size)
{
    (void)opaque;
    return opevo_malloc(count, size);
}

static void xz_release(void *opaque, void *pointer)
{
    (void)opaque;
    opevo_free(pointer);
}

static void *gz_allocate(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return opevo_malloc(count, size);
}

static void gz_release(void *opaque, void *pointer)
{
    (void)opaque;
    opevo_free(pointer);
}

static opevo_status fail_gz(const opevo_i_landscape_text *self, int code, opevo_error *err)
{
    if (code == Z_BUF_ERROR)
        return fail_truncated(self, err);
    if (code == Z_MEM_ERROR)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to decompress %s.", self->path);
    if (self->gz.total_out == 0 && !self->any)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is not a gzip file, although its name ends in .gz.", self->path);
    return fail_damaged(self, err);
}

/* ---- Pieces --------------------------------------------------------------------------------- */

static opevo_status init(opevo_i_landscape_text *self, opevo_error *err)
{
    static const lzma_allocator allocator = {xz_allocate, xz_release, NULL};
    lzma_ret xz = LZMA_OK;
    int gz = Z_OK;

    self->form = opevo_i_landscape_ends_with(self->path, ".xz")   ? XZ
                 : opevo_i_landscape_ends_with(self->path, ".gz") ? GZ
                                                                  : PLAIN;
    self->xz = (lzma_stream)LZMA_STREAM_INIT;
    self->xz.allocator = &allocator;
    self->gz = (z_stream){.zalloc = gz_allocate, .zfree = gz_release};
    if (self->form == XZ)
        xz = lzma_stream_decoder(&self->xz, XZ_MEMORY_LIMIT, LZMA_CONCATENATED);
    if (self->form == GZ)
        gz = inflateInit2(&self->gz, 15 + 16); /* 32 KiB window, gzip wrapper only */
    return xz != LZMA_OK ? fail_xz(self, xz, err) : gz != Z_OK ? fail_gz(self, gz, err) : OPEVO_OK;
}

static opevo_i_landscape_text *create(const char *path, opevo_error *err)
{
    opevo_i_landscape_text *self = opevo_calloc(1, sizeof *self);

    if (!self)
        OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    else
        *self = (opevo_i_landscape_text){.path = path, .file = -1};
    return self;
}

opevo_status opevo_i_landscape_text_open(const char *path, size_t limit,
                                         opevo_i_landscape_text **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_text *self = create(path, err);

    if (!self)
        return OPEVO_NOMEM;
    OPEVO_TRY(opevo_file_open(path, limit, &self->file, err));
    OPEVO_NEW(self->piece, PIECE, "%s", path);
    OPEVO_TRY(init(self, err));
    *out = self;
    self = NULL;
cleanup:
    opevo_i_landscape_text_close(self);
    return status;
}

void opevo_i_landscape_text_close(opevo_i_landscape_text *self)
{
    if (!self)
        return;
    if (self->form == XZ)
        lzma_end(&self->xz);
    if (self->form == GZ)
        inflateEnd(&self->gz);
    if (self->file >= 0)
        close(self->file);
    opevo_free(self->piece);
    opevo_free(self);
}

/* Input, unless some is left. */
static opevo_status read_input(opevo_i_landscape_text *self, opevo_error *err)
{
    ssize_t got = 0;

    if (self->raw_size || self->raw_ends)
        return OPEVO_OK;
    do
        got = read(self->file, self->piece, PIECE);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", self->path, strerror(errno));
    self->raw = self->piece;
    self->raw_size = (size_t)got;
    self->raw_ends = got == 0;
    return OPEVO_OK;
}

static opevo_status unxz(opevo_i_landscape_text *self, char *out, size_t *size, opevo_error *err)
{
    lzma_ret code = LZMA_OK;

    self->xz.next_in = (const uint8_t *)self->raw;
    self->xz.avail_in = self->raw_size;
    self->xz.next_out = (uint8_t *)out;
    self->xz.avail_out = PIECE;
    code = lzma_code(&self->xz, self->raw_ends ? LZMA_FINISH : LZMA_RUN);
    self->raw += self->raw_size - self->xz.avail_in;
    self->raw_size = self->xz.avail_in;
    *size = PIECE - self->xz.avail_out;
    self->ended = code == LZMA_STREAM_END;
    return code == LZMA_OK || self->ended ? OPEVO_OK : fail_xz(self, code, err);
}

/* zlib counts its input in an unsigned int, hence in pieces. A gzip file may hold several members
 * one after another; its text is all of theirs. */
static opevo_status gunzip(opevo_i_landscape_text *self, char *out, size_t *size, opevo_error *err)
{
    unsigned piece = self->raw_size < PIECE ? (unsigned)self->raw_size : PIECE;
    int code = Z_OK;

    if (self->gz_member_ended && !self->raw_size) {
        self->ended = self->raw_ends;
        return OPEVO_OK;
    }
    if (self->gz_member_ended)
        inflateReset(&self->gz);
    self->gz.next_in = (const Bytef *)self->raw;
    self->gz.avail_in = piece;
    self->gz.next_out = (Bytef *)out;
    self->gz.avail_out = PIECE;
    code = inflate(&self->gz, Z_NO_FLUSH);
    self->raw += piece - self->gz.avail_in;
    self->raw_size -= piece - self->gz.avail_in;
    *size = PIECE - self->gz.avail_out;
    self->gz_member_ended = code == Z_STREAM_END;
    if (code == Z_BUF_ERROR && !self->raw_size && !self->raw_ends)
        return OPEVO_OK; /* it waits for input */
    return code == Z_OK || self->gz_member_ended ? OPEVO_OK : fail_gz(self, code, err);
}

opevo_status opevo_i_landscape_text_next(opevo_i_landscape_text *self, char *out, size_t *size,
                                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *size = 0;
    while (*size == 0 && !self->ended && status == OPEVO_OK) {
        status = read_input(self, err);
        if (status != OPEVO_OK)
            break;
        if (self->form == XZ) {
            status = unxz(self, out, size, err);
        } else if (self->form == GZ) {
            status = gunzip(self, out, size, err);
        } else {
            memcpy(out, self->raw, self->raw_size);
            *size = self->raw_size;
            self->raw_size = 0;
            self->ended = self->raw_ends;
        }
    }
    self->any |= *size > 0;
    return status;
}

/* ---- Whole texts ---------------------------------------------------------------------------- */

bool opevo_i_landscape_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text);
    size_t tail = strlen(ending);

    return length >= tail && memcmp(text + length - tail, ending, tail) == 0;
}

static opevo_status read_all(opevo_i_landscape_text *self, size_t limit, char **data, size_t *size,
                             opevo_error *err)
{
    void *text = NULL;
    size_t length = 0, capacity = 0, got = 1;
    opevo_status status = OPEVO_OK;

    while (got) {
        OPEVO_NEED(opevo_reserve(&text, &capacity, length + PIECE + 1, 1), "reading %s",
                   self->path);
        OPEVO_TRY(opevo_i_landscape_text_next(self, (char *)text + length, &got, err));
        length += got;
        if (length > limit) {
            status = fail_too_large(self->path, limit, err);
            goto cleanup;
        }
    }
    ((char *)text)[length] = '\0';
    *data = text;
    *size = length;
    text = NULL;
cleanup:
    opevo_free(text);
    return status;
}

opevo_status opevo_i_landscape_text_unpack(const char *path, const char *raw, size_t raw_size,
                                           size_t limit, char **data, size_t *size,
                                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_text *self = create(path, err);

    if (!self)
        return OPEVO_NOMEM;
    self->raw = raw;
    self->raw_size = raw_size;
    self->raw_ends = true;
    OPEVO_TRY(init(self, err));
    OPEVO_TRY(read_all(self, limit, data, size, err));
cleanup:
    opevo_i_landscape_text_close(self);
    return status;
}

opevo_status opevo_i_landscape_text_read(const char *path, size_t limit, char **data, size_t *size,
                                         opevo_error *err)
{
    opevo_i_landscape_text *self = NULL;
    opevo_status status = opevo_i_landscape_text_open(path, limit, &self, err);

    if (status == OPEVO_OK)
        status = read_all(self, limit, data, size, err);
    opevo_i_landscape_text_close(self);
    return status;
}
