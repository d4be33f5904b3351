/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a file that a verb is to write may be replaced. */

#include "output_file_internal.h"

#include <opevo/status.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the file begins with a text that holds the mark; an empty one counts as such. */
static bool is_ours(int file, const char *mark)
{
    char head[4097];
    ssize_t length = read(file, head, sizeof head - 1);

    if (length <= 0)
        return length == 0;
    return memmem(head, (size_t)length, mark, strlen(mark)) != NULL;
}

opevo_status opevo_i_cli_check_output(const char *option, const char *path, const char *mark,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    struct stat info;
    int file = -1;

    if (!*path)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is empty: name a file.", option);
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENOENT)
        return OPEVO_OK;
    if (file < 0 || fstat(file, &info))
        status = OPEVO_FAIL(err, OPEVO_IO, "%s %s: %s.", option, path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        status = OPEVO_FAIL(err, OPEVO_IO, "%s %s is a folder; name a file in it.", option, path);
    else if (S_ISREG(info.st_mode) && !is_ours(file, mark))
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s %s: opevo did not write this file and does not replace it; name "
                            "another file or remove it.",
                            option, path);
    if (file >= 0)
        close(file);
    return status;
}
