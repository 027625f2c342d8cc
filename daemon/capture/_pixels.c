/* What is done with every pixel that was painted, where this was compiled: see diff.py, tile_digests.py and pictures.py,
 * which do the same without it. Pictures are arrays (height, width, 4) of bytes in BGRA whose rows may be apart; A is padding. For machines
 * that keep the lowest byte first. */

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define TILE 64
#define BAND 32
#define COLOUR 0x00FFFFFFu

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define FAST __attribute__((target_clones("avx2", "default")))
#else
#define FAST
#endif

FAST static uint32_t differing(const uint32_t *before, const uint32_t *after, Py_ssize_t count) {
    uint32_t found = 0;
    for (Py_ssize_t x = 0; x < count; x++)
        found |= before[x] ^ after[x];
    return found & COLOUR;
}

FAST static void copy_row(uint32_t *restrict into, const uint32_t *restrict from, Py_ssize_t count) {
    for (Py_ssize_t x = 0; x < count; x++)
        into[x] = from[x];
}

/* A sum of products of what was weighted on the left and on the right of a row of a tile. */
FAST static uint64_t row_sum(const uint32_t *restrict row, const uint32_t *restrict weights) {
    uint64_t sum = 0;
    for (int x = 0; x < TILE / 2; x++)
        sum += (uint64_t)((row[x] & COLOUR) + weights[x]) * ((row[x + TILE / 2] & COLOUR) + weights[x + TILE / 2]);
    return sum;
}

/* The hash of a row of a patch. */
FAST static uint32_t patch_row(const uint32_t *restrict row, const uint32_t *restrict weights) {
    uint32_t sum = 0;
    for (int x = 0; x < TILE; x++)
        sum += (row[x] & COLOUR) * weights[x];
    return sum;
}

/* Sums of two by two pixels of two rows by colour, and their luma. */
FAST static void halve_rows(const uint32_t *restrict upper, const uint32_t *restrict lower, Py_ssize_t count,
                            uint8_t *restrict luma, int32_t *restrict blue, int32_t *restrict green, int32_t *restrict red) {
    for (Py_ssize_t x = 0; x < count; x++) {
        uint32_t a = upper[2 * x], b = upper[2 * x + 1], c = lower[2 * x], d = lower[2 * x + 1];
        uint32_t both = (a & 0xFF00FF) + (b & 0xFF00FF) + (c & 0xFF00FF) + (d & 0xFF00FF);
        uint32_t middle = (a >> 8 & 0xFF) + (b >> 8 & 0xFF) + (c >> 8 & 0xFF) + (d >> 8 & 0xFF);
        blue[x] = (int32_t)(both & 0xFFFF);
        green[x] = (int32_t)middle;
        red[x] = (int32_t)(both >> 16);
    }
    for (Py_ssize_t x = 0; x < count; x++)
        luma[x] = (uint8_t)((7471 * blue[x] + 38470 * green[x] + 19595 * red[x] + (1 << 17)) >> 18);
}

FAST static void average_chroma(const int32_t *restrict sums, Py_ssize_t count, uint8_t *restrict chroma_blue,
                                uint8_t *restrict chroma_red) {
    const int32_t *blue = sums, *green = sums + 4 * count, *red = sums + 8 * count;
    for (Py_ssize_t x = 0; x < count; x++) {
        int32_t b = blue[2 * x] + blue[2 * x + 1] + blue[2 * count + 2 * x] + blue[2 * count + 2 * x + 1];
        int32_t g = green[2 * x] + green[2 * x + 1] + green[2 * count + 2 * x] + green[2 * count + 2 * x + 1];
        int32_t r = red[2 * x] + red[2 * x + 1] + red[2 * count + 2 * x] + red[2 * count + 2 * x + 1];
        int32_t u = (32768 * b - 21709 * g - 11059 * r + (257 << 19)) >> 20;
        int32_t v = (32768 * r - 27439 * g - 5329 * b + (257 << 19)) >> 20;
        chroma_blue[x] = (uint8_t)(u > 255 ? 255 : u);
        chroma_red[x] = (uint8_t)(v > 255 ? 255 : v);
    }
}

static int is_picture(const Py_buffer *view) {
    return view->ndim == 3 && view->itemsize == 1 && view->shape[2] == 4 && view->strides[2] == 1 && view->strides[1] == 4;
}

static int is_plane(const Py_buffer *view, Py_ssize_t height, Py_ssize_t width) {
    return view->ndim == 2 && view->itemsize == 1 && view->shape[0] == height && view->shape[1] == width &&
           (view->strides[1] == 1 || width <= 1);
}

static int is_row_of(const Py_buffer *view, Py_ssize_t size, Py_ssize_t count) {
    return view->ndim == 1 && view->itemsize == size && view->shape[0] >= count && (view->strides[0] == size || count <= 1);
}

static int are_tiles_of(const Py_buffer *tiles, const Py_buffer *picture) {
    return is_picture(picture) &&
           is_plane(tiles, (picture->shape[0] + BAND - 1) / BAND, (picture->shape[1] + TILE - 1) / TILE);
}

static Py_ssize_t least(Py_ssize_t one, Py_ssize_t other) {
    return one < other ? one : other;
}

static int take(PyObject *const *given, Py_buffer *views, int count, int written) {
    for (int n = 0; n < count; n++)
        if (PyObject_GetBuffer(given[n], &views[n], n >= written ? PyBUF_STRIDED : PyBUF_STRIDED_RO) < 0) {
            while (n--)
                PyBuffer_Release(&views[n]);
            return -1;
        }
    return 0;
}

static PyObject *done(Py_buffer *views, int count, int fits) {
    while (count--)
        PyBuffer_Release(&views[count]);
    if (fits)
        Py_RETURN_NONE;
    PyErr_SetString(PyExc_ValueError, "arrays do not fit each other");
    return NULL;
}

static PyObject *mark_changed(PyObject *self, PyObject *args) {
    PyObject *given[3];
    Py_buffer views[3];
    if (!PyArg_ParseTuple(args, "OOO", &given[0], &given[1], &given[2]) || take(given, views, 3, 2) < 0)
        return NULL;
    Py_buffer *before = &views[0], *after = &views[1], *tiles = &views[2];
    if (!is_picture(before) || !are_tiles_of(tiles, after) || before->shape[0] != after->shape[0] ||
        before->shape[1] != after->shape[1])
        return done(views, 3, 0);
    Py_ssize_t height = after->shape[0], width = after->shape[1];
    Py_BEGIN_ALLOW_THREADS;
    for (Py_ssize_t y = 0; y < height; y++) {
        uint8_t *marks = (uint8_t *)tiles->buf + y / BAND * tiles->strides[0];
        const uint32_t *old = (const uint32_t *)((const char *)before->buf + y * before->strides[0]);
        const uint32_t *new = (const uint32_t *)((const char *)after->buf + y * after->strides[0]);
        for (Py_ssize_t x = 0, column = 0; x < width; x += TILE, column++)
            if (!marks[column])
                marks[column] = differing(old + x, new + x, least(width - x, TILE)) != 0;
    }
    Py_END_ALLOW_THREADS;
    return done(views, 3, 1);
}

static uint64_t tile_hash(const Py_buffer *picture, Py_ssize_t x, Py_ssize_t y, const uint32_t *weights) {
    Py_ssize_t wide = least(picture->shape[1] - x, TILE);
    uint32_t edge[TILE] = {0};
    uint64_t sum = 0;
    for (Py_ssize_t end = least(picture->shape[0], y + BAND); y < end; y++, weights += TILE) {
        const uint32_t *row = (const uint32_t *)((const char *)picture->buf + y * picture->strides[0]) + x;
        sum += row_sum(wide < TILE ? memcpy(edge, row, (size_t)(4 * wide)) : row, weights);
    }
    return sum;
}

static int is_another(const Py_buffer *before, const Py_buffer *after, Py_ssize_t x, Py_ssize_t y) {
    Py_ssize_t wide = least(after->shape[1] - x, TILE);
    for (Py_ssize_t end = least(after->shape[0], y + BAND); y < end; y++)
        if (differing((const uint32_t *)((const char *)before->buf + y * before->strides[0]) + x,
                      (const uint32_t *)((const char *)after->buf + y * after->strides[0]) + x, wide))
            return 1;
    return 0;
}

static PyObject *take_tiles(PyObject *self, PyObject *args) {
    PyObject *given[5];
    Py_buffer views[5];
    int compare;
    if (!PyArg_ParseTuple(args, "OOOOOp", &given[0], &given[1], &given[2], &given[3], &given[4], &compare) ||
        take(given, views, 5, 2) < 0)
        return NULL;
    Py_buffer *from = &views[0], *weights = &views[1], *tiles = &views[2], *into = &views[3], *hashes = &views[4];
    if (!is_picture(from) || !are_tiles_of(tiles, into) || from->shape[0] != into->shape[0] ||
        from->shape[1] != into->shape[1] || !is_row_of(weights, 4, BAND * TILE) || hashes->ndim != 2 ||
        hashes->itemsize != 8 || hashes->shape[0] != tiles->shape[0] || hashes->shape[1] != tiles->shape[1] ||
        hashes->strides[1] != 8)
        return done(views, 5, 0);
    Py_ssize_t height = into->shape[0], width = into->shape[1];
    Py_BEGIN_ALLOW_THREADS;
    for (Py_ssize_t y = 0; y < height; y += BAND)
        for (Py_ssize_t x = 0; x < width; x += TILE) {
            uint8_t *mark = (uint8_t *)tiles->buf + y / BAND * tiles->strides[0] + x / TILE;
            if (compare && !*mark)
                *mark = (uint8_t)is_another(into, from, x, y);
            if (!*mark)
                continue;
            if (from->buf != into->buf)
                for (Py_ssize_t row = y; row < least(height, y + BAND); row++)
                    copy_row((uint32_t *)((char *)into->buf + row * into->strides[0]) + x,
                             (const uint32_t *)((const char *)from->buf + row * from->strides[0]) + x,
                             least(width - x, TILE));
            *(uint64_t *)((char *)hashes->buf + y / BAND * hashes->strides[0] + 8 * (x / TILE)) =
                tile_hash(into, x, y, weights->buf);
        }
    Py_END_ALLOW_THREADS;
    return done(views, 5, 1);
}

/* One that counts: its content times `mix` begins with zero bits, and as many rows as `steps` or more differ from the
 * row above. */
static PyObject *find_patches(PyObject *self, PyObject *args) {
    PyObject *given[5];
    Py_buffer views[5];
    unsigned long long mix;
    int rarity, steps;
    if (!PyArg_ParseTuple(args, "OOOOOKii", &given[0], &given[1], &given[2], &given[3], &given[4], &mix, &rarity, &steps) ||
        take(given, views, 5, 4) < 0)
        return NULL;
    Py_buffer *column = &views[0], *weights = &views[1], *powers = &views[2], *inverse = &views[3], *found = &views[4];
    Py_ssize_t height = is_picture(column) && column->shape[1] == TILE ? column->shape[0] : 0, count = 0;
    if (height < BAND || rarity < 0 || rarity > 63 || !is_row_of(weights, 4, TILE) || !is_row_of(powers, 8, height) ||
        !is_row_of(inverse, 8, height) || !is_row_of(found, 8, height))
        return done(views, 5, 0);
    uint32_t *rows = PyMem_Malloc((size_t)height * sizeof(uint32_t));
    if (rows == NULL) {
        done(views, 5, 1);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS;
    const uint64_t *power = powers->buf, *inverted = inverse->buf;
    uint64_t sum = 0;
    int differ = 0;
    for (Py_ssize_t y = 0; y < height; y++) {
        rows[y] = patch_row((const uint32_t *)((const char *)column->buf + y * column->strides[0]), weights->buf);
        sum += rows[y] * power[y];
        differ += y > 0 && rows[y] != rows[y - 1];
        Py_ssize_t top = y - BAND + 1;
        if (top < 0)
            continue;
        if (top > 0) {
            sum -= rows[top - 1] * power[top - 1];
            differ -= rows[top] != rows[top - 1];
        }
        uint64_t content = sum * inverted[top];
        if (content * mix >> rarity == 0 && differ >= steps)
            ((uint64_t *)found->buf)[count++] = content;
    }
    Py_END_ALLOW_THREADS;
    PyMem_Free(rows);
    Py_XDECREF(done(views, 5, 1));
    return PyLong_FromSsize_t(count);
}

static PyObject *halve(PyObject *self, PyObject *args) {
    PyObject *given[4];
    Py_buffer views[4];
    if (!PyArg_ParseTuple(args, "OOOO", &given[0], &given[1], &given[2], &given[3]) || take(given, views, 4, 1) < 0)
        return NULL;
    Py_buffer *pixels = &views[0], *luma = &views[1], *blue = &views[2], *red = &views[3];
    Py_ssize_t height = is_picture(pixels) ? pixels->shape[0] / 4 : 0, width = height ? pixels->shape[1] / 4 : 0;
    if (!height || !width || pixels->shape[0] % 4 || pixels->shape[1] % 4 ||
        !is_plane(luma, 2 * height, 2 * width) || !is_plane(blue, height, width) || !is_plane(red, height, width))
        return done(views, 4, 0);
    int32_t *sums = PyMem_Malloc((size_t)width * 12 * sizeof(int32_t));
    if (sums == NULL) {
        done(views, 4, 1);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS;
    for (Py_ssize_t y = 0; y < height; y++) {
        for (int half = 0; half < 2; half++) {
            Py_ssize_t row = 2 * y + half;
            const char *upper = (const char *)pixels->buf + 2 * row * pixels->strides[0];
            int32_t *into = sums + half * 2 * width;
            halve_rows((const uint32_t *)upper, (const uint32_t *)(upper + pixels->strides[0]), 2 * width,
                       (uint8_t *)luma->buf + row * luma->strides[0], into, into + 4 * width, into + 8 * width);
        }
        average_chroma(sums, width, (uint8_t *)blue->buf + y * blue->strides[0], (uint8_t *)red->buf + y * red->strides[0]);
    }
    Py_END_ALLOW_THREADS;
    PyMem_Free(sums);
    return done(views, 4, 1);
}

static PyMethodDef methods[] = {
    {"mark_changed", mark_changed, METH_VARARGS, "Mark the tiles (booleans by band and column) where two pictures differ."},
    {"take_tiles", take_tiles, METH_VARARGS, "Copy and hash the marked tiles of a picture, first marking those that differ."},
    {"find_patches", find_patches, METH_VARARGS, "Write the contents of a column's patches that count, and return how many."},
    {"halve", halve, METH_VARARGS, "Write a picture at half its size into three planes of full-range YUV 4:2:0."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_pixels", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__pixels(void) {
    return PyModule_Create(&module);
}
