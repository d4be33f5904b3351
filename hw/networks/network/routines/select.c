/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Results as large as data say. Output 0 has room for a number of rows, of which those that are not
 * needed are 0; output 1 is how many are needed, at most that many. Source: ONNX operator schemas,
 * NonMaxSuppression-11, NonZero-13, Compress-11. */

#include "routines.h"

/* Without data, output 0 is only counted. */
static void put_count(const routine_call *call, int64_t count)
{
    if (call->outs > 1 && call->out[1].data)
        *(int64_t *)call->out[1].data = count;
}

static void clear(const routine_tensor *t)
{
    if (t->data)
        memset(t->data, 0, (size_t)routine_elements(t) * routine_bytes(t));
}

/* ---- Boxes that do not overlap ---- */

/* Boxes of one batch and class, best first; equal ones in their order, NaN last. */
typedef struct candidate {
    float score;
    int64_t box;
} candidate;

static int compare_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;

    if (x->score > y->score || (!isnan(x->score) && isnan(y->score)))
        return -1;
    if (x->score < y->score || (isnan(x->score) && !isnan(y->score)))
        return 1;
    return x->box < y->box ? -1 : x->box > y->box;
}

typedef struct corners {
    float least[2], most[2], area;
} corners;

/* Two corners, in any order; or a centre with width and height. */
static corners corners_of(const float *box, bool centred)
{
    corners out = {.area = 1};

    for (int d = 0; d < 2; d++) {
        float a = centred ? box[d] - box[2 + d] / 2 : box[d];
        float b = centred ? box[d] + box[2 + d] / 2 : box[2 + d];

        out.least[d] = fminf(a, b);
        out.most[d] = fmaxf(a, b);
        out.area *= out.most[d] - out.least[d];
    }
    return out;
}

static bool overlaps(const corners *a, const corners *b, float most)
{
    float common = 1;

    for (int d = 0; d < 2; d++)
        common *= fmaxf(fminf(a->most[d], b->most[d]) - fmaxf(a->least[d], b->least[d]), 0);
    return a->area > 0 && b->area > 0 && common > 0 && common / (a->area + b->area - common) > most;
}

typedef struct suppression {
    int64_t boxes, most; /* of a class; how many are kept */
    float overlap, threshold;
    bool scored, centred; /* scored: those above `threshold` only */
    candidate *item;
    corners *kept;
} suppression;

/* Of one batch and class: how many are kept, as items 0, 1, ... */
static int64_t suppress(suppression *self, const float *box, const float *score)
{
    int64_t count = 0, kept = 0;

    for (int64_t i = 0; i < self->boxes; i++) {
        if (!self->scored || score[i] > self->threshold)
            self->item[count++] = (candidate){score[i], i};
    }
    qsort(self->item, (size_t)count, sizeof *self->item, compare_candidates);
    for (int64_t i = 0; i < count && kept < self->most; i++) {
        corners at = corners_of(box + self->item[i].box * 4, self->centred);
        bool hides = false;

        for (int64_t k = 0; k < kept && !hides; k++)
            hides = overlaps(&at, &self->kept[k], self->overlap);
        if (hides)
            continue;
        self->item[kept] = self->item[i];
        self->kept[kept++] = at;
    }
    return kept;
}

static double number_or(const routine_call *call, int in, double absent)
{
    return routine_has(call, in) && routine_elements(&call->in[in])
               ? routine_number(&call->in[in], 0)
               : absent;
}

/* whole: whether boxes are centres. Rows are batch, class and box. */
const char *routine_suppress(const routine_call *call)
{
    const routine_tensor *score = &call->in[1], *out = call->out;
    const float *box = call->in[0].data, *scores = score->data;
    int64_t classes = score->extent[1], boxes = score->extent[2], count = 0;
    double most = fmax(number_or(call, 2, 0), 0);
    suppression self = {.boxes = boxes,
                        .most = most < (double)boxes ? (int64_t)most : boxes,
                        .overlap = (float)number_or(call, 3, 0),
                        .threshold = (float)number_or(call, 4, 0),
                        .scored = routine_has(call, 4),
                        .centred = call->whole[0] != 0};
    int64_t *row = out->data;

    self.item = malloc((size_t)(boxes + 1) * sizeof *self.item);
    self.kept = malloc((size_t)(boxes + 1) * sizeof *self.kept);
    clear(out);
    for (int64_t i = 0; i < score->extent[0] * classes && self.item && self.kept; i++) {
        int64_t kept = suppress(&self, box + i / classes * boxes * 4, scores + i * boxes);

        for (int64_t k = 0; k < kept; k++, count++) {
            if (!row || count >= out->extent[0])
                continue;
            row[3 * count] = i / classes;
            row[3 * count + 1] = i % classes;
            row[3 * count + 2] = self.item[k].box;
        }
    }
    put_count(call, count);
    most = self.item && self.kept ? 0 : 1;
    free(self.item);
    free(self.kept);
    return most > 0 ? routine_fail(call, "No memory for boxes.") : NULL;
}

/* ---- Where numbers are not 0 ---- */

/* Columns of the output are the places. */
const char *routine_nonzero(const routine_call *call)
{
    const routine_tensor *in = call->in, *out = call->out;
    int64_t room = out->dims > 1 ? out->extent[1] : 0, count = 0;
    int64_t *to = out->data;

    clear(out);
    for (int64_t i = 0, all = routine_elements(in); i < all; i++) {
        int64_t rest = i;

        if (routine_number(in, i) == 0)
            continue;
        for (int d = in->dims - 1; d >= 0 && to && count < room; d--) {
            to[d * room + count] = rest % in->extent[d];
            rest /= in->extent[d];
        }
        count++;
    }
    put_count(call, count);
    return NULL;
}

/* ---- Slices where a condition holds ---- */

/* whole: the axis of the slices, -1 for elements. */
const char *routine_compress(const routine_call *call)
{
    const routine_tensor *in = call->in, *taken = &call->in[1], *out = call->out;
    int axis = (int)call->whole[0];
    int64_t slices = axis < 0 ? routine_elements(in) : in->extent[axis], count = 0;
    int64_t inner = axis < 0 ? 1 : routine_product(in, axis + 1, in->dims);
    int64_t outer = axis < 0 ? 1 : routine_product(in, 0, axis);
    int64_t room = out->dims ? out->extent[axis < 0 ? 0 : axis] : 0;

    clear(out);
    for (int64_t s = 0; s < taken->extent[0]; s++) {
        if (!routine_whole(taken, s))
            continue;
        for (int64_t i = 0; i < outer * inner && out->data && count < room; i++)
            routine_copy(in, (i / inner * slices + s) * inner + i % inner, out,
                         (i / inner * room + count) * inner + i % inner);
        count++;
    }
    put_count(call, count);
    return NULL;
}
