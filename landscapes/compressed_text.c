/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Text files that may be compressed with xz or gzip. The end of the name decides, so that a file in
 * another form than its name says is an error and not read as text. Data are decompressed piece by
 * piece, so a file that grows without end is stopped at the limit. */

#include "recorded_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <lzma.h>
#define ZLIB_CONST /* zlib may be given constant input */
#include <zlib.h>

#include <string.h>

enum { PIECE = 1 << 16 };
/* xz -9 needs 65 MiB; a header may ask for gigabytes. */
#define XZ_MEMORY_LIMIT ((uint64_t)256 << 20)

typedef struct buffer {
    void *data;
    size_t size, capacity;
    size_t limit;
    const char *path;
} buffer;

static opevo_status fail_too_large(const char *path, size_t limit, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_LIMIT,
                      "%s: the text is larger than %zu bytes; split it into smaller ones.", path,
                      limit);
}

/* Room for one more piece and the terminator. */
static opevo_status make_room(buffer *out, opevo_error *err)
{
    if (out->size > out->limit)
        return fail_too_large(out->path, out->limit, err);
    if (!opevo_reserve(&out->data, &out->capacity, out->size + PIECE + 1, 1))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to decompress %s.", out->path);
    return OPEVO_OK;
}

static opevo_status fail_truncated(const buffer *out, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s: the file ends in the middle of its compressed data; copy it again.",
                      out->path);
}

static opevo_status fail_xz(const buffer *out, lzma_ret code, opevo_error *err)
{
    switch (code) {
    case LZMA_BUF_ERROR:
        return fail_truncated(out, err);
    case LZMA_FORMAT_ERROR:
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is not an xz file, although its name ends in .xz.", out->path);
    case LZMA_MEM_ERROR:
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to decompress %s.", out->path);
    case LZMA_MEMLIMIT_ERROR:
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "%s: decompressing takes more than %d MiB; compress it with xz -9 or less.", out->path,
            (int)(XZ_MEMORY_LIMIT >> 20));
    case LZMA_OPTIONS_ERROR:
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: a feature of xz that this liblzma lacks; compress it again.",
                          out->path);
    default:
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: the compressed data are damaged; copy the file again.", out->path);
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

static opevo_status unxz(const char *raw, size_t size, buffer *out, opevo_error *err)
{
    static const lzma_allocator allocator = {xz_allocate, xz_release, NULL};
    opevo_status status = OPEVO_OK;
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_ret code = LZMA_OK;

    stream.allocator = &allocator;
    stream.next_in = (const uint8_t *)raw;
    stream.avail_in = size;
    code = lzma_stream_decoder(&stream, XZ_MEMORY_LIMIT, LZMA_CONCATENATED);
    while (code == LZMA_OK) {
        OPEVO_TRY(make_room(out, err));
        stream.next_out = (uint8_t *)out->data + out->size;
        stream.avail_out = PIECE;
        code = lzma_code(&stream, LZMA_FINISH);
        out->size += PIECE - stream.avail_out;
    }
    if (code != LZMA_STREAM_END)
        status = fail_xz(out, code, err);
cleanup:
    lzma_end(&stream);
    return status;
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

static opevo_status fail_gz(const buffer *out, int code, bool first, opevo_error *err)
{
    if (code == Z_BUF_ERROR)
        return fail_truncated(out, err);
    if (code == Z_MEM_ERROR)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to decompress %s.", out->path);
    if (first)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is not a gzip file, although its name ends in .gz.", out->path);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s: the compressed data are damaged; copy the file again.", out->path);
}

/* zlib counts its input in an unsigned int, hence in pieces. A gzip file may hold several members
 * one after another; its text is all of theirs. */
static opevo_status gunzip(const char *raw, size_t size, buffer *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    z_stream stream = {.zalloc = gz_allocate, .zfree = gz_release};
    size_t at = 0;
    int code = inflateInit2(&stream, 15 + 16); /* 32 KiB window, gzip wrapper only */

    while (code == Z_OK || (code == Z_STREAM_END && at < size)) {
        size_t piece = size - at < PIECE ? size - at : PIECE;

        if (code == Z_STREAM_END)
            inflateReset(&stream);
        OPEVO_TRY(make_room(out, err));
        stream.next_in = (const Bytef *)raw + at;
        stream.avail_in = (unsigned)piece;
        stream.next_out = (Bytef *)out->data + out->size;
        stream.avail_out = PIECE;
        code = inflate(&stream, Z_NO_FLUSH);
        at += piece - stream.avail_in;
        out->size += PIECE - stream.avail_out;
    }
    if (code != Z_STREAM_END)
        status = fail_gz(out, code, stream.total_out == 0 && out->size == 0, err);
cleanup:
    inflateEnd(&stream);
    return status;
}

bool opevo_i_landscape_ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text);
    size_t tail = strlen(ending);

    return length >= tail && memcmp(text + length - tail, ending, tail) == 0;
}

opevo_status opevo_i_landscape_text_unpack(const char *path, const char *raw, size_t raw_size,
                                           size_t limit, char **data, size_t *size,
                                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    buffer out = {.limit = limit, .path = path};

    OPEVO_TRY(make_room(&out, err)); /* an empty text has its terminator too */
    OPEVO_TRY(opevo_i_landscape_ends_with(path, ".xz") ? unxz(raw, raw_size, &out, err)
                                                       : gunzip(raw, raw_size, &out, err));
    if (out.size > limit)
        OPEVO_TRY(make_room(&out, err));
    ((char *)out.data)[out.size] = '\0';
    *data = out.data;
    *size = out.size;
    out.data = NULL;
cleanup:
    opevo_free(out.data);
    return status;
}

opevo_status opevo_i_landscape_text_read(const char *path, size_t limit, char **data, size_t *size,
                                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *raw = NULL;
    size_t raw_size = 0;

    OPEVO_TRY(opevo_file_read(path, limit, &raw, &raw_size, err));
    if (opevo_i_landscape_ends_with(path, ".xz") || opevo_i_landscape_ends_with(path, ".gz")) {
        OPEVO_TRY(opevo_i_landscape_text_unpack(path, raw, raw_size, limit, data, size, err));
    } else if (raw_size > limit) {
        status = fail_too_large(path, limit, err);
    } else {
        *data = raw;
        *size = raw_size;
        raw = NULL;
    }
cleanup:
    opevo_free(raw);
    return status;
}
