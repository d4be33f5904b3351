/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a kernel becomes on this machine depends on the compiler, which may be a script of the same
 * name with flags of its own, and on what -march=native means to it here. Both show in the macros
 * that it defines by itself. */

#include "cpu_internal.h"

#include <opevo/clock.h>
#include <opevo/hash.h>
#include <opevo/text.h>

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command_line_internal.h"
#include "pipe_internal.h"

enum { MACROS_LIMIT = 1 << 20, VERSION_LENGTH = 64, IDENTITY_LENGTH = 128 };
#define PATIENCE_S 20 /* for what usually takes 20 ms */

const char *opevo_i_cpu_compiler(void)
{
    const char *given = getenv("OPEVO_CC");

    return given ? given : "cc";
}

/* What the program prints, as long as it does so in time; false where it cannot be started. */
static bool read_program(char *const *argv, opevo_text *out)
{
    double deadline = opevo_clock_monotonic_s() + PATIENCE_S;
    posix_spawn_file_actions_t actions;
    opevo_i_process_read got = OPEVO_I_READ_NOTHING;
    int ends[2];
    pid_t pid = 0;
    bool started = false;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    started = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (started && got != OPEVO_I_READ_END && opevo_clock_monotonic_s() < deadline) {
        struct pollfd wait = {.fd = ends[0], .events = POLLIN};

        poll(&wait, 1, (int)ceil(1e3 * fmax(0, deadline - opevo_clock_monotonic_s())));
        got = opevo_i_process_text_read_from(out, ends[0], MACROS_LIMIT);
    }
    if (started) {
        if (got != OPEVO_I_READ_END)
            kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    close(ends[0]);
    return started && !out->failed;
}

/* The value of __VERSION__, without its quotes. */
static void find_version(const opevo_text *macros, char version[VERSION_LENGTH])
{
    static const char name[] = "#define __VERSION__ \"";
    const char *at = strstr(opevo_text_string(macros), name);

    if (at)
        at += strlen(name);
    snprintf(version, VERSION_LENGTH, "%.*s", at ? (int)strcspn(at, "\";\n") : 0, at ? at : "");
}

static bool identify(const char *compiler, char out[IDENTITY_LENGTH])
{
    const char *const words[] = {compiler, OPEVO_KERNEL_C_FLAGS, "-dM", "-E", "-x",
                                 "c",      "/dev/null"};
    opevo_i_process_arguments command = {0};
    opevo_text macros = {0};
    char version[VERSION_LENGTH];
    uint64_t hash = OPEVO_HASH_START;
    bool good = true;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        good = good && opevo_i_process_arguments_add(&command, words[i], strlen(words[i]));
    good = good && read_program(command.items, &macros) && macros.length;
    if (good) {
        hash = opevo_hash_u64(hash, opevo_i_process_program_hash(&command));
        hash = opevo_hash_bytes(hash, macros.data, macros.length);
        find_version(&macros, version);
        snprintf(out, IDENTITY_LENGTH, "%.30s %.60s %08x", compiler, version,
                 (unsigned)(opevo_hash_mix(hash) >> 32));
    } else {
        snprintf(out, IDENTITY_LENGTH, "%.30s is missing", compiler);
    }
    opevo_i_process_arguments_clear(&command);
    opevo_text_free(&macros);
    return good;
}

const char *opevo_i_cpu_compiler_identity(bool *works)
{
    static char asked[2 * 4096]; /* compiler and PATH that the identity is of */
    static char identity[IDENTITY_LENGTH];
    static bool known;
    const char *compiler = opevo_i_cpu_compiler();
    const char *path = getenv("PATH");
    char now[sizeof asked];

    snprintf(now, sizeof now, "%.4000s\n%.4000s", compiler, path ? path : "");
    if (strcmp(now, asked) != 0) {
        memcpy(asked, now, sizeof asked);
        known = identify(compiler, identity);
    }
    if (works)
        *works = known;
    return identity;
}
