/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Contractions as text: "contraction(i=24,j=40,k=32;A[ik],B[kj];C[ij]=A*B)". */

#include "port_internal.h"

#include <opevo/operator.h>

#include <ctype.h>
#include <string.h>

#define LARGEST_EXTENT INT64_C(2147483647)
/* Of all extents, and of those of an operand: what fits in memory is far below, and sums of a few
 * of them are in 64 bits. */
#define LARGEST_PRODUCT 0x1p60

int opevo_contraction_axis(const opevo_contraction *contraction, char name)
{
    int axis = 0;

    while (contraction->axis[axis].name != name)
        axis++;
    return axis;
}

bool opevo_contraction_reduces(const opevo_contraction *contraction, int operand, int axis)
{
    char name = contraction->axis[axis].name;
    bool found = false;

    for (int i = 0; i < operand; i++)
        found |= (contraction->operand[operand].factors >> i & 1) &&
                 strchr(contraction->operand[i].axes, name);
    return found && !strchr(contraction->operand[operand].axes, name);
}

/* ---- Printing ---- */

static void print_operand(const opevo_contraction *self, int i, opevo_text *out)
{
    opevo_text_printf(out, "%s%s[%s]", self->operand[i].role == OPEVO_ROLE_CONSTANT ? "const " : "",
                      self->operand[i].name, self->operand[i].axes);
    if (self->operand[i].role != OPEVO_ROLE_OUTPUT)
        return;
    for (int f = 0, any = 0; f < i; f++) {
        if (self->operand[i].factors >> f & 1)
            opevo_text_printf(out, "%s%s", any++ ? "*" : "=", self->operand[f].name);
    }
}

void opevo_i_port_contraction_print(const opevo_contraction *contraction, opevo_text *out)
{
    const opevo_contraction *self = contraction;

    opevo_text_add(out, "contraction(");
    for (int a = 0; a < OPEVO_CONTRACTION_AXES && self->axis[a].name; a++)
        opevo_text_printf(out, "%s%c=%lld", a ? "," : "", self->axis[a].name,
                          (long long)self->axis[a].extent);
    for (int i = 0; i < OPEVO_OPERANDS && self->operand[i].name[0]; i++) {
        bool first_output = i > 0 && self->operand[i].role == OPEVO_ROLE_OUTPUT &&
                            self->operand[i - 1].role != OPEVO_ROLE_OUTPUT;

        opevo_text_add(out, i == 0 || first_output ? ";" : ",");
        print_operand(self, i, out);
    }
    opevo_text_add(out, ")");
}

/* ---- Parsing ---- */

typedef struct reader {
    const char *at;
    opevo_contraction made;
    int axes, operands;
    double product; /* of all extents */
    unsigned used;  /* axes that occur in an operand */
} reader;

static bool take(reader *self, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(self->at, word, length) != 0)
        return false;
    self->at += length;
    return true;
}

/* Number of an axis, the number of axes where there is none of that name. */
static int find_axis(const reader *self, char name)
{
    int i = 0;

    while (i < self->axes && self->made.axis[i].name != name)
        i++;
    return i;
}

static bool read_axis(reader *self)
{
    char number[24];
    char name = *self->at;
    size_t length = 0;
    int64_t extent = 0;

    if (self->axes == OPEVO_CONTRACTION_AXES || !islower((unsigned char)name) ||
        find_axis(self, name) < self->axes || self->at[1] != '=')
        return false;
    self->at += 2;
    length = strcspn(self->at, ",;");
    if (length >= sizeof number)
        return false;
    memcpy(number, self->at, length);
    number[length] = '\0';
    self->at += length;
    if (!opevo_parse_i64(number, &extent) || extent < 1 || extent > LARGEST_EXTENT)
        return false;
    self->product *= (double)extent;
    self->made.axis[self->axes].name = name;
    self->made.axis[self->axes++].extent = extent;
    return self->product <= LARGEST_PRODUCT;
}

/* The number of the input of that name, which ends at `length`; -1 where there is none. */
static int find_operand(const reader *self, const char *name, size_t length)
{
    for (int i = 0; i < self->operands; i++) {
        if (strlen(self->made.operand[i].name) == length &&
            memcmp(self->made.operand[i].name, name, length) == 0)
            return i;
    }
    return -1;
}

static size_t name_length(const char *text)
{
    size_t length = 0;

    while (isalnum((unsigned char)text[length]))
        length++;
    return length;
}

/* "NAME[axes]" as the next operand. */
static bool read_operand(reader *self, opevo_role role)
{
    size_t length = name_length(self->at);
    double elements = 1;

    if (self->operands == OPEVO_OPERANDS || length == 0 ||
        length >= sizeof self->made.operand[0].name || !isalpha((unsigned char)*self->at) ||
        find_operand(self, self->at, length) >= 0)
        return false;
    memcpy(self->made.operand[self->operands].name, self->at, length);
    self->made.operand[self->operands].role = role;
    self->at += length;
    if (!take(self, "["))
        return false;
    for (size_t d = 0; *self->at != ']'; d++) {
        int axis = find_axis(self, *self->at);

        if (axis == self->axes || d == OPEVO_OPERAND_DIMS)
            return false;
        self->used |= 1U << axis;
        elements *= (double)self->made.axis[axis].extent;
        self->made.operand[self->operands].axes[d] = *self->at++;
    }
    self->operands++;
    return take(self, "]") && elements <= LARGEST_PRODUCT;
}

/* "NAME[axes]=NAME*NAME...", factors among the first `inputs` operands. */
static bool read_output(reader *self, int inputs)
{
    int number = self->operands;
    const char *axes = NULL;
    unsigned *factors = NULL;

    if (!read_operand(self, OPEVO_ROLE_OUTPUT) || !take(self, "="))
        return false;
    axes = self->made.operand[number].axes;
    factors = &self->made.operand[number].factors;
    for (const char *axis = axes; *axis; axis++) {
        if (strchr(axis + 1, *axis))
            return false;
    }
    do {
        size_t length = name_length(self->at);
        int factor = find_operand(self, self->at, length);

        if (factor < 0 || factor >= inputs || *factors >> factor & 1)
            return false;
        *factors |= 1U << factor;
        self->at += length;
    } while (take(self, "*"));
    return true;
}

static bool read_all(reader *self)
{
    int inputs = 0;

    do {
        if (!read_axis(self))
            return false;
    } while (take(self, ","));
    if (!take(self, ";"))
        return false;
    do {
        bool constant = take(self, "const ");

        if (!read_operand(self, constant ? OPEVO_ROLE_CONSTANT : OPEVO_ROLE_INPUT))
            return false;
    } while (take(self, ","));
    inputs = self->operands;
    if (!take(self, ";"))
        return false;
    do {
        if (!read_output(self, inputs))
            return false;
    } while (take(self, ","));
    return take(self, ")") && !*self->at && self->used == (1U << self->axes) - 1;
}

opevo_status opevo_i_port_contraction_parse(const char *text, opevo_operator *out, opevo_error *err)
{
    reader self = {.at = text, .product = 1};

    if (!take(&self, "contraction(") || !read_all(&self))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "'%s' is not a contraction; write one as "
                          "contraction(i=24,j=40,k=32;A[ik],B[kj];C[ij]=A*B), with at most %d axes "
                          "and %d operands, each axis in one of them.",
                          text, OPEVO_CONTRACTION_AXES, OPEVO_OPERANDS);
    *out = (opevo_operator){.kind = OPEVO_CONTRACTION, .contraction = self.made};
    return OPEVO_OK;
}
