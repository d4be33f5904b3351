/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations made in memory, by joining, blocking and leaving out, against their own texts; and
 * which computations are the same, against texts whose names are normalised and by renaming. */

#include "check_memory.h"
#include "computation_texts.h"

#include "computation_draw.h"

#include <opevo/computation_block.h>
#include <opevo/computation_join.h>
#include <opevo/memory.h>

#include <ctype.h>

enum { DRAWN = 400, MOST_TENSORS = 64 };

/* A random one, NULL where the grammar drew one that is not valid. */
static opevo_computation *draw_valid(uint64_t seed)
{
    choices from = {.state = opevo_hash_mix(seed)};
    opevo_computation *made = NULL;
    opevo_text text = {0};

    draw_computation(&from, &text);
    (void)opevo_computation_parse(opevo_text_string(&text), "drawn", NULL, 0, &made, NULL);
    opevo_text_free(&text);
    assert_true(!made || made->tensors <= MOST_TENSORS);
    return made;
}

/* ---- Names as an oracle has them ---- */

/* Write a name in another way: in the definition of `of` or, with NULL, anywhere. */
typedef void (*name_function)(void *context, const opevo_tensor *of, const char *name,
                              opevo_text *out);

/* Words of the language are not names, and neither are the letters of numbers. */
static bool is_word(const char *name)
{
    static const char *const words[] = {
        "and", "bfloat16", "const", "erf", "exp",    "float16", "float32", "int32", "int8", "log",
        "max", "min",      "or",    "sum", "output", "select",  "sigmoid", "sqrt",  "tanh"};
    bool found = false;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found |= strcmp(words[i], name) == 0;
    return found;
}

static void write_names(const opevo_tensor *of, const char *at, name_function write, void *context,
                        opevo_text *out)
{
    while (*at) {
        char name[OPEVO_COMPUTATION_NAME + 1] = "";
        size_t length = 0;

        if (isdigit((unsigned char)*at)) {
            do
                opevo_text_add_bytes(out, at, 1);
            while (isalnum((unsigned char)*++at) || *at == '.' || (at[-1] == 'e' && *at == '-'));
        } else if (isalpha((unsigned char)*at)) {
            while (isalnum((unsigned char)at[length]) || at[length] == '_')
                length++;
            memcpy(name, at, length);
            at += length;
            if (is_word(name))
                opevo_text_add(out, name);
            else
                write(context, of, name, out);
        } else {
            opevo_text_add_bytes(out, at++, 1);
        }
    }
}

/* Tensors by number, and axes by their place in the definition. */
static void write_normal(void *context, const opevo_tensor *of, const char *name, opevo_text *out)
{
    const opevo_computation *computation = context;
    const opevo_tensor *tensor = opevo_computation_find(computation, name);

    if (tensor)
        opevo_text_printf(out, "T%d", tensor->number);
    for (int a = 0; !tensor && of->definition && a < of->definition->axes; a++)
        if (strcmp(of->definition->axis[a].name, name) == 0)
            opevo_text_printf(out, "x%d", a);
}

/* Statement by statement, so that each has all extents; inputs have no names of axes. */
static char *normal_text(const opevo_computation *computation)
{
    opevo_text text = {0}, line = {0};
    char *copy = NULL;

    for (int i = 0; i < computation->tensors; i++) {
        opevo_tensor tensor = *computation->tensor[i];

        if (!tensor.definition)
            memset(tensor.dim_name, 0, sizeof tensor.dim_name);
        opevo_text_clear(&line);
        opevo_tensor_print(&tensor, &line);
        opevo_text_printf(&text, "\n%d ", (int)tensor.role);
        write_names(computation->tensor[i], opevo_text_string(&line), write_normal,
                    (void *)(uintptr_t)computation, &text);
    }
    CHECK_OK(opevo_text_check(&text, &err));
    copy = strdup(opevo_text_string(&text));
    opevo_text_free(&line);
    opevo_text_free(&text);
    return copy;
}

/* A name of its own for every name, which depends on a seed. */
static void write_other(void *context, const opevo_tensor *of, const char *name, opevo_text *out)
{
    uint64_t seed = *(const uint64_t *)context, hash = opevo_hash_bytes(seed, name, strlen(name));

    opevo_text_printf(out, "%c%llx_%s", (int)('a' + hash % 26), (unsigned long long)hash % 4096,
                      name);
}

static opevo_computation *rename_all(const opevo_computation *from, uint64_t seed)
{
    char *text = text_of(from);
    opevo_text renamed = {0};
    opevo_computation *made = NULL;

    write_names(NULL, text, write_other, &seed, &renamed);
    made = computation_of(opevo_text_string(&renamed));
    opevo_text_free(&renamed);
    free(text);
    return made;
}

/* ---- The same ---- */

static void check_identity(const opevo_computation *a, const opevo_computation *b, bool *same)
{
    char *x = normal_text(a), *y = normal_text(b);

    *same = strcmp(x, y) == 0;
    if (opevo_computation_same(a, b) != *same || opevo_computation_same(b, a) != *same ||
        (opevo_computation_hash(a) == opevo_computation_hash(b)) != *same)
        fail_msg("identity differs from that of the texts%s\nand%s", x, y);
    free(x);
    free(y);
}

CHECK_TEST(test_names_do_not_matter)
{
    int checked = 0;

    for (uint64_t seed = 0; seed < DRAWN; seed++) {
        opevo_computation *one = draw_valid(seed), *other = one ? rename_all(one, seed) : NULL;
        bool same = false;

        if (one) {
            check_identity(one, other, &same);
            assert_true(same);
            checked++;
        }
        opevo_computation_destroy(one);
        opevo_computation_destroy(other);
    }
    assert_true(checked > DRAWN / 2);
}

/* One character of the text is another one: an extent, an index, a number, an operator, a tensor.
 */
CHECK_TEST(test_all_else_matters)
{
    static const char characters[] = "0123456789+-*/AB";
    int equal = 0, different = 0;

    for (uint64_t seed = 0; seed < 8 * DRAWN; seed++) {
        uint64_t numbers = seed;
        opevo_computation *one = draw_valid(seed / 8), *other = NULL;
        char *text = one ? text_of(one) : NULL;
        bool same = false;

        if (one) {
            text[draw(&numbers, strlen(text))] = characters[draw(&numbers, sizeof characters - 1)];
            (void)opevo_computation_parse(text, "spoilt", NULL, 0, &other, NULL);
        }
        if (other) {
            check_identity(one, other, &same);
            equal += same;
            different += !same;
        }
        free(text);
        opevo_computation_destroy(one);
        opevo_computation_destroy(other);
    }
    assert_true(equal > 20 && different > 200);
}

/* What names tell apart today is not lost in the hash: these differ in one property each. */
CHECK_TEST(test_one_property_each)
{
    static const char *const texts[] = {
        "A[8]; C[i:8] = A[i]",
        "A[9]; C[i:8] = A[i]",
        "const A[8]; C[i:8] = A[i]",
        "float16 A[8]; C[i:8] = A[i]",
        "A[8]; C[i:8] = A[7 - i]",
        "A[8]; C[i:8] = A[i//2]",
        "A[8]; C[i:8] = A[i//3]",
        "A[8]; C[i:8] = A[i%3]",
        "A[8]; C[i:8] = 2*A[i]",
        "A[8]; C[i:8] = A[i]*2",
        "A[8]; C[i:8] = i*A[i]",
        "A[8]; C[i:8] = select(i < 2, A[i], 0)",
        "A[8]; C[i:8] = select(i <= 2, A[i], 0)",
        "A[8]; C[i:8] = select(A[i] < 2, A[i], 0)",
        "A[8]; C[i:8] = sum(k:3) A[i]",
        "A[8]; C[i:8] = sum(k:4) A[i]",
        "A[8]; C[i:8] = max(k:4) A[i]",
        "A[8]; C[i:8] = sum(k:2, l:2) A[i]",
        "A[8]; C[i:8] = A[i]; D[i] = C[i]",
        "A[8]; output C[i:8] = A[i]; D[i] = C[i]",
        "A[8]; B[8]; C[i:8] = A[i]*B[i]",
        "A[8]; B[8]; C[i:8] = B[i]*A[i]",
    };
    enum { TEXTS = sizeof texts / sizeof *texts };
    opevo_computation *made[TEXTS];

    for (size_t i = 0; i < TEXTS; i++)
        made[i] = computation_of(texts[i]);
    for (size_t i = 0; i < TEXTS; i++) {
        for (size_t k = 0; k < TEXTS; k++) {
            bool same = false;

            check_identity(made[i], made[k], &same);
            assert_int_equal(same, i == k);
        }
    }
    for (size_t i = 0; i < TEXTS; i++)
        opevo_computation_destroy(made[i]);
}

/* ---- Made in memory ---- */

/* "float16 V[4, 5]; D[a:4, b:5] = 2*V[a, b] + 1" for a tensor of that type and shape. */
static opevo_computation *behind(const opevo_tensor *tensor)
{
    opevo_text text = {0};
    opevo_computation *made = NULL;

    for (int part = 0; part < 3; part++) {
        opevo_text_add(&text, part == 2 ? "] = 2*" : part == 1 ? "]; " : "");
        if (part == 0)
            opevo_text_printf(&text, "%s ", opevo_element_name(tensor->element));
        opevo_text_add(&text, part == 1 ? "D[" : "V[");
        for (int d = 0; d < tensor->dims; d++) {
            opevo_text_add(&text, d ? ", " : "");
            if (part)
                opevo_text_printf(&text, "%c", 'a' + d);
            if (part < 2)
                opevo_text_printf(&text, part ? ":%lld" : "%lld", (long long)tensor->extent[d]);
        }
    }
    opevo_text_add(&text, "] + 1");
    made = computation_of(opevo_text_string(&text));
    opevo_text_free(&text);
    return made;
}

/* All of a computation, and what is computed behind its last tensor. */
typedef struct joined {
    opevo_computation *first, *second;
    int identity[2][MOST_TENSORS], output[2];
} joined;

static joined joined_of(opevo_computation *first)
{
    joined self = {.first = first, .second = behind(first->tensor[first->tensors - 1])};

    for (int i = 0; i < first->tensors; i++)
        self.identity[0][i] = i;
    self.identity[1][0] = self.output[0] = first->tensors - 1;
    self.identity[1][1] = self.output[1] = first->tensors;
    return self;
}

/* With the output of the first as another output, or inside. */
static opevo_status join(const joined *self, int outputs, opevo_computation **out)
{
    const opevo_part parts[] = {{self->first, self->identity[0]},
                                {self->second, self->identity[1]}};
    int inputs[OPEVO_JOIN_INPUTS], count = 0;

    return opevo_computation_join(parts, 2, self->output + 2 - outputs, outputs, out, inputs,
                                  &count, NULL);
}

CHECK_TEST(test_joins_are_what_they_print)
{
    int checked = 0;

    for (uint64_t seed = 0; seed < DRAWN; seed++) {
        opevo_computation *one = draw_valid(seed);
        joined self;

        if (!one)
            continue;
        check_text(one);
        self = joined_of(one);
        for (int outputs = 1; outputs <= 2; outputs++) {
            opevo_computation *whole = NULL;
            opevo_status status = join(&self, outputs, &whole);

            assert_true(status == OPEVO_OK || status == OPEVO_LIMIT || status == OPEVO_INVALID);
            if (status == OPEVO_OK)
                check_text(whole);
            checked += status == OPEVO_OK;
            opevo_computation_destroy(whole);
        }
        opevo_computation_destroy(self.first);
        opevo_computation_destroy(self.second);
    }
    assert_true(checked > DRAWN);
}

static opevo_status block(const opevo_computation *from, opevo_computation **out)
{
    opevo_layout_choice choice[MOST_TENSORS];
    opevo_tensor_cut cut[MOST_TENSORS];

    for (int i = 0; i < from->tensors; i++) {
        const opevo_tensor *tensor = from->tensor[i];

        choice[i] = tensor->dims > 1 && tensor->extent[1] % 8 == 0 ? OPEVO_LAYOUT_BLOCKED
                    : tensor->role == OPEVO_ROLE_CONSTANT          ? OPEVO_LAYOUT_FREE
                                                                   : OPEVO_LAYOUT_PLAIN;
    }
    return opevo_computation_block(from, 8, choice, out, cut, NULL);
}

CHECK_TEST(test_blocks_are_what_they_print)
{
    int checked = 0, divided = 0;

    for (uint64_t seed = 0; seed < 4 * DRAWN; seed++) {
        opevo_computation *one = draw_valid(seed), *made = NULL;
        opevo_status status = one ? block(one, &made) : OPEVO_INVALID;

        assert_true(status == OPEVO_OK || status == OPEVO_LIMIT || status == OPEVO_INVALID);
        if (status == OPEVO_OK) {
            check_text(made);
            checked++;
            divided += !opevo_computation_same(made, one);
        }
        opevo_computation_destroy(one);
        opevo_computation_destroy(made);
    }
    assert_true(checked > DRAWN && divided > 20);
}

/* Outputs need the rest, and nothing of what only the definition needs that is given. */
static void check_rest(const opevo_computation *from, const opevo_tensor *given,
                       const opevo_computation *rest)
{
    const opevo_tensor *input = opevo_computation_find(rest, given->name);

    check_text(rest);
    assert_true(!input || !input->definition);
    for (int i = 0; i < rest->tensors; i++) {
        const opevo_tensor *tensor = rest->tensor[i];
        const opevo_tensor *old = opevo_computation_find(from, tensor->name);

        assert_true(tensor->readers > 0 || tensor->role == OPEVO_ROLE_OUTPUT);
        assert_true(old == given || !old->definition == !tensor->definition);
    }
}

CHECK_TEST(test_rests_are_what_they_print)
{
    int checked = 0;

    for (uint64_t seed = 0; seed < DRAWN; seed++) {
        opevo_computation *one = draw_valid(seed);

        for (int i = 0; one && i < one->tensors; i++) {
            opevo_computation *rest = NULL;

            if (!one->tensor[i]->definition || one->tensor[i]->role == OPEVO_ROLE_OUTPUT)
                continue;
            CHECK_OK(opevo_computation_after(one, one->tensor[i], &rest, &err));
            check_rest(one, one->tensor[i], rest);
            checked++;
            opevo_computation_destroy(rest);
        }
        opevo_computation_destroy(one);
    }
    assert_true(checked > DRAWN / 2);
}

/* Parts that have numbers to fold and names that clash. */
CHECK_TEST(test_values_are_folded)
{
    opevo_computation *one = computation_of("I[6]; a0[i:6] = 2; O[i:6] = a0[i]*3 + I[i]*0.5"),
                      *whole = NULL;
    const opevo_part part = {one, (const int[]){0, -1, 2}};
    int output = 2, inputs[OPEVO_JOIN_INPUTS], count = 0;

    CHECK_OK(opevo_computation_join(&part, 1, &output, 1, &whole, inputs, &count, &err));
    assert_true(has_text(whole, "Y0[a0:6] = X0[a0]*0.5 + 6"));
    check_text(whole);
    opevo_computation_destroy(whole);
    opevo_computation_destroy(one);
}

/* ---- Owners and memory ---- */

CHECK_TEST(test_the_last_owner_frees_it)
{
    int64_t live = opevo_memory_live();
    opevo_computation *one = computation_of("A[8]; C[i:8] = A[i]"), *other = NULL;

    other = opevo_computation_share(one);
    assert_ptr_equal(other, one);
    opevo_computation_destroy(one);
    check_text(other);
    opevo_computation_destroy(other);
    assert_int_equal(opevo_memory_live(), live);
}

CHECK_TEST(test_failing_allocations_leave_nothing)
{
    opevo_computation *made = NULL;
    opevo_computation *one =
        computation_of("A[2, 16, 9]; const B[16]; C[n:2, c:16] = sum(k:9) A[n, c, k]*B[c]; "
                       "D[n:2, c:16] = select(c < n, C[n, c], 0)");
    joined self = joined_of(one);

    for (int what = 0; what < 3; what++) {
        CHECK_MEMORY_OF(what == 0   ? join(&self, 1, &made)
                        : what == 1 ? block(one, &made)
                                    : opevo_computation_after(one, one->tensor[2], &made, NULL),
                        opevo_computation_destroy(made), made = NULL);
    }
    opevo_computation_destroy(self.first);
    opevo_computation_destroy(self.second);
}
