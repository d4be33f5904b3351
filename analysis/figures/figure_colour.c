/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The colour scale: a few anchors in OKLab, a colour space where equal distances look equal, joined
 * by straight lines. Lightness is linear over all of them, so the scale also reads in grey.
 * Source of the space: B. Ottosson, "A perceptual color space for image processing", 2020. */

#include "figure_internal.h"

#include <math.h>
#include <stdio.h>

typedef struct lab {
    double lightness, a, b;
} lab;

/* Cream, green, blue, dark violet. */
static const lab anchors[] = {{0.97, -0.020, 0.045},
                              {0.80, -0.085, 0.035},
                              {0.63, -0.075, -0.065},
                              {0.46, -0.020, -0.120},
                              {0.29, 0.030, -0.100}};
enum { ANCHOR_COUNT = sizeof anchors / sizeof anchors[0] };

static lab colour_at(double t)
{
    double place = fmin(fmax(t, 0), 1) * (ANCHOR_COUNT - 1);
    size_t i = (size_t)fmin(place, ANCHOR_COUNT - 2);
    double part = place - (double)i;
    const lab *from = &anchors[i], *to = &anchors[i + 1];

    return (lab){from->lightness + part * (to->lightness - from->lightness),
                 from->a + part * (to->a - from->a), from->b + part * (to->b - from->b)};
}

/* A linear light value as a byte of sRGB (IEC 61966-2-1). */
static unsigned channel(double linear)
{
    double v = fmin(fmax(linear, 0), 1);

    v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    return (unsigned)lround(255 * v) & 255; /* the mask shows the compiler that two digits do */
}

char *opevo_i_fig_colour(double t, char *out)
{
    lab c = colour_at(t);
    double l = pow(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
    double m = pow(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
    double s = pow(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);

    snprintf(out, OPEVO_I_COLOUR_SIZE, "#%02x%02x%02x",
             channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
             channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
             channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s));
    return out;
}

/* Whether white text reads better on it than black: about where both have the same contrast. */
bool opevo_i_fig_colour_is_dark(double t)
{
    return colour_at(t).lightness < 0.66;
}
