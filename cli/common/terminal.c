/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Interrupts, the width of the terminal, wrapped prose, tables, errors and the progress line. */

#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/clock.h>
#include <opevo/interrupt.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

opevo_interrupt opevo_i_cli_interrupted;

static void note_interrupt(int number)
{
    (void)number;
    opevo_interrupt_raise(&opevo_i_cli_interrupted);
}

/* The second signal of a kind acts as usual, for the impatient. */
void opevo_i_cli_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = (int)SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

unsigned opevo_i_cli_terminal_width(int descriptor)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size = {0};
    uint64_t wanted = 0;

    if (columns && opevo_parse_u64(columns, &wanted) && wanted > 0 && wanted <= USHRT_MAX)
        return (unsigned)wanted;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return isatty(descriptor) ? 80 : 0;
}

static void pad(opevo_text *out, size_t count)
{
    for (; count; count--)
        opevo_text_add(out, " ");
}

/* Where a line that has `column` columns already is to be broken: at the last blank that lets it
 * fit, or else within the word that is too long; at `length` where it need not be. */
static size_t break_of(const char *line, size_t at, size_t length, size_t column, unsigned width)
{
    size_t found = 0;
    bool in_word = false;

    for (size_t i = at; i < length; i++) {
        bool begins = ((unsigned char)line[i] & 0xc0) != 0x80;
        size_t colour = opevo_i_cli_colour_length(line + i);

        if (colour) {
            i += colour - 1;
            continue;
        }
        if (line[i] == ' ' && in_word)
            found = i;
        in_word = line[i] != ' ';
        column += begins;
        if (in_word && column > width && (found || (begins && i > at)))
            return found ? found : i;
    }
    return length;
}

static void add_wrapped_line(opevo_text *out, const char *line, size_t length, unsigned width)
{
    size_t hang = strspn(line, " ") + 2, column = 0;

    while (length && line[length - 1] == ' ')
        length--;
    for (size_t at = 0; at < length; column = hang) {
        size_t end = break_of(line, at, length, column, width);

        if (at)
            opevo_text_add(out, "\n");
        pad(out, column);
        opevo_text_add_bytes(out, line + at, end - at);
        at = end + strspn(line + end, " ");
    }
}

void opevo_i_cli_text_add_wrapped(opevo_text *out, const char *text, unsigned width)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        add_wrapped_line(out, text, length, width ? width : UINT_MAX);
        opevo_text_add_bytes(out, text + length, text[length] == '\n');
        text += length + (text[length] == '\n');
    }
}

void opevo_i_cli_print_error(const char *verb, const char *sentence)
{
    opevo_text text = {0};
    char who[80];

    snprintf(who, sizeof who, "opevo%s%s:", *verb ? " " : "", verb);
    opevo_i_cli_text_add_styled(&text, STDERR_FILENO, OPEVO_STYLE_BAD, who);
    opevo_text_add(&text, " ");
    opevo_text_add_visible(&text, sentence);
    fprintf(stderr, "%s\n", text.failed ? "opevo: no memory" : opevo_text_string(&text));
    opevo_text_free(&text);
}

/* What a cell quotes cannot steer a terminal. */
void opevo_i_cli_table_cell(opevo_table *table, const char *format, ...)
{
    void *cells = table->cells;
    opevo_text text = {0}, cell = {0};
    va_list arguments;

    va_start(arguments, format);
    opevo_text_vprintf(&text, format, arguments);
    va_end(arguments);
    opevo_text_add(&cell, "");
    opevo_text_add_visible(&cell, opevo_text_string(&text));
    opevo_text_free(&text);
    if (cell.failed || !opevo_reserve(&cells, &table->capacity, table->count + 1, sizeof(char *))) {
        table->failed = true;
        opevo_text_free(&cell);
        return;
    }
    table->cells = cells;
    table->cells[table->count++] = cell.data;
}

static const char *head_of(const opevo_table *table, size_t column)
{
    const char *head = table->heads[column];

    return *head == '<' ? head + 1 : head;
}

static size_t column_width(const opevo_table *table, size_t column)
{
    size_t widest = opevo_text_character_count(head_of(table, column));

    for (size_t i = column; i < table->count; i += table->columns) {
        size_t width = opevo_text_character_count(table->cells[i]);

        widest = width > widest ? width : widest;
    }
    return widest;
}

/* Columns of a table that are printed beside each other: one that says which row it is,
 * and some. */
typedef struct piece {
    size_t indent, key, from, to;
} piece;

static void print_line(const opevo_table *table, const size_t *widths, const piece *self,
                       const char *const *texts, opevo_text *out)
{
    pad(out, self->indent);
    for (size_t c = self->key; c < self->to; c = c < self->from ? self->from : c + 1) {
        const char *text = *texts[c] == '<' && texts == table->heads ? texts[c] + 1 : texts[c];
        size_t space = widths[c] - opevo_text_character_count(text);

        if (c != self->key)
            opevo_text_add(out, "  ");
        if (*table->heads[c] != '<')
            pad(out, space);
        if (texts == table->heads)
            opevo_i_cli_text_add_styled(out, STDOUT_FILENO, OPEVO_STYLE_STRONG, text);
        else
            opevo_text_add(out, text);
        if (*table->heads[c] == '<' && c + 1 < self->to)
            pad(out, space);
    }
    opevo_text_add(out, "\n");
}

/* Rows `first` to before `last`, in as many pieces as the width, 0 for no limit, asks for. */
static void print_pieces(const opevo_table *table, const size_t *widths, unsigned width,
                         size_t indent, size_t key, size_t first, size_t last, opevo_text *out)
{
    piece self = {indent, key, key + 1, key + 1};

    do {
        size_t total = indent + widths[key];

        for (; self.to < table->columns; self.to++) {
            total += 2 + widths[self.to];
            if (width && total > width && self.to > self.from)
                break;
        }
        print_line(table, widths, &self, table->heads, out);
        for (size_t i = first; i < last; i++)
            print_line(table, widths, &self, (const char *const *)table->cells + i * table->columns,
                       out);
        self.from = self.to;
    } while (self.from < table->columns);
}

/* Whether every column fits beside the one that says which row it is. */
static bool fits_in_pieces(const opevo_table *table, const size_t *widths, unsigned width,
                           size_t indent, size_t key)
{
    for (size_t c = key + 1; c < table->columns; c++) {
        if (indent + widths[key] + 2 + widths[c] > width)
            return false;
    }
    return key + 1 < table->columns;
}

/* The row behind those that have the same first cell as this one. */
static size_t group_end(const opevo_table *table, size_t first)
{
    size_t end = first + 1, rows = table->count / table->columns;

    while (end < rows &&
           !strcmp(table->cells[end * table->columns], table->cells[first * table->columns]))
        end++;
    return end;
}

/* Each group of rows under what its first cells say. */
static void print_groups(const opevo_table *table, const size_t *widths, unsigned width,
                         opevo_text *out)
{
    size_t rows = table->count / table->columns;

    for (size_t first = 0, end = 0; first < rows; first = end) {
        end = group_end(table, first);
        opevo_i_cli_text_add_wrapped(out, table->cells[first * table->columns], width);
        opevo_text_add(out, "\n");
        print_pieces(table, widths, width, 2, 1, first, end, out);
    }
}

/* Rows of the first columns, each with the texts of the others below it. */
static void print_above(const opevo_table *table, const size_t *widths, unsigned width,
                        opevo_text *out)
{
    enum { INDENT = 4 };
    size_t above = table->columns - table->below;
    piece self = {.from = 1, .to = above};
    opevo_text rest = {0};

    print_line(table, widths, &self, table->heads, out);
    for (size_t i = 0; i < table->count; i += table->columns) {
        print_line(table, widths, &self, (const char *const *)table->cells + i, out);
        opevo_text_clear(&rest);
        for (size_t c = above; c < table->columns; c++) {
            if (!*table->cells[i + c])
                continue;
            if (rest.length)
                opevo_text_add(&rest, "  ");
            else
                pad(&rest, INDENT);
            opevo_text_add(&rest, table->cells[i + c]);
        }
        opevo_i_cli_text_add_wrapped(out, opevo_text_string(&rest), width);
        opevo_text_add(out, rest.length ? "\n" : "");
    }
    out->failed = out->failed || rest.failed;
    opevo_text_free(&rest);
}

static void print_lists(const opevo_table *table, unsigned width, opevo_text *out)
{
    size_t widest = 0;
    opevo_text line = {0};

    for (size_t c = 0; c < table->columns; c++) {
        size_t length = opevo_text_character_count(head_of(table, c));

        widest = length > widest ? length : widest;
    }
    for (size_t i = 0; i < table->count; i++) {
        const char *head = head_of(table, i % table->columns);

        if (i && i % table->columns == 0)
            opevo_text_add(out, "\n");
        if (!*table->cells[i])
            continue;
        opevo_text_clear(&line);
        opevo_text_add(&line, head);
        pad(&line, widest - opevo_text_character_count(head));
        opevo_text_printf(&line, "  %s\n", table->cells[i]);
        opevo_i_cli_text_add_wrapped(out, opevo_text_string(&line), width);
    }
    out->failed = out->failed || line.failed;
    opevo_text_free(&line);
}

opevo_status opevo_i_cli_table_print(opevo_table *table, unsigned width, opevo_text *out,
                                     opevo_error *err)
{
    size_t *widths = opevo_calloc(table->columns, sizeof *widths);
    opevo_status status = OPEVO_OK;

    if (!widths || table->failed) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a table.");
    } else {
        size_t rows = table->count / table->columns, total = 0, above = 0;

        for (size_t c = 0; c < table->columns; c++) {
            widths[c] = column_width(table, c);
            total += widths[c] + (c ? 2 : 0);
            above = c + table->below < table->columns ? total : above;
        }
        if (!width || total <= width)
            print_pieces(table, widths, 0, 0, 0, 0, rows, out);
        else if (table->below && above <= width)
            print_above(table, widths, width, out);
        else if (table->compared && group_end(table, 0) > 1 &&
                 fits_in_pieces(table, widths, width, 2, 1))
            print_groups(table, widths, width, out);
        else if (table->compared && fits_in_pieces(table, widths, width, 0, 0))
            print_pieces(table, widths, width, 0, 0, 0, rows, out);
        else
            print_lists(table, width, out);
    }
    opevo_free(widths);
    opevo_i_cli_table_free(table);
    return status;
}

void opevo_i_cli_table_free(opevo_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        opevo_free(table->cells[i]);
    opevo_free(table->cells);
    table->cells = NULL;
    table->count = table->capacity = 0;
}

void opevo_i_cli_text_add_objective(opevo_text *out, const char *name)
{
    bool of_kernels = opevo_live_is_device(name);
    char shortened[120 + sizeof "..."];

    if (of_kernels && strlen(name) > 120) { /* the text of a computation is ASCII */
        snprintf(shortened, sizeof shortened, "%.120s...", name);
        name = shortened;
    }
    opevo_text_add_visible(out, name);
}

void opevo_i_cli_text_add_digits(opevo_text *out, const char *digits)
{
    size_t length = strlen(digits);

    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            opevo_text_add(out, ",");
        opevo_text_add_bytes(out, digits + i, 1);
    }
}

void opevo_i_cli_text_add_grouped(opevo_text *out, opevo_index value)
{
    char digits[OPEVO_INDEX_TEXT_SIZE];

    opevo_i_cli_text_add_digits(out, opevo_index_format(value, digits));
}

void opevo_i_cli_text_add_points(opevo_text *out, const opevo_space *space)
{
    opevo_text digits = {0};

    if (!opevo_space_is_wide(space)) {
        opevo_i_cli_text_add_grouped(out, opevo_space_size(space));
    } else {
        opevo_space_print_size(space, &digits);
        out->failed |= digits.failed;
        opevo_text_printf(out, "%.1s.%.3se%zu", opevo_text_string(&digits),
                          opevo_text_string(&digits) + 1, digits.length - 1);
        opevo_text_free(&digits);
    }
    opevo_text_printf(out, " point%s", opevo_i_cli_plural(opevo_space_size(space)));
}

/* In a direction of <fenv.h>, which the C library's printf follows: the decimal number itself lies
 * on that side of the double. */
static void add_directed(opevo_text *out, int direction, char form, int digits, double value)
{
    int before = fegetround();

    fesetround(direction);
    if (form == 'f')
        opevo_text_printf(out, "%.*f", digits, value);
    else
        opevo_text_printf(out, "%.*g", digits, value);
    fesetround(before);
}

void opevo_i_cli_text_add_bound(opevo_text *out, double bound)
{
    add_directed(out, FE_UPWARD, 'g', 2, bound);
}

void opevo_i_cli_text_add_interval(opevo_text *out, char form, int digits, double low, double high)
{
    add_directed(out, FE_DOWNWARD, form, digits, low);
    opevo_text_add(out, " to ");
    add_directed(out, FE_UPWARD, form, digits, high);
}

void opevo_i_cli_progress_start(opevo_progress *progress, bool quiet)
{
    *progress = (opevo_progress){.width = opevo_i_cli_terminal_width(STDERR_FILENO)};
    progress->active = !quiet && isatty(STDERR_FILENO);
    progress->plain = !opevo_i_cli_has_escapes();
    progress->started_s = progress->active ? opevo_clock_monotonic_s() : 0;
}

bool opevo_i_cli_progress_due(opevo_progress *progress)
{
    double now = 0;

    if (!progress->active)
        return false;
    now = opevo_clock_monotonic_s();
    if (now - progress->drawn_s < 0.1)
        return false;
    progress->drawn_s = now;
    return true;
}

/* To two or three digits, as an estimate deserves. */
static const char *duration(double seconds, char *out, size_t size)
{
    if (seconds < 100)
        snprintf(out, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(out, size, "%.0f min", seconds / 60);
    else
        snprintf(out, size, "%.1f h", seconds / 3600);
    return out;
}

void opevo_i_cli_progress_draw(opevo_progress *progress, double done, const char *text)
{
    char line[512], left[32];
    double spent = opevo_clock_monotonic_s() - progress->started_s;
    int limit = (int)progress->width - 1;

    if (done > progress->given && spent > 1)
        snprintf(line, sizeof line, "%s left, %s",
                 duration(spent * (1 - done) / (done - progress->given), left, sizeof left), text);
    else
        snprintf(line, sizeof line, "%s", text);
    opevo_i_cli_progress_clear(progress);
    fprintf(stderr, "%.*s", limit, line);
    fflush(stderr);
}

void opevo_i_cli_progress_clear(const opevo_progress *progress)
{
    if (!progress->active)
        return;
    if (progress->plain)
        fprintf(stderr, "\r%*s\r", (int)progress->width - 1, "");
    else
        fputs("\r\033[K", stderr);
}

void opevo_i_cli_progress_end(opevo_progress *progress)
{
    if (progress->drawn_s > 0)
        opevo_i_cli_progress_clear(progress);
}
