/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "kernel_references.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float *reals(const opevo_buffer *buffers, const char *name)
{
    while (strcmp(buffers->name, name) != 0)
        buffers++;
    return buffers->data;
}

static int32_t *integers(const opevo_buffer *buffers, const char *name)
{
    return (int32_t *)(void *)reals(buffers, name);
}

/* c = a b. */
static void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;

            for (int l = 0; l < k; l++)
                sum += (double)a[i * k + l] * (double)b[l * n + j];
            c[i * n + j] = (float)sum;
        }
    }
}

static void planted(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int n = number("n");

    multiply(reals(buffers, "a"), reals(buffers, "b"), reals(buffers, "c"), n, n, n);
}

static void matmul(const opevo_buffer *buffers, int (*number)(const char *name))
{
    multiply(reals(buffers, "a"), reals(buffers, "b"), reals(buffers, "c"), number("m"),
             number("n"), number("k"));
}

static void stencil(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int width = number("width"), height = number("height");
    const float *in = reals(buffers, "in");
    float *out = reals(buffers, "out");

    memcpy(out, in, (size_t)width * (size_t)height * sizeof *out);
    for (int y = 1; y < height - 1; y++) {
        for (int x = 1; x < width - 1; x++) {
            const float *at = in + y * width + x;
            double around = (double)at[-1] + (double)at[1] + (double)at[-width] + (double)at[width];

            out[y * width + x] = (float)(0.5 * (double)at[0] + around / 8);
        }
    }
}

static double clamped(const float *grid, int width, int height, int x, int y)
{
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return (double)grid[y * width + x];
}

/* 2 * rounds * steps steps; the last but `steps` are in "after". */
static void hotspot(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int n = number("n"), steps = number("steps"), total = 2 * number("rounds") * steps;
    const float *power = reals(buffers, "power");
    float *cells = reals(buffers, "before");
    size_t size = (size_t)n * (size_t)n * sizeof *cells;
    float *next = malloc(size);

    for (int step = 0; step < total; step++) {
        if (step == total - steps)
            memcpy(reals(buffers, "after"), cells, size);
        for (int i = 0; i < n * n; i++) {
            int x = i % n, y = i / n;
            double here = (double)cells[i];
            double flow = clamped(cells, n, n, x - 1, y) + clamped(cells, n, n, x + 1, y) +
                          clamped(cells, n, n, x, y - 1) + clamped(cells, n, n, x, y + 1) -
                          4 * here;

            next[i] = (float)(here + 0.1 * flow + (double)power[i] + 0.01 * (80 - here));
        }
        memcpy(cells, next, size);
    }
    free(next);
}

static void pathfinder(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int width = number("width"), steps = number("steps"), rows = 2 * number("rounds") * steps;
    const int32_t *wall = integers(buffers, "wall");
    int32_t *last = integers(buffers, "before");
    size_t size = (size_t)width * sizeof *last;
    int32_t *next = malloc(size);

    for (int row = 0; row < rows; row++) {
        if (row == rows - steps)
            memcpy(integers(buffers, "after"), last, size);
        for (int x = 0; x < width; x++) {
            int32_t least = INT32_MAX;

            for (int from = x - 1; from <= x + 1; from++) {
                if (from >= 0 && from < width && last[from] < least)
                    least = last[from];
            }
            next[x] = least + wall[row * width + x];
        }
        memcpy(last, next, size);
    }
    free(next);
}

static void nw(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int n = number("n");
    int32_t *score = integers(buffers, "score");
    const int32_t *similarity = integers(buffers, "similarity");

    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= n; j++) {
            int32_t *at = score + i * (n + 1) + j;
            int32_t best = at[-n - 2] + similarity[(i - 1) * n + j - 1];

            best = at[-1] - 10 > best ? at[-1] - 10 : best;
            *at = at[-n - 1] - 10 > best ? at[-n - 1] - 10 : best;
        }
    }
}

/* By relaxation of all edges until nothing changes. */
static void bfs(const opevo_buffer *buffers, int (*number)(const char *name))
{
    const int32_t *offsets = integers(buffers, "offsets"), *targets = integers(buffers, "targets");
    int32_t *level = integers(buffers, "level");

    for (bool changed = true; changed;) {
        changed = false;
        for (int node = 0; node < number("nodes"); node++) {
            for (int e = offsets[node]; level[node] >= 0 && e < offsets[node + 1]; e++) {
                int32_t *next = &level[targets[e]];

                if (*next < 0 || *next > level[node] + 1) {
                    *next = level[node] + 1;
                    changed = true;
                }
            }
        }
    }
}

static void lud(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int n = number("n");
    float *matrix = reals(buffers, "matrix");

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = (double)matrix[i * n + j];
            int least = i < j ? i : j;

            for (int k = 0; k < least; k++)
                sum -= (double)matrix[i * n + k] * (double)matrix[k * n + j];
            matrix[i * n + j] = (float)(i > j ? sum / (double)matrix[j * n + j] : sum);
        }
    }
}

static void diffuse(float *image, double *coefficient, int width, int height)
{
    size_t count = (size_t)width * (size_t)height;
    float *next = malloc(count * sizeof *next);

    for (int i = 0; i < width * height; i++) {
        int x = i % width, y = i / width;
        double here = (double)image[i];
        double n = clamped(image, width, height, x, y - 1) - here;
        double s = clamped(image, width, height, x, y + 1) - here;
        double w = clamped(image, width, height, x - 1, y) - here;
        double e = clamped(image, width, height, x + 1, y) - here;
        double g2 = (n * n + s * s + w * w + e * e) / (here * here), l = (n + s + w + e) / here;
        double q2 = (g2 / 2 - l * l / 16) / ((1 + l / 4) * (1 + l / 4));

        coefficient[i] = fmin(1, fmax(0, 1 / (1 + (q2 - 0.05) / (0.05 * 1.05))));
    }
    for (int i = 0; i < width * height; i++) {
        int x = i % width, y = i / width;
        double here = (double)image[i];
        double below = coefficient[y < height - 1 ? i + width : i];
        double right = coefficient[x < width - 1 ? i + 1 : i];
        double flow = coefficient[i] * (clamped(image, width, height, x, y - 1) - here) +
                      below * (clamped(image, width, height, x, y + 1) - here) +
                      coefficient[i] * (clamped(image, width, height, x - 1, y) - here) +
                      right * (clamped(image, width, height, x + 1, y) - here);

        next[i] = (float)(here + 0.25 * 0.5 * flow);
    }
    memcpy(image, next, count * sizeof *next);
    free(next);
}

static void srad(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int width = number("width"), height = number("height");
    double *coefficient = malloc((size_t)width * (size_t)height * sizeof *coefficient);

    for (int round = 0; round < number("rounds"); round++)
        diffuse(reals(buffers, "image"), coefficient, width, height);
    free(coefficient);
}

static void reduction(const opevo_buffer *buffers, int (*number)(const char *name))
{
    double sum = 0;

    for (int i = 0; i < number("count"); i++)
        sum += (double)reals(buffers, "in")[i];
    *reals(buffers, "sum") = (float)sum;
}

static void backprop(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int inputs = number("inputs"), hidden = number("hidden");
    const float *input = reals(buffers, "input");
    float *weight = reals(buffers, "weight"), *change = reals(buffers, "change");

    for (int round = 0; round < number("rounds"); round++) {
        for (int unit = 0; unit < hidden; unit++) {
            double sum = 0, scale, delta;

            for (int i = 0; i < inputs; i++)
                sum += (double)weight[i * hidden + unit] * (double)input[i];
            scale = 1 + fabs(sum);
            reals(buffers, "output")[unit] = (float)(sum / scale);
            delta = ((double)reals(buffers, "target")[unit] - sum / scale) / (scale * scale);
            for (int i = 0; i < inputs; i++) {
                int at = i * hidden + unit;

                change[at] = (float)(0.3 * delta * (double)input[i] + 0.3 * (double)change[at]);
                weight[at] += change[at];
            }
        }
    }
}

static void kmeans(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int count = number("count"), clusters = number("clusters"), features = number("features");
    const float *points = reals(buffers, "points");
    float *centres = reals(buffers, "centres");
    double *sums = malloc((size_t)(clusters * (features + 1)) * sizeof *sums);

    for (int round = 0; round < number("rounds"); round++) {
        memset(sums, 0, (size_t)(clusters * (features + 1)) * sizeof *sums);
        for (int p = 0; p < count; p++) {
            double least = INFINITY;
            int best = 0;

            for (int c = 0; c < clusters; c++) {
                double distance = 0;

                for (int f = 0; f < features; f++)
                    distance +=
                        pow((double)points[f * count + p] - (double)centres[c * features + f], 2);
                if (distance < least) {
                    least = distance;
                    best = c;
                }
            }
            for (int f = 0; f < features; f++)
                sums[best * (features + 1) + f] += (double)points[f * count + p];
            sums[best * (features + 1) + features]++;
        }
        for (int i = 0; i < clusters * features; i++) {
            const double *sum = sums + i / features * (features + 1);

            if (sum[features] > 0)
                centres[i] = (float)(sum[i % features] / sum[features]);
        }
    }
    free(sums);
}

static double inner(const float *points, int count, int features, int i, int j)
{
    double sum = 0;

    for (int f = 0; f < features; f++)
        sum += (double)points[f * count + i] * (double)points[f * count + j];
    return sum;
}

static void smo(const opevo_buffer *buffers, int (*number)(const char *name))
{
    const float bound = 0.1F; /* as the harness says */
    int count = number("count"), features = number("features");
    const float *points = reals(buffers, "points"), *label = reals(buffers, "label");
    float *a = reals(buffers, "multiplier"), *gradient = reals(buffers, "gradient");

    for (int round = 0; round < number("rounds"); round++) {
        double high = -INFINITY, low = INFINITY, change;
        int i = 0, j = 0;

        for (int p = 0; p < count; p++) {
            double value = -(double)label[p] * (double)gradient[p];

            if ((label[p] > 0 ? a[p] < bound : a[p] > 0) && value > high) {
                high = value;
                i = p;
            }
            if ((label[p] > 0 ? a[p] > 0 : a[p] < bound) && value < low) {
                low = value;
                j = p;
            }
        }
        change = (high - low) / fmax(1e-6, inner(points, count, features, i, i) -
                                               2 * inner(points, count, features, i, j) +
                                               inner(points, count, features, j, j));
        change = fmin(change, (double)(label[i] > 0 ? bound - a[i] : a[i]));
        change = fmax(0, fmin(change, (double)(label[j] > 0 ? a[j] : bound - a[j])));
        a[i] += (float)((double)label[i] * change);
        a[j] -= (float)((double)label[j] * change);
        for (int p = 0; p < count; p++)
            gradient[p] += (float)((double)label[p] * change *
                                   (inner(points, count, features, i, p) -
                                    inner(points, count, features, j, p)));
    }
}

/* Solutions by Gaussian elimination; the diagonal dominates, so no rows are exchanged. */
static void jacobi(const opevo_buffer *buffers, int (*number)(const char *name))
{
    int n = number("n"), systems = number("systems");
    const float *matrix = reals(buffers, "matrix");
    size_t width = (size_t)(n + systems);
    double *rows = malloc((size_t)n * width * sizeof *rows);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            rows[(size_t)i * width + (size_t)j] = (double)matrix[j * n + i];
        for (int s = 0; s < systems; s++)
            rows[(size_t)i * width + (size_t)(n + s)] = (double)reals(buffers, "right")[s * n + i];
    }
    for (int k = 0; k < n; k++) {
        const double *pivot = rows + (size_t)k * width;

        for (int i = 0; i < n; i++) {
            double *row = rows + (size_t)i * width, factor = row[k] / pivot[k];

            for (size_t j = (size_t)k; i != k && j < width; j++)
                row[j] -= factor * pivot[j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < systems; s++)
            reals(buffers, "solution")[s * n + i] =
                (float)(rows[(size_t)i * width + (size_t)(n + s)] /
                        rows[(size_t)i * width + (size_t)i]);
    }
    free(rows);
}

const kernel_reference kernel_references[] = {{"planted", 1e-5, planted},
                                              {"matmul", 1e-5, matmul},
                                              {"stencil", 1e-6, stencil},
                                              {"hotspot", 1e-5, hotspot},
                                              {"pathfinder", 0, pathfinder},
                                              {"nw", 0, nw},
                                              {"bfs", 0, bfs},
                                              {"lud", 1e-5, lud},
                                              {"srad", 1e-5, srad},
                                              {"reduction", 1e-5, reduction},
                                              {"backprop", 1e-5, backprop},
                                              {"kmeans", 1e-5, kmeans},
                                              {"smo", 1e-4, smo},
                                              {"jacobi", 1e-4, jacobi}};
const size_t kernel_reference_count = sizeof kernel_references / sizeof *kernel_references;
