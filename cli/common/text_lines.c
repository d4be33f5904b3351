/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Files that users write line by line. */

#include "text_lines_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <string.h>

opevo_status opevo_i_cli_each_line(const char *path, size_t most, opevo_i_cli_line_visitor visit,
                                   void *context, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *data = NULL;
    size_t size = 0, number = 1;

    OPEVO_TRY(opevo_file_read(path, most, &data, &size, err));
    for (char *line = data; *line; number++) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] != '\0');

        line[length] = '\0';
        if (length && line[length - 1] == '\r')
            line[length - 1] = '\0';
        OPEVO_TRY(visit(context, path, number, line, err));
        line = next;
    }
cleanup:
    opevo_free(data);
    return status;
}
