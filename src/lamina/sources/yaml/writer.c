/* Writing block YAML.
 *
 * What is written is defined by `writer.py`, which has PyYAML's emitter decide on each scalar; here the same is decided
 * on the characters themselves. The tests hold one against the other. The conventions:
 *
 * - A function gives 0, or -1 to stop. If no exception is set then, the value is left to `writer.py` (it is nested too
 *   deep, takes more than the budget, or has to be rejected), and the answer of the module is None. So every error is
 *   found and worded in one place.
 * - Scalars that are rare are asked for in Python: the methods of `scalars` answer with their text.
 * - Widths and columns are counts of characters. The text is gathered as UTF-8, nearly all of it ASCII.
 * - Collections are the caller's, which another thread may change meanwhile: what is taken from one is held on to, and
 *   without the GIL a collection is locked while it is gone through.
 * - The input may be hostile. Each character is looked at a bounded number of times; collections recurse DEEPEST deep;
 *   what is written is counted against the budget before it is assembled.
 */

#include "_yaml.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST 100
#define WIDTH 80
#define UNBOUNDED (PY_SSIZE_T_MAX / 2)
#define LINE 32                 /* _LINE of writer.py */
#define SHORT 80                /* _SHORT of writer.py: texts of no more characters are only counted as a line */
#define SIMPLE_KEY (128 - 5)    /* _SIMPLE_KEY of writer.py */
#define LONGEST_WORD 5          /* of the plain words that are not text */

typedef struct {
    bool sort_keys;
    bool allow_unicode;
    PyObject *scalars;
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
    int done = PUT(w, "!!set") < 0 || put_margin(w, indent) < 0 ? -1 : put_lines(w, members, indent);
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
    int done = 0;
    Py_BEGIN_CRITICAL_SECTION(value);
    while (done == 0 && PyDict_Next(value, &position, &key, &child)) {
        /* What is asked in Python may let another thread run, which may change the dict. */
        Py_INCREF(key);
        Py_INCREF(child);
        done = first || put_margin(w, indent) == 0 ? put_entry(w, key, child, indent) : -1;
        first = false;
        Py_DECREF(key);
        Py_DECREF(child);
    }
    Py_END_CRITICAL_SECTION();
    return done;
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
    Py_BEGIN_CRITICAL_SECTION(items);
    for (Py_ssize_t index = 0; done == 0 && index < PySequence_Fast_GET_SIZE(items); index++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(items, index));
        done = index == 0 || put_margin(w, indent) == 0 ? put_item(w, item, indent) : -1;
        Py_DECREF(item);
    }
    Py_END_CRITICAL_SECTION();
    Py_DECREF(items);
    return done;
}

/* Whether the keys of a dict are texts in order. */
static bool is_in_order(PyObject *value) {
    PyObject *key, *child, *before = NULL;
    Py_ssize_t position = 0;
    bool ordered = true;
    Py_BEGIN_CRITICAL_SECTION(value);
    while (ordered && PyDict_Next(value, &position, &key, &child)) {
        ordered = PyUnicode_CheckExact(key) && (before == NULL || PyUnicode_Compare(before, key) < 0);
        before = key;
    }
    Py_END_CRITICAL_SECTION();
    return ordered;
}

/* Begin the lines of a collection with so many members, which are one level deeper: they count against the budget. */
static int begin_lines(Writer *w, Py_ssize_t size, Py_ssize_t indent) {
    if (w->depth >= DEEPEST || size > w->left / (indent + LINE)) return -1;
    w->left -= size * (indent + LINE);
    w->depth++;
    return 0;
}

/* A collection that is not empty; its first line without the indent, its last without an end. */
static int put_lines(Writer *w, PyObject *value, Py_ssize_t indent) {
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

PyObject *lamina_write_yaml(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *value;
    int sort_keys, allow_unicode;
    Writer w = {0};
    if (!PyArg_ParseTuple(args, "OppOn:write_yaml", &value, &sort_keys, &allow_unicode, &w.scalars, &w.left)) {
        return NULL;
    }
    bool collection = PyDict_Check(value) || is_list(value);
    if (!collection || w.left < 0) Py_RETURN_NONE;
    w.sort_keys = sort_keys;
    w.allow_unicode = allow_unicode;
    w.most = w.left < UNBOUNDED ? w.left : UNBOUNDED;
    PyObject *result = NULL;
    if (put_lines(&w, value, 0) == 0) {
        result = Py_BuildValue("Nn", written(&w), w.left);
    } else if (!PyErr_Occurred()) {
        result = stopped(&w);
    }
    PyMem_Free(w.text);
    return result;
}
