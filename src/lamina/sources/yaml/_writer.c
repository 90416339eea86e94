/* Writing block YAML, as a C extension.
 *
 * What is written is defined by `writer.py`, which has PyYAML's emitter decide on each scalar; here the same is decided
 * on the characters themselves. The tests hold one against the other. The conventions:
 *
 * - A function gives 0, or -1 to stop. If no exception is set then, the value is left to `writer.py` (it is nested too
 *   deep, takes more than the budget, or has to be rejected), and the answer of the module is None. So every error is
 *   found and worded in one place.
 * - Scalars that are rare are asked for in Python: the methods of `scalars` answer with their text.
 * - Widths and columns are counts of characters. The text is gathered as UTF-8, nearly all of it ASCII.
 * - Nothing is kept between calls, except in a `Cache` that the caller owns: the text of collections that are written
 *   again and again, by identity. What it has counts against the budget as if it were written now.
 * - The input may be hostile. Each character is looked at a bounded number of times; collections recurse DEEPEST deep;
 *   what is written is counted against the budget before it is assembled.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 100
#define WIDTH 80
#define UNBOUNDED (PY_SSIZE_T_MAX / 2)
#define LINE 32                 /* _LINE of writer.py */
#define SHORT 80                /* _SHORT of writer.py: texts of no more characters are only counted as a line */
#define SIMPLE_KEY (128 - 5)    /* _SIMPLE_KEY of writer.py */
#define LONGEST_WORD 5          /* of the plain words that are not text */

typedef struct Cache Cache;

typedef struct {
    bool sort_keys;
    bool allow_unicode;
    PyObject *scalars;
    Cache *cache;       /* or NULL */
    Py_ssize_t left;    /* of the budget */
    Py_ssize_t most;    /* how much text is assembled here */
    int depth;
    char *text;
    Py_ssize_t size;
    Py_ssize_t room;
    bool wide;          /* whether some of it is not ASCII */
} Writer;

/* The characters of a text. */
typedef struct {
    int kind;
    const void *data;
    Py_ssize_t size;
    bool ascii;
} Text;

static inline Py_UCS4 at(const Text *text, Py_ssize_t index) {
    return PyUnicode_READ(text->kind, text->data, index);
}

static Text characters(PyObject *value) {
    return (Text){
        (int)PyUnicode_KIND(value), PyUnicode_DATA(value), PyUnicode_GET_LENGTH(value), PyUnicode_IS_ASCII(value)};
}

/* Putting text together */

static int grow(Writer *w, Py_ssize_t more) {
    if (more > w->most - w->size) return -1;
    Py_ssize_t room = 2 * w->room + more + 256;
    char *text = PyMem_Realloc(w->text, (size_t)room);
    if (text == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    w->text = text;
    w->room = room;
    return 0;
}

static inline int reserve(Writer *w, Py_ssize_t more) {
    return more <= w->room - w->size ? 0 : grow(w, more);
}

static inline int put_bytes(Writer *w, const char *bytes, Py_ssize_t size) {
    if (reserve(w, size) < 0) return -1;
    memcpy(w->text + w->size, bytes, (size_t)size);
    w->size += size;
    return 0;
}

static inline int put_one(Writer *w, char byte) {
    if (reserve(w, 1) < 0) return -1;
    w->text[w->size++] = byte;
    return 0;
}

#define PUT(w, literal) put_bytes(w, literal, (Py_ssize_t)sizeof(literal) - 1)

static int put_spaces(Writer *w, Py_ssize_t count) {
    if (reserve(w, count) < 0) return -1;
    memset(w->text + w->size, ' ', (size_t)count);
    w->size += count;
    return 0;
}

static inline int put_margin(Writer *w, Py_ssize_t indent) {
    return put_one(w, '\n') < 0 ? -1 : put_spaces(w, indent);
}

/* Text that Python made. */
static int put_text(Writer *w, PyObject *text) {
    Py_ssize_t size;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes == NULL) return -1;
    if (!PyUnicode_IS_ASCII(text)) {
        w->wide = true;
    }
    return put_bytes(w, bytes, size);
}

static inline int spend(Writer *w, Py_ssize_t size) {
    w->left -= size;
    return w->left < 0 ? -1 : 0;
}

/* What the definition spends on a text that it is given. */
static inline int spend_text(Writer *w, Py_ssize_t written, bool always) {
    return written > SHORT || always ? spend(w, w->allow_unicode ? 4 * written : written) : 0;
}

/* What kind of scalar a text is: PyYAML's `analyze_scalar`, for characters of ASCII */

enum { SPACE = 1, BREAK = 2, COLON = 4, HASH = 8, SPECIAL = 16 };

/* Whether a character means something to the rest of a text: most do not. */
static inline int class_of(Py_UCS4 c) {
    if (c > ':' && c < 0x7f) return 0;
    switch (c) {
    case ' ': return SPACE;
    case '\n': return BREAK;
    case ':': return COLON;
    case '#': return HASH;
    default: return c < ' ' || c >= 0x7f ? SPECIAL : 0;
    }
}

static inline bool is_blank(Py_UCS4 c) {
    return c == ' ' || c == '\n';
}

typedef enum { PLAIN, SINGLE, DOUBLE } Style;

typedef struct {
    bool breaks;
    bool spaces;
    bool double_only;
    bool indicator;     /* something a plain text must not hold */
} Analysis;

static bool begins_with_indicator(const Text *text) {
    Py_UCS4 first = at(text, 0);
    bool followed = text->size == 1 || is_blank(at(text, 1));
    if (strchr("#,[]{}&*!|>'\"%@`", (int)first) != NULL) return true;
    if (first == '?' || first == ':' || first == '-') {
        if (followed) return true;
    }
    return text->size >= 3 && (first == '-' || first == '.') && at(text, 1) == first && at(text, 2) == first;
}

/* A text that is not empty and holds nothing but ASCII. */
static Analysis analyze(const Text *text) {
    const unsigned char *bytes = text->data;
    Analysis found = {.indicator = bytes[0] == 0 || begins_with_indicator(text)};
    Py_UCS4 before = 0;
    for (Py_ssize_t index = 0; index < text->size; index++) {
        Py_UCS4 c = bytes[index];
        int class = class_of(c);
        if (class != 0) {
            Py_UCS4 after = index + 1 < text->size ? bytes[index + 1] : ' ';
            switch (class) {
            case SPACE:
                found.spaces = true;
                found.double_only |= before == '\n' || (index + 1 < text->size && after == '\n');
                break;
            case BREAK: found.breaks = true; break;
            case COLON: found.indicator |= index > 0 && is_blank(after); break;
            case HASH: found.indicator |= is_blank(before); break;
            default: found.double_only = true;
            }
        }
        before = c;
    }
    found.indicator |= is_blank(bytes[0]) || is_blank(before);
    return found;
}

/* What plain text reads as: PyYAML's resolver */

/* Whether a text is a word in lower case, or with a capital first, or in capitals. */
static bool is_spelling(const unsigned char *text, Py_ssize_t size, const char *word) {
    if ((Py_ssize_t)strlen(word) != size) return false;
    bool first = text[0] < 'a', others = size > 1 && text[1] < 'a';
    if (others && !first) return false;
    for (Py_ssize_t index = 0; index < size; index++) {
        bool capital = index == 0 ? first : others;
        if (text[index] != (unsigned char)(word[index] - (capital ? 'a' - 'A' : 0))) return false;
    }
    return true;
}

static bool is_meant(const Text *text) {
    static const char *const words[] = {"yes", "no", "true", "false", "on", "off", "null"};
    for (size_t each = 0; each < sizeof words / sizeof *words; each++) {
        if (is_spelling(text->data, text->size, words[each])) return true;
    }
    return false;
}

/* Whether a text that begins like a number or a date can be one: 1 if only a resolver can tell, 2 if it surely is. */
static int may_be_number(const Text *text) {
    const unsigned char *bytes = text->data;
    int dots = 0;
    bool digits = bytes[0] != '0' || text->size == 1;
    for (Py_ssize_t index = 0; index < text->size; index++) {
        unsigned char c = bytes[index];
        if (c >= '0' && c <= '9') continue;
        digits = false;
        if (strchr("_.:+-abcdefABCDEFxTtZ inINF", c) == NULL) return 0;
        dots += c == '.';
    }
    if (dots > 1) return 0;
    return digits ? 2 : 1;
}

/* Whether plain text of ASCII reads as text; -1 to stop. */
static int reads_as_text(const Writer *w, PyObject *value, const Text *text) {
    unsigned char first = *(const unsigned char *)text->data;
    if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '.') {
        int number = may_be_number(text);
        if (number != 1) return number == 0;
        PyObject *answer = PyObject_CallMethod(w->scalars, "text", "O", value);
        int plain = answer == NULL ? -1 : PyObject_RichCompareBool(answer, value, Py_EQ);
        Py_XDECREF(answer);
        return plain;
    }
    if (strchr("yYnNtTfFoO", first) != NULL) return text->size > LONGEST_WORD || !is_meant(text);
    if (first == '=' || first == '~') return text->size != 1;
    return !(first == '<' && text->size == 2 && ((const char *)text->data)[1] == '<');
}

/* Writing scalars: the emitter's ways, from a column on, with further lines at an indent */

typedef struct {
    Py_ssize_t indent;
    Py_ssize_t column;
    Py_ssize_t width;
} Place;

/* Words, with single spaces between them that may become line breaks; quotes are doubled in quoted text. */
static int put_folded(Writer *w, const Text *text, Place place, bool quoted) {
    const char *bytes = text->data;
    Py_ssize_t column = place.column + quoted;
    for (Py_ssize_t from = 0, to; from < text->size; from = to) {
        char c = bytes[from];
        to = from + 1;
        if (c == ' ') {
            while (to < text->size && bytes[to] == ' ') to++;
            bool inside = !quoted || (from != 0 && to != text->size);
            if (to - from == 1 && column > place.width && inside) {
                if (put_margin(w, place.indent) < 0) return -1;
                column = place.indent;
                continue;
            }
        } else if (c == '\n') {
            while (to < text->size && bytes[to] == '\n') to++;
            /* A single break reads as a space, so each run of them is written with one more. */
            if (put_one(w, '\n') < 0 || put_bytes(w, bytes + from, to - from) < 0 || put_spaces(w, place.indent) < 0) {
                return -1;
            }
            column = place.indent;
            continue;
        } else if (c == '\'' && quoted) {
            if (put_one(w, '\'') < 0) return -1;
            column++;
        } else {
            while (to < text->size && !is_blank((unsigned char)bytes[to]) && !(quoted && bytes[to] == '\'')) to++;
        }
        if (put_bytes(w, bytes + from, to - from) < 0) return -1;
        column += to - from;
    }
    return 0;
}

static int put_single_quoted(Writer *w, const Text *text, Place place) {
    return put_one(w, '\'') < 0 || put_folded(w, text, place, true) < 0 ? -1 : put_one(w, '\'');
}

/* How a character is escaped, in ASCII; gives the number of characters. */
static int escape(Py_UCS4 c, char *into) {
    static const char named[] = "\0000\aa\bb\tt\nn\vv\ff\rr\033e\"\"\\\\\205N\240_";
    for (size_t each = 0; each + 1 < sizeof named; each += 2) {
        if ((unsigned char)named[each] == c) return sprintf(into, "\\%c", named[each + 1]);
    }
    if (c == 0x2028) return sprintf(into, "\\L");
    if (c == 0x2029) return sprintf(into, "\\P");
    return sprintf(into, c < 0x100 ? "\\x%02X" : c < 0x10000 ? "\\u%04X" : "\\U%08X", (unsigned int)c);
}

static inline bool is_harmless(Py_UCS4 c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/* Whatever it holds, in ASCII. Lines are broken before a space, or anywhere after something that was escaped. */
static int put_double_quoted(Writer *w, const Text *text, Place place) {
    if (put_one(w, '"') < 0) return -1;
    Py_ssize_t column = place.column + 1;
    bool escaped = true;    /* whether nothing was put since the last escape, or since the last break of a line */
    for (Py_ssize_t index = 0; index < text->size; index++) {
        Py_UCS4 c = at(text, index);
        bool harmless = is_harmless(c);
        if (!harmless) {
            char made[16];
            int size = escape(c, made);
            if (put_bytes(w, made, size) < 0) return -1;
            column += size;
        }
        bool breakable = harmless ? c == ' ' || escaped : true;
        if (index > 0 && index < text->size - 1 && breakable && column - !harmless > place.width) {
            if (put_one(w, '\\') < 0 || put_margin(w, place.indent) < 0) return -1;
            column = place.indent;
            /* The next character is this one, or the one behind what was escaped. */
            if (at(text, harmless ? index : index + 1) == ' ') {
                if (put_one(w, '\\') < 0) return -1;
                column++;
            }
        }
        if (harmless) {
            if (put_one(w, (char)c) < 0) return -1;
            column++;
        }
        escaped = !harmless;
    }
    return put_one(w, '"');
}

/* Text that Python is asked for. */
static int put_asked(Writer *w, PyObject *written) {
    if (written == NULL) return -1;
    int done = -1;
    if (!PyUnicode_Check(written)) {
        PyErr_SetString(PyExc_TypeError, "the text of a scalar is a str");
    } else {
        done = put_text(w, written);
    }
    Py_DECREF(written);
    return done;
}

/* A text, `placed` as the definition has it; a key is not broken. */
static int put_string(Writer *w, PyObject *value, Place place) {
    Text text = characters(value);
    if (!text.ascii) {
        if (!w->allow_unicode) return put_double_quoted(w, &text, place);
        return put_asked(
            w, place.width == WIDTH
                   ? PyObject_CallMethod(w->scalars, "placed", "Onn", value, place.indent - 2, place.column)
                   : PyObject_CallMethod(w->scalars, "text", "O", value));
    }
    if (text.size == 0) return PUT(w, "''");
    Analysis found = analyze(&text);
    if (found.double_only) return put_double_quoted(w, &text, place);
    if (found.breaks || found.indicator) return put_single_quoted(w, &text, place);
    int plain = reads_as_text(w, value, &text);
    if (plain < 0) return -1;
    if (!plain) return put_single_quoted(w, &text, place);
    bool fits = !found.spaces || place.column + text.size <= place.width;
    return fits ? put_bytes(w, text.data, text.size) : put_folded(w, &text, place, false);
}

static int put_integer(Writer *w, PyObject *value, Place place) {
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow) {
        return put_asked(w, PyObject_CallMethod(w->scalars, "other", "Onn", value, place.indent - 2, place.column));
    }
    char made[32];
    return put_bytes(w, made, sprintf(made, "%lld", number));
}

/* As `represent_float`: a mantissa has a point. */
static int put_float(Writer *w, double number) {
    if (number != number) return PUT(w, ".nan");
    if (number - number != 0) return number > 0 ? PUT(w, ".inf") : PUT(w, "-.inf");
    char *made = PyOS_double_to_string(number, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    if (made == NULL) return -1;
    char *power = strchr(made, 'e');
    int done;
    if (power != NULL && strchr(made, '.') == NULL) {
        bool put = put_bytes(w, made, power - made) == 0 && PUT(w, ".0") == 0;
        done = put ? put_bytes(w, power, (Py_ssize_t)strlen(power)) : -1;
    } else {
        done = put_bytes(w, made, (Py_ssize_t)strlen(made));
    }
    PyMem_Free(made);
    return done;
}

/* A scalar that is not exactly a str. */
static int put_other(Writer *w, PyObject *value, Place place) {
    if (value == Py_None) return PUT(w, "null");
    if (value == Py_True) return PUT(w, "true");
    if (value == Py_False) return PUT(w, "false");
    if (PyLong_CheckExact(value)) return put_integer(w, value, place);
    if (PyFloat_CheckExact(value)) return put_float(w, PyFloat_AS_DOUBLE(value));
    return put_asked(w, PyObject_CallMethod(w->scalars, "other", "Onn", value, place.indent - 2, place.column));
}

/* Collections */

static int put_lines(Writer *w, PyObject *value, Py_ssize_t indent);
static int put_new_lines(Writer *w, PyObject *value, Py_ssize_t indent);

static inline bool is_list(PyObject *value) {
    return PyList_Check(value) || PyTuple_Check(value);
}

static inline bool is_set(PyObject *value) {
    return PyAnySet_Check(value);
}

/* Whether a collection holds something; -1 to stop. */
static inline int is_full(PyObject *value) {
    if (PyDict_CheckExact(value)) return PyDict_GET_SIZE(value) > 0;
    if (PyList_CheckExact(value)) return PyList_GET_SIZE(value) > 0;
    return PyObject_IsTrue(value);
}

static int put_counted(Writer *w, PyObject *value, Place place, bool always) {
    Py_ssize_t before = w->size;
    int done = put_string(w, value, place);
    Py_ssize_t written = w->size - before;
    if (done == 0) return spend_text(w, written, always);
    if (!PyErr_Occurred()) {
        /* There was no room for it. It takes at least a byte for each character, and all that was put. */
        Py_ssize_t length = PyUnicode_GET_LENGTH(value);
        spend_text(w, written > length ? written : length, always);
    }
    return -1;
}

/* The keys in order where they have one, as they come where they have none. */
static PyObject *ordered(PyObject *value) {
    PyObject *keys = PySequence_List(value);
    PyObject *sorted = keys == NULL ? NULL : PyList_GetSlice(keys, 0, PyList_GET_SIZE(keys));
    if (sorted != NULL && PyList_Sort(sorted) < 0) {
        Py_CLEAR(sorted);
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            return keys;
        }
    }
    Py_XDECREF(keys);
    return sorted;
}

/* The members of a set as a mapping. */
static PyObject *mapping_of(PyObject *set) {
    PyObject *keys = ordered(set);
    PyObject *members = keys == NULL ? NULL : PyDict_New();
    for (Py_ssize_t index = 0; members != NULL && index < PyList_GET_SIZE(keys); index++) {
        if (PyDict_SetItem(members, PyList_GET_ITEM(keys, index), Py_None) < 0) {
            Py_CLEAR(members);
        }
    }
    Py_XDECREF(keys);
    return members;
}

static int put_set(Writer *w, PyObject *value, Py_ssize_t indent) {
    int full = is_full(value);
    if (full <= 0) return full < 0 ? -1 : PUT(w, "!!set {}");
    PyObject *members = mapping_of(value);
    if (members == NULL) return -1;
    int done = PUT(w, "!!set") < 0 || put_margin(w, indent) < 0 ? -1 : put_new_lines(w, members, indent);
    Py_DECREF(members);
    return done;
}

/* Anything, from a column on. A collection takes the indent after this one. */
static int put_value(Writer *w, PyObject *value, Py_ssize_t indent, Py_ssize_t column) {
    Place place = {indent + 2, column, WIDTH};
    if (PyUnicode_CheckExact(value)) return put_counted(w, value, place, true);
    if (is_set(value)) return put_set(w, value, indent + 2);
    bool mapping = PyDict_Check(value);
    if (!mapping && !is_list(value)) return put_other(w, value, place);
    int full = is_full(value);
    if (full < 0) return -1;
    if (!full) return mapping ? PUT(w, "{}") : PUT(w, "[]");
    return put_lines(w, value, indent + 2);
}

/* What follows a key that takes so many characters, with its colon written. */
static int put_after_key(Writer *w, PyObject *child, Py_ssize_t indent, Py_ssize_t width) {
    Py_ssize_t column = indent + width + 2;
    if (PyUnicode_CheckExact(child)) {
        if (put_one(w, ' ') < 0) return -1;
        return put_counted(w, child, (Place){indent + 2, column, WIDTH}, false);
    }
    bool mapping = PyDict_Check(child);
    if (mapping || is_list(child)) {
        int full = is_full(child);
        if (full < 0) return -1;
        if (full) {
            Py_ssize_t inner = mapping ? indent + 2 : indent;
            return put_margin(w, inner) < 0 ? -1 : put_lines(w, child, inner);
        }
    }
    return put_one(w, ' ') < 0 ? -1 : put_value(w, child, indent, column);
}

/* Whether a text can be a key on its line. */
static bool is_simple_key(PyObject *key) {
    Text text = characters(key);
    if (text.size == 0 || text.size >= SIMPLE_KEY) return false;
    for (Py_ssize_t index = 0; index < text.size; index++) {
        Py_UCS4 c = at(&text, index);
        if (c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029) return false;
    }
    return true;
}

/* A key on its line: 1, or 0 (and nothing is written) if it has to be written in the long way; -1 to stop. */
static int put_key(Writer *w, PyObject *key) {
    if (PyUnicode_CheckExact(key)) {
        if (!is_simple_key(key)) return 0;
        return put_string(w, key, (Place){2, 0, UNBOUNDED}) < 0 ? -1 : 1;
    }
    if (PyTuple_Check(key) && PyTuple_GET_SIZE(key) == 0) return PUT(w, "[]") < 0 ? -1 : 1;
    if (PyTuple_Check(key) || PyBytes_Check(key) || PyFrozenSet_Check(key) || PyUnicode_Check(key)) return 0;
    Py_ssize_t before = w->size;
    if (put_other(w, key, (Place){2, 0, WIDTH}) < 0) return -1;
    if (w->size - before < SIMPLE_KEY - 10) return 1;
    w->size = before;
    return 0;
}

/* How many characters were written since a place. */
static Py_ssize_t width_since(const Writer *w, Py_ssize_t before) {
    if (!w->wide) return w->size - before;
    Py_ssize_t width = 0;
    for (Py_ssize_t index = before; index < w->size; index++) {
        width += ((unsigned char)w->text[index] & 0xC0) != 0x80;
    }
    return width;
}

static int put_entry(Writer *w, PyObject *key, PyObject *child, Py_ssize_t indent) {
    Py_ssize_t before = w->size;
    int simple = put_key(w, key);
    if (simple < 0) return -1;
    if (simple) {
        Py_ssize_t width = width_since(w, before);
        return put_one(w, ':') < 0 ? -1 : put_after_key(w, child, indent, width);
    }
    if (PUT(w, "? ") < 0 || put_value(w, key, indent, indent + 2) < 0) return -1;
    return put_margin(w, indent) < 0 || PUT(w, ": ") < 0 ? -1 : put_value(w, child, indent, indent + 2);
}

/* The entries of a dict, as they come. */
static int put_entries(Writer *w, PyObject *value, Py_ssize_t indent) {
    PyObject *key, *child;
    Py_ssize_t position = 0;
    bool first = true;
    while (PyDict_Next(value, &position, &key, &child)) {
        if (!first && put_margin(w, indent) < 0) return -1;
        first = false;
        /* What is asked in Python may let another thread run, which may change the dict. */
        Py_INCREF(key);
        Py_INCREF(child);
        int done = put_entry(w, key, child, indent);
        Py_DECREF(key);
        Py_DECREF(child);
        if (done < 0) return -1;
    }
    return 0;
}

static int put_ordered_entries(Writer *w, PyObject *value, Py_ssize_t indent) {
    PyObject *keys = w->sort_keys ? ordered(value) : PySequence_List(value);
    if (keys == NULL) return -1;
    int done = 0;
    for (Py_ssize_t index = 0; done == 0 && index < PyList_GET_SIZE(keys); index++) {
        PyObject *key = PyList_GET_ITEM(keys, index);
        PyObject *child = PyObject_GetItem(value, key);
        if (child == NULL || (index > 0 && put_margin(w, indent) < 0)) {
            done = -1;
        } else {
            done = put_entry(w, key, child, indent);
        }
        Py_XDECREF(child);
    }
    Py_DECREF(keys);
    return done;
}

static int put_item(Writer *w, PyObject *item, Py_ssize_t indent) {
    if (PUT(w, "- ") < 0) return -1;
    if (PyUnicode_CheckExact(item)) return put_counted(w, item, (Place){indent + 2, indent + 2, WIDTH}, false);
    return put_value(w, item, indent, indent + 2);
}

static int put_items(Writer *w, PyObject *value, Py_ssize_t indent) {
    bool exact = PyList_CheckExact(value) || PyTuple_CheckExact(value);
    PyObject *items = exact ? Py_NewRef(value) : PySequence_List(value);
    if (items == NULL) return -1;
    int done = 0;
    for (Py_ssize_t index = 0; done == 0 && index < PySequence_Fast_GET_SIZE(items); index++) {
        if (index > 0 && put_margin(w, indent) < 0) {
            done = -1;
            break;
        }
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(items, index));
        done = put_item(w, item, indent);
        Py_DECREF(item);
    }
    Py_DECREF(items);
    return done;
}

/* Whether the keys of a dict are texts in order. */
static bool is_in_order(PyObject *value) {
    PyObject *key, *child, *before = NULL;
    Py_ssize_t position = 0;
    while (PyDict_Next(value, &position, &key, &child)) {
        if (!PyUnicode_CheckExact(key) || (before != NULL && PyUnicode_Compare(before, key) >= 0)) return false;
        before = key;
    }
    return true;
}

/* Begin the lines of a collection with so many members, which are one level deeper: they count against the budget. */
static int begin_lines(Writer *w, Py_ssize_t size, Py_ssize_t indent) {
    if (w->depth >= DEEPEST || size > w->left / (indent + LINE)) return -1;
    w->left -= size * (indent + LINE);
    w->depth++;
    return 0;
}

/* A collection that is not empty; its first line without the indent, its last without an end. */
static int put_new_lines(Writer *w, PyObject *value, Py_ssize_t indent) {
    Py_ssize_t size = PyObject_Size(value);
    if (size < 0 || begin_lines(w, size, indent) < 0) return -1;
    int done;
    if (!PyDict_Check(value)) {
        done = put_items(w, value, indent);
    } else if (!PyDict_CheckExact(value) || (w->sort_keys && !is_in_order(value))) {
        done = put_ordered_entries(w, value, indent);
    } else {
        done = put_entries(w, value, indent);
    }
    w->depth--;
    return done;
}

/* The cache: the lines of collections that were seen at an indent before, and the last document.
 *
 * Collections are found by identity, so those that it has are kept alive. Most documents differ from the one before in
 * a few members: of the others, the text is copied from that one. So it is with a member that is a mapping again.
 */

#define SMALLEST 4      /* members; less is written as fast as it is found */
#define FEW 32          /* members that are held on the stack */
#define EACH 250        /* what a text takes besides its characters, with the collection that is kept alive for it */
#define SEEN (1 << 15)  /* how many collections that were seen once are remembered; a power of two */

/* Where the lines of a member are in those of its mapping. */
typedef struct {
    int32_t member;     /* in the order of the mapping */
    int32_t start;
    int32_t size;
    int32_t cost;       /* what it takes of the budget */
} Part;

/* The parts of a mapping as they are written, one after the other. */
typedef struct {
    Py_ssize_t users;
    Py_ssize_t count;
    Py_ssize_t size;    /* of all lines */
    Part parts[];
} Outline;

typedef struct {
    PyObject *value;    /* NULL: the slot is free */
    Py_ssize_t indent;
    char *text;         /* NULL: it moved to the other table */
    Py_ssize_t size;
    Py_ssize_t cost;    /* what it takes of the budget */
    Outline *outline;   /* or NULL */
} Entry;

typedef struct {
    Entry *slots;
    size_t room;        /* none, or a power of two */
    size_t used;
    Py_ssize_t characters;
} Table;

/* A document that was written, by its members in their own order and by the places of their lines. */
typedef struct {
    Py_ssize_t count;
    PyObject **names;
    PyObject **children;    /* as many; NULL: no such text is known */
    Py_ssize_t *order;      /* the member at each place */
    Py_ssize_t *starts;     /* where the lines of each place start in the text */
    Py_ssize_t *sizes;
    Py_ssize_t *costs;
    Outline **outlines;     /* of members that are mappings; of others, and where it is not known, NULL */
    PyObject *text;         /* or NULL */
} Document;

struct Cache {
    PyObject_HEAD
    bool busy;              /* in a call: another thread, or a scalar that writes something, goes without the cache */
    bool sort_keys;
    bool allow_unicode;
    Py_ssize_t most;        /* characters in a table */
    Table recent;
    Table earlier;          /* the least recently used, which give way */
    uint64_t *seen;         /* the fingerprints of collections that were seen */
    Document last;
};

static Outline *new_outline(Py_ssize_t count) {
    Outline *made = PyMem_Malloc(sizeof(Outline) + (size_t)count * sizeof(Part));
    if (made != NULL) *made = (Outline){.users = 1, .count = count};
    return made;
}

static Outline *use(Outline *outline) {
    if (outline != NULL) outline->users++;
    return outline;
}

static void release(Outline *outline) {
    if (outline != NULL && --outline->users == 0) PyMem_Free(outline);
}

static inline size_t hash_of(PyObject *value, Py_ssize_t indent) {
    size_t mixed = ((size_t)value >> 4) + (size_t)indent * 0x9E3779B1u;
    return mixed ^ (mixed >> 15);
}

/* The slot of a collection, or the free one where it belongs; the table has one. */
static Entry *slot_of(const Table *table, PyObject *value, Py_ssize_t indent) {
    size_t at = hash_of(value, indent) & (table->room - 1);
    for (;; at = (at + 1) & (table->room - 1)) {
        Entry *entry = table->slots + at;
        if (entry->value == NULL || (entry->value == value && entry->indent == indent)) return entry;
    }
}

static void free_table(Table *table) {
    Table gone = *table;
    *table = (Table){0};
    for (size_t at = 0; at < gone.room; at++) {
        PyMem_Free(gone.slots[at].text);
        release(gone.slots[at].outline);
        Py_XDECREF(gone.slots[at].value);
    }
    PyMem_Free(gone.slots);
}

/* Make room for one more; -1 if there is no memory. */
static int widen(Table *table) {
    if (2 * (table->used + 1) <= table->room) return 0;
    Table wider = {.room = table->room ? 2 * table->room : 64, .characters = table->characters};
    wider.slots = PyMem_Calloc(wider.room, sizeof(Entry));
    if (wider.slots == NULL) return -1;
    for (size_t at = 0; at < table->room; at++) {
        Entry *entry = table->slots + at;
        if (entry->value == NULL) continue;
        *slot_of(&wider, entry->value, entry->indent) = *entry;
        wider.used++;
    }
    PyMem_Free(table->slots);
    *table = wider;
    return 0;
}

static void drop(Entry entry) {
    PyMem_Free(entry.text);
    release(entry.outline);
}

/* Keep a text; takes it over. What cannot be kept is freed. */
static void keep(Cache *cache, Entry new) {
    Py_ssize_t outline = new.outline == NULL ? 0 : new.outline->count * (Py_ssize_t)sizeof(Part);
    Py_ssize_t size = new.size + EACH + outline;
    if (size > cache->most - cache->recent.characters) {
        Table gone = cache->earlier;
        cache->earlier = cache->recent;
        cache->recent = (Table){0};
        free_table(&gone);
    }
    if (size > cache->most || widen(&cache->recent) < 0) {
        drop(new);
        return;
    }
    Entry *slot = slot_of(&cache->recent, new.value, new.indent);
    if (slot->value != NULL) {  /* it holds itself, so that it was kept while it was written */
        drop(new);
        return;
    }
    Py_INCREF(new.value);
    *slot = new;
    cache->recent.used++;
    cache->recent.characters += size;
}

/* What is known of a collection at an indent, or NULL. */
static const Entry *find(Cache *cache, PyObject *value, Py_ssize_t indent) {
    if (cache->recent.room > 0) {
        Entry *entry = slot_of(&cache->recent, value, indent);
        if (entry->value != NULL) return entry;
    }
    if (cache->earlier.room == 0) return NULL;
    Entry *entry = slot_of(&cache->earlier, value, indent);
    if (entry->value == NULL || entry->text == NULL) return NULL;
    Entry moved = *entry;
    entry->text = NULL;
    entry->outline = NULL;
    keep(cache, moved);     /* the earlier table, and with it the entry, may be gone now */
    entry = cache->recent.room > 0 ? slot_of(&cache->recent, value, indent) : NULL;
    return entry == NULL || entry->value == NULL ? NULL : entry;
}

/* A number for a collection at an indent. Its address alone would be that of many, one after the other. */
static uint64_t fingerprint(PyObject *value, Py_ssize_t indent) {
    const uint64_t prime = 0x100000001B3u;
    uint64_t number = ((uint64_t)(uintptr_t)value ^ (uint64_t)indent) * prime;
    PyObject *key, *child;
    Py_ssize_t position = 0;
    if (PyDict_CheckExact(value)) {
        while (PyDict_Next(value, &position, &key, &child)) number = (number ^ (uint64_t)(uintptr_t)child) * prime;
    } else {
        for (; position < PyList_GET_SIZE(value); position++) {
            number = (number ^ (uint64_t)(uintptr_t)PyList_GET_ITEM(value, position)) * prime;
        }
    }
    return number ^ (number >> 32);
}

/* Whether a collection was seen at an indent before; it counts as seen from now on. It is not kept alive for that: to
 * take another one for it costs a little room. */
static bool was_seen(const Cache *cache, PyObject *value, Py_ssize_t indent) {
    uint64_t number = fingerprint(value, indent), *slot = cache->seen + (number & (SEEN - 1));
    if (*slot == number) return true;
    *slot = number;
    return false;
}

typedef struct {
    PyObject *name;
    Py_ssize_t member;
} Ranked;

static int by_name(const void *one, const void *other) {
    return PyUnicode_Compare(((const Ranked *)one)->name, ((const Ranked *)other)->name);
}

/* A member of a mapping that is being written; `same`: as in the one that it is similar to. */
typedef struct {
    PyObject *name;
    PyObject *child;
    bool same;
} Member;

/* A mapping that was written, and its lines. */
typedef struct {
    PyObject *value;
    const Outline *outline;     /* NULL: there is none */
    const char *lines;
} Similar;

static void let_members_go(Member *members, Py_ssize_t count) {
    for (Py_ssize_t at = 0; at < count; at++) {
        Py_DECREF(members[at].name);
        Py_DECREF(members[at].child);
    }
}

/* Take the members of a dict; gives how many, or -1 if a key is not a text. */
static Py_ssize_t take_mapping(Member *members, PyObject *value) {
    PyObject *key, *child;
    Py_ssize_t position = 0, count = 0;
    for (; PyDict_Next(value, &position, &key, &child); count++) {
        if (!PyUnicode_CheckExact(key)) {
            let_members_go(members, count);
            return -1;
        }
        members[count] = (Member){Py_NewRef(key), Py_NewRef(child), false};
    }
    return count;
}

/* Whether a mapping has the keys of a similar one; then it is known which members are the same. */
static bool compare(Member *members, Py_ssize_t count, const Similar *similar) {
    PyObject *key, *child;
    Py_ssize_t position = 0;
    if (similar->outline == NULL || similar->outline->count != count || PyDict_GET_SIZE(similar->value) != count) {
        return false;
    }
    for (Py_ssize_t at = 0; PyDict_Next(similar->value, &position, &key, &child); at++) {
        if (key != members[at].name) {
            while (at-- > 0) members[at].same = false;
            return false;
        }
        members[at].same = child == members[at].child;
    }
    return true;
}

/* The order in which the members of a mapping are written; -1 on error. */
static int rank_parts(Outline *outline, const Member *members, bool sort_keys) {
    Py_ssize_t count = outline->count, ordered = 1;
    for (Py_ssize_t at = 0; at < count; at++) outline->parts[at].member = (int32_t)at;
    if (!sort_keys) return 0;
    while (ordered < count && PyUnicode_Compare(members[ordered - 1].name, members[ordered].name) < 0) ordered++;
    if (ordered >= count) return 0;
    Ranked *ranked = PyMem_New(Ranked, (size_t)count);
    if (ranked == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t at = 0; at < count; at++) ranked[at] = (Ranked){members[at].name, at};
    qsort(ranked, (size_t)count, sizeof(Ranked), by_name);
    for (Py_ssize_t at = 0; at < count; at++) outline->parts[at].member = (int32_t)ranked[at].member;
    PyMem_Free(ranked);
    return PyErr_Occurred() ? -1 : 0;
}

/* Put the parts of an outline; of those that are the same and follow one another, all lines are copied at once. */
static int put_parts(Writer *w, Outline *made, const Member *members, Py_ssize_t indent, const Similar *similar) {
    Py_ssize_t begin = w->size;
    for (Py_ssize_t at = 0; at < made->count;) {
        if (at > 0 && put_margin(w, indent) < 0) return -1;
        Part *part = made->parts + at;
        const Member *member = members + part->member;
        Py_ssize_t start = w->size - begin, left = w->left;
        if (!member->same) {
            if (put_entry(w, member->name, member->child, indent) < 0) return -1;
            *part = (Part){part->member, (int32_t)start, (int32_t)(w->size - begin - start), (int32_t)(left - w->left)};
            at++;
            continue;
        }
        const Part *known = similar->outline->parts;
        Py_ssize_t from = known[at].start, to = from;
        for (; at < made->count && members[made->parts[at].member].same; at++) {
            to = known[at].start + known[at].size;
            made->parts[at] = known[at];
            made->parts[at].start = (int32_t)(known[at].start - from + start);
            if (spend(w, known[at].cost) < 0) return -1;
        }
        if (put_bytes(w, similar->lines + from, to - from) < 0) return -1;
    }
    made->size = w->size - begin;
    return 0;
}

/* The lines of a dict, and where those of its members are: that is NULL if its keys are not texts. */
static int put_outlined(Writer *w, PyObject *value, Py_ssize_t indent, const Similar *similar, Outline **outline) {
    Py_ssize_t count = PyDict_GET_SIZE(value);
    Member few[FEW], *members = count <= FEW ? few : PyMem_New(Member, (size_t)count);
    Outline *made = members == NULL ? NULL : new_outline(count);
    int done = -1;
    *outline = NULL;
    if (made == NULL) {
        PyErr_NoMemory();
    } else if (take_mapping(members, value) < 0) {
        done = put_new_lines(w, value, indent);
    } else {
        bool known = compare(members, count, similar);
        if (known) memcpy(made->parts, similar->outline->parts, (size_t)count * sizeof(Part));
        if ((known || rank_parts(made, members, w->sort_keys) == 0) && begin_lines(w, count, indent) == 0) {
            done = put_parts(w, made, members, indent, similar);
            w->depth--;
        }
        let_members_go(members, count);
        if (done == 0) *outline = use(made);
    }
    release(made);
    if (members != few) PyMem_Free(members);
    return done;
}

/* The lines of a collection that may have been written before. Of a mapping, `outline` says where its members are, if
 * it is not NULL: it may be similar to one that was written in its place. */
static int put_known_lines(Writer *w, PyObject *value, Py_ssize_t indent, const Similar *similar, Outline **outline) {
    const Entry *known = find(w->cache, value, indent);
    if (known != NULL) {
        if (outline != NULL) *outline = use(known->outline);
        return spend(w, known->cost) < 0 ? -1 : put_bytes(w, known->text, known->size);
    }
    bool seen = was_seen(w->cache, value, indent);
    Py_ssize_t before = w->size, left = w->left;
    int done = outline == NULL ? put_new_lines(w, value, indent) : put_outlined(w, value, indent, similar, outline);
    if (done < 0) return -1;
    if (seen && !w->wide) {
        Entry new = {value, indent, PyMem_Malloc((size_t)(w->size - before)), w->size - before, left - w->left, NULL};
        if (new.text != NULL) {
            memcpy(new.text, w->text + before, (size_t)new.size);
            new.outline = outline == NULL ? NULL : use(*outline);
            keep(w->cache, new);
        }
    }
    return 0;
}

static int put_lines(Writer *w, PyObject *value, Py_ssize_t indent) {
    bool large = PyDict_CheckExact(value)   ? PyDict_GET_SIZE(value) >= SMALLEST
                 : PyList_CheckExact(value) ? PyList_GET_SIZE(value) >= SMALLEST
                                            : false;
    if (w->cache == NULL || !large) return put_new_lines(w, value, indent);
    return put_known_lines(w, value, indent, NULL, NULL);
}

/* Documents */

static void free_document(Document *document) {
    Document gone = *document;
    *document = (Document){0};
    for (Py_ssize_t at = 0; at < gone.count; at++) {
        Py_XDECREF(gone.names[at]);
        Py_XDECREF(gone.children[at]);
        release(gone.outlines[at]);
    }
    Py_XDECREF(gone.text);
    PyMem_Free(gone.names);     /* the other arrays are behind it */
}

/* The order in which members are written; -1 on error. */
static int rank(Document *document, bool sort_keys) {
    Ranked *ranked = PyMem_New(Ranked, (size_t)document->count);
    if (ranked == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t at = 0; at < document->count; at++) ranked[at] = (Ranked){document->names[at], at};
    if (sort_keys) qsort(ranked, (size_t)document->count, sizeof(Ranked), by_name);
    for (Py_ssize_t at = 0; at < document->count; at++) document->order[at] = ranked[at].member;
    PyMem_Free(ranked);
    return PyErr_Occurred() ? -1 : 0;
}

/* Begin a document with the members of a dict, none of them written: 1, 0 if its keys are not texts; -1 on error. */
static int begin_document(Document *document, PyObject *value, bool sort_keys) {
    PyObject *key, *child;
    Py_ssize_t position = 0, count = PyDict_GET_SIZE(value);
    while (PyDict_Next(value, &position, &key, &child)) {
        if (!PyUnicode_CheckExact(key)) return 0;
    }
    free_document(document);
    size_t each = 2 * sizeof(PyObject *) + sizeof(Outline *) + 4 * sizeof(Py_ssize_t);
    document->names = PyMem_Calloc((size_t)count, each);
    if (document->names == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    document->count = count;
    document->children = document->names + count;
    document->outlines = (Outline **)(document->children + count);
    document->order = (Py_ssize_t *)(document->outlines + count);
    document->starts = document->order + count;
    document->sizes = document->starts + count;
    document->costs = document->sizes + count;
    position = 0;
    for (Py_ssize_t at = 0; at < count && PyDict_Next(value, &position, &key, &child); at++) {
        document->names[at] = Py_NewRef(key);
    }
    if (rank(document, sort_keys) == 0) return 1;
    free_document(document);
    return -1;
}

/* A document that is being written: the new members are put into the text of the writer, one after the other. */
typedef struct {
    Py_ssize_t count;
    PyObject **children;
    Outline **outlines;     /* of the new members */
    Py_ssize_t *starts;     /* of the new members, in what is put; of the others, in the last text */
    Py_ssize_t *sizes;
    Py_ssize_t *costs;
    bool *is_new;
} Draft;

/* A member of a document; of a mapping, the outline of its lines is kept as well. */
static int put_document_entry(Writer *w, const Document *last, Draft *draft, Py_ssize_t place) {
    Py_ssize_t member = last->order[place];
    PyObject *name = last->names[member], *child = draft->children[member], *before = last->children[member];
    bool mapping = PyDict_CheckExact(child) && PyDict_GET_SIZE(child) >= SMALLEST && w->left <= INT32_MAX;
    int simple = mapping ? put_key(w, name) : 0;
    if (simple <= 0) return simple < 0 ? -1 : put_entry(w, name, child, 0);
    if (put_one(w, ':') < 0 || put_margin(w, 2) < 0) return -1;
    Similar similar = {.value = before};
    if (last->text != NULL && before != NULL && PyDict_CheckExact(before)) similar.outline = last->outlines[place];
    if (similar.outline != NULL) {
        Py_ssize_t end = last->starts[place] + last->sizes[place] - 1;  /* the lines are before the last break */
        similar.lines = (const char *)PyUnicode_1BYTE_DATA(last->text) + end - similar.outline->size;
    }
    return put_known_lines(w, child, 2, &similar, draft->outlines + place);
}

static int put_member(Writer *w, const Document *last, Draft *draft, Py_ssize_t place) {
    Py_ssize_t member = last->order[place];
    draft->is_new[place] = last->text == NULL || draft->children[member] != last->children[member];
    if (!draft->is_new[place]) {
        draft->starts[place] = last->starts[place];
        draft->sizes[place] = last->sizes[place];
        draft->costs[place] = last->costs[place];
        return spend(w, last->costs[place]);
    }
    Py_ssize_t left = w->left;
    draft->starts[place] = w->size;
    if (put_document_entry(w, last, draft, place) < 0 || put_one(w, '\n') < 0) return -1;
    draft->sizes[place] = w->size - draft->starts[place];
    draft->costs[place] = left - w->left;
    return 0;
}

/* The text of a draft; of lines that follow one another in the last text, all are copied at once. */
static PyObject *text_of(const Writer *w, const Document *last, const Draft *draft, PyObject *header, Py_ssize_t size) {
    Py_ssize_t to = PyUnicode_GET_LENGTH(header);
    PyObject *text = PyUnicode_New(to + size, 127);
    if (text == NULL) return NULL;
    char *bytes = (char *)PyUnicode_1BYTE_DATA(text);
    memcpy(bytes, PyUnicode_1BYTE_DATA(header), (size_t)to);
    const char *old = last->text == NULL ? NULL : (const char *)PyUnicode_1BYTE_DATA(last->text);
    for (Py_ssize_t place = 0; place < last->count;) {
        const char *from = draft->is_new[place] ? w->text : old;
        Py_ssize_t start = draft->starts[place], end = start;
        do {
            end += draft->sizes[place++];
        } while (place < last->count && draft->starts[place] == end && (draft->is_new[place] ? w->text : old) == from);
        memcpy(bytes + to, from + start, (size_t)(end - start));
        to += end - start;
    }
    return text;
}

/* The document is the last one from now on. */
static void finish_document(Document *last, Draft *draft, PyObject *header, PyObject *text) {
    Py_ssize_t start = PyUnicode_GET_LENGTH(header);
    for (Py_ssize_t place = 0; place < last->count; place++) {
        last->starts[place] = start;
        last->sizes[place] = draft->sizes[place];
        last->costs[place] = draft->costs[place];
        start += draft->sizes[place];
        if (!draft->is_new[place]) continue;
        Outline *before = last->outlines[place];
        last->outlines[place] = draft->outlines[place];
        draft->outlines[place] = before;
    }
    for (Py_ssize_t member = 0; member < last->count; member++) {
        PyObject *before = last->children[member];
        last->children[member] = draft->children[member];
        draft->children[member] = before;
    }
    Py_XSETREF(last->text, Py_NewRef(text));
}

static void free_draft(Draft *draft) {
    for (Py_ssize_t at = 0; at < draft->count; at++) {
        Py_XDECREF(draft->children[at]);
        release(draft->outlines[at]);
    }
    PyMem_Free(draft->children);    /* the other arrays are behind it */
    *draft = (Draft){0};
}

/* Take the members of a dict as they are now; 0 if they are not those of the document, -1 on error. */
static int begin_draft(Draft *draft, PyObject *value, const Document *document) {
    PyObject *key, *child;
    Py_ssize_t position = 0, count = document->count;
    if (PyDict_GET_SIZE(value) != count) return 0;
    size_t each = sizeof(PyObject *) + sizeof(Outline *) + 3 * sizeof(Py_ssize_t) + sizeof(bool);
    *draft = (Draft){.count = count, .children = PyMem_Calloc((size_t)count, each)};
    if (draft->children == NULL) {
        draft->count = 0;
        PyErr_NoMemory();
        return -1;
    }
    draft->outlines = (Outline **)(draft->children + count);
    draft->starts = (Py_ssize_t *)(draft->outlines + count);
    draft->sizes = draft->starts + count;
    draft->costs = draft->sizes + count;
    draft->is_new = (bool *)(draft->costs + count);
    for (Py_ssize_t at = 0; PyDict_Next(value, &position, &key, &child); at++) {
        if (key != document->names[at]) {
            free_draft(draft);
            return 0;
        }
        draft->children[at] = Py_NewRef(child);
    }
    return 1;
}

/* The text of a dict whose keys are texts, with a header of ASCII; NULL, without an exception, to write it plainly. */
static PyObject *similar_document(Writer *w, PyObject *value, PyObject *header) {
    Document *last = &w->cache->last;
    Draft draft = {0};
    int begun = begin_draft(&draft, value, last);
    if (begun == 0 && begin_document(last, value, w->sort_keys) > 0) begun = begin_draft(&draft, value, last);
    if (begun <= 0) return NULL;
    Py_ssize_t count = last->count, size = 0, left = w->left;
    PyObject *text = NULL;
    bool done = begin_lines(w, count, 0) == 0;
    for (Py_ssize_t place = 0; done && place < count; place++) {
        done = put_member(w, last, &draft, place) == 0;
        size += draft.sizes[place];
    }
    w->depth = 0;
    if (done && !w->wide && size <= w->most) {
        text = text_of(w, last, &draft, header, size);
    }
    if (text != NULL && size <= w->cache->most) finish_document(last, &draft, header, text);
    free_draft(&draft);
    if (text == NULL) {
        w->size = 0;
        w->wide = false;
        w->left = left;
    }
    return text;
}

/* The module */

PyDoc_STRVAR(lines_doc,
"lines(value, indent, sort_keys, allow_unicode, scalars, left, /)\n--\n\n"
"The text of a collection that is not empty, and what is then left of the budget: less than nothing, and no text, if it\n"
"does not suffice. None where Python has to write it.");

static PyObject *written(const Writer *w) {
    if (w->wide) return PyUnicode_DecodeUTF8(w->text, w->size, NULL);
    PyObject *text = PyUnicode_New(w->size, 127);
    if (text != NULL) memcpy(PyUnicode_1BYTE_DATA(text), w->text, (size_t)w->size);
    return text;
}

/* What is answered when the writer stopped without an exception. */
static PyObject *stopped(const Writer *w) {
    /* Python would take minutes to come to the same end; what may be written as it is, is only counted roughly. */
    bool spent = w->left < 0 && !w->allow_unicode;
    return spent ? Py_BuildValue("sn", "", w->left) : Py_NewRef(Py_None);
}

static PyObject *lines(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *value;
    Py_ssize_t indent;
    int sort_keys, allow_unicode;
    Writer w = {0};
    if (!PyArg_ParseTuple(args, "OnppOn:lines", &value, &indent, &sort_keys, &allow_unicode, &w.scalars, &w.left)) {
        return NULL;
    }
    bool collection = PyDict_Check(value) || is_list(value);
    if (!collection || indent < 0 || indent > 2 * WIDTH * WIDTH || w.left < 0) Py_RETURN_NONE;
    w.sort_keys = sort_keys;
    w.allow_unicode = allow_unicode;
    w.most = w.left < UNBOUNDED ? w.left : UNBOUNDED;
    PyObject *result = NULL;
    if (put_lines(&w, value, indent) == 0) {
        result = Py_BuildValue("Nn", written(&w), w.left);
    } else if (!PyErr_Occurred()) {
        result = stopped(&w);
    }
    PyMem_Free(w.text);
    return result;
}

/* The type of caches */

PyDoc_STRVAR(document_doc,
"document(value, header, scalars, left, /)\n--\n\n"
"The text of a document that is a collection and not empty, behind a header, and what is then left of the budget, as\n"
"`lines` gives them. None where Python has to write it.");

static PyObject *document(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 4 || !PyUnicode_Check(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "document takes a collection, a header, the texts of scalars and a budget");
        return NULL;
    }
    PyObject *value = arguments[0], *header = arguments[1], *text = NULL;
    Writer w = {.scalars = arguments[2], .left = PyLong_AsSsize_t(arguments[3])};
    if (w.left == -1 && PyErr_Occurred()) return NULL;
    int full = PyDict_Check(value) || is_list(value) ? is_full(value) : 0;
    if (full < 0) return NULL;
    if (!full || w.left < 0) Py_RETURN_NONE;
    Cache *cache = (Cache *)self;
    bool free = !cache->busy;
    w.sort_keys = cache->sort_keys;
    w.allow_unicode = cache->allow_unicode;
    w.most = w.left < UNBOUNDED ? w.left : UNBOUNDED;
    if (free) {
        w.cache = cache;
        cache->busy = true;
    }
    if (free && PyDict_CheckExact(value) && PyUnicode_IS_ASCII(header)) text = similar_document(&w, value, header);
    bool headed = PyUnicode_GET_LENGTH(header) > 0;
    if (text == NULL && !PyErr_Occurred() && (!headed || put_text(&w, header) == 0)) {
        if (w.most < UNBOUNDED) w.most += w.size;   /* only the lines count */
        if (put_new_lines(&w, value, 0) == 0 && put_one(&w, '\n') == 0) text = written(&w);
    }
    if (free) cache->busy = false;
    PyMem_Free(w.text);
    if (text != NULL) return Py_BuildValue("Nn", text, w.left);
    return PyErr_Occurred() ? NULL : stopped(&w);
}

static PyObject *new_cache(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(keywords)) {
    int sort_keys, allow_unicode;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "ppn:Cache", &sort_keys, &allow_unicode, &most)) return NULL;
    Cache *cache = (Cache *)type->tp_alloc(type, 0);
    if (cache == NULL) return NULL;
    cache->sort_keys = sort_keys;
    cache->allow_unicode = allow_unicode;
    cache->most = most < 0 ? 0 : most;
    cache->seen = PyMem_Calloc(SEEN, sizeof *cache->seen);
    if (cache->seen != NULL) return (PyObject *)cache;
    Py_DECREF(cache);
    return PyErr_NoMemory();
}

static void free_cache(PyObject *self) {
    Cache *cache = (Cache *)self;
    PyTypeObject *type = Py_TYPE(self);
    free_table(&cache->recent);
    free_table(&cache->earlier);
    free_document(&cache->last);
    PyMem_Free(cache->seen);
    type->tp_free(self);
    Py_DECREF(type);
}

/* How many characters the texts of collections take, with what each takes besides. */
static PyObject *characters_kept(PyObject *self, void *Py_UNUSED(closure)) {
    return PyLong_FromSsize_t(((Cache *)self)->recent.characters + ((Cache *)self)->earlier.characters);
}

static PyMethodDef cache_methods[] = {
    {"document", (PyCFunction)(void (*)(void))document, METH_FASTCALL, document_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef cache_properties[] = {
    {"characters", characters_kept, NULL, "How many characters are kept, of collections.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot cache_slots[] = {
    {Py_tp_doc, "Cache(sort_keys, allow_unicode, most, /)\n--\n\nThe text of collections, by identity."},
    {Py_tp_new, new_cache},
    {Py_tp_dealloc, free_cache},
    {Py_tp_methods, cache_methods},
    {Py_tp_getset, cache_properties},
    {0, NULL},
};

/* Not visited by the garbage collector: it holds plain data, and none of that holds it. */
static PyType_Spec cache_spec = {
    .name = "lamina.sources.yaml._writer.Cache",
    .basicsize = sizeof(Cache),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = cache_slots,
};

static int add_types(PyObject *module) {
    PyObject *type = PyType_FromModuleAndSpec(module, &cache_spec, NULL);
    int done = type == NULL ? -1 : PyModule_AddType(module, (PyTypeObject *)type);
    Py_XDECREF(type);
    return done;
}

static PyMethodDef methods[] = {
    {"lines", lines, METH_VARARGS, lines_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, add_types},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lamina.sources.yaml._writer",
    .m_doc = "Writing block YAML.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__writer(void) {
    return PyModuleDef_Init(&definition);
}
