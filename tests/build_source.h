/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sources compiled by the system's compilers, in a folder of their own that is gone afterwards. */

#ifndef OPEVO_TESTS_BUILD_SOURCE_H
#define OPEVO_TESTS_BUILD_SOURCE_H

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The end of what the last program printed, on both of its streams. */
static char program_output[4096];

/* Wait for a child, also through a fuzzer's alarms. */
static inline bool child_ends(pid_t child, int *state)
{
    pid_t ended = 0;

    do
        ended = waitpid(child, state, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child;
}

/* Whether a program, looked for in PATH, ends with status 0. */
static inline bool program_succeeds(const char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    FILE *output = tmpfile();
    pid_t child = 0;
    int state = 0;
    bool started = false;

    program_output[0] = '\0';
    if (!output)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(output), STDERR_FILENO);
    started = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments,
                           environ) == 0 &&
              child_ends(child, &state);
    posix_spawn_file_actions_destroy(&actions);
    if (fseek(output, 1 - (long)sizeof program_output, SEEK_END) != 0)
        rewind(output); /* it printed less */
    program_output[fread(program_output, 1, sizeof program_output - 1, output)] = '\0';
    fclose(output);
    return started && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

/* The program ends with status 0; its output is shown otherwise. */
#define CHECK_PROGRAM(arguments)                                                                   \
    do {                                                                                           \
        if (!program_succeeds(arguments))                                                          \
            fail_msg("%s fails:\n%s", (arguments)[0], program_output);                             \
    } while (0)

enum { BUILD_PATH = 64, BUILD_ARGUMENTS = 16 };

/* `arguments` are the compiler and its options; source and output are added. Whether the compiler
 * accepts the source; *handle (when not NULL) becomes the shared object. */
static inline bool source_build(const char *const *arguments, const char *source, void **handle)
{
    char folder[] = "/tmp/opevo_kernel_XXXXXX";
    char in[BUILD_PATH];
    char out[BUILD_PATH];
    const char *all[BUILD_ARGUMENTS + 4] = {NULL};
    int count = 0;
    FILE *file = NULL;
    bool built = false;

    if (!mkdtemp(folder))
        return false;
    snprintf(in, sizeof in, "%s/k.c", folder);
    snprintf(out, sizeof out, "%s/k.so", folder);
    file = fopen(in, "w");
    while (count < BUILD_ARGUMENTS && arguments[count]) {
        all[count] = arguments[count];
        count++;
    }
    all[count++] = in;
    if (handle) {
        all[count++] = "-o";
        all[count] = out;
    }
    built = file && fputs(source, file) >= 0 && fclose(file) == 0 && program_succeeds(all);
    if (built && handle) {
        *handle = dlopen(out, RTLD_NOW | RTLD_LOCAL);
        built = *handle != NULL;
    }
    unlink(in);
    unlink(out);
    rmdir(folder);
    return built;
}

#endif
