/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pages of `opevo report` and their data, in a folder of the test's own. */

#ifndef OPEVO_TESTS_REPORTS_H
#define OPEVO_TESTS_REPORTS_H

#include "check.h"
#include "remove_tree.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/store_groups.h>

#include <jansson.h>

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/opevo-report-XXXXXX";

static inline int execute(const char *program, const char *arguments)
{
    opevo_text command = {0};
    int status = 0;

    opevo_text_printf(&command, "%s%s", program, arguments);
    status = system(opevo_text_string(&command)); /* NOLINT: the words are ours */
    opevo_text_free(&command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The program, with what it prints in the files out and err. */
static inline int run(const char *arguments)
{
    return execute(OPEVO_PROGRAM " >out 2>err ", arguments);
}

static char *read_text(const char *path)
{
    char *data = NULL;
    size_t size = 0;
    opevo_error err = {OPEVO_OK, ""};

    if (opevo_file_read(path, SIZE_MAX, &data, &size, &err) != OPEVO_OK)
        fail_msg("%s", err.message);
    return data;
}

static inline void write_text(const char *path, const char *text)
{
    opevo_error err = {OPEVO_OK, ""};

    assert_int_equal(opevo_file_write(path, text, strlen(text), &err), OPEVO_OK);
}

static inline json_t *parse(const char *text, size_t size)
{
    json_error_t error;
    json_t *json = json_loadb(text, size, 0, &error);

    if (!json)
        fail_msg("line %d: %s", error.line, error.text);
    return json;
}

/* The data of a page: what stands between its element's tags, as a browser finds them. */
static inline json_t *data_of(const char *page)
{
    static const char begin[] = "<script type=\"application/json\" id=\"data\">";
    const char *from = strstr(page, begin);
    const char *to = NULL;

    assert_non_null(from);
    from += strlen(begin);
    to = strstr(from, "</script");
    assert_non_null(to);
    return parse(from, (size_t)(to - from));
}

static inline json_t *read_page(const char *path)
{
    char *page = read_text(path);
    json_t *data = data_of(page);

    opevo_free(page);
    return data;
}

static inline json_t *read_json(const char *path)
{
    char *text = read_text(path);
    json_t *json = parse(text, strlen(text));

    opevo_free(text);
    return json;
}

/* Go to a new folder, which caches are in too. */
static inline int enter_folder(void **state)
{
    if (!mkdtemp(folder) || chdir(folder))
        return -1;
    return setenv("XDG_CACHE_HOME", folder, 1);
}

static inline int leave_folder(void **state)
{
    return chdir("/") ? -1 : remove_tree(folder);
}

#endif
