/* Reading plainly written YAML line by line, as a C extension.
 *
 * What is plain is described in `fast_reader.py`. The values and positions are those of `event_reader.py`; the tests
 * compare the two. All state is the module's own. The conventions of this file:
 *
 * - A function that answers with a number gives 0, or -1 to stop; one that answers with an object gives NULL to stop.
 *   If no exception is set then, the text is not plain, and the answer of the module is None.
 * - Positions are counts of characters from the start of the text. Lines end with a line feed, and so does the text:
 *   whatever looks at the character at a position may look at the end of its line, too.
 * - The input may be hostile. Each character is looked at a bounded number of times; the stack of open collections is
 *   an array that is bounded by `depth`; only flow collections recurse, FLOW_LEVELS deep.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FLOW_LEVELS 4       /* how deep flow collections may be nested */
#define LONGEST_WORD 200    /* how long a part of a key may be, besides its first character */
#define MOST_WORDS 4        /* how many parts may follow the first one */
#define LONGEST_MEANT 8     /* LONGEST_WORD of scalars.py: what begins with a letter and is longer is text */
#define LONGEST_KNOWN 63    /* what is longer is not worth remembering */
#define KNOWN 4096          /* a power of two */

/* What a short text was found to mean: the table that was asked (NULL: the text means itself) and its answer. */
typedef struct {
    uint32_t hash;      /* of the text; tells most others apart without a look at it */
    uint32_t seen;      /* of the text that was looked for last, and in vain */
    PyObject *table;
    PyObject *text;
    PyObject *value;
} Known;

typedef struct {
    Known known[KNOWN];
} State;

/* A collection that is being read: a dict or a list, and the record it has on the tape. */
typedef struct {
    PyObject *items;
    PyObject *key;      /* of a mapping, while its value is waited for */
    Py_ssize_t pairs;   /* how many a mapping was given; fewer remain if a key is repeated */
    Py_ssize_t index;
    Py_ssize_t column;
    bool mapping;
} Collection;

/* Where a node is, as on a tape. */
typedef struct {
    Py_ssize_t line;
    Py_ssize_t column;
} Place;

/* One line, cut where its pieces begin: indent, dash, key, value. */
typedef struct {
    Py_ssize_t begin;
    Py_ssize_t dash;    /* behind the indent */
    Py_ssize_t key;     /* behind the dash, if there is one */
    Py_ssize_t colon;   /* behind the key; -1 if there is none */
    Py_ssize_t rest;    /* the value */
    Py_ssize_t end;     /* the line feed */
} Row;

typedef struct {
    /* What was asked. */
    Known *known;
    PyObject *text;
    PyObject *memo;
    bool starts[128];   /* whether plain text that begins so may be something else than text */
    PyObject *keys;     /* what is asked for keys; NULL: they are text */
    Py_ssize_t depth;   /* of block collections */
    /* The characters. */
    int kind;
    const void *data;
    Py_ssize_t end;
    /* The line that is read, and where the one after it begins. */
    Py_ssize_t line;
    Py_ssize_t begin;
    Py_ssize_t next;
    /* The document that is read. */
    Place *tape;
    Py_ssize_t records;
    Py_ssize_t tape_room;
    PyObject *sizes;
    Collection *open;   /* the innermost comes last */
    Py_ssize_t count;
    Py_ssize_t room;
    bool waiting;       /* for a value; if none comes, it is null, and its place is this: */
    Place absent;
    /* The documents before it. */
    PyObject *documents;
    bool marked;        /* whether there was a `---` */
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

static inline Py_ssize_t skip_word(const Reader *r, Py_ssize_t position) {
    while (is_word(at(r, position))) position++;
    return position;
}

/* Where the line that begins at a position ends; -1 if it holds a character that is not surely fine for YAML. */
static Py_ssize_t line_end(const Reader *r, Py_ssize_t position) {
    if (r->kind == PyUnicode_1BYTE_KIND) {
        /* Nearly every line is ASCII, and a loop without branches tells so at once. */
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

/* Behind the quote that ends the text whose first quote is at a position; -1 if the text is not plain. */
static Py_ssize_t quoted_end(const Reader *r, Py_ssize_t position, Py_ssize_t most) {
    Py_UCS4 quote = at(r, position);
    for (position++; most-- >= 0; position++) {
        Py_UCS4 c = at(r, position);
        if (c == quote) return position + 1;
        if (c == '\n' || (c == '\\' && quote == '"')) return -1;
    }
    return -1;
}

/* Meanings */

/* A number that few other texts have, for a piece of a text of single bytes and the table that is asked. */
static uint64_t hash_of(const Reader *r, PyObject *table, Py_ssize_t from, Py_ssize_t size) {
    const char *bytes = (const char *)r->data + from;
    uint64_t hash = (uint64_t)(uintptr_t)table ^ (uint64_t)size;
    for (Py_ssize_t done = 0; done < size; done += 8) {
        uint64_t piece = 0;
        memcpy(&piece, bytes + done, size - done < 8 ? (size_t)(size - done) : 8);
        hash = (hash ^ piece) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_known(
    const Reader *r, const Known *known, uint32_t hash, PyObject *table, Py_ssize_t from, Py_ssize_t size) {
    return known->hash == hash && known->text != NULL && known->table == table
        && PyUnicode_GET_LENGTH(known->text) == size
        && memcmp(PyUnicode_1BYTE_DATA(known->text), (const char *)r->data + from, (size_t)size) == 0;
}

/* Remember a text that is met again. Most are met only once, and should not drive out the others. */
static void remember(Known *known, uint32_t hash, PyObject *table, PyObject *text, PyObject *value) {
    if (known->seen != hash) {
        known->seen = hash;
        return;
    }
    Known before = *known;
    *known = (Known){hash, hash, Py_XNewRef(table), Py_NewRef(text), Py_NewRef(value)};
    Py_XDECREF(before.table);
    Py_XDECREF(before.text);
    Py_XDECREF(before.value);
}

/* The answer of a dict, of a subclass that knows what is missing, too. */
static PyObject *looked_up(PyObject *table, PyObject *text) {
    PyObject *value = PyDict_GetItemWithError(table, text);
    if (value != NULL) return Py_NewRef(value);
    return PyErr_Occurred() ? NULL : PyObject_GetItem(table, text);
}

/* What a table says a piece of the text means; without a table it is the piece itself. */
static PyObject *meaning(const Reader *r, PyObject *table, Py_ssize_t from, Py_ssize_t to) {
    Known *known = NULL;
    uint32_t hash = 0;
    if (r->kind == PyUnicode_1BYTE_KIND && to - from <= LONGEST_KNOWN) {
        uint64_t whole = hash_of(r, table, from, to - from);
        hash = (uint32_t)(whole >> 32);
        known = &r->known[whole & (KNOWN - 1)];
        if (is_known(r, known, hash, table, from, to - from)) return Py_NewRef(known->value);
    }
    PyObject *text = PyUnicode_Substring(r->text, from, to);
    if (text == NULL) return NULL;
    PyObject *value = table == NULL ? Py_NewRef(text) : looked_up(table, text);
    if (value != NULL && known != NULL) {
        remember(known, hash, table, text, value);
    }
    Py_DECREF(text);
    return value;
}

/* What plain text means. Most of it is text, which its first character and its length tell without asking. */
static PyObject *plain_meaning(const Reader *r, Py_ssize_t from, Py_ssize_t to) {
    Py_UCS4 first = at(r, from);
    bool word = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    bool asked = from == to || (first < 128 && r->starts[first] && !(word && to - from > LONGEST_MEANT));
    return meaning(r, asked ? r->memo : NULL, from, to);
}

/* The tape */

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
    Place *tape = with_room(r->tape, &r->tape_room, r->records, sizeof(Place));
    if (tape == NULL) return -1;
    r->tape = tape;
    tape[r->records++] = place;
    return 0;
}

/* Record a node of the line that is read. */
static inline int record(Reader *r, Py_ssize_t position) {
    return record_place(r, (Place){r->line, position - r->begin});
}

/* The collection at an index ends with the last record. */
static int record_size(Reader *r, Py_ssize_t index) {
    PyObject *key = PyLong_FromSsize_t(index);
    PyObject *size = PyLong_FromSsize_t(r->records - index);
    int done = key == NULL || size == NULL ? -1 : PyDict_SetItem(r->sizes, key, size);
    Py_XDECREF(key);
    Py_XDECREF(size);
    return done;
}

/* The lines of all records; those of one line share the number. */
static PyObject *recorded_lines(const Reader *r) {
    PyObject *lines = PyList_New(r->records);
    for (Py_ssize_t index = 0; lines != NULL && index < r->records; index++) {
        bool same = index > 0 && r->tape[index].line == r->tape[index - 1].line;
        PyObject *line =
            same ? Py_NewRef(PyList_GET_ITEM(lines, index - 1)) : PyLong_FromSsize_t(r->tape[index].line);
        if (line == NULL) {
            Py_CLEAR(lines);
        } else {
            PyList_SET_ITEM(lines, index, line);
        }
    }
    return lines;
}

static PyObject *recorded_columns(const Reader *r) {
    PyObject *columns = PyList_New(r->records);
    for (Py_ssize_t index = 0; columns != NULL && index < r->records; index++) {
        PyObject *column = PyLong_FromSsize_t(r->tape[index].column);
        if (column == NULL) {
            Py_CLEAR(columns);
        } else {
            PyList_SET_ITEM(columns, index, column);
        }
    }
    return columns;
}

/* Collections */

/* Begin the collection whose record is the last one. */
static int begin_collection(const Reader *r, Collection *made, bool mapping, Py_ssize_t column) {
    PyObject *items = mapping ? PyDict_New() : PyList_New(0);
    *made = (Collection){
        .items = items, .index = r->records - 1, .column = column, .mapping = mapping};
    return items == NULL ? -1 : 0;
}

/* Give a collection its next item, or the value of the key it has; the value is taken over, NULL stops. */
static int put(Collection *into, PyObject *value) {
    if (value == NULL) return -1;
    int done;
    if (into->mapping) {
        done = PyDict_SetItem(into->items, into->key, value);
        Py_CLEAR(into->key);
        into->pairs++;
    } else {
        done = PyList_Append(into->items, value);
    }
    Py_DECREF(value);
    return done;
}

/* What a collection has become; it holds nothing any more, whatever comes of it. */
static PyObject *end_collection(Reader *r, Collection *ended) {
    PyObject *value = ended->items;
    ended->items = NULL;
    Py_CLEAR(ended->key);
    bool repeated = ended->mapping && PyDict_GET_SIZE(value) != ended->pairs;
    if (repeated || record_size(r, ended->index) < 0) {
        Py_CLEAR(value);
    }
    return value;
}

static void drop_collection(Collection *dropped) {
    Py_CLEAR(dropped->items);
    Py_CLEAR(dropped->key);
}

static inline Collection *innermost(const Reader *r) {
    return &r->open[r->count - 1];
}

/* Begin a collection inside the one that is open, on the line that is read. */
static int open_block(Reader *r, Py_ssize_t position, bool mapping) {
    if (r->count > 0 && r->count >= r->depth) return -1;
    Collection *open = with_room(r->open, &r->room, r->count, sizeof(Collection));
    if (open == NULL) return -1;
    r->open = open;
    if (record(r, position) < 0 || begin_collection(r, &r->open[r->count], mapping, position - r->begin) < 0) return -1;
    r->count++;
    return 0;
}

/* End the collection that is open, and go on with the one around it. */
static int close_block(Reader *r) {
    if (r->count < 2) return -1;
    PyObject *value = end_collection(r, innermost(r));
    r->count--;
    return put(innermost(r), value);
}

/* Add the null that the value waited for is, at its place. */
static int add_nothing(Reader *r) {
    r->waiting = false;
    return record_place(r, r->absent) < 0 ? -1 : put(innermost(r), plain_meaning(r, 0, 0));
}

/* Flow collections */

static PyObject *read_flow(Reader *r, Py_ssize_t *position, int level);

/* A key of a flow mapping, with what parts it from its value. */
static int read_flow_key(Reader *r, Collection *into, Py_ssize_t *position) {
    Py_ssize_t colon = skip_word(r, *position);
    if (!is_letter(at(r, *position)) || colon - *position > LONGEST_WORD + 1 || at(r, colon) != ':'
        || at(r, colon + 1) != ' ') {
        return -1;
    }
    if (record(r, *position) < 0) return -1;
    into->key = r->keys == r->memo ? plain_meaning(r, *position, colon) : meaning(r, r->keys, *position, colon);
    *position = skip_spaces(r, colon + 1);
    return into->key == NULL ? -1 : 0;
}

/* A word or a quoted text of a flow collection. */
static PyObject *read_flow_scalar(const Reader *r, Py_ssize_t *position) {
    Py_ssize_t from = *position;
    Py_UCS4 first = at(r, from);
    if (first == '"' || first == '\'') {
        *position = quoted_end(r, from, PY_SSIZE_T_MAX);
        return *position < 0 ? NULL : meaning(r, NULL, from + 1, *position - 1);
    }
    Py_UCS4 sure = first == '-' ? at(r, from + 1) : first;
    if (!is_letter(sure) && sure != '.') return NULL;
    *position = skip_word(r, from);
    return plain_meaning(r, from, *position);
}

/* An item of a flow collection, or a key and its value, and the spaces behind it. */
static int read_flow_item(Reader *r, Collection *into, Py_ssize_t *position, int level) {
    if ((into->mapping && read_flow_key(r, into, position) < 0) || record(r, *position) < 0) return -1;
    Py_UCS4 first = at(r, *position);
    bool bracket = first == '[' || first == '{';
    if (put(into, bracket ? read_flow(r, position, level + 1) : read_flow_scalar(r, position)) < 0) return -1;
    *position = skip_spaces(r, *position);
    return 0;
}

/* All items up to the bracket that closes the collection; the position is then behind it. */
static int read_flow_items(Reader *r, Collection *into, Py_ssize_t *position, int level) {
    Py_UCS4 closing = into->mapping ? '}' : ']';
    *position = skip_spaces(r, *position + 1);
    while (at(r, *position) != closing) {
        if (read_flow_item(r, into, position, level) < 0) return -1;
        if (at(r, *position) == ',') {
            *position = skip_spaces(r, *position + 1);
            /* A comma before the bracket is left to a parser. */
            if (at(r, *position) == closing) return -1;
        } else if (at(r, *position) != closing) {
            return -1;
        }
    }
    ++*position;
    return 0;
}

/* A flow collection, whose record is the last one. */
static PyObject *read_flow(Reader *r, Py_ssize_t *position, int level) {
    Collection made;
    if (level > FLOW_LEVELS || begin_collection(r, &made, at(r, *position) == '{', 0) < 0) return NULL;
    if (read_flow_items(r, &made, position, level) < 0) {
        drop_collection(&made);
        return NULL;
    }
    return end_collection(r, &made);
}

/* Values on the line of their key or dash */

/* Where plain text ends, which is at the end of the line or where a comment begins; -1 if the text is not plain. */
static Py_ssize_t plain_end(const Reader *r, Py_ssize_t from, Py_ssize_t end) {
    Py_UCS4 first = at(r, from);
    if (!begins_plain(first) && !(first == '-' && from + 1 < end && at(r, from + 1) != ' ')) return -1;
    Py_ssize_t last = from;   /* behind the last word */
    while (from < end && at(r, from) != '#') {
        /* A colon is within a word, never at its start or its end. */
        if (at(r, from) == ':') return -1;
        Py_UCS4 c = 0;
        while (from < end && at(r, from) != ' ') {
            c = at(r, from++);
        }
        if (c == ':') return -1;
        last = from;
        from = skip_spaces(r, from);
    }
    return last;
}

static PyObject *read_plain(const Reader *r, Py_ssize_t from, Py_ssize_t end) {
    /* Whether the text is plain is decided by its characters alone. The table may know the same characters from a
     * place where other rules hold (brackets, a tag), so what it knows says nothing about this place. */
    Py_ssize_t last = plain_end(r, from, end);
    return last < 0 ? NULL : plain_meaning(r, from, last);
}

static PyObject *read_value(Reader *r, const Row *row) {
    Py_UCS4 first = at(r, row->rest);
    if (first == '"' || first == '\'') {
        return quoted_end(r, row->rest, PY_SSIZE_T_MAX) == row->end ? meaning(r, NULL, row->rest + 1, row->end - 1)
                                                                  : NULL;
    }
    if (first != '[' && first != '{') return read_plain(r, row->rest, row->end);
    Py_ssize_t position = row->rest;
    PyObject *value = read_flow(r, &position, 1);
    if (value != NULL && skip_spaces(r, position) != row->end) {
        Py_CLEAR(value);
    }
    return value;
}

/* Literal text */

/* The lines of a text from one position to another, without their indent and, if so asked, with a line feed at last. */
static PyObject *without_indent(const Reader *r, Py_ssize_t from, Py_ssize_t to, Py_ssize_t indent, bool feed) {
    size_t width = (size_t)r->kind;
    char *made = PyMem_Malloc((size_t)(to - from + 1) * width);
    if (made == NULL) return PyErr_NoMemory();
    Py_ssize_t size = 0;
    while (from < to) {
        /* Lines that are shorter than the indent are blank. */
        for (Py_ssize_t left = indent; left > 0 && at(r, from) == ' '; left--) {
            from++;
        }
        Py_ssize_t end = from;
        while (end < to && at(r, end) != '\n') end++;
        end += end < to || feed;
        memcpy(made + (size_t)size * width, (const char *)r->data + (size_t)from * width, (size_t)(end - from) * width);
        size += end - from;
        from = end;
    }
    PyObject *text = PyUnicode_FromKindAndData(r->kind, made, size);
    PyMem_Free(made);
    return text;
}

/* Literal text below the line that is read, whose mark is from one position to another; its lines are then read. */
static PyObject *read_literal(Reader *r, Py_ssize_t mark, Py_ssize_t mark_end) {
    bool stripped = mark_end - mark == 2 && at(r, mark + 1) == '-';
    if ((!stripped && mark_end - mark != 1) || r->next == r->end) return NULL;
    Py_ssize_t from = r->next, to = from;
    Py_ssize_t first = skip_spaces(r, from), indent = first - from;
    if (indent <= innermost(r)->column || at(r, first) == '\n') return NULL;
    while (r->next < r->end) {
        Py_ssize_t text = skip_spaces(r, r->next);
        if (at(r, text) != '\n' && text - r->next < indent) break;
        Py_ssize_t end = line_end(r, text);
        if (end < 0) return NULL;
        if (end - r->next > indent) {
            to = end;
        }
        r->next = end + 1;
        r->line++;
    }
    return without_indent(r, from, to, indent, !stripped);
}

/* Lines */

/* Behind a key that begins at a position, where its colon is; -1 if there is none. */
static Py_ssize_t key_end(const Reader *r, Py_ssize_t position) {
    Py_UCS4 first = at(r, position);
    if (first == '"' || first == '\'') {
        position = quoted_end(r, position, LONGEST_WORD);
    } else if (is_letter(first)) {
        Py_ssize_t from = position + 1;
        int words = 0;
        for (;;) {
            position = skip_word(r, from);
            if (position - from > LONGEST_WORD || (words > 0 && position == from)) return -1;
            if (at(r, position) != ':' || at(r, position + 1) == ' ' || at(r, position + 1) == '\n') break;
            from = position + (at(r, position + 1) == ':' ? 2 : 1);
            if (++words > MOST_WORDS) return -1;
        }
    } else {
        return -1;
    }
    bool ends = position >= 0 && at(r, position) == ':' && (at(r, position + 1) == ' ' || at(r, position + 1) == '\n');
    return ends ? position : -1;
}

static Row cut(const Reader *r, Py_ssize_t begin, Py_ssize_t end) {
    Row row = {.begin = begin, .dash = skip_spaces(r, begin), .end = end};
    row.key = row.dash;
    if (at(r, row.dash) == '-' && (row.dash + 1 == end || at(r, row.dash + 1) == ' ')) {
        row.key = skip_spaces(r, row.dash + 1);
    }
    row.colon = key_end(r, row.key);
    row.rest = row.colon < 0 ? row.key : skip_spaces(r, row.colon + 1);
    return row;
}

/* Open and close collections up to the one a row belongs to. */
static int enter(Reader *r, const Row *row) {
    Py_ssize_t here = row->dash - row->begin;
    bool dash = row->key != row->dash;
    if (r->waiting) {
        Collection *top = innermost(r);
        if (here > top->column || (dash && top->mapping && here == top->column)) {
            r->waiting = false;
            if (open_block(r, row->dash, !dash) < 0) return -1;
        } else if (add_nothing(r) < 0) {
            return -1;
        }
    }
    while (innermost(r)->column > here || (innermost(r)->column == here && !innermost(r)->mapping && !dash)) {
        if (close_block(r) < 0) return -1;
    }
    if (innermost(r)->column != here || (dash && innermost(r)->mapping)) return -1;
    return dash && row->colon >= 0 ? open_block(r, row->key, true) : 0;
}

/* The key of a row, for the mapping that is open. */
static int read_key(Reader *r, const Row *row) {
    if (record(r, row->key) < 0) return -1;
    Py_UCS4 first = at(r, row->key);
    bool quoted = first == '"' || first == '\'';
    PyObject *key;
    if (r->keys == r->memo && !quoted) {
        key = plain_meaning(r, row->key, row->colon);
    } else {
        /* Quoted keys are text even where plain ones are what they mean. */
        key = meaning(r, r->keys == r->memo ? NULL : r->keys, row->key + quoted, row->colon - quoted);
    }
    innermost(r)->key = key;
    return key == NULL ? -1 : 0;
}

static int read_row(Reader *r, const Row *row) {
    bool dash = row->key != row->dash, keyed = row->colon >= 0;
    bool bare = row->rest == row->end || at(r, row->rest) == '#';
    if (!dash && !keyed) return bare ? 0 : -1;
    r->begin = row->begin;
    if (r->count == 0 && open_block(r, row->dash, !dash) < 0) return -1;
    /* Nearly all rows are a key and its value in the mapping that is open. */
    Collection *top = innermost(r);
    if ((dash || r->waiting || !top->mapping || top->column != row->dash - row->begin) && enter(r, row) < 0) return -1;
    if (keyed && read_key(r, row) < 0) return -1;
    if (bare) {
        r->waiting = true;
        r->absent = (Place){r->line, keyed ? row->colon + 1 - row->begin : innermost(r)->column + 1};
        return 0;
    }
    if (record(r, row->rest) < 0) return -1;
    PyObject *value = at(r, row->rest) == '|' ? read_literal(r, row->rest, row->end) : read_value(r, row);
    return put(innermost(r), value);
}

/* Documents */

static int begin_document(Reader *r) {
    r->records = 0;
    r->sizes = PyDict_New();
    return r->sizes == NULL ? -1 : 0;
}

/* End the document that is read, if it says anything. */
static int end_document(Reader *r) {
    if (r->count == 0 || (r->waiting && add_nothing(r) < 0)) return -1;
    while (r->count > 1) {
        if (close_block(r) < 0) return -1;
    }
    PyObject *value = end_collection(r, innermost(r));
    r->count = 0;
    if (value == NULL) return -1;
    /* The tuple takes all over, NULL stops. */
    PyObject *document = Py_BuildValue("NNNN", value, recorded_lines(r), recorded_columns(r), r->sizes);
    r->sizes = NULL;
    int done = document == NULL ? -1 : PyList_Append(r->documents, document);
    Py_XDECREF(document);
    return done;
}

/* A line `---`: what stands before the first one is a document only if it is more than comments. */
static int read_marker(Reader *r) {
    bool first = !r->marked;
    r->marked = true;
    if (first && r->count == 0) return 0;
    return end_document(r) < 0 ? -1 : begin_document(r);
}

static int read_text(Reader *r) {
    if (r->end == 0 || at(r, r->end - 1) != '\n' || begin_document(r) < 0) return -1;
    for (; r->next < r->end; r->line++) {
        Py_ssize_t begin = r->next, end = line_end(r, begin);
        if (end < 0) return -1;
        r->next = end + 1;
        if (end - begin == 3 && at(r, begin) == '-' && at(r, begin + 1) == '-' && at(r, begin + 2) == '-') {
            if (read_marker(r) < 0) return -1;
            continue;
        }
        Row row = cut(r, begin, end);
        if (read_row(r, &row) < 0) return -1;
    }
    return end_document(r);
}

static void clear_reader(Reader *r) {
    while (r->count > 0) {
        drop_collection(&r->open[--r->count]);
    }
    PyMem_Free(r->open);
    PyMem_Free(r->tape);
    Py_CLEAR(r->sizes);
    Py_CLEAR(r->documents);
}

PyDoc_STRVAR(read_doc,
"read(text, memo, starts, text_keys, keys, depth, /)\n--\n\n"
"The value, lines, columns and sizes of each document of a text that is written plainly; None if it is not.\n\n"
"Plain scalars mean what `memo` says, and so do plain keys unless `text_keys`; with `keys`, every key is what that\n"
"says. Plain text that begins with none of `starts` is known to be text.");

/* Mark the characters of a text that are ASCII. */
static void mark_characters(bool *marked, PyObject *text) {
    for (Py_ssize_t place = 0; place < PyUnicode_GET_LENGTH(text); place++) {
        Py_UCS4 c = PyUnicode_READ_CHAR(text, place);
        if (c < 128) {
            marked[c] = true;
        }
    }
}

static PyObject *read_plain_text(PyObject *module, PyObject *args) {
    PyObject *text, *memo, *starts, *keys;
    int text_keys;
    Py_ssize_t depth;
    if (!PyArg_ParseTuple(args, "UO!UpOn:read", &text, &PyDict_Type, &memo, &starts, &text_keys, &keys, &depth)) {
        return NULL;
    }
    if (keys != Py_None && !PyDict_Check(keys)) return PyErr_Format(PyExc_TypeError, "keys is a dict or None");
    State *state = PyModule_GetState(module);
    Reader r = {
        .known = state->known,
        .text = text,
        .memo = memo,
        .keys = keys != Py_None ? keys : text_keys ? NULL : memo,
        .depth = depth - FLOW_LEVELS,
        .kind = (int)PyUnicode_KIND(text),
        .data = PyUnicode_DATA(text),
        .end = PyUnicode_GET_LENGTH(text),
        .documents = PyList_New(0),
    };
    mark_characters(r.starts, starts);
    PyObject *result = NULL;
    if (r.documents != NULL && read_text(&r) == 0) {
        result = Py_NewRef(r.documents);
    } else if (!PyErr_Occurred()) {
        result = Py_NewRef(Py_None);
    }
    clear_reader(&r);
    return result;
}

/* The module */

static int traverse_module(PyObject *module, visitproc visit, void *arg) {
    State *state = PyModule_GetState(module);
    for (int place = 0; place < KNOWN; place++) {
        Py_VISIT(state->known[place].table);
        Py_VISIT(state->known[place].value);
    }
    return 0;
}

static int clear_module(PyObject *module) {
    State *state = PyModule_GetState(module);
    for (int place = 0; place < KNOWN; place++) {
        Py_CLEAR(state->known[place].table);
        Py_CLEAR(state->known[place].text);
        Py_CLEAR(state->known[place].value);
    }
    return 0;
}

static void free_module(void *module) {
    clear_module(module);
}

PyDoc_STRVAR(forget_doc, "forget()\n--\n\nForget what short texts were found to mean, as at the first use.");

static PyObject *forget(PyObject *module, PyObject *Py_UNUSED(nothing)) {
    clear_module(module);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"read", read_plain_text, METH_VARARGS, read_doc},
    {"forget", forget, METH_NOARGS, forget_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lamina.sources.yaml._fast_reader",
    .m_doc = "Reading plainly written YAML line by line.",
    .m_size = sizeof(State),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__fast_reader(void) {
    return PyModuleDef_Init(&definition);
}
