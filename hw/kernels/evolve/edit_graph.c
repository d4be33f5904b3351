/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits as a graph: an arrow from an edit to one that it needs, a dashed line between two whose
 * gain together differs from the sum of their gains. Nodes stand on a circle. */

#include <opevo/edit_list.h>

#include <math.h>

enum { RADIUS = 180, MARGIN = 60, NODE = 18, LINE = 18 };

static const double pi = 3.14159265358979323846;
static const double shown = 0.005; /* least epistasis that is drawn, of the base's cost */

static double centre(void)
{
    return RADIUS + MARGIN;
}

static double x_of(const opevo_edit_list *list, size_t i, double radius)
{
    return centre() + radius * sin(2 * pi * (double)i / (double)list->count);
}

static double y_of(const opevo_edit_list *list, size_t i, double radius)
{
    return centre() - radius * cos(2 * pi * (double)i / (double)list->count);
}

/* From the rim of one node to that of another. */
static void add_line(const opevo_edit_list *list, size_t i, size_t k, const char *style,
                     opevo_text *out)
{
    double x = x_of(list, i, RADIUS);
    double y = y_of(list, i, RADIUS);
    double dx = x_of(list, k, RADIUS) - x;
    double dy = y_of(list, k, RADIUS) - y;
    double length = hypot(dx, dy);
    double inset = NODE / length;

    opevo_text_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n",
                      x + dx * inset, y + dy * inset, x + dx * (1 - inset), y + dy * (1 - inset),
                      style);
}

static void add_edges(const opevo_edit_list *list, const opevo_edits_explained *explained,
                      opevo_text *out)
{
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < list->count; k++) {
            double epistasis = i < k ? opevo_edits_epistasis(list, explained, i, k) : 0;

            if (opevo_edits_needs(list, explained, i, k))
                add_line(list, i, k, "stroke=\"#333\" marker-end=\"url(#needs)\"", out);
            if (epistasis >= shown)
                add_line(list, i, k, "stroke=\"#2a7f3f\" stroke-dasharray=\"5 4\"", out);
            if (epistasis <= -shown)
                add_line(list, i, k, "stroke=\"#b03030\" stroke-dasharray=\"5 4\"", out);
        }
    }
}

static void add_nodes(const opevo_edit_list *list, const opevo_edits_explained *explained,
                      opevo_text *out)
{
    for (size_t i = 0; i < list->count; i++) {
        bool alone = explained->alone[i].kind == OPEVO_OUTCOME_OK;
        double x = x_of(list, i, RADIUS);
        double y = y_of(list, i, RADIUS);

        opevo_text_printf(out,
                          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" "
                          "stroke=\"#333\"/>\n<text x=\"%.1f\" y=\"%.1f\" "
                          "text-anchor=\"middle\" dominant-baseline=\"central\">%zu</text>\n",
                          x, y, NODE, alone ? "#dcefe0" : "#f3dcdc", x, y, i + 1);
    }
}

static void add_list(const opevo_edit_list *list, const opevo_edits_explained *explained,
                     opevo_text *out)
{
    for (size_t i = 0; i < list->count; i++) {
        opevo_text_printf(out, "<text x=\"%d\" y=\"%.0f\">%zu  ", LINE,
                          2 * centre() + LINE * (double)(i + 1), i + 1);
        if (explained->alone[i].kind == OPEVO_OUTCOME_OK)
            opevo_text_printf(out, "%+.2f %%  ",
                              100 * opevo_edits_gain(list, &explained->alone[i]));
        else
            opevo_text_printf(out, "%s  ", explained->alone[i].status);
        opevo_text_add_xml(out, explained->lines[i]);
        opevo_text_add(out, "</text>\n");
    }
}

void opevo_edits_graph(const opevo_edit_list *list, const opevo_edits_explained *explained,
                       opevo_text *out)
{
    double height = 2 * centre() + LINE * (double)(list->count + 4);

    opevo_text_printf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"%.0f\" "
                      "font-family=\"sans-serif\" font-size=\"13\">\n"
                      "<title>opevo edits explain</title>\n"
                      "<defs><marker id=\"needs\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
                      "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">"
                      "<path d=\"M0 0 L8 4 L0 8 z\" fill=\"#333\"/></marker></defs>\n",
                      height);
    add_edges(list, explained, out);
    add_nodes(list, explained, out);
    add_list(list, explained, out);
    opevo_text_printf(
        out,
        "<text x=\"%d\" y=\"%.0f\">red node: fails alone; arrow: not if the other is there; "
        "dashed: together more (green) or less (red)</text>\n</svg>\n",
        LINE, height - LINE);
}
