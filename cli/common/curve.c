/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A run's best fitness over its trials, drawn with characters. */

#include "curve_internal.h"
#include "style_internal.h"

#include <opevo/run_curve.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 8, LABEL = 10, NARROWEST = 30, WIDEST = 80 };

static void spaces(opevo_text *out, int count)
{
    for (; count > 0; count--)
        opevo_text_add(out, " ");
}

/* How much of a row the column fills, in eighths, for a height in rows. */
static unsigned eighths_of(double height, int row)
{
    double part = fmin(fmax(height - row, 0), 1);

    return (unsigned)(8 * part + 0.5);
}

static void draw_row(const opevo_run_curve *curve, double top, int row, int columns,
                     opevo_text *out)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    bool unicode = opevo_i_cli_unicode();
    opevo_text line = {0};
    size_t filled = 0;

    for (int c = 0; c < columns; c++) {
        uint64_t trials = (uint64_t)ceil((double)curve->trials * (c + 1) / columns);
        double height = opevo_run_curve_best(curve, trials) / top * ROWS;
        unsigned eighths = eighths_of(height, row);

        opevo_text_add(&line, unicode ? blocks[eighths] : eighths >= 4 ? "#" : " ");
        filled = eighths ? line.length : filled;
    }
    opevo_text_add_bytes(out, opevo_text_string(&line), filled);
    opevo_text_add(out, "\n");
    out->failed = out->failed || line.failed;
    opevo_text_free(&line);
}

static void draw_axis(const opevo_run_curve *curve, int columns, opevo_text *out)
{
    char last[48];
    int length = snprintf(last, sizeof last, "%llu trial%s", (unsigned long long)curve->trials,
                          opevo_i_cli_plural(curve->trials));

    spaces(out, LABEL + 2);
    opevo_text_add(out, "1");
    spaces(out, columns - 1 - length);
    opevo_text_printf(out, "%s\n", last);
}

void opevo_i_cli_curve_print(const opevo_run_curve *curve, double optimum, const char *unit,
                             unsigned width, opevo_text *out)
{
    double best = opevo_run_curve_best(curve, curve->trials);
    double top = optimum > best ? optimum : best;
    int columns = (int)(width && width < WIDEST ? width : WIDEST) - LABEL - 2;

    if (!(best > 0) || columns < NARROWEST - LABEL - 2) {
        opevo_text_add(out, best > 0 ? "no curve: the terminal is too narrow\n"
                                     : "no curve: no trial succeeded\n");
        return;
    }
    opevo_text_printf(out, "best so far, %s%s%s\n", opevo_unit_name(unit),
                      opevo_unit_is_time(unit) ? ", drawn as 1/time" : "",
                      optimum > 0 ? "; the top is the known optimum" : "");
    for (int row = ROWS - 1; row >= 0; row--) {
        char label[32] = "";

        if (row == ROWS - 1)
            snprintf(label, sizeof label, "%.6g", opevo_unit_result(unit, top));
        else if (row == 0 && !opevo_unit_is_time(unit))
            snprintf(label, sizeof label, "0");
        opevo_text_printf(out, "%*s %s", (int)LABEL, label, opevo_i_cli_unicode() ? "│" : "|");
        draw_row(curve, top, row, columns, out);
    }
    draw_axis(curve, columns, out);
}
