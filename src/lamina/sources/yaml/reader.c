/* Reading plainly written YAML line by line.
 *
 * It takes what nearly all configuration is written with: block and flow collections, plain, quoted and block scalars,
 * anchors, merge keys, comments, document markers. What is rare or looks wrong (tags, tabs, explicit keys, whatever
 * PyYAML's two parsers read differently) is not taken: then `pyyaml_reader.py` reads the text, which defines what every
 * text means. The tests hold one against the other. The conventions of this file:
 *
 * - A function that answers with a number gives 0, or -1 to stop; one that answers with an object gives NULL to stop.
 *   If no exception is set then, the text is not plain, and the answer of the module is None.
 * - Positions are counts of characters from the start of the text. Lines end with a line feed, and so does the text:
 *   whatever looks at the character at a position may look at the end of its line, too.
 * - The input may be hostile. Each character is looked at a bounded number of times; the stack of open collections is
 *   an array that is bounded by `depth`; only flow collections recurse, FLOW_LEVELS deep.
 */

#include "_yaml.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FLOW_LEVELS 32      /* how deep flow collections may be nested */
#define LONGEST_KEY 1000    /* a key must end within 1024 characters */
#define LONGEST_MEANT 8     /* LONGEST_WORD of scalars.py: what begins with a letter and is longer is text */
#define ANCHORS 256         /* in one document */
#define ALIASED 20000       /* how many nodes the aliases of a text may stand for, as they are written */
#define ALIASED_TEXT (1 << 22)  /* and how many characters */

/* A collection that is being read: a dict or a list, and its record in the position map. */
typedef struct {
    PyObject *items;
    PyObject *key;      /* of a mapping, while its value is waited for; the ellipsis is a merge key */
    Py_ssize_t pairs;   /* how many a mapping was given; fewer remain if a key is repeated */
    PyObject *keys;     /* of a mapping that repeats or merges: all in order, a merge key as its value in a tuple */
    Py_ssize_t index;
    Py_ssize_t column;
    Py_ssize_t height;  /* how many collections are inside one another in it so far, what aliases stand for too */
    int anchor;         /* its number, from one; 0: it has none */
    bool mapping;
} Collection;

/* The position of a node. Inputs are shorter than what these fields can count. */
typedef struct {
    uint32_t line;
    uint32_t column;
} Place;

/* How many records a collection takes, itself included. */
typedef struct {
    uint32_t index;
    uint32_t size;
} Extent;

/* A node with a name: from one position to another. Its value is not there while it is read. */
typedef struct {
    Py_ssize_t from;
    Py_ssize_t to;
    Py_ssize_t index;
    PyObject *value;
    Py_ssize_t height;  /* how many collections are inside one another in it */
    /* How many nodes and characters it takes as it is written, those of its aliases too; while it is read, how many
     * all aliases before it stand for. */
    Py_ssize_t nodes;
    Py_ssize_t characters;
} Anchor;

/* A key on a line: where it begins and ends (quotes included), and its colon; that is -1 if there is no key. */
typedef struct {
    Py_ssize_t from;
    Py_ssize_t to;
    Py_ssize_t colon;
} Key;

typedef struct {
    /* What was asked. */
    PyObject *text;
    PyObject *scalars;  /* what plain scalars mean */
    bool starts[128];   /* whether plain text that begins so may be something else than text */
    PyObject *keys;     /* what is asked for keys; NULL: they are text */
    Py_ssize_t depth;
    Py_ssize_t nodes;   /* how many records the document that is read may have, and all after it */
    /* The characters. */
    int kind;
    const void *data;
    Py_ssize_t end;
    bool cut_off;       /* whether the last line feed is not the text's own */
    /* The line that is read, and where the one after it begins. */
    Py_ssize_t line;
    Py_ssize_t begin;
    Py_ssize_t next;
    /* The document that is read. */
    Place *positions;
    Py_ssize_t records;
    Py_ssize_t positions_room;
    Extent *sizes;      /* of the collections that are read, as they ended */
    Py_ssize_t ended_count;
    Py_ssize_t sizes_room;
    Collection *open;   /* the innermost comes last */
    Py_ssize_t count;
    Py_ssize_t room;
    bool waiting;       /* for a value; if none comes, it is null, and its place is this: */
    Place absent;
    int anchor;         /* of what is waited for, which is then at the place of the anchor */
    Anchor *anchors;
    Py_ssize_t anchor_count;
    Py_ssize_t anchor_room;
    PyObject *aliases;  /* the record of each alias and of its anchor; NULL: there are none */
    Py_ssize_t aliased; /* how many nodes and characters all of them stand for */
    Py_ssize_t aliased_text;
    Py_ssize_t height;  /* of the collection or alias that was read last */
    PyObject *settled;  /* the index and the keys of each mapping that repeats or merges; NULL: there are none */
    PyObject *root;     /* the document, if it is a single flow collection */
    bool odd;           /* whether it has a key that is not a string, or a scalar that JSON does not have */
    bool marked;        /* whether it began with a `---` */
    bool ended;         /* whether the one before it ended with `...` */
    /* The documents before it. */
    PyObject *documents;
    /* Text that is assembled, in characters of the same kind. */
    char *made;
    Py_ssize_t made_size;
    Py_ssize_t made_room;
} Reader;

/* Characters */

static inline Py_UCS4 at(const Reader *r, Py_ssize_t position) {
    return PyUnicode_READ(r->kind, r->data, position);
}

static inline bool is_letter(Py_UCS4 c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static inline bool is_word(Py_UCS4 c) {
    return is_letter(c) || c == '-' || c == '.' || c == '/';
}

/* Whether plain text may begin with a character, whatever follows. */
static bool begins_plain(Py_UCS4 c) {
    return is_letter(c) || c > 0x7f || (c != 0 && strchr("/.~+$(<^\\;=", (int)c) != NULL);
}

static inline Py_ssize_t skip_spaces(const Reader *r, Py_ssize_t position) {
    while (at(r, position) == ' ') position++;
    return position;
}

static inline bool is_end(Py_UCS4 c) {
    return c == ' ' || c == '\n';
}

/* Where the line that begins at a position ends; -1 if it holds a character that is not surely fine for YAML. */
static Py_ssize_t line_end(const Reader *r, Py_ssize_t position) {
    if (r->kind == PyUnicode_1BYTE_KIND) {
        /* Nearly every line is ASCII, and a loop without branches checks that fast. */
        const unsigned char *from = (const unsigned char *)r->data + position;
        const unsigned char *end = memchr(from, '\n', (size_t)(r->end - position));
        unsigned char odd = 0;
        for (const unsigned char *each = from; each < end; each++) {
            odd |= (unsigned char)(*each - ' ') > '~' - ' ';
        }
        if (!odd) return position + (end - from);
    }
    for (;; position++) {
        Py_UCS4 c = at(r, position);
        if (c == '\n') return position;
        if (c < ' ' || (c > '~' && !Py_UNICODE_ISPRINTABLE(c))) return -1;
    }
}

/* Go on with the next line; -1 if there is none, or if it cannot continue what is on this one. */
static int next_line(Reader *r) {
    if (r->next == r->end) return -1;
    Py_ssize_t end = line_end(r, r->next);
    if (end < 0) return -1;
    r->begin = r->next;
    r->next = end + 1;
    r->line++;
    Py_UCS4 first = at(r, r->begin);
    bool marker = (first == '-' || first == '.') && at(r, r->begin + 1) == first && at(r, r->begin + 2) == first;
    return marker ? -1 : 0;
}

/* Meanings */

/* What a table says a text means; without a table it means itself. Takes ownership of the text, NULL stops. */
static PyObject *made_meaning(PyObject *table, PyObject *text) {
    if (text == NULL || table == NULL) return text;
    PyObject *value = PyObject_GetItem(table, text);
    Py_DECREF(text);
    return value;
}

/* What a table says a piece of the text means; without a table it is the piece itself. */
static PyObject *meaning(const Reader *r, PyObject *table, Py_ssize_t from, Py_ssize_t to) {
    return made_meaning(table, PyUnicode_Substring(r->text, from, to));
}

/* What plain text means. Most of it is text, which its first character and its length tell without asking. */
static PyObject *plain_meaning(const Reader *r, Py_ssize_t from, Py_ssize_t to) {
    Py_UCS4 first = at(r, from);
    bool word = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    bool asked = from == to || (first < 128 && r->starts[first] && !(word && to - from > LONGEST_MEANT));
    return meaning(r, asked ? r->scalars : NULL, from, to);
}

/* Positions */

/* Room for one more in an array that grows as it is filled; NULL, and the array as it was, if there is none. */
static void *with_room(void *array, Py_ssize_t *room, Py_ssize_t count, size_t size) {
    if (count < *room) return array;
    Py_ssize_t more = 2 * *room + 16;
    void *larger = PyMem_Realloc(array, (size_t)more * size);
    if (larger == NULL) {
        PyErr_NoMemory();
    } else {
        *room = more;
    }
    return larger;
}

static int record_place(Reader *r, Place place) {
    if (r->records >= r->nodes) return -1;
    Place *positions = with_room(r->positions, &r->positions_room, r->records, sizeof(Place));
    if (positions == NULL) return -1;
    r->positions = positions;
    positions[r->records++] = place;
    return 0;
}

/* Record a node of the line that is read. */
static inline int record(Reader *r, Py_ssize_t position) {
    return record_place(r, (Place){(uint32_t)r->line, (uint32_t)(position - r->begin)});
}

/* The collection at an index ends with the last record. */
static int record_size(Reader *r, Py_ssize_t index) {
    Extent *sizes = with_room(r->sizes, &r->sizes_room, r->ended_count, sizeof(Extent));
    if (sizes == NULL) return -1;
    r->sizes = sizes;
    sizes[r->ended_count++] = (Extent){(uint32_t)index, (uint32_t)(r->records - index)};
    return 0;
}

/* Collections */

/* Begin the collection whose record is the last one. */
static int begin_collection(const Reader *r, Collection *made, bool mapping, Py_ssize_t column) {
    PyObject *items = mapping ? PyDict_New() : PyList_New(0);
    *made = (Collection){
        .items = items, .index = r->records - 1, .column = column, .mapping = mapping};
    return items == NULL ? -1 : 0;
}

/* Add to the keys of a mapping that repeats or merges; those before the first such one are in the mapping. */
static int note_key(Collection *into, PyObject *key) {
    if (into->keys == NULL && (into->keys = PyDict_Keys(into->items)) == NULL) return -1;
    return key == NULL ? -1 : PyList_Append(into->keys, key);
}

/* Give a mapping the value of the key it has. */
static int put_member(Collection *into, PyObject *value) {
    if (into->key == Py_Ellipsis) {
        PyObject *merged = PyTuple_Pack(1, value);
        int done = note_key(into, merged);
        Py_XDECREF(merged);
        return done;
    }
    if (PyDict_SetItem(into->items, into->key, value) < 0) return -1;
    into->pairs++;
    bool noted = into->keys != NULL || PyDict_GET_SIZE(into->items) != into->pairs;
    return noted ? note_key(into, into->key) : 0;
}

/* Whether JSON has values of this kind. */
static inline bool is_json(PyObject *value) {
    return PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyDict_CheckExact(value)
        || PyList_CheckExact(value) || PyBool_Check(value) || value == Py_None || PyFloat_CheckExact(value);
}

/* Give a collection its next item, or the value of the key it has; the value is taken over, NULL stops. */
static int put(Collection *into, PyObject *value) {
    if (value == NULL) return -1;
    int done;
    if (into->mapping) {
        done = put_member(into, value);
        Py_CLEAR(into->key);
    } else {
        done = PyList_Append(into->items, value);
    }
    Py_DECREF(value);
    return done;
}

/* Lay what a merge key has, a mapping or a list of them from its end, over what was merged before. */
static int merge(PyObject *under, PyObject *merged) {
    if (PyDict_CheckExact(merged)) return PyDict_Update(under, merged);
    if (!PyList_CheckExact(merged)) return -1;
    for (Py_ssize_t place = PyList_GET_SIZE(merged) - 1; place >= 0; place--) {
        PyObject *mapping = PyList_GET_ITEM(merged, place);
        if (!PyDict_CheckExact(mapping) || PyDict_Update(under, mapping) < 0) return -1;
    }
    return 0;
}

/* A mapping with what its merge keys have under its own; the mapping is taken over. */
static PyObject *with_merged(PyObject *own, PyObject *keys) {
    PyObject *value = NULL;
    for (Py_ssize_t place = 0; place < PyList_GET_SIZE(keys); place++) {
        PyObject *key = PyList_GET_ITEM(keys, place);
        if (!PyTuple_CheckExact(key)) continue;
        if ((value == NULL && (value = PyDict_New()) == NULL) || merge(value, PyTuple_GET_ITEM(key, 0)) < 0) {
            Py_CLEAR(value);
            Py_DECREF(own);
            return NULL;
        }
    }
    if (value == NULL) return own;
    if (PyDict_Update(value, own) < 0) {
        Py_CLEAR(value);
    }
    Py_DECREF(own);
    return value;
}

/* The value of a mapping that repeats or merges, which is remembered; mapping and keys are taken over. */
static PyObject *settle(Reader *r, Py_ssize_t index, PyObject *own, PyObject *keys) {
    PyObject *entry = NULL, *value = NULL;
    /* Where keys are not what their texts mean, a repeated one is an error. */
    if (r->keys == r->scalars && (r->settled != NULL || (r->settled = PyList_New(0)) != NULL)) {
        value = with_merged(Py_NewRef(own), keys);
        entry = value == NULL ? NULL : Py_BuildValue("nO", index, keys);
    }
    if (entry == NULL || PyList_Append(r->settled, entry) < 0) {
        Py_CLEAR(value);
    }
    Py_XDECREF(entry);
    Py_DECREF(own);
    Py_DECREF(keys);
    return value;
}

/* What a collection has become; it holds nothing any more, whatever comes of it. */
static PyObject *end_collection(Reader *r, Collection *ended) {
    PyObject *value = ended->items, *keys = ended->keys;
    ended->items = ended->keys = NULL;
    r->height = ended->height + 1;
    Py_CLEAR(ended->key);
    if (record_size(r, ended->index) < 0) {
        Py_CLEAR(value);
        Py_XDECREF(keys);
        return NULL;
    }
    return keys == NULL ? value : settle(r, ended->index, value, keys);
}

static void drop_collection(Collection *dropped) {
    Py_CLEAR(dropped->items);
    Py_CLEAR(dropped->key);
    Py_CLEAR(dropped->keys);
}

static inline Collection *innermost(const Reader *r) {
    return &r->open[r->count - 1];
}

/* The node with an anchor is read, and its value and height are known. */
static inline void settle_anchor(Reader *r, int anchor, Py_ssize_t index, PyObject *value, Py_ssize_t height) {
    if (anchor == 0 || value == NULL) return;
    Anchor *known = &r->anchors[anchor - 1];
    known->index = index;
    known->value = Py_NewRef(value);
    known->height = height;
    known->nodes = r->records - index + r->aliased - known->nodes;
    /* It ends before the next line at the latest. */
    known->characters = r->next - known->from + r->aliased_text - known->characters;
}

/* What was read last, a collection or an alias, is a part of a collection. */
static inline void raise_height(const Reader *r, Collection *around) {
    if (r->height > around->height) {
        around->height = r->height;
    }
}

/* Begin a collection inside the one that is open, on the line that is read. */
static int open_block(Reader *r, Py_ssize_t position, bool mapping) {
    if (r->count >= r->depth) return -1;
    Collection *open = with_room(r->open, &r->room, r->count, sizeof(Collection));
    if (open == NULL) return -1;
    r->open = open;
    int anchor = r->anchor;
    Py_ssize_t column = position - r->begin;
    Place place = {(uint32_t)r->line, (uint32_t)column};
    if (record_place(r, anchor > 0 ? r->absent : place) < 0) return -1;
    if (begin_collection(r, &r->open[r->count], mapping, column) < 0) return -1;
    r->open[r->count].anchor = anchor;
    r->anchor = 0;
    r->count++;
    return 0;
}

/* End the collection that is open, and go on with the one around it. */
static int close_block(Reader *r) {
    if (r->count < 2) return -1;
    Py_ssize_t index = innermost(r)->index;
    int anchor = innermost(r)->anchor;
    PyObject *value = end_collection(r, innermost(r));
    settle_anchor(r, anchor, index, value, r->height);
    r->count--;
    raise_height(r, innermost(r));
    return put(innermost(r), value);
}

/* Add the null that the value waited for is, at its place. */
static int add_nothing(Reader *r) {
    r->waiting = false;
    if (r->anchor > 0) return -1;
    return record_place(r, r->absent) < 0 ? -1 : put(innermost(r), plain_meaning(r, 0, 0));
}

/* Assembled text */

static int add_piece(Reader *r, Py_ssize_t from, Py_ssize_t to) {
    size_t width = (size_t)r->kind;
    if (from == to) return 0;   /* there may be no room at all yet */
    if (to - from > r->made_room - r->made_size) {
        Py_ssize_t room = 2 * r->made_room + (to - from) + 256;
        char *made = PyMem_Realloc(r->made, (size_t)room * width);
        if (made == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        r->made = made;
        r->made_room = room;
    }
    memcpy(r->made + (size_t)r->made_size * width, (const char *)r->data + (size_t)from * width,
           (size_t)(to - from) * width);
    r->made_size += to - from;
    return 0;
}

/* One character; one that is wider than those of the text is left to a parser. */
static int add_character(Reader *r, Py_UCS4 c) {
    if (r->kind == PyUnicode_1BYTE_KIND ? c > 0xff : r->kind == PyUnicode_2BYTE_KIND && c > 0xffff) return -1;
    /* Room is made as for a piece. */
    if (add_piece(r, 0, 1) < 0) return -1;
    PyUnicode_WRITE(r->kind, r->made, r->made_size - 1, c);
    return 0;
}

static int add_feeds(Reader *r, Py_ssize_t count) {
    while (count-- > 0) {
        if (add_character(r, '\n') < 0) return -1;
    }
    return 0;
}

/* Line breaks with so many blank lines between them: one alone is a space. */
static int add_break(Reader *r, Py_ssize_t blank) {
    return blank == 0 ? add_character(r, ' ') : add_feeds(r, blank);
}

static PyObject *made_text(Reader *r) {
    return PyUnicode_FromKindAndData(r->kind, r->made, r->made_size);
}

/* Quoted text */

/* The value of so many hexadecimal digits; more than a character can be if they are something else. */
static Py_UCS4 hexadecimal(const Reader *r, Py_ssize_t position, int digits) {
    Py_UCS4 value = 0;
    while (digits-- > 0) {
        Py_UCS4 c = at(r, position);
        if (c == '\n') return 0xFFFFFFFF;
        position++;
        Py_UCS4 small = c | 0x20;
        if (c >= '0' && c <= '9') {
            value = value * 16 + (c - '0');
        } else if (small >= 'a' && small <= 'f' && c < 128) {
            value = value * 16 + (small - 'a' + 10);
        } else {
            return 0xFFFFFFFF;
        }
    }
    return value;
}

/* The character that is escaped at a position, which is then behind it. */
static int add_escaped(Reader *r, Py_ssize_t *position) {
    static const char plain[] = "\"\"\\\\  n\nt\tr\r0\0a\ab\bv\vf\fe\033";
    Py_UCS4 c = at(r, *position);
    int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0) {
        Py_UCS4 value = hexadecimal(r, *position + 1, digits);
        if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return -1;
        *position += 1 + digits;
        return add_character(r, value);
    }
    for (size_t each = 0; each + 1 < sizeof plain; each += 2) {
        if ((Py_UCS4)plain[each] == c) {
            ++*position;
            return add_character(r, (Py_UCS4)plain[each + 1]);
        }
    }
    return -1;
}

/* Whether text that goes on at a position is deeper than what it belongs to: of other text programs read less. */
static inline bool is_deeper(const Reader *r, Py_ssize_t position) {
    return r->count == 0 || position - r->begin > innermost(r)->column;
}

/* Go on with the next line that is not blank; how many are, or -1 to stop. The position is then that of its text. */
static Py_ssize_t skip_blank_lines(Reader *r, Py_ssize_t *position) {
    for (Py_ssize_t blank = 0;; blank++) {
        if (next_line(r) < 0) return -1;
        *position = skip_spaces(r, r->begin);
        if (at(r, *position) != '\n') return is_deeper(r, *position) ? blank : -1;
    }
}

/* The assembled content of quotes up to the position of the last one. */
static int add_quoted(Reader *r, Py_UCS4 quote, Py_ssize_t *position) {
    for (;;) {
        Py_ssize_t from = *position, to = from, blank = 0;
        while (!is_end(at(r, to)) && at(r, to) != quote && !(at(r, to) == '\\' && quote == '"')) to++;
        if (add_piece(r, from, to) < 0) return -1;
        *position = to;
        Py_UCS4 c = at(r, to);
        if (c == quote) {
            if (quote == '"' || at(r, to + 1) != '\'') return 0;
            if (add_character(r, '\'') < 0) return -1;
            *position = to + 2;
        } else if (c == '\\' && at(r, to + 1) != '\n') {
            ++*position;
            if (add_escaped(r, position) < 0) return -1;
        } else if (c == '\\') {
            blank = skip_blank_lines(r, position);
            if (blank < 0 || add_feeds(r, blank) < 0) return -1;
        } else {
            Py_ssize_t text = skip_spaces(r, to);
            *position = text;
            if (at(r, text) != '\n') {
                if (add_piece(r, to, text) < 0) return -1;
            } else {
                blank = skip_blank_lines(r, position);
                if (blank < 0 || add_break(r, blank) < 0) return -1;
            }
        }
    }
}

/* Where the text ends whose first quote is before a position, if it is on one line and holds nothing odd; else -1. */
static Py_ssize_t simple_quoted_end(const Reader *r, Py_UCS4 quote, Py_ssize_t position) {
    for (;; position++) {
        Py_UCS4 c = at(r, position);
        if (c == quote) return quote == '\'' && at(r, position + 1) == '\'' ? -1 : position;
        if (c == '\n' || (c == '\\' && quote == '"')) return -1;
    }
}

/* Quoted text that begins at a position, which is then behind it, as a table has it. */
static PyObject *read_quoted(Reader *r, Py_ssize_t *position, PyObject *table) {
    Py_UCS4 quote = at(r, *position);
    Py_ssize_t from = *position + 1, to = simple_quoted_end(r, quote, from);
    if (to >= 0) {
        *position = to + 1;
        return meaning(r, table, from, to);
    }
    r->made_size = 0;
    *position = from;
    if (add_quoted(r, quote, position) < 0) return NULL;
    ++*position;
    return made_meaning(table, made_text(r));
}

/* Keys */

/* Behind the quoted text that begins at a position of a line; -1 if it does not end there. */
static Py_ssize_t behind_quoted(const Reader *r, Py_ssize_t position) {
    Py_UCS4 quote = at(r, position);
    for (position++;; position++) {
        Py_UCS4 c = at(r, position);
        if (c == '\n') return -1;
        if (c == '\\' && quote == '"') {
            position++;
            if (at(r, position) == '\n') return -1;
        } else if (c == quote) {
            if (quote == '"' || at(r, position + 1) != '\'') return position + 1;
            position++;
        }
    }
}

/* Whether plain text may begin at a position. */
static inline bool is_plain_start(const Reader *r, Py_ssize_t position) {
    Py_UCS4 first = at(r, position);
    return begins_plain(first) || ((first == '-' || first == ':') && !is_end(at(r, position + 1)));
}

/* The key that begins at a position of a line. */
static Key find_key(const Reader *r, Py_ssize_t from) {
    Key key = {from, from, -1};
    Py_ssize_t position = from;
    Py_UCS4 first = at(r, from);
    if (first == '"' || first == '\'') {
        position = behind_quoted(r, from);
        if (position < 0) return key;
        key.to = position;
        position = skip_spaces(r, position);
    } else if (is_plain_start(r, from)) {
        for (;; position++) {
            Py_UCS4 c = at(r, position);
            if (c == '\n') return key;
            if (c == ' ') {
                if (at(r, position + 1) == '#') return key;
            } else if (c == ':' && is_end(at(r, position + 1))) {
                break;
            } else {
                key.to = position + 1;
            }
        }
    } else {
        return key;
    }
    if (at(r, position) == ':' && is_end(at(r, position + 1)) && position - from < LONGEST_KEY && key.to > from) {
        key.colon = position;
    }
    return key;
}

/* What a key is: quoted ones are text even where plain ones are what they mean. */
static PyObject *key_meaning(Reader *r, Py_ssize_t from, Py_ssize_t to) {
    Py_UCS4 first = at(r, from);
    bool meant = r->keys == r->scalars;
    if (first == '"' || first == '\'') return read_quoted(r, &from, meant ? NULL : r->keys);
    if (meant && to - from == 2 && first == '<' && at(r, from + 1) == '<') return Py_NewRef(Py_Ellipsis);
    return meant ? plain_meaning(r, from, to) : meaning(r, r->keys, from, to);
}

/* Anchors and aliases */

/* Behind the name that begins at a position; the position itself if there is none. */
static Py_ssize_t name_end(const Reader *r, Py_ssize_t position) {
    while (is_letter(at(r, position)) || at(r, position) == '-') position++;
    return position;
}

/* The number of an anchor, from one; 0 if there is none of that name. */
static int find_anchor(const Reader *r, Py_ssize_t from, Py_ssize_t to) {
    size_t width = (size_t)r->kind;
    for (int number = 1; number <= (int)r->anchor_count; number++) {
        const Anchor *known = &r->anchors[number - 1];
        if (known->to - known->from == to - from
            && memcmp((const char *)r->data + (size_t)known->from * width, (const char *)r->data + (size_t)from * width,
                      (size_t)(to - from) * width) == 0) {
            return number;
        }
    }
    return 0;
}

/* The anchor at a position, which is then behind it, and spaces: its number, 0 if there is none, -1 to stop. */
static int read_anchor(Reader *r, Py_ssize_t *position) {
    if (at(r, *position) != '&') return 0;
    Py_ssize_t from = *position + 1, to = name_end(r, from);
    bool own_keys = r->keys != NULL && r->keys != r->scalars;
    if (to == from || !is_end(at(r, to)) || own_keys || r->anchor_count == ANCHORS || find_anchor(r, from, to) > 0) {
        return -1;
    }
    Anchor *anchors = with_room(r->anchors, &r->anchor_room, r->anchor_count, sizeof(Anchor));
    if (anchors == NULL) return -1;
    r->anchors = anchors;
    anchors[r->anchor_count++] = (Anchor){.from = from, .to = to, .nodes = r->aliased, .characters = r->aliased_text};
    *position = skip_spaces(r, to);
    return (int)r->anchor_count;
}

static int record_alias(Reader *r, Py_ssize_t index) {
    if (r->aliases == NULL && (r->aliases = PyDict_New()) == NULL) return -1;
    PyObject *from = PyLong_FromSsize_t(r->records - 1), *to = PyLong_FromSsize_t(index);
    int done = from == NULL || to == NULL ? -1 : PyDict_SetItem(r->aliases, from, to);
    Py_XDECREF(from);
    Py_XDECREF(to);
    return done;
}

/* The target of the alias at a position, whose record is the last one; the position is then after it. */
static PyObject *read_alias(Reader *r, Py_ssize_t *position, Py_ssize_t level) {
    Py_ssize_t from = *position + 1, to = name_end(r, from);
    int anchor = find_anchor(r, from, to);
    if (anchor == 0) return NULL;
    const Anchor *known = &r->anchors[anchor - 1];
    if (known->value == NULL || level + known->height > r->depth || record_alias(r, known->index) < 0) return NULL;
    r->aliased += known->nodes;
    r->aliased_text += known->characters;
    if (r->aliased > ALIASED || r->aliased_text > ALIASED_TEXT) return NULL;
    r->height = known->height;
    *position = to;
    return Py_NewRef(known->value);
}

/* The anchors of one document are not known in the next one, nor are the counts of aliases. */
static void forget_anchors(Reader *r) {
    while (r->anchor_count > 0) {
        r->anchor_count--;
        Py_CLEAR(r->anchors[r->anchor_count].value);
    }
    Py_CLEAR(r->aliases);
    Py_CLEAR(r->settled);
}

/* Flow collections */

static PyObject *read_flow(Reader *r, Py_ssize_t *position, int level);

static inline bool is_flow_mark(Py_UCS4 c) {
    return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '?';
}

/* Behind spaces, comments and the ends of lines; -1 to stop. Brackets and commas may be in any column. */
static Py_ssize_t skip_between(Reader *r, Py_ssize_t position) {
    bool below = false;
    for (;;) {
        Py_ssize_t text = skip_spaces(r, position);
        if (at(r, text) == '#' && (text > position || text == r->begin)) {
            text = r->next - 1;
        }
        if (at(r, text) != '\n') return below && !is_flow_mark(at(r, text)) && !is_deeper(r, text) ? -1 : text;
        if (next_line(r) < 0) return -1;
        position = r->begin;
        below = true;
    }
}

/* Where plain text in a flow collection ends: before a mark, a colon with a space behind it, or the end of the line. */
static Py_ssize_t flow_plain_end(const Reader *r, Py_ssize_t position) {
    Py_UCS4 first = at(r, position), second = first == '\n' ? '\n' : at(r, position + 1);
    bool sure = begins_plain(first) || (first == '-' && !is_end(second) && second != ':' && !is_flow_mark(second));
    if (!sure) return -1;
    Py_ssize_t last = position;
    for (;; position++) {
        Py_UCS4 c = at(r, position);
        if (c == '?' || (c == '#' && last != position)) return -1;
        if (c == '\n' || is_flow_mark(c)) return last;
        if (c == ':') {
            Py_UCS4 next = at(r, position + 1);
            if (is_end(next)) return last;
            /* The two parsers differ here, and so they do on a colon that begins a word. */
            if (is_flow_mark(next) || last != position) return -1;
        }
        if (c != ' ') {
            last = position + 1;
        }
    }
}

/* A key of a flow mapping, with what parts it from its value; gives 1 if it has none, and is thus before a mark. */
static int read_flow_key(Reader *r, Collection *into, Py_ssize_t *position) {
    Py_ssize_t from = *position;
    bool quoted = at(r, from) == '"' || at(r, from) == '\'';
    Py_ssize_t to = quoted ? behind_quoted(r, from) : flow_plain_end(r, from);
    if (to < 0) return -1;
    Py_ssize_t colon = skip_spaces(r, to);
    bool alone = at(r, colon) != ':';
    if (colon - from >= LONGEST_KEY || record(r, from) < 0) return -1;
    into->key = key_meaning(r, from, to);
    if (into->key == NULL) return -1;
    r->odd |= !PyUnicode_CheckExact(into->key);
    *position = skip_between(r, alone ? to : colon + 1);
    if (*position < 0) return -1;
    return !alone ? 0 : at(r, *position) == ',' || at(r, *position) == '}' ? 1 : -1;
}

/* A plain or quoted text of a flow collection. */
static PyObject *read_flow_scalar(Reader *r, Py_ssize_t *position) {
    Py_ssize_t from = *position;
    if (at(r, from) == '"' || at(r, from) == '\'') return read_quoted(r, position, NULL);
    *position = flow_plain_end(r, from);
    return *position < 0 ? NULL : plain_meaning(r, from, *position);
}

/* An item of a flow collection, or a key and its value, and what is between it and the next mark. */
static int read_flow_item(Reader *r, Collection *into, Py_ssize_t *position, int level) {
    int alone = into->mapping ? read_flow_key(r, into, position) : 0;
    if (alone < 0 || record(r, *position) < 0) return -1;
    if (alone) return put(into, plain_meaning(r, 0, 0));
    Py_UCS4 first = at(r, *position);
    PyObject *value;
    if (first == '[' || first == '{') {
        value = read_flow(r, position, level + 1);
    } else {
        r->height = 0;
        value = first == '*' ? read_alias(r, position, r->count + level) : read_flow_scalar(r, position);
    }
    raise_height(r, into);
    r->odd |= value != NULL && !is_json(value);
    if (put(into, value) < 0) return -1;
    *position = skip_between(r, *position);
    return *position < 0 ? -1 : 0;
}

/* All items up to the bracket that closes the collection; the position is then behind it. */
static int read_flow_items(Reader *r, Collection *into, Py_ssize_t *position, int level) {
    Py_UCS4 closing = into->mapping ? '}' : ']';
    *position = skip_between(r, *position + 1);
    while (*position >= 0 && at(r, *position) != closing) {
        if (read_flow_item(r, into, position, level) < 0) return -1;
        if (at(r, *position) == ',') {
            *position = skip_between(r, *position + 1);
        } else if (at(r, *position) != closing) {
            return -1;
        }
    }
    if (*position < 0) return -1;
    ++*position;
    return 0;
}

/* A flow collection, whose record is the last one. */
static PyObject *read_flow(Reader *r, Py_ssize_t *position, int level) {
    Collection made;
    if (level > FLOW_LEVELS || r->count + level > r->depth
        || begin_collection(r, &made, at(r, *position) == '{', 0) < 0) {
        return NULL;
    }
    if (read_flow_items(r, &made, position, level) < 0) {
        drop_collection(&made);
        return NULL;
    }
    return end_collection(r, &made);
}

/* Plain text */

/* Where plain text on a line ends, which is at its end or where a comment begins; -1 if it is not plain. */
static Py_ssize_t words_end(const Reader *r, Py_ssize_t from) {
    Py_ssize_t last = from;   /* behind the last word */
    while (at(r, from) != '\n' && at(r, from) != '#') {
        /* A colon is within a word, or begins it, but never ends it. */
        Py_UCS4 c = 0;
        while (!is_end(at(r, from))) {
            c = at(r, from++);
        }
        if (c == ':') return -1;
        last = from;
        from = skip_spaces(r, from);
    }
    return last;
}

/* Whether plain text goes on below the line that is read: on the next line that is not blank, if that is deeper. */
static bool goes_on(const Reader *r) {
    Py_ssize_t column = innermost(r)->column;
    for (Py_ssize_t begin = r->next; begin < r->end; begin++) {
        Py_ssize_t text = skip_spaces(r, begin);
        if (at(r, text) != '\n') return text - begin > column && at(r, text) != '#';
        begin = text;
    }
    return false;
}

/* Plain text whose first line is from one position to another, and which goes on below. */
static PyObject *read_long_plain(Reader *r, Py_ssize_t from, Py_ssize_t to) {
    Py_UCS4 first = at(r, from);
    r->made_size = 0;
    if (add_piece(r, from, to) < 0) return NULL;
    do {
        Py_ssize_t text, blank = skip_blank_lines(r, &text);
        if (blank < 0 || (to = words_end(r, text)) < 0) return NULL;
        if (add_break(r, blank) < 0 || add_piece(r, text, to) < 0) return NULL;
    } while (at(r, skip_spaces(r, to)) == '\n' && goes_on(r));
    return made_meaning(first < 128 && r->starts[first] ? r->scalars : NULL, made_text(r));
}

static PyObject *read_plain(Reader *r, Py_ssize_t from) {
    /* Whether the text is plain is decided by its characters alone. The table may know the same characters from a
     * place where other rules hold (brackets, a tag), so what it knows says nothing about this place. */
    Py_ssize_t last = is_plain_start(r, from) ? words_end(r, from) : -1;
    if (last < 0) return NULL;
    bool ends = at(r, skip_spaces(r, last)) == '\n';
    return ends && goes_on(r) ? read_long_plain(r, from, last) : plain_meaning(r, from, last);
}

/* Block scalars: literal and folded text */

/* What follows `|` or `>`. */
typedef struct {
    bool folded;
    Py_UCS4 chomping;           /* '-', '+' or 0 */
    Py_ssize_t indent;          /* 0 until it is known */
} Header;

static int read_header(const Reader *r, Py_ssize_t position, Header *header) {
    *header = (Header){.folded = at(r, position) == '>'};
    for (position++;; position++) {
        Py_UCS4 c = at(r, position);
        if ((c == '-' || c == '+') && header->chomping == 0) {
            header->chomping = c;
        } else if (c >= '1' && c <= '9' && header->indent == 0) {
            header->indent = innermost(r)->column + (Py_ssize_t)(c - '0');
        } else {
            break;
        }
    }
    Py_ssize_t rest = skip_spaces(r, position);
    return at(r, rest) == '\n' || (at(r, rest) == '#' && rest > position) ? 0 : -1;
}

/* The text of a line behind the indent: not before it, and a blank line ends where it ends. */
static Py_ssize_t behind_indent(const Reader *r, Py_ssize_t begin, Py_ssize_t indent) {
    Py_ssize_t text = begin;
    while (at(r, text) == ' ' && (indent == 0 || text - begin < indent)) text++;
    return text;
}

/* The indent of a text whose first line that is not blank begins in a column. */
static Py_ssize_t indent_of(const Reader *r, Py_ssize_t column, Py_ssize_t widest) {
    Py_ssize_t least = innermost(r)->column + 1, indent = column > widest ? column : widest;
    return indent > least ? indent : least;
}

/* All lines of the text; gives 1 if the last one has an end, 0 if not (or if there is none), and -1 to stop. */
static int add_block_lines(Reader *r, Header *header, Py_ssize_t *blank) {
    bool ended = false, spaced = false;
    Py_ssize_t widest = 0;
    for (; r->next < r->end; r->line++) {
        Py_ssize_t begin = r->next, text = behind_indent(r, begin, header->indent);
        if (at(r, text) == '\n') {
            widest = text - begin > widest ? text - begin : widest;
            r->next = text + 1;
            *blank += !(r->cut_off && r->next == r->end);
            continue;
        }
        if (header->indent == 0) {
            header->indent = indent_of(r, text - begin, widest);
        }
        if (text - begin < header->indent) break;
        Py_ssize_t end = line_end(r, text);
        if (end < 0) return -1;
        bool folds = header->folded && ended && !spaced && at(r, text) != ' ';
        if (folds ? *blank == 0 && add_character(r, ' ') < 0 : ended && add_character(r, '\n') < 0) return -1;
        if (add_feeds(r, *blank) < 0 || add_piece(r, text, end) < 0) return -1;
        *blank = 0;
        spaced = at(r, text) == ' ';
        r->next = end + 1;
        ended = !(r->cut_off && r->next == r->end);
    }
    return ended;
}

/* A block scalar below the line that is read, where it is marked at a position; its lines are then read. */
static PyObject *read_block_scalar(Reader *r, Py_ssize_t position) {
    Header header;
    if (read_header(r, position, &header) < 0) return NULL;
    r->made_size = 0;
    Py_ssize_t blank = 0;
    int ended = add_block_lines(r, &header, &blank);
    if (ended < 0) return NULL;
    if (header.chomping != '-' && ended && add_character(r, '\n') < 0) return NULL;
    if (header.chomping == '+' && add_feeds(r, blank) < 0) return NULL;
    return made_text(r);
}

/* Lines */

/* Any value that is not a block collection, from a position to the end of its last line. */
static PyObject *read_value(Reader *r, Py_ssize_t position) {
    Py_UCS4 first = at(r, position);
    if (first == '|' || first == '>') return read_block_scalar(r, position);
    PyObject *value;
    if (first == '[' || first == '{') {
        value = read_flow(r, &position, 1);
    } else if (first == '"' || first == '\'') {
        value = read_quoted(r, &position, NULL);
    } else {
        if (first != '*') return read_plain(r, position);
        value = read_alias(r, &position, r->count);
    }
    if (value == NULL) return NULL;
    Py_ssize_t rest = skip_spaces(r, position);
    if (at(r, rest) != '\n' && !(at(r, rest) == '#' && rest > position)) {
        Py_CLEAR(value);
    }
    return value;
}

static inline bool is_dash(const Reader *r, Py_ssize_t position) {
    return at(r, position) == '-' && is_end(at(r, position + 1));
}

static inline bool is_bare(const Reader *r, Py_ssize_t position) {
    return at(r, position) == '\n' || at(r, position) == '#';
}

/* Open and close collections up to the one a key or a dash at a position belongs to. */
static int enter(Reader *r, Py_ssize_t position, bool dash) {
    if (r->count == 0) return open_block(r, position, !dash);
    Py_ssize_t here = position - r->begin;
    if (r->waiting) {
        Collection *top = innermost(r);
        if (here > top->column || (dash && top->mapping && here == top->column)) {
            r->waiting = false;
            return open_block(r, position, !dash);
        }
        if (add_nothing(r) < 0) return -1;
    }
    while (innermost(r)->column > here || (innermost(r)->column == here && !innermost(r)->mapping && !dash)) {
        if (close_block(r) < 0) return -1;
    }
    return innermost(r)->column != here || (dash && innermost(r)->mapping) ? -1 : 0;
}

static int wait_for_value(Reader *r, Py_ssize_t column) {
    r->waiting = true;
    r->absent = (Place){(uint32_t)r->line, (uint32_t)column};
    return 0;
}

/* The value at a position, for the collection that is open; it has an anchor, or not, and its record is the last one. */
static int put_value(Reader *r, Py_ssize_t position, int anchor) {
    Py_ssize_t index = r->records - 1;
    if (anchor > 0 && at(r, position) == '*') return -1;
    r->height = 0;
    PyObject *value = read_value(r, position);
    raise_height(r, innermost(r));
    settle_anchor(r, anchor, index, value, r->height);
    r->odd |= value != NULL && !is_json(value);
    return put(innermost(r), value);
}

/* A value on the line of its key or dash, with its anchor; or the anchor of one that is below. */
static int read_here(Reader *r, Py_ssize_t position) {
    Py_ssize_t from = position;
    int anchor = read_anchor(r, &position);
    if (anchor < 0) return -1;
    if (anchor > 0 && is_bare(r, position)) {
        r->anchor = anchor;
        return wait_for_value(r, from - r->begin);
    }
    return record(r, from) < 0 ? -1 : put_value(r, position, anchor);
}

/* A key, for the mapping that is open, and its value. */
static int read_pair(Reader *r, const Key *key) {
    if (record(r, key->from) < 0) return -1;
    PyObject *made = key_meaning(r, key->from, key->to);
    innermost(r)->key = made;
    if (made == NULL) return -1;
    r->odd |= !PyUnicode_CheckExact(made);
    Py_ssize_t rest = skip_spaces(r, key->colon + 1);
    return is_bare(r, rest) ? wait_for_value(r, key->colon + 1 - r->begin) : read_here(r, rest);
}

/* An item, for the list that is open and whose dash is at a position. What is behind the dash may be a collection. */
static int read_item(Reader *r, Py_ssize_t position) {
    for (;;) {
        Py_ssize_t column = position - r->begin;
        position = skip_spaces(r, position + 1);
        if (is_bare(r, position)) return wait_for_value(r, column + 1);
        if (!is_dash(r, position)) break;
        if (open_block(r, position, false) < 0) return -1;
    }
    Key key = find_key(r, position);
    if (key.colon < 0) return read_here(r, position);
    return open_block(r, position, true) < 0 ? -1 : read_pair(r, &key);
}

/* A value on a line of its own. */
static int read_lone(Reader *r, Py_ssize_t position) {
    if (r->count == 0) {
        if (at(r, position) != '[' && at(r, position) != '{') return -1;
        if (record(r, position) < 0) return -1;
        r->root = read_value(r, position);
        return r->root == NULL ? -1 : 0;
    }
    if (!r->waiting || position - r->begin <= innermost(r)->column) return -1;
    r->waiting = false;
    if (r->anchor == 0) return at(r, position) == '&' || record(r, position) < 0 ? -1 : put_value(r, position, 0);
    int anchor = r->anchor;
    r->anchor = 0;
    return record_place(r, r->absent) < 0 ? -1 : put_value(r, position, anchor);
}

/* The line that is read, which is neither blank nor a marker, from a position on. */
static int read_row(Reader *r, Py_ssize_t position) {
    if (r->root != NULL || r->ended) return -1;
    if (is_dash(r, position)) return enter(r, position, true) < 0 ? -1 : read_item(r, position);
    Key key = find_key(r, position);
    if (key.colon < 0) return read_lone(r, position);
    /* Nearly all rows are a key and its value in the mapping that is open. */
    bool open = r->count > 0 && !r->waiting && innermost(r)->mapping && innermost(r)->column == position - r->begin;
    return !open && enter(r, position, false) < 0 ? -1 : read_pair(r, &key);
}

/* Documents */

/* The value of the document that is read, with all its collections closed; one that says nothing is null. */
static PyObject *document_value(Reader *r) {
    PyObject *value = r->root;
    r->root = NULL;
    if (value != NULL) return value;
    if (r->count == 0) {
        /* Its place is that of what comes next; where no line feed is before that, the parsers differ. */
        if (r->cut_off && r->next == r->end) return NULL;
        return record_place(r, (Place){(uint32_t)r->line, 0}) < 0 ? NULL : plain_meaning(r, 0, 0);
    }
    if (r->waiting && add_nothing(r) < 0) return NULL;
    while (r->count > 1) {
        if (close_block(r) < 0) return NULL;
    }
    value = end_collection(r, innermost(r));
    r->count = 0;
    return value;
}

/* What is answered for a document; the value is taken over. */
static PyObject *document_of(const Reader *r, PyObject *value) {
    /* The tuple takes all over, NULL stops. */
    return Py_BuildValue(
        "NNNNNN", value,
        PyBytes_FromStringAndSize((const char *)r->positions, r->records * (Py_ssize_t)sizeof(Place)),
        PyBytes_FromStringAndSize((const char *)r->sizes, r->ended_count * (Py_ssize_t)sizeof(Extent)),
        Py_NewRef(r->aliases != NULL ? r->aliases : Py_None), Py_NewRef(r->settled != NULL ? r->settled : Py_None),
        PyBool_FromLong(!r->odd));
}

/* End the document that is read, and begin another. */
static int end_document(Reader *r) {
    PyObject *value = document_value(r);
    if (value == NULL) return -1;
    PyObject *document = document_of(r, value);
    r->nodes -= r->records;
    r->records = r->ended_count = 0;
    r->odd = false;
    forget_anchors(r);
    int done = document == NULL ? -1 : PyList_Append(r->documents, document);
    Py_XDECREF(document);
    return done;
}

static inline bool has_begun(const Reader *r) {
    return r->marked || r->count > 0 || r->root != NULL;
}

/* A line `---` or `...`: what comes before the first one is a document only if it is more than comments. */
static int read_marker(Reader *r) {
    bool end = at(r, r->begin) == '.';
    Py_ssize_t rest = skip_spaces(r, r->begin + 3);
    if (!is_bare(r, rest) || !is_end(at(r, r->begin + 3))) return -1;
    if (has_begun(r)) {
        if (end_document(r) < 0) return -1;
    } else if (end) {
        return -1;
    }
    r->marked = !end;
    r->ended = end;
    return 0;
}

static int read_text(Reader *r) {
    if (at(r, 0) == 0xFEFF) {
        r->next = 1;
    }
    for (; r->next < r->end; r->line++) {
        Py_ssize_t begin = r->next, end = line_end(r, begin);
        if (end < 0) return -1;
        r->begin = begin;
        r->next = end + 1;
        Py_UCS4 first = at(r, begin);
        if ((first == '-' || first == '.') && end - begin >= 3 && at(r, begin + 1) == first
            && at(r, begin + 2) == first) {
            if (read_marker(r) < 0) return -1;
            continue;
        }
        Py_ssize_t position = skip_spaces(r, begin);
        if (!is_bare(r, position) && read_row(r, position) < 0) return -1;
    }
    return has_begun(r) ? end_document(r) : 0;
}

static void clear_reader(Reader *r) {
    while (r->count > 0) {
        drop_collection(&r->open[--r->count]);
    }
    PyMem_Free(r->open);
    PyMem_Free(r->positions);
    PyMem_Free(r->sizes);
    PyMem_Free(r->made);
    forget_anchors(r);
    PyMem_Free(r->anchors);
    Py_CLEAR(r->root);
    Py_CLEAR(r->text);
    Py_CLEAR(r->documents);
}

/* Mark the characters of a text that are ASCII. */
static void mark_characters(bool *marked, PyObject *text) {
    for (Py_ssize_t place = 0; place < PyUnicode_GET_LENGTH(text); place++) {
        Py_UCS4 c = PyUnicode_READ_CHAR(text, place);
        if (c < 128) {
            marked[c] = true;
        }
    }
}

/* The text with line feeds alone at the ends of its lines, and one at its own end. */
static PyObject *with_line_feeds(PyObject *text, bool *cut_off) {
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    Py_ssize_t found = PyUnicode_FindChar(text, '\r', 0, size, 1);
    if (found == -2) return NULL;
    PyObject *fed = NULL;
    if (found < 0) {
        fed = Py_NewRef(text);
    } else {
        PyObject *from = PyUnicode_FromString("\r\n"), *to = PyUnicode_FromString("\n");
        if (from != NULL && to != NULL) {
            fed = PyUnicode_Replace(text, from, to, -1);
        }
        Py_XDECREF(from);
        Py_XDECREF(to);
    }
    if (fed == NULL) return NULL;
    size = PyUnicode_GET_LENGTH(fed);
    *cut_off = size == 0 || PyUnicode_READ_CHAR(fed, size - 1) != '\n';
    if (*cut_off) {
        PyObject *feed = PyUnicode_FromString("\n");
        PyObject *whole = feed == NULL ? NULL : PyUnicode_Concat(fed, feed);
        Py_XDECREF(feed);
        Py_SETREF(fed, whole);
    }
    return fed;
}

static PyObject *read_documents(Reader *r) {
    if (r->text == NULL) return NULL;
    r->kind = (int)PyUnicode_KIND(r->text);
    r->data = PyUnicode_DATA(r->text);
    r->end = PyUnicode_GET_LENGTH(r->text);
    if (r->end >= UINT32_MAX) return NULL;
    r->documents = PyList_New(0);
    if (r->documents == NULL) return NULL;
    /* Enough for most texts, so that the array need not grow. */
    r->positions_room = r->end / 16 + 16;
    r->positions = PyMem_New(Place, r->positions_room);
    if (r->positions == NULL) return PyErr_NoMemory();
    return read_text(r) < 0 ? NULL : Py_NewRef(r->documents);
}

PyObject *lamina_read_yaml(PyObject *Py_UNUSED(module), PyObject *args) {
    const char *bytes;
    PyObject *scalars, *keys, *starts;
    Py_ssize_t size, depth, nodes;
    if (!PyArg_ParseTuple(
            args, "y#O!OUnn:read_yaml", &bytes, &size, &PyDict_Type, &scalars, &keys, &starts, &depth, &nodes)) {
        return NULL;
    }
    if (keys != Py_None && !PyDict_Check(keys)) return PyErr_Format(PyExc_TypeError, "keys is a dict or None");
    Reader r = {.scalars = scalars, .keys = keys != Py_None ? keys : NULL, .depth = depth, .nodes = nodes};
    mark_characters(r.starts, starts);
    PyObject *text = PyUnicode_DecodeUTF8(bytes, size, NULL);
    r.text = text == NULL ? NULL : with_line_feeds(text, &r.cut_off);
    Py_XDECREF(text);
    PyObject *result = read_documents(&r);
    if (result == NULL && !PyErr_Occurred()) {
        result = Py_NewRef(Py_None);
    }
    clear_reader(&r);
    return result;
}
