/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files: read whole, written all or nothing, and the user's cache folder; descriptors. */

#ifndef OPEVO_FILE_H
#define OPEVO_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <opevo/status.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

/* Open a regular file of at most `limit` bytes to be read piece by piece; close(2) ends that.
 * Opening never blocks. Errors: as opevo_file_read. */
opevo_status opevo_file_open(const char *path, size_t limit, int *file, opevo_error *err);

/* The whole file, with a zero byte after it that *size does not count; release with opevo_free.
 *
 *   limit  bytes that a file of this format may have at most
 *
 * Errors: IO; INVALID for anything but a regular file (a pipe, a device); LIMIT for a larger file,
 * which is not read; NOMEM. */
opevo_status opevo_file_read(const char *path, size_t limit, char **data, size_t *size,
                             opevo_error *err);

/* Write PATH.opevo-partial, flush to disk, then rename: after a crash or on a full disk the target
 * is the old file or the new one, never a part. What a killed process left under that name, the
 * next write takes over; two processes wait for each other. A target that is not a regular file (a
 * pipe, /dev/full) is written straight. */
opevo_status opevo_file_write(const char *path, const char *data, size_t size, opevo_error *err);
/* The same of a text, as FOLDER/NAME. Errors: IO; NOMEM, also where the text has failed. */
opevo_status opevo_file_write_in(const char *folder, const char *name, const opevo_text *text,
                                 opevo_error *err);

/* Write all of it to the open descriptor `file`, a pipe or a socket as well, however it comes
 * apart. False with errno set; a part may be written then. */
bool opevo_write_all(int file, const void *data, size_t size);

/* Path of `name` in $XDG_CACHE_HOME/opevo or ~/.cache/opevo, the folder made when absent; release
 * with opevo_free. Errors: IO; NOMEM. */
opevo_status opevo_cache_path(const char *name, char **path, opevo_error *err);

OPEVO_END_C

#endif
