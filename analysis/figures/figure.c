/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a walk as a drawing of its graph, in SVG 1.1. Each vertex is a circle whose `data-p`
 * is the probability to the last digit, so that the drawing can be read back. Places are rounded to
 * a tenth of a pixel. */

#include <opevo/figure.h>

#include <opevo/graph.h>
#include <opevo/memory.h>

#include "figure_internal.h"

#include <math.h>
#include <string.h>

static const opevo_index vertex_limit = 400;
static const size_t label_limit = 120; /* more vertices than this have no labels */
static const size_t label_length = 14; /* longer labels are cut */
static const double log_ratio = 20;    /* from here on the colours go by the logarithm */
static const double glyph = 0.56;      /* mean width of a character, in heights */
static const double label_px = 12, number_px = 10.5, title_px = 16, note_px = 13;
static const double margin = 24, head = 64, bar_width = 16, bar_room = 112;
static const char *const ring_colour = "#d1460f";

typedef struct figure {
    const opevo_law *law;
    const opevo_parameter *parameter;
    opevo_graph *graph;
    size_t count;
    size_t start;
    opevo_i_fig_place *places; /* in pixels after `fit` */
    double radius;
    bool labels;
    double low, high; /* of the positive probabilities */
    bool logarithmic;
    double width, height;
    double plot_x, plot_width, plot_height; /* of the cloud of vertices, radius counted in */
    opevo_text *svg;
} figure;

/* ---- Pieces of text ---- */

/* ` name="value"`, to a tenth: independent of the locale. */
static void attribute(opevo_text *svg, const char *name, double value)
{
    opevo_text_printf(svg, " %s=\"", name);
    opevo_text_add_double(svg, round(10 * value) / 10);
    opevo_text_add(svg, "\"");
}

/* A non-negative number with a fixed count of decimals, whatever the locale. */
static void add_fixed(opevo_text *text, double value, int decimals)
{
    long long scale = 1, digits = 0;

    for (int i = 0; i < decimals; i++)
        scale *= 10;
    digits = llround(value * (double)scale);
    opevo_text_printf(text, "%lld.%0*lld", digits / scale, decimals, digits % scale);
}

/* Two digits or three: "0.586", "0.050", "0.0046", "6.1e-4". */
static void add_number(opevo_text *text, double p)
{
    int exponent = p > 0 ? (int)floor(log10(p)) : 0;

    if (p == 0 || p == 1) {
        opevo_text_add(text, p > 0 ? "1" : "0");
    } else if (exponent >= -3) {
        add_fixed(text, p, exponent == -3 ? 4 : 3);
    } else {
        double digits = p / pow(10, exponent);

        if (digits >= 9.95) {
            digits = 1;
            exponent++;
        }
        add_fixed(text, digits, 1);
        opevo_text_printf(text, "e%d", exponent);
    }
}

/* "(8,1,1)" for tuples, the bare value otherwise. */
static void add_value(opevo_text *text, const opevo_parameter *parameter, opevo_index vertex)
{
    bool tuple = opevo_parameter_arity(parameter) > 1;

    if (tuple)
        opevo_text_add(text, "(");
    opevo_parameter_print(parameter, vertex, text);
    if (tuple)
        opevo_text_add(text, ")");
}

/* The value, cut to label_length characters. */
static void add_label(opevo_text *text, const opevo_parameter *parameter, opevo_index vertex)
{
    size_t from = text->length, kept = 0, at = from;

    add_value(text, parameter, vertex);
    if (text->failed || opevo_text_character_count(text->data + from) <= label_length)
        return;
    for (; kept < label_length - 1 || ((unsigned char)text->data[at] & 0xc0) == 0x80; at++)
        kept += ((unsigned char)text->data[at] & 0xc0) != 0x80;
    text->length = at;
    text->data[at] = 0;
    opevo_text_add(text, "\xe2\x80\xa6");
}

static void text_element(opevo_text *svg, double x, double y, double size, const char *more,
                         const char *content)
{
    opevo_text_add(svg, "<text");
    attribute(svg, "x", x);
    attribute(svg, "y", y);
    attribute(svg, "font-size", size);
    opevo_text_printf(svg, "%s>", more);
    opevo_text_add_xml(svg, content);
    opevo_text_add(svg, "</text>\n");
}

/* ---- Sizes ---- */

static double shade(const figure *self, double p)
{
    if (self->logarithmic)
        return log(p / self->low) / log(self->high / self->low);
    return (p - self->low) / (self->high - self->low);
}

static void find_range(figure *self)
{
    self->low = INFINITY;
    for (size_t i = 0; i < self->count; i++) {
        double p = opevo_law_probability(self->law, i);

        if (p <= 0)
            continue;
        self->low = fmin(self->low, p);
        self->high = fmax(self->high, p);
    }
    if (self->high <= self->low)
        self->low = 0;
    self->logarithmic = self->low > 0 && self->high > log_ratio * self->low;
}

/* Circles are as large as the longest label needs. */
static opevo_status find_radius(figure *self, opevo_error *err)
{
    opevo_text label = {0};
    opevo_status status = OPEVO_OK;
    size_t longest = 5; /* the number below the value */

    self->labels = self->count <= label_limit;
    self->radius = 7;
    for (size_t i = 0; self->labels && i < self->count; i++) {
        size_t length = 0;

        opevo_text_clear(&label);
        add_label(&label, self->parameter, i);
        length = opevo_text_character_count(opevo_text_string(&label));
        longest = length > longest ? length : longest;
    }
    if (self->labels)
        self->radius = fmax(20, glyph * label_px * (double)longest / 2 + 5);
    status = opevo_text_check(&label, err);
    opevo_text_free(&label);
    return status;
}

/* From units of the layout to pixels, the cloud's corner at the margin; then the page. */
static void fit(figure *self, double title_width)
{
    double unit = self->radius * 2.25;
    double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;

    for (size_t i = 0; i < self->count; i++) {
        left = fmin(left, unit * self->places[i].x);
        right = fmax(right, unit * self->places[i].x);
        top = fmin(top, unit * self->places[i].y);
        bottom = fmax(bottom, unit * self->places[i].y);
    }
    self->plot_width = right - left + 2 * self->radius + 8;
    self->plot_height = bottom - top + 2 * self->radius + 8;
    self->width = fmax(self->plot_width + bar_room, title_width) + 2 * margin;
    self->height = fmax(self->plot_height, 220) + head + margin;
    self->plot_x = margin + (self->width - 2 * margin - bar_room - self->plot_width) / 2;
    for (size_t i = 0; i < self->count; i++) {
        self->places[i].x = unit * self->places[i].x - left + self->plot_x + self->radius + 4;
        self->places[i].y = unit * self->places[i].y - top + self->radius + 4 + head +
                            (self->height - head - margin - self->plot_height) / 2;
    }
}

/* ---- Drawing ---- */

static void draw_edges(figure *self)
{
    opevo_text *svg = self->svg;

    opevo_text_add(svg, "<path class=\"edges\" fill=\"none\" stroke=\"#c3c7cd\" "
                        "stroke-width=\"1.3\" d=\"");
    for (size_t v = 0; v < self->count; v++) {
        for (uint64_t e = self->graph->offset[v]; e < self->graph->offset[v + 1]; e++) {
            opevo_i_fig_place a = self->places[v], b = self->places[self->graph->target[e]];
            const double numbers[4] = {a.x, a.y, b.x, b.y};

            if (self->graph->target[e] < v)
                continue;
            for (int i = 0; i < 4; i++) {
                opevo_text_add(svg, i == 0 ? "M" : i == 2 ? "L" : " ");
                opevo_text_add_double(svg, round(10 * numbers[i]) / 10);
            }
        }
    }
    opevo_text_add(svg, "\"/>\n");
}

static void draw_circle(figure *self, size_t vertex, double p, const char *value)
{
    char colour[OPEVO_I_COLOUR_SIZE] = "#ffffff";
    opevo_text *svg = self->svg;

    opevo_text_add(svg, "<circle");
    attribute(svg, "cx", self->places[vertex].x);
    attribute(svg, "cy", self->places[vertex].y);
    attribute(svg, "r", self->radius);
    if (p > 0)
        opevo_i_fig_colour(shade(self, p), colour);
    opevo_text_printf(svg, " fill=\"%s\" stroke=\"#5b616b\" stroke-width=\"0.8\"%s data-p=\"",
                      colour, p > 0 ? "" : " stroke-dasharray=\"3 2\"");
    opevo_text_add_double(svg, p);
    opevo_text_add(svg, "\"><title>");
    opevo_text_add_xml(svg, value);
    opevo_text_add(svg, ": ");
    opevo_text_add_double(svg, p);
    opevo_text_add(svg, "</title></circle>\n");
}

static void draw_ring(opevo_text *svg, double x, double y, double radius)
{
    opevo_text_add(svg, "<ellipse");
    attribute(svg, "cx", x);
    attribute(svg, "cy", y);
    attribute(svg, "rx", radius);
    attribute(svg, "ry", radius);
    opevo_text_printf(svg, " fill=\"none\" stroke=\"%s\" stroke-width=\"3\"/>\n", ring_colour);
}

static void draw_labels(figure *self, size_t vertex, double p, opevo_text *scratch)
{
    const char *fill = p > 0 && opevo_i_fig_colour_is_dark(shade(self, p))
                           ? " fill=\"#ffffff\" text-anchor=\"middle\""
                           : " fill=\"#111418\" text-anchor=\"middle\"";
    opevo_i_fig_place place = self->places[vertex];

    opevo_text_clear(scratch);
    add_label(scratch, self->parameter, vertex);
    text_element(self->svg, place.x, place.y - 1, label_px, fill, opevo_text_string(scratch));
    opevo_text_clear(scratch);
    add_number(scratch, p);
    text_element(self->svg, place.x, place.y + 12, number_px, fill, opevo_text_string(scratch));
}

static void draw_vertices(figure *self, opevo_text *scratch)
{
    opevo_text_add(self->svg, "<g class=\"vertices\">\n");
    for (size_t i = 0; i < self->count; i++) {
        double p = opevo_law_probability(self->law, i);

        opevo_text_clear(scratch);
        add_value(scratch, self->parameter, i);
        draw_circle(self, i, p, opevo_text_string(scratch));
        if (self->labels)
            draw_labels(self, i, p, scratch);
    }
    draw_ring(self->svg, self->places[self->start].x, self->places[self->start].y,
              self->radius + 3);
    opevo_text_add(self->svg, "</g>\n");
}

typedef struct bar {
    double x, top, height;
} bar;

/* A tick at digits * 10^exponent. */
static void draw_tick(figure *self, const bar *place, int digits, int exponent, opevo_text *scratch)
{
    double p = digits * pow(10, exponent);
    double y = place->top + place->height * (1 - shade(self, p));

    opevo_text_add(self->svg, "<rect");
    attribute(self->svg, "x", place->x + bar_width);
    attribute(self->svg, "y", y - 0.5);
    opevo_text_add(self->svg, " width=\"4\" height=\"1\"/>\n");
    opevo_text_clear(scratch);
    if (exponent >= 0)
        opevo_text_printf(scratch, "%d", (int)lround(p));
    else if (exponent >= -4)
        add_fixed(scratch, p, -exponent);
    else
        opevo_text_printf(scratch, "%de%d", digits, exponent);
    text_element(self->svg, place->x + bar_width + 8, y + 4.5, note_px, "",
                 opevo_text_string(scratch));
}

/* Powers of ten, at most 8 of them, with twice and five times them where they are few. */
static void draw_log_ticks(figure *self, const bar *place, opevo_text *scratch)
{
    int first = (int)floor(log10(self->low)), last = (int)floor(log10(self->high));
    int stride = (last - first) / 8 + 1;

    for (int exponent = last; exponent >= first; exponent -= stride) {
        for (int digit = 1; digit <= 5; digit = digit == 1 ? 2 : digit + 3) {
            double p = digit * pow(10, exponent);

            if ((digit == 1 || last - first < 4) && p >= self->low && p <= self->high)
                draw_tick(self, place, digit, exponent, scratch);
        }
    }
}

/* Multiples of 1, 2 or 5 times a power of ten, 3 to 7 of them. */
static void draw_linear_ticks(figure *self, const bar *place, opevo_text *scratch)
{
    double range = self->high - self->low;
    int exponent = (int)floor(log10(range / 3));
    double power = pow(10, exponent);
    int step = range / power >= 12 ? 5 : range / power >= 6 ? 2 : 1;
    int digits = (int)ceil(self->low / power / step - 1e-9) * step;

    for (; digits * power <= self->high * (1 + 1e-9); digits += step)
        draw_tick(self, place, digits, exponent, scratch);
}

static void draw_bar(figure *self, opevo_text *scratch)
{
    opevo_text *svg = self->svg;
    bar place = {.x = self->width - margin - bar_room + 28, .top = head + 22};
    enum { STOPS = 16 };

    place.height = self->height - margin - 44 - place.top;
    if (place.height > 320) {
        place.top += (place.height - 320) / 2;
        place.height = 320;
    }
    text_element(svg, place.x, place.top - 12, note_px, "",
                 self->logarithmic ? "p (log scale)" : "p");
    opevo_text_add(svg,
                   "<defs><linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\n");
    for (int i = 0; i <= STOPS; i++) {
        char colour[OPEVO_I_COLOUR_SIZE];

        opevo_text_add(svg, "<stop offset=\"");
        opevo_text_add_double(svg, (double)i / STOPS);
        opevo_text_printf(svg, "\" stop-color=\"%s\"/>\n",
                          opevo_i_fig_colour((double)i / STOPS, colour));
    }
    opevo_text_add(svg, "</linearGradient></defs>\n<rect");
    attribute(svg, "x", place.x);
    attribute(svg, "y", place.top);
    attribute(svg, "width", bar_width);
    attribute(svg, "height", place.height);
    opevo_text_add(svg, " fill=\"url(#scale)\" stroke=\"#5b616b\" stroke-width=\"0.8\"/>\n");
    if (self->logarithmic)
        draw_log_ticks(self, &place, scratch);
    else
        draw_linear_ticks(self, &place, scratch);
    draw_ring(svg, place.x + bar_width / 2, place.top + place.height + 26, 8);
    text_element(svg, place.x + bar_width + 8, place.top + place.height + 30, note_px, "", "start");
}

/* The two lines at the top; their width decides how narrow the page may be. */
static void add_title(const figure *self, opevo_text *text)
{
    opevo_text_printf(text, "q-random walk on %s", opevo_parameter_text(self->parameter));
    opevo_text_printf(text, ", topology %s", opevo_parameter_topology(self->parameter));
}

static void add_subtitle(const figure *self, opevo_text *text)
{
    opevo_text_add(text, "q = ");
    opevo_text_add_double(text, opevo_law_q(self->law));
    opevo_text_add(text, ", start ");
    add_value(text, self->parameter, self->start);
    opevo_text_add(text, ", exact, bound ");
    add_number(text, opevo_law_bound(self->law));
    opevo_text_printf(text, " (%s)", opevo_law_method_name(opevo_law_get_method(self->law)));
}

static void draw(figure *self, const char *title, const char *subtitle, opevo_text *scratch)
{
    opevo_text *svg = self->svg;

    opevo_text_add(svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    attribute(svg, "width", self->width);
    attribute(svg, "height", self->height);
    opevo_text_add(svg, " font-family=\"Helvetica, Arial, sans-serif\" fill=\"#111418\">\n<title>");
    opevo_text_add_xml(svg, title);
    opevo_text_add(svg, "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    text_element(svg, margin, margin + 8, title_px, " font-weight=\"bold\"", title);
    text_element(svg, margin, margin + 29, note_px, "", subtitle);
    draw_edges(self);
    draw_vertices(self, scratch);
    draw_bar(self, scratch);
    opevo_text_add(svg, "</svg>\n");
}

opevo_status opevo_figure_law(const opevo_law *law, opevo_text *svg, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    figure self = {.law = law, .parameter = opevo_law_parameter(law), .svg = svg};
    opevo_index size = opevo_parameter_size(self.parameter);
    opevo_text title = {0}, subtitle = {0}, scratch = {0};

    if (size > vertex_limit)
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "%s has more than 400 vertices, too many for a figure; print the law as a table.",
            opevo_parameter_text(self.parameter));
    self.count = (size_t)size;
    self.start = (size_t)opevo_law_start(law);
    OPEVO_TRY(opevo_graph_create(self.parameter, 0, &self.graph, err));
    OPEVO_NEW(self.places, self.count, "a figure");
    OPEVO_TRY(opevo_i_fig_layout(self.parameter, self.graph, self.start, self.places, err));
    find_range(&self);
    OPEVO_TRY(find_radius(&self, err));
    add_title(&self, &title);
    add_subtitle(&self, &subtitle);
    fit(&self, fmax(glyph * 1.05 * title_px * (double)title.length,
                    glyph * note_px * (double)subtitle.length));
    draw(&self, opevo_text_string(&title), opevo_text_string(&subtitle), &scratch);
    OPEVO_TRY(opevo_text_check(&title, err));
    OPEVO_TRY(opevo_text_check(&subtitle, err));
    OPEVO_TRY(opevo_text_check(&scratch, err));
    OPEVO_TRY(opevo_text_check(svg, err));
cleanup:
    opevo_graph_destroy(self.graph);
    opevo_free(self.places);
    opevo_text_free(&title);
    opevo_text_free(&subtitle);
    opevo_text_free(&scratch);
    return status;
}
