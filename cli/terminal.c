/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cli_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t opevo_i_interrupted;

static void note_interrupt(int number)
{
    (void)number;
    opevo_i_interrupted = 1;
}

/* The second signal of a kind acts as usual, for the impatient. */
void opevo_i_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

unsigned opevo_i_terminal_width(int descriptor)
{
    struct winsize size = {0};

    if (!isatty(descriptor))
        return 0;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* Columns that a UTF-8 text takes; every character used here is one wide. */
static size_t columns_of(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void pad(opevo_text *out, size_t count)
{
    for (; count; count--)
        opevo_text_add(out, " ");
}

void opevo_i_table_cell(opevo_table *table, const char *format, ...)
{
    void *cells = table->cells;
    opevo_text text = {0};
    va_list arguments;
    char buffer[512];

    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    opevo_text_add(&text, buffer);
    if (text.failed || !opevo_reserve(&cells, &table->capacity, table->count + 1, sizeof(char *))) {
        table->failed = true;
        opevo_text_free(&text);
        return;
    }
    table->cells = cells;
    table->cells[table->count++] = text.data;
}

static const char *head_of(const opevo_table *table, size_t column)
{
    const char *head = table->heads[column];

    return *head == '<' ? head + 1 : head;
}

static size_t column_width(const opevo_table *table, size_t column)
{
    size_t widest = columns_of(head_of(table, column));

    for (size_t i = column; i < table->count; i += table->columns) {
        size_t width = columns_of(table->cells[i]);

        widest = width > widest ? width : widest;
    }
    return widest;
}

static void print_line(const opevo_table *table, const size_t *widths, const char *const *texts,
                       opevo_text *out)
{
    for (size_t c = 0; c < table->columns; c++) {
        const char *text = *texts[c] == '<' && texts == table->heads ? texts[c] + 1 : texts[c];
        size_t space = widths[c] - columns_of(text);

        if (c)
            opevo_text_add(out, "  ");
        if (*table->heads[c] != '<')
            pad(out, space);
        opevo_text_add(out, text);
        if (*table->heads[c] == '<' && c + 1 < table->columns)
            pad(out, space);
    }
    opevo_text_add(out, "\n");
}

static void print_lists(const opevo_table *table, opevo_text *out)
{
    size_t widest = 0;

    for (size_t c = 0; c < table->columns; c++) {
        size_t width = columns_of(head_of(table, c));

        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < table->count; i++) {
        const char *head = head_of(table, i % table->columns);

        if (i && i % table->columns == 0)
            opevo_text_add(out, "\n");
        if (!*table->cells[i])
            continue;
        opevo_text_add(out, head);
        pad(out, widest - columns_of(head));
        opevo_text_printf(out, "  %s\n", table->cells[i]);
    }
}

opevo_status opevo_i_table_print(opevo_table *table, unsigned width, opevo_text *out,
                                 opevo_error *err)
{
    size_t *widths = opevo_calloc(table->columns, sizeof *widths);
    opevo_status status = OPEVO_OK;

    if (!widths || table->failed) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a table.");
    } else {
        size_t total = 0;

        for (size_t c = 0; c < table->columns; c++) {
            widths[c] = column_width(table, c);
            total += widths[c] + (c ? 2 : 0);
        }
        if (width && total > width) {
            print_lists(table, out);
        } else {
            print_line(table, widths, table->heads, out);
            for (size_t i = 0; i < table->count; i += table->columns)
                print_line(table, widths, (const char *const *)table->cells + i, out);
        }
    }
    opevo_free(widths);
    opevo_i_table_free(table);
    return status;
}

void opevo_i_table_free(opevo_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        opevo_free(table->cells[i]);
    opevo_free(table->cells);
    table->cells = NULL;
    table->count = table->capacity = 0;
}

void opevo_i_text_add_grouped(opevo_text *out, opevo_index value)
{
    char digits[OPEVO_INDEX_TEXT_SIZE];
    size_t length = strlen(opevo_index_format(value, digits));

    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            opevo_text_add(out, ",");
        opevo_text_add_bytes(out, digits + i, 1);
    }
}

static double now_s(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void opevo_i_progress_start(opevo_progress *progress, bool quiet)
{
    *progress = (opevo_progress){.width = opevo_i_terminal_width(STDERR_FILENO)};
    progress->active = !quiet && progress->width > 0;
    progress->started_s = progress->active ? now_s() : 0;
}

bool opevo_i_progress_due(opevo_progress *progress)
{
    double now = 0;

    if (!progress->active)
        return false;
    now = now_s();
    if (now - progress->drawn_s < 0.1)
        return false;
    progress->drawn_s = now;
    return true;
}

void opevo_i_progress_draw(opevo_progress *progress, double done, const char *text)
{
    char line[512];
    double spent = now_s() - progress->started_s;
    int limit = (int)progress->width - 1;

    if (done > 0 && spent > 1)
        snprintf(line, sizeof line, "%.0f s left, %s", spent * (1 - done) / done, text);
    else
        snprintf(line, sizeof line, "%s", text);
    fprintf(stderr, "\r\033[K%.*s", limit, line);
    fflush(stderr);
}

void opevo_i_progress_end(opevo_progress *progress)
{
    if (progress->active && progress->drawn_s > 0)
        fputs("\r\033[K", stderr);
}
