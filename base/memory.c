/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Allocation that counts what is live and fails when a test says so. */

#include <opevo/memory.h>

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t live;
static _Atomic int64_t fail_countdown;

/* True when this allocation is the one that a test wants to fail. */
static int refused(void)
{
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0)
        return 0;
    return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

static void *counted(void *pointer)
{
    if (pointer)
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return pointer;
}

void *opevo_malloc(size_t count, size_t size)
{
    size_t bytes = 0;

    if (__builtin_mul_overflow(count, size, &bytes) || refused())
        return NULL;
    return counted(malloc(bytes ? bytes : 1));
}

void *opevo_calloc(size_t count, size_t size)
{
    if (refused())
        return NULL;
    return counted(count && size ? calloc(count, size) : calloc(1, 1));
}

void *opevo_realloc(void *pointer, size_t count, size_t size)
{
    size_t bytes = 0;
    void *moved = NULL;

    if (__builtin_mul_overflow(count, size, &bytes) || refused())
        return NULL;
    moved = realloc(pointer, bytes ? bytes : 1);
    return pointer ? moved : counted(moved);
}

char *opevo_strndup(const char *text, size_t length)
{
    char *copy = opevo_malloc(length + 1, 1);

    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *opevo_strdup(const char *text)
{
    return opevo_strndup(text, strlen(text));
}

void opevo_free(void *pointer)
{
    if (pointer)
        atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    free(pointer);
}

int opevo_reserve(void **items, size_t *capacity, size_t needed, size_t size)
{
    size_t grown = *capacity + *capacity / 2 + 8;
    void *moved = NULL;

    if (needed <= *capacity)
        return 1;
    if (grown < needed)
        grown = needed;
    moved = opevo_realloc(*items, grown, size);
    if (!moved)
        return 0;
    *items = moved;
    *capacity = grown;
    return 1;
}

int64_t opevo_memory_live(void)
{
    return atomic_load(&live);
}

void opevo_memory_fail_at(int64_t n)
{
    atomic_store(&fail_countdown, n);
}

opevo_status opevo_no_memory(opevo_error *err, const char *what, ...)
{
    char text[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return opevo_error_set(err, OPEVO_NOMEM, "No memory for %s.", text);
}
