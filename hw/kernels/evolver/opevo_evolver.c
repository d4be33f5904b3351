/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program: one request a line, one reply a line, until the end of its input. LLVM may end it at
 * any request; who asks starts it again. */

#include "evolver_program_internal.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* End with the process that asks, which may be killed while a kernel runs for long. */
static void *end_with_asker(void *context)
{
    struct pollfd asker = {.fd = STDIN_FILENO};

    while (poll(&asker, 1, -1) <= 0)
        continue;
    _exit(1);
    return context;
}

/* A pipe hangs up when its writer is done, with requests left to read; a socket when nobody reads
 * the replies. */
static void watch_asker(void)
{
    struct stat input;
    pthread_t watcher;

    if (fstat(STDIN_FILENO, &input) == 0 && S_ISSOCK(input.st_mode) &&
        pthread_create(&watcher, NULL, end_with_asker, NULL) == 0)
        pthread_detach(watcher);
}

int main(int argc, char **argv)
{
    opevo_i_evolver_kernel kernel = {.module = NULL};
    char *line = NULL;
    size_t capacity = 0;
    int code = 0;

    if (argc > 1) {
        fprintf(stderr, "%s: It takes no arguments; opevo evolve and opevo edits start it.\n",
                argv[0]);
        return 2;
    }
    watch_asker();
    while (code == 0 && getline(&line, &capacity, stdin) > 0) {
        json_t *request = json_loads(line, 0, NULL);
        json_t *reply = request ? opevo_i_evolver_kernel_answer(&kernel, request) : NULL;
        char *text = reply ? json_dumps(reply, JSON_COMPACT) : NULL;

        if (!text || printf("%s\n", text) < 0 || fflush(stdout) != 0) {
            fprintf(stderr, "%s: %s\n", argv[0],
                    request ? "No memory, or nobody reads." : "A request is not JSON.");
            code = 1;
        }
        if (kernel.gpu && opevo_gpu_context_is_lost(kernel.gpu))
            _exit(code); /* what hangs on the device ends with the process; another takes over */
        free(text);
        json_decref(reply);
        json_decref(request);
    }
    free(line);
    opevo_i_evolver_kernel_free(&kernel);
    return code;
}
