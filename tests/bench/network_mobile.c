/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Convolutional networks of phones and cameras with random weights, from their layers:
 *
 *     network_mobile KIND[-qdq|-qlinear] SEED OUT.onnx
 *
 * KIND is one of the table `kinds`; with -qdq and -qlinear activations are uint8 and weights int8,
 * for those that say so there. Sources: Howard et al., "MobileNets", 2017; Sandler et al.,
 * "MobileNetV2", CVPR 2018; Howard et al., "Searching for MobileNetV3", ICCV 2019 (large); Tan, Le,
 * "EfficientNet", ICML 2019, in the form lite0 of its authors; Ma et al., "ShuffleNet V2", ECCV
 * 2018; Lin et al., "Feature pyramid networks", CVPR 2017, with the heads of NanoDet; Shi et al.,
 * "An end-to-end trainable neural network for image-based sequence recognition", 2015, with
 * depthwise layers; Bazarevsky et al., "BlazeFace", 2019; Ronneberger et al., "U-Net", 2015; Zhang
 * et al., "Hello edge", 2017 (DS-CNN); He et al., "Deep residual learning", CVPR 2016. Batch
 * normalisations are in the weights, as exports for inference have them. Of opset 14. */

#include "network_layers.h"

enum { OPSET = 14, CLASSES = 1000, WORDS = 6625, HIDDEN = 64 };

static image add_image(int64_t channels, int64_t height, int64_t width)
{
    image made = {
        add_input("image", OPEVO_NETWORK_FLOAT32, 4, (int64_t[]){1, channels, height, width}),
        channels, height, width, false};

    if (form != FORM_FLOAT)
        made.name = add_quantize(made.name, false);
    if (form == FORM_QDQ)
        made.name = add_dequantize(made.name, false);
    return made;
}

static void add_classes(image x, int64_t classes)
{
    add_output(add_scores(add_means(x), x.channels, classes), 2, (int64_t[]){1, classes});
}

/* ---- Classifiers ----------------------------------------------------------------------------- */

static image add_separable(image x, int64_t filters, int64_t stride, const char *activation)
{
    x = add_depthwise(x, 3, stride, activation);
    return add_convolution(x, filters, 1, 1, activation);
}

static void mobilenet1(void)
{
    static const int64_t layer[13][2] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                                         {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                                         {512, 1}, {1024, 2}, {1024, 1}};
    image x = add_convolution(add_image(3, 224, 224), 32, 3, 2, "Clip6");

    for (int i = 0; i < 13; i++)
        x = add_separable(x, layer[i][0], layer[i][1], "Clip6");
    add_classes(x, CLASSES);
}

/* An inverted residual with its kernel and the factor of its width. */
static image add_inverted(image x, int64_t factor, int64_t kernel, int64_t filters, int64_t stride)
{
    image y = x;

    if (factor > 1)
        y = add_convolution(y, factor * x.channels, 1, 1, "Clip6");
    y = add_convolution(add_depthwise(y, kernel, stride, "Clip6"), filters, 1, 1, NULL);
    return stride == 1 && filters == x.channels ? add_sum(x, y, NULL) : y;
}

/* Rows of factor, kernel, filters, how many, stride. After the stages `keep` that are not NULL, the
 * image is kept. */
static image add_stages(image x, size_t count, const int64_t (*stage)[5], image *keep)
{
    for (size_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < stage[i][3]; j++)
            x = add_inverted(x, stage[i][0], stage[i][1], stage[i][2], j ? 1 : stage[i][4]);
        if (keep)
            keep[i] = x;
    }
    return x;
}

static const int64_t stages_v2[7][5] = {{1, 3, 16, 1, 1}, {6, 3, 24, 2, 2}, {6, 3, 32, 3, 2},
                                        {6, 3, 64, 4, 2}, {6, 3, 96, 3, 1}, {6, 3, 160, 3, 2},
                                        {6, 3, 320, 1, 1}};

static void mobilenet2(void)
{
    image x = add_convolution(add_image(3, 224, 224), 32, 3, 2, "Clip6");

    x = add_stages(x, 7, stages_v2, NULL);
    add_classes(add_convolution(x, 1280, 1, 1, "Clip6"), CLASSES);
}

static void efficientnet(void)
{
    static const int64_t stage[7][5] = {{1, 3, 16, 1, 1}, {6, 3, 24, 2, 2},  {6, 5, 40, 2, 2},
                                        {6, 3, 80, 3, 2}, {6, 5, 112, 3, 1}, {6, 5, 192, 4, 2},
                                        {6, 3, 320, 1, 1}};
    image x = add_convolution(add_image(3, 224, 224), 32, 3, 2, "Clip6");

    x = add_stages(x, 7, stage, NULL);
    add_classes(add_convolution(x, 1280, 1, 1, "Clip6"), CLASSES);
}

/* Channels are scaled by what two layers make of their means. */
static image add_squeeze(image x)
{
    const int64_t inner = (x.channels / 4 + 7) / 8 * 8;
    image mean = {add_unary("GlobalAveragePool", x.name), x.channels, 1, 1, false};

    mean = add_convolution(mean, inner, 1, 1, "Relu");
    mean = add_convolution(mean, x.channels, 1, 1, "HardSigmoid");
    x.name = add_binary("Mul", x.name, mean.name);
    return x;
}

static void mobilenet3(void)
{
    /* kernel, width, filters, squeeze, hard swish, stride */
    static const int64_t layer[15][6] = {
        {3, 16, 16, 0, 0, 1},   {3, 64, 24, 0, 0, 2},   {3, 72, 24, 0, 0, 1},
        {5, 72, 40, 1, 0, 2},   {5, 120, 40, 1, 0, 1},  {5, 120, 40, 1, 0, 1},
        {3, 240, 80, 0, 1, 2},  {3, 200, 80, 0, 1, 1},  {3, 184, 80, 0, 1, 1},
        {3, 184, 80, 0, 1, 1},  {3, 480, 112, 1, 1, 1}, {3, 672, 112, 1, 1, 1},
        {5, 672, 160, 1, 1, 2}, {5, 960, 160, 1, 1, 1}, {5, 960, 160, 1, 1, 1}};
    image x = add_convolution(add_image(3, 224, 224), 16, 3, 2, "HardSwish");

    for (int i = 0; i < 15; i++) {
        const int64_t *by = layer[i];
        const char *activation = by[4] ? "HardSwish" : "Relu";
        image y = x;

        if (by[1] != x.channels)
            y = add_convolution(y, by[1], 1, 1, activation);
        y = add_depthwise(y, by[0], by[5], activation);
        if (by[3])
            y = add_squeeze(y);
        y = add_convolution(y, by[2], 1, 1, NULL);
        x = by[5] == 1 && by[2] == x.channels ? add_sum(x, y, NULL) : y;
    }
    x = add_convolution(x, 960, 1, 1, "HardSwish");
    x = (image){add_unary("GlobalAveragePool", x.name), x.channels, 1, 1, false};
    x = add_convolution(x, 1280, 1, 1, "HardSwish");
    add_output(add_scores(add_unary("Flatten", x.name), 1280, CLASSES), 2, (int64_t[]){1, CLASSES});
}

static void add_halves(image x, image half[2])
{
    const char *name = add_unary("Split", x.name);
    Onnx__Node *node = graph->node[graph->n_node - 1];

    add_int("axis", 1);
    node->output = need(realloc(node->output, 2 * sizeof *node->output));
    if (asprintf(&node->output[1], "%s.1", name) < 0)
        stop("No memory.");
    node->n_output = 2;
    x.name = name;
    x.channels /= 2;
    half[0] = half[1] = x;
    half[1].name = node->output[1];
}

/* Channels of two halves side by side, then alternating. */
static image add_shuffled(image a, image b)
{
    const int64_t h = a.height, w = a.width;

    a.name = add_binary("Concat", a.name, b.name);
    add_int("axis", 1);
    a.name = add_binary("Reshape", a.name, add_wholes(5, (int64_t[]){1, 2, a.channels, h, w}));
    a.name = add_unary("Transpose", a.name);
    add_list("perm", 5, (int64_t[]){0, 2, 1, 3, 4});
    a.channels *= 2;
    a.name = add_binary("Reshape", a.name, add_wholes(4, (int64_t[]){1, a.channels, h, w}));
    return a;
}

static image add_shuffle_unit(image x, int64_t filters, int64_t stride)
{
    image half[2] = {x, x};

    if (stride == 1)
        add_halves(x, half);
    else
        half[0] = add_convolution(add_depthwise(x, 3, 2, NULL), filters / 2, 1, 1, "Relu");
    half[1] = add_convolution(half[1], filters / 2, 1, 1, "Relu");
    half[1] = add_depthwise(half[1], 3, stride, NULL);
    half[1] = add_convolution(half[1], filters / 2, 1, 1, "Relu");
    return add_shuffled(half[0], half[1]);
}

static void shufflenet2(void)
{
    static const int64_t stage[3][2] = {{116, 4}, {232, 8}, {464, 4}};
    image x = add_convolution(add_image(3, 224, 224), 24, 3, 2, "Relu");

    x = add_maxima(x, 3, 2);
    for (int i = 0; i < 3; i++)
        for (int64_t j = 0; j < stage[i][1]; j++)
            x = add_shuffle_unit(x, stage[i][0], j ? 1 : 2);
    add_classes(add_convolution(x, 1024, 1, 1, "Relu"), CLASSES);
}

static void resnet18(void)
{
    image x = add_maxima(add_convolution(add_image(3, 224, 224), 64, 7, 2, "Relu"), 3, 2);

    for (int i = 0; i < 8; i++) {
        const int64_t filters = 64 << i / 2, stride = i && i % 2 == 0 ? 2 : 1;
        image y = add_convolution(x, filters, 3, stride, "Relu");

        y = add_convolution(y, filters, 3, 1, NULL);
        if (x.channels != filters)
            x = add_convolution(x, filters, 1, stride, NULL);
        x = add_sum(y, x, "Relu");
    }
    add_classes(x, CLASSES);
}

/* Mel coefficients of a second of speech. */
static void keyword(void)
{
    image x = add_image(1, 49, 10);

    x = add_filtered(x, (window){64, 9, 2, 1, 5, 2}, "Relu");
    for (int i = 0; i < 4; i++)
        x = add_separable(x, 64, 1, "Relu");
    add_classes(x, 12);
}

/* ---- Detectors and others -------------------------------------------------------------------- */

static image add_resized(image x, const char *mode)
{
    const float factor[4] = {1, 1, 2, 2};
    const char *none = "";
    const char *factors = add_stored(OPEVO_NETWORK_FLOAT32, 1, (int64_t[]){4}, factor, 16);

    x.name = add_node("Resize", (const char *const[]){x.name, none, factors, NULL});
    add_string("mode", mode);
    add_string("coordinate_transformation_mode",
               strcmp(mode, "nearest") == 0 ? "asymmetric" : "half_pixel");
    if (strcmp(mode, "nearest") == 0)
        add_string("nearest_mode", "floor");
    x.height *= 2;
    x.width *= 2;
    return x;
}

/* Pixels as rows: [1, height width, channels]. */
static const char *add_rows(image x)
{
    const char *rows = add_binary("Reshape", x.name, add_wholes(3, (int64_t[]){1, x.channels, -1}));

    rows = add_unary("Transpose", rows);
    add_list("perm", 3, (int64_t[]){0, 2, 1});
    return rows;
}

/* Scores of 80 kinds and 4 distances in 8 steps at each pixel of three levels. */
static void detector(void)
{
    image x = add_convolution(add_image(3, 320, 320), 32, 3, 2, "Clip6"), stage[7], level[3];
    const char *rows[2][4] = {{NULL}};
    int64_t count = 0;

    add_stages(x, 7, stages_v2, stage);
    for (int i = 0; i < 3; i++)
        level[i] = add_convolution(stage[(int[]){2, 4, 6}[i]], 96, 1, 1, NULL);
    for (int i = 1; i >= 0; i--)
        level[i] = add_sum(level[i], add_resized(level[i + 1], "nearest"), NULL);
    for (int i = 0; i < 3; i++) {
        x = level[i];
        for (int j = 0; j < 2; j++)
            x = add_separable(x, 96, 1, "Relu");
        rows[0][i] = add_unary("Sigmoid", add_rows(add_convolution(x, 80, 1, 1, NULL)));
        rows[1][i] = add_rows(add_convolution(x, 32, 1, 1, NULL));
        count += x.height * x.width;
    }
    for (int i = 0; i < 2; i++) {
        const char *all = add_node("Concat", rows[i]);

        add_int("axis", 1);
        add_output(all, 3, (int64_t[]){1, count, i ? 32 : 80});
    }
}

/* Columns of a line of text, and what an LSTM in both directions makes of them. */
static void recogniser(void)
{
    static const int64_t layer[8][3] = {{64, 1, 1},  {128, 2, 2}, {128, 1, 1}, {256, 2, 1},
                                        {256, 1, 1}, {512, 2, 1}, {512, 1, 1}, {512, 2, 1}};
    image x = add_convolution(add_image(3, 32, 320), 32, 3, 2, "HardSwish");
    const char *rows = NULL;
    int64_t width = 0;

    for (int i = 0; i < 8; i++) {
        const window by = {x.channels, 3, layer[i][1], x.channels, 0, layer[i][2]};

        x = add_convolution(add_filtered(x, by, "HardSwish"), layer[i][0], 1, 1, "HardSwish");
    }
    width = x.width;
    rows = add_binary("Reshape", x.name, add_wholes(3, (int64_t[]){1, x.channels, width}));
    rows = add_unary("Transpose", rows);
    add_list("perm", 3, (int64_t[]){2, 0, 1});
    rows = add_recurrent("LSTM", rows, x.channels, HIDDEN, true);
    rows = add_unary("Transpose", rows);
    add_list("perm", 4, (int64_t[]){0, 2, 1, 3});
    rows = add_binary("Reshape", rows, add_wholes(3, (int64_t[]){width, 1, 2 * HIDDEN}));
    rows = add_binary("MatMul", rows, add_weight(2, (int64_t[]){2 * HIDDEN, WORDS}));
    rows = add_unary("Softmax", add_binary("Add", rows, add_weight(1, (int64_t[]){WORDS})));
    add_int("axis", -1);
    add_output(rows, 3, (int64_t[]){width, 1, WORDS});
}

/* The shortcut has zeros for the channels that it lacks. */
static image add_blaze(image x, int64_t filters, int64_t stride)
{
    image y = add_convolution(add_depthwise(x, 5, stride, NULL), filters, 1, 1, NULL);

    if (stride > 1)
        x = (image){add_unary("MaxPool", x.name), x.channels, y.height, y.width, false};
    if (stride > 1) {
        add_ints("kernel_shape", 2, 2);
        add_ints("strides", 2, 2);
    }
    if (filters > x.channels)
        x.name = add_binary("Pad", x.name,
                            add_wholes(8, (int64_t[]){0, 0, 0, 0, 0, filters - x.channels, 0, 0}));
    return add_sum(y, x, "Relu");
}

static void face(void)
{
    static const int64_t layer[16][2] = {{24, 1}, {28, 1}, {32, 2}, {36, 1}, {42, 1}, {48, 2},
                                         {56, 1}, {64, 1}, {72, 1}, {80, 1}, {88, 1}, {96, 2},
                                         {96, 1}, {96, 1}, {96, 1}, {96, 1}};
    image x = add_convolution(add_image(3, 128, 128), 24, 5, 2, "Relu"), level[2];
    const char *rows[2][3] = {{NULL}};

    for (int i = 0; i < 16; i++) {
        x = add_blaze(x, layer[i][0], layer[i][1]);
        level[i > 10] = x;
    }
    for (int i = 0; i < 2; i++) {
        const int64_t anchors = i ? 6 : 2;

        rows[0][i] = add_rows(add_convolution(level[i], anchors, 1, 1, NULL));
        rows[0][i] = add_binary("Reshape", rows[0][i], add_wholes(3, (int64_t[]){1, -1, 1}));
        rows[1][i] = add_rows(add_convolution(level[i], 16 * anchors, 1, 1, NULL));
        rows[1][i] = add_binary("Reshape", rows[1][i], add_wholes(3, (int64_t[]){1, -1, 16}));
    }
    for (int i = 0; i < 2; i++) {
        const char *all = add_node("Concat", rows[i]);

        add_int("axis", 1);
        add_output(all, 3, (int64_t[]){1, 896, i ? 16 : 1});
    }
}

static image add_pair(image x, int64_t filters)
{
    x = add_convolution(x, filters, 3, 1, "Relu");
    return add_convolution(x, filters, 3, 1, "Relu");
}

static void unet(void)
{
    image level[5], x = add_pair(add_image(3, 256, 256), 16);

    level[0] = x;
    for (int i = 1; i < 5; i++) {
        x = (image){add_unary("MaxPool", x.name), x.channels, x.height / 2, x.width / 2, true};
        add_ints("kernel_shape", 2, 2);
        add_ints("strides", 2, 2);
        level[i] = x = add_pair(x, (int64_t)16 << i);
    }
    for (int i = 3; i >= 0; i--) {
        x = add_resized(x, "linear");
        x.name = add_binary("Concat", level[i].name, x.name);
        add_int("axis", 1);
        x.channels += level[i].channels;
        x = add_pair(x, (int64_t)16 << i);
    }
    x = add_convolution(x, 2, 1, 1, "Sigmoid");
    add_output(x.name, 4, (int64_t[]){1, 2, 256, 256});
}

/* ---- The program ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*add)(void);
    bool quantised;
} kinds[] = {
    {"mobilenet1", mobilenet1, true},
    {"mobilenet2", mobilenet2, true},
    {"mobilenet3", mobilenet3, false},
    {"efficientnet", efficientnet, true},
    {"shufflenet2", shufflenet2, false},
    {"detector", detector, false},
    {"recogniser", recogniser, false},
    {"face", face, false},
    {"unet", unet, false},
    {"keyword", keyword, true},
    {"resnet18", resnet18, true},
};

static Onnx__Model *make(const char *kind)
{
    static const char *const suffix[] = {"", "-qdq", "-qlinear"};
    size_t length = strcspn(kind, "-");

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Onnx__Model *model = NULL;

        if (strncmp(kind, kinds[i].name, length) != 0 || kinds[i].name[length])
            continue;
        for (form = 0; form < 3 && strcmp(kind + length, suffix[form]) != 0;)
            form++;
        if (form == 3 || (form && !kinds[i].quantised))
            break;
        model = make_model(kind, OPSET);
        if (form == FORM_QLINEAR)
            add_domain(model, "com.microsoft", 1);
        kinds[i].add();
        return model;
    }
    stop("KIND is not one of the table of this program, or not in this form.");
    return NULL;
}

int main(int count, char **argument)
{
    if (count != 4)
        stop("Give KIND[-qdq|-qlinear] SEED OUT.onnx.");
    state = strtoull(argument[2], NULL, 10);
    write_model(make(argument[1]), argument[3]);
    return 0;
}
