/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expressions of elements for all lanes of a vector at once. What is the same in all lanes is
 * printed as one element. A select with a condition that differs among the lanes computes both of
 * its sides; elements that only one of them may read are then read lane by lane. */

#include "print_cpu_internal.h"

/* Whether it is not the same in all lanes. Where `with_care`, elements that may not be there for
 * all lanes count as such. */
static bool differs(const opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                    const opevo_i_nest_value *value, bool with_care);

static bool condition_differs(const opevo_i_print_printer *self,
                              const opevo_i_print_vector_loop *loop,
                              const opevo_i_nest_condition *condition, bool with_care)
{
    if (condition->left)
        return condition_differs(self, loop, condition->left, with_care) ||
               condition_differs(self, loop, condition->right, with_care);
    if (condition->is_whole)
        return opevo_i_affine_uses(self->atoms, &condition->whole, loop->lane);
    return differs(self, loop, condition->x, with_care) ||
           differs(self, loop, condition->y, with_care);
}

static bool may_read_anywhere(const opevo_i_print_printer *self, const opevo_i_nest_access *access)
{
    const opevo_i_nest_buffer *buffer = &self->nest->buffer[access->buffer];
    int64_t limit = access->buffer < self->nest->operands ? buffer->readable : buffer->size;

    return opevo_i_affine_least(self->atoms, &access->address) >= 0 &&
           opevo_i_affine_most(self->atoms, &access->address) < limit;
}

static bool differs(const opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                    const opevo_i_nest_value *value, bool with_care)
{
    const opevo_i_nest_access *access = &loop->leaf->factor[value->read];

    if (value->kind == OPEVO_EXPR_READ)
        return opevo_i_affine_uses(self->atoms, &access->address, loop->lane) ||
               (with_care && !may_read_anywhere(self, access));
    if (value->kind == OPEVO_EXPR_WHOLE)
        return opevo_i_affine_uses(self->atoms, &value->whole, loop->lane);
    return (value->condition && condition_differs(self, loop, value->condition, with_care)) ||
           (value->left && differs(self, loop, value->left, with_care)) ||
           (value->right && differs(self, loop, value->right, with_care));
}

/* ---- Selects that are taken to hold in all lanes ---- */

static bool reads_with_care(const opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                            const opevo_i_nest_value *value)
{
    if (value->kind == OPEVO_EXPR_READ)
        return !may_read_anywhere(self, &leaf->factor[value->read]);
    return (value->left && reads_with_care(self, leaf, value->left)) ||
           (value->right && reads_with_care(self, leaf, value->right));
}

/* Those comparisons of a condition that differ among the lanes, as guards. False where there is
 * anything else in it but comparisons of integers that hold together. */
static bool add_comparisons(const opevo_i_print_printer *self,
                            const opevo_i_print_vector_loop *loop,
                            const opevo_i_nest_condition *condition, opevo_i_nest_guards *guards)
{
    bool or_equal = condition->kind == OPEVO_COND_LESS_EQUAL;
    opevo_i_nest_guard one = {condition->whole, INT64_MIN, or_equal ? 1 : 0, false};
    int64_t factor = 0;

    if (condition->kind == OPEVO_COND_AND)
        return add_comparisons(self, loop, condition->left, guards) &&
               add_comparisons(self, loop, condition->right, guards);
    if (!condition_differs(self, loop, condition, false))
        return true;
    if (!condition->is_whole || (condition->kind != OPEVO_COND_LESS && !or_equal) ||
        guards->count == OPEVO_I_GUARDS)
        return false;
    if (opevo_i_print_plain_factor(self, &one.value, loop->lane, &factor) && factor < 0) {
        opevo_i_affine none = opevo_i_affine_constant(0);

        one = (opevo_i_nest_guard){opevo_i_affine_add(self->atoms, none, -1, &condition->whole),
                                   or_equal ? 0 : 1, INT64_MAX, false};
    }
    if (!opevo_i_print_lane_factor(self, &one.value, loop->lane, &factor) || factor < 0 ||
        one.value.overflow)
        return false;
    guards->item[guards->count++] = one;
    return true;
}

/* Whether the condition of a value is one more that holds in all lanes. */
static bool assume(const opevo_i_print_printer *self, opevo_i_print_vector_loop *loop,
                   const opevo_i_nest_value *value)
{
    int before = loop->assumed_guards.count;

    if (value->kind != OPEVO_EXPR_SELECT || loop->assumed_count == OPEVO_I_ASSUMED ||
        !condition_differs(self, loop, value->condition, false) ||
        !reads_with_care(self, loop->leaf, value))
        return false;
    if (!add_comparisons(self, loop, value->condition, &loop->assumed_guards)) {
        loop->assumed_guards.count = before;
        return false;
    }
    loop->assumed[loop->assumed_count++] = value;
    return true;
}

static void find_assumed(const opevo_i_print_printer *self, opevo_i_print_vector_loop *loop,
                         const opevo_i_nest_value *value)
{
    bool assumed = assume(self, loop, value);

    if (value->left)
        find_assumed(self, loop, value->left);
    if (value->right && !assumed)
        find_assumed(self, loop, value->right);
}

void opevo_i_print_find_assumed(const opevo_i_print_printer *self, opevo_i_print_vector_loop *loop)
{
    loop->assumed_count = 0;
    loop->assumed_guards.count = 0;
    find_assumed(self, loop, loop->leaf->value);
}

static bool is_assumed(const opevo_i_print_vector_loop *loop, const opevo_i_nest_value *select)
{
    for (int i = 0; i < loop->assumed_count; i++) {
        if (loop->assumed[i] == select)
            return true;
    }
    return false;
}

/* ---- Lists of lanes ---- */

/* The selects around a value whose conditions differ among the lanes. */
typedef struct branch {
    const opevo_i_nest_condition *condition;
    bool holds;
    const struct branch *around;
} branch;

static bool is_all_whole(const opevo_i_nest_condition *condition)
{
    return condition->left ? is_all_whole(condition->left) && is_all_whole(condition->right)
                           : condition->is_whole;
}

/* Whether a condition joins two of which both must be as it is: "a and b" that holds, or "a or b"
 * that does not. */
static bool needs_both(const opevo_i_nest_condition *condition, bool holds)
{
    return (condition->kind == OPEVO_COND_AND) == holds;
}

/* Whether integers are bound by a condition that holds, or does not, whatever values are. */
static bool binds_whole(const opevo_i_nest_condition *condition, bool holds)
{
    bool left = false, right = false;

    if (!condition->left)
        return condition->is_whole;
    left = binds_whole(condition->left, holds);
    right = binds_whole(condition->right, holds);
    return needs_both(condition, holds) ? left || right : left && right;
}

/* "a && (b || c) && ": what a branch says of integers, which is all that the elements inside
 * it may need: they were checked as if values could compare in any way. */
static void print_branch(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                         const opevo_i_nest_condition *condition, bool holds)
{
    if (!binds_whole(condition, holds))
        return;
    if (is_all_whole(condition)) {
        opevo_text_add(self->out, holds ? "" : "!");
        opevo_i_print_condition(self, leaf, condition);
        opevo_text_add(self->out, " && ");
    } else if (needs_both(condition, holds)) {
        print_branch(self, leaf, condition->left, holds);
        print_branch(self, leaf, condition->right, holds);
    } else {
        opevo_text_add(self->out, "((");
        print_branch(self, leaf, condition->left, holds);
        opevo_text_add(self->out, "1) || (");
        print_branch(self, leaf, condition->right, holds);
        opevo_text_add(self->out, "1)) && ");
    }
}

typedef struct lane_list {
    opevo_i_print_printer *self;
    const opevo_i_print_vector_loop *loop;
    opevo_element type;                      /* of a value */
    const opevo_i_nest_access *access;       /* an element, */
    const opevo_i_nest_value *value;         /* an integer as a value, */
    const opevo_i_nest_condition *condition; /* or a condition */
    const branch *around;
} lane_list;

static void print_lane(const lane_list *list, int lane)
{
    opevo_i_print_printer *self = list->self;
    const opevo_i_nest_leaf *leaf = list->loop->leaf;

    if (list->condition) {
        opevo_text_add(self->out, "-");
        opevo_i_print_condition(self, leaf, list->condition);
    } else if (list->value) {
        opevo_i_print_value(self, leaf, list->value, list->type);
    } else if (!list->around && !list->loop->lanes) {
        opevo_i_print_load(self, list->access, list->type);
    } else {
        for (const branch *one = list->around; one; one = one->around)
            print_branch(self, leaf, one->condition, one->holds);
        if (list->loop->lanes)
            opevo_text_printf(self->out, "(%s >> %d & 1)", list->loop->lanes, lane);
        else
            opevo_text_add(self->out, "1");
        opevo_text_add(self->out, " ? ");
        opevo_i_print_load(self, list->access, list->type);
        opevo_text_printf(self->out, " : %s", opevo_i_print_zero_text(list->type));
    }
}

static void print_list(lane_list list)
{
    opevo_i_print_printer *self = list.self;
    int lane = list.loop->lane;
    size_t start = self->out->length;

    opevo_text_printf(self->out, "(%c%d){",
                      list.condition ? 'I' : opevo_i_print_vector_letter(list.type),
                      (int)list.loop->width);
    for (int i = 0; i < list.loop->width; i++) {
        opevo_i_print_fix(self, lane, i);
        opevo_text_add(self->out, i ? ", " : "");
        print_lane(&list, i);
    }
    opevo_i_print_release(self, lane);
    opevo_text_add(self->out, "}");
    self->listed += self->out->length - start;
}

/* ---- Integer expressions ---- */

/* As a vector of int, if it fits: what it is at the first lane, and how it goes on. */
static bool print_whole(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                        const opevo_i_affine *whole)
{
    int64_t factor = 0;

    if (!opevo_i_print_plain_factor(self, whole, loop->lane, &factor) ||
        opevo_i_affine_least(self->atoms, whole) < INT32_MIN ||
        opevo_i_affine_most(self->atoms, whole) > INT32_MAX)
        return false;
    opevo_text_add(self->out, "(int)(");
    opevo_i_print_at_first(self, whole, loop->lane);
    opevo_text_printf(self->out, ") + (I%d){", (int)loop->width);
    for (int64_t i = 0; i < loop->width; i++)
        opevo_text_printf(self->out, "%s%lld", i ? ", " : "", (long long)factor * i);
    opevo_text_add(self->out, "}");
    return true;
}

/* ---- Values ---- */

/* As a vector of this type. */
static void print_vector(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                         const opevo_i_nest_value *value, opevo_element type, const branch *around);

/* As it is, for an operator whose other operand is a vector. */
static void print_either(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                         const opevo_i_nest_value *value, opevo_element type, const branch *around)
{
    if (differs(self, loop, value, around))
        print_vector(self, loop, value, type, around);
    else
        opevo_i_print_value(self, loop->leaf, value, type);
}

static void print_mask(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                       const opevo_i_nest_condition *condition, const branch *around)
{
    int width = (int)loop->width;

    self->functions[OPEVO_EXPR_WHOLE] |= (unsigned char)width;
    if (!condition_differs(self, loop, condition, around)) {
        opevo_text_printf(self->out, "((I%d){0} - ", width);
        opevo_i_print_condition(self, loop->leaf, condition);
        opevo_text_add(self->out, ")");
    } else if (condition->left) {
        opevo_text_add(self->out, "(");
        print_mask(self, loop, condition->left, around);
        opevo_text_add(self->out, condition->kind == OPEVO_COND_AND ? " & " : " | ");
        print_mask(self, loop, condition->right, around);
        opevo_text_add(self->out, ")");
    } else if (condition->is_whole) {
        size_t start = self->out->length;

        opevo_text_add(self->out, "(");
        if (print_whole(self, loop, &condition->whole)) {
            opevo_text_printf(self->out, " %s (I%d){0})",
                              opevo_i_print_relation_text(condition->kind), width);
            return;
        }
        opevo_i_print_take_back(self->out, start);
        print_list((lane_list){.self = self, .loop = loop, .condition = condition});
    } else {
        opevo_element type = opevo_i_print_compared_type(condition);

        opevo_text_add(self->out, "(");
        print_vector(self, loop, condition->x, type, around);
        opevo_text_printf(self->out, " %s ", opevo_i_print_relation_text(condition->kind));
        print_vector(self, loop, condition->y, type, around);
        opevo_text_add(self->out, ")");
    }
}

/* "a && b && " for those comparisons that are the same in all lanes. */
static void print_common(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                         const opevo_i_nest_condition *condition, bool *any)
{
    if (condition->kind == OPEVO_COND_AND) {
        print_common(self, loop, condition->left, any);
        print_common(self, loop, condition->right, any);
    } else if (!condition_differs(self, loop, condition, false)) {
        opevo_text_add(self->out, *any ? " && " : "(");
        opevo_i_print_condition(self, loop->leaf, condition);
        *any = true;
    }
}

void opevo_i_print_common(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                          const opevo_i_nest_condition *condition)
{
    bool any = false;

    print_common(self, loop, condition, &any);
    opevo_text_add(self->out, any ? ")" : "1");
}

/* "V8 : V8": loads and results of operators are of types of their own. */
static void print_either_side(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                              const opevo_i_nest_value *value, const branch *around)
{
    char letter = opevo_i_print_vector_letter(value->type);

    opevo_text_printf(self->out, " ? (%c%d)(", letter, (int)loop->width);
    print_vector(self, loop, value->left, value->type, around);
    opevo_text_printf(self->out, ") : (%c%d)(", letter, (int)loop->width);
    print_vector(self, loop, value->right, value->type, around);
    opevo_text_add(self->out, "))");
}

static void print_select(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                         const opevo_i_nest_value *value, const branch *around)
{
    branch side = {value->condition, true, around};
    bool any = false;

    if (is_assumed(loop, value)) {
        print_common(self, loop, value->condition, &any);
        if (any)
            print_either_side(self, loop, value, around);
        else
            print_vector(self, loop, value->left, value->type, around);
    } else if (!condition_differs(self, loop, value->condition, around)) {
        opevo_text_add(self->out, "(");
        opevo_i_print_condition(self, loop->leaf, value->condition);
        print_either_side(self, loop, value, around);
    } else {
        opevo_i_print_function_name(self, opevo_i_print_function_of(OPEVO_EXPR_SELECT, value->type),
                                    (int)loop->width);
        opevo_text_add(self->out, "(");
        print_mask(self, loop, value->condition, around);
        opevo_text_add(self->out, ", ");
        print_vector(self, loop, value->left, value->type, &side);
        opevo_text_add(self->out, ", ");
        side.holds = false;
        print_vector(self, loop, value->right, value->type, &side);
        opevo_text_add(self->out, ")");
    }
}

static void print_read(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                       const opevo_i_nest_access *access, opevo_element type, const branch *around)
{
    int width = (int)loop->width;
    int64_t factor = 0;

    if ((!around && !loop->lanes) || self->named[access->buffer] == width ||
        may_read_anywhere(self, access)) {
        bool splat = self->named[access->buffer] != width &&
                     opevo_i_print_lane_factor(self, &access->address, loop->lane, &factor) &&
                     factor == 0;

        opevo_text_add(self->out, splat ? "(" : "");
        opevo_i_print_operand(self, loop, access, type, false);
        if (splat)
            opevo_text_printf(self->out, " - (%c%d){0})", opevo_i_print_vector_letter(type), width);
    } else if (!around && opevo_i_print_plain_factor(self, &access->address, loop->lane, &factor) &&
               (factor == 1 || factor == 2)) {
        opevo_i_print_function_name(
            self, factor == 1 ? OPEVO_I_FUNCTION_GET : OPEVO_I_FUNCTION_EVEN_OF, width);
        opevo_text_add(self->out, "(&");
        opevo_i_print_element_at(self, access, loop->lane, 0);
        opevo_text_printf(self->out, ", %s)", loop->lanes);
    } else {
        print_list((lane_list){
            .self = self, .loop = loop, .type = type, .access = access, .around = around});
    }
}

static void print_operation(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                            const opevo_i_nest_value *value, const branch *around)
{
    const char *between = opevo_i_print_operator_text(value->kind);

    if (between) {
        opevo_text_add(self->out, "(");
        print_either(self, loop, value->left, value->type, around);
        opevo_text_printf(self->out, " %s ", between);
        print_either(self, loop, value->right, value->type, around);
        opevo_text_add(self->out, ")");
        return;
    }
    if (value->kind == OPEVO_EXPR_NEGATE)
        opevo_text_add(self->out, "-");
    else
        opevo_i_print_function_name(self, opevo_i_print_function_of_value(value), (int)loop->width);
    opevo_text_add(self->out, "(");
    print_vector(self, loop, value->left, value->type, around);
    if (value->right) {
        opevo_text_add(self->out, ", ");
        print_vector(self, loop, value->right, value->type, around);
    }
    opevo_text_add(self->out, ")");
}

/* An integer of the lane, which is not a sum of a scalar and a vector of float. */
static void print_whole_value(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                              const opevo_i_nest_value *value, opevo_element type)
{
    size_t start = self->out->length;
    bool converts = type == OPEVO_FLOAT32;

    opevo_text_add(self->out, converts ? "__builtin_convertvector(" : "(");
    if (print_whole(self, loop, &value->whole)) {
        if (converts)
            opevo_text_printf(self->out, ", V%d", (int)loop->width);
        opevo_text_add(self->out, ")");
        self->functions[OPEVO_EXPR_WHOLE] |= (unsigned char)loop->width;
        return;
    }
    opevo_i_print_take_back(self->out, start);
    print_list((lane_list){.self = self, .loop = loop, .type = type, .value = value});
}

static void print_vector(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                         const opevo_i_nest_value *value, opevo_element type, const branch *around)
{
    if (!differs(self, loop, value, around)) {
        opevo_text_add(self->out, "(");
        opevo_i_print_value(self, loop->leaf, value, type);
        opevo_text_printf(self->out, " - (%c%d){0})", opevo_i_print_vector_letter(type),
                          (int)loop->width);
    } else if (value->kind == OPEVO_EXPR_READ) {
        print_read(self, loop, &loop->leaf->factor[value->read], type, around);
    } else if (value->kind == OPEVO_EXPR_WHOLE) {
        print_whole_value(self, loop, value, type);
    } else if (value->type != type) {
        opevo_text_add(self->out, "__builtin_convertvector(");
        print_vector(self, loop, value, value->type, around);
        opevo_text_printf(self->out, ", %c%d)", opevo_i_print_vector_letter(type),
                          (int)loop->width);
    } else if (value->kind == OPEVO_EXPR_SELECT) {
        print_select(self, loop, value, around);
    } else {
        print_operation(self, loop, value, around);
    }
}

void opevo_i_print_vector_value(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop)
{
    print_vector(self, loop, loop->leaf->value, opevo_i_print_statement_type(self, loop->leaf),
                 NULL);
}
