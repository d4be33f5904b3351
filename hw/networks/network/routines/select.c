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

static bool comes_first(const candidate *x, const candidate *y)
{
    if (x->score > y->score || (!isnan(x->score) && isnan(y->score)))
        return true;
    if (x->score < y->score || (isnan(x->score) && !isnan(y->score)))
        return false;
    return x->box < y->box;
}

/* Move the root of a heap down to where it belongs; the last in order is at the top. */
static void sink(candidate *heap, int64_t count, int64_t at)
{
    for (int64_t child = 2 * at + 1; child < count; at = child, child = 2 * at + 1) {
        candidate kept = heap[at];

        if (child + 1 < count && comes_first(&heap[child], &heap[child + 1]))
            child++;
        if (comes_first(&heap[child], &kept))
            return;
        heap[at] = heap[child];
        heap[child] = kept;
    }
}

static void sort_candidates(candidate *heap, int64_t count)
{
    for (int64_t k = count / 2 - 1; k >= 0; k--)
        sink(heap, count, k);
    for (int64_t k = count - 1; k > 0; k--) {
        candidate last = heap[0];

        heap[0] = heap[k];
        heap[k] = last;
        sink(heap, k, 0);
    }
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
    sort_candidates(self->item, count);
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

double routine_suppress_need(const routine_call *call)
{
    return (double)call->in[1].extent[2] * (double)(sizeof(candidate) + sizeof(corners));
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
                        .centred = call->whole[0] != 0,
                        .item = call->memory};
    int64_t *row = out->data;

    self.kept = (corners *)(self.item + boxes);
    clear(out);
    for (int64_t i = 0; i < score->extent[0] * classes; i++) {
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
    return NULL;
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

/* ---- How often n-grams occur ---- */

/* n-grams, whose numbers lie one after another in a pool. */
typedef struct gram_pool {
    const int64_t *number;
    int64_t first, count; /* of all n-grams, and of those of length n: the first and how many */
    int64_t start;        /* of their numbers */
} gram_pool;

/* Add the n-grams of length n with `skip` elements left out between theirs. */
static void count_grams(const routine_tensor *in, int64_t row, int64_t columns, int64_t n,
                        int64_t skip, const gram_pool *pool, double *count)
{
    for (int64_t at = 0; at + (n - 1) * (skip + 1) < columns; at++) {
        for (int64_t g = 0; g < pool->count; g++) {
            const int64_t *gram = pool->number + pool->start + g * n;
            int64_t k = 0;

            while (k < n && routine_whole(in, row * columns + at + k * (skip + 1)) == gram[k])
                k++;
            count[pool->first + g] += k == n;
        }
    }
}

/* Each with all that it may leave out; a single number has nothing between. */
static void count_row(const routine_call *call, int64_t row, double *count)
{
    const int64_t *counts = call->whole + 5, *places = counts + call->whole[4];
    const routine_tensor *in = call->in;
    int64_t columns = in->extent[in->dims - 1], lengths = call->whole[4];
    gram_pool pool = {.number = places + 2 + places[0]};
    int64_t numbers = pool.number[-1];

    for (int64_t n = 1; n <= lengths; n++) {
        int64_t skips = n == 1 ? 0 : call->whole[3];

        pool.start = counts[n - 1];
        pool.count = ((n < lengths ? counts[n] : numbers) - pool.start) / n;
        for (int64_t skip = 0; skip <= skips && n >= call->whole[1] && n <= call->whole[2];
             skip++) {
            if ((n - 1) * (skip + 1) < columns)
                count_grams(in, row, columns, n, skip, &pool, count);
        }
        pool.first += pool.count;
    }
}

double routine_grams_need(const routine_call *call)
{
    return (double)call->whole[5 + call->whole[4]] * (double)sizeof(double);
}

/* whole: what becomes of counts; least and largest length, most that is left out; then lists, each
 * behind its length: where n-grams of each length begin in the pool, their places in the result,
 * the pool. number: their weights. */
const char *routine_grams(const routine_call *call)
{
    const int64_t *places = call->whole + 5 + call->whole[4];
    const routine_tensor *out = call->out;
    int64_t rows = call->in->dims > 1 ? call->in->extent[0] : 1;
    int64_t width = out->extent[out->dims - 1];
    double *count = call->memory;
    float *to = out->data;

    memset(to, 0, (size_t)(rows * width) * sizeof *to);
    for (int64_t r = 0; r < rows; r++) {
        memset(count, 0, (size_t)places[0] * sizeof *count);
        count_row(call, r, count);
        for (int64_t g = 0; g < places[0]; g++)
            to[r * width + places[1 + g]] +=
                (float)(call->whole[0] == ROUTINE_TERMS       ? count[g]
                        : call->whole[0] == ROUTINE_DOCUMENTS ? (count[g] > 0) * call->number[g]
                                                              : count[g] * call->number[g]);
    }
    return NULL;
}
