/* Walking through the stacks of a page: what is at every key, and which of it is not known yet; and listing the members
   of the mappings of sources in them.

   `walk_in_python` in stack_walk.py is the definition, and `list_in_python` in part_members.py. Nothing that is walked
   through changes meanwhile, except for the list of what is missing and the sets of what was walked through. All state
   is the module's own. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum { MOST_SLOTS = 10, MOST_NESTED = 8, SLOT_BITS = 6, GLANCES = 16 };
enum { SHORT_STRING = 5, LONGEST_STRING = 300, INNER = -2 };
enum { LEAF, MAPPING, LIST, OTHER };
/* What a step did with a key; a code has the last two bits. */
enum { KEPT, TAKEN, MERGED, JOINED, OLD_FIRST = 6, NEW_FIRST = 7 };
enum { FAILED = -1, NO_STACK = -2 };
enum { NUMBER, LIVE, LEAVES, MAPPINGS, LISTS, OTHERS, WALKED, FIELDS }; /* of a StackPattern */

typedef struct {
    PyObject *old, *new, *MapDelta, *ListDelta, *ListedTable;
    PyObject *s_entries, *s_first, *s_outer, *s_under;
} State;

/* A mapping of a source, and what its step did with the keys; `entries` is NULL where no keys were merged. */
typedef struct {
    PyObject *members, *ident; /* borrowed */
    PyObject *entries, *under;
} Slot;

/* The keys that lead to a mapping. */
typedef struct Trail {
    const struct Trail *above;
    PyObject *key;
    int depth;
} Trail;

/* What the slots have at a key. */
typedef struct {
    int count, kind;
    int at[MOST_SLOTS];
    PyObject *what[MOST_SLOTS], *entry[MOST_SLOTS], *policy[MOST_SLOTS]; /* borrowed */
    int step[MOST_SLOTS];
    int has_policy;
} Held;

typedef struct {
    const State *state;
    PyObject *missing;
} Walk;

static Py_ssize_t walk(const Walk *w, PyObject *pattern, PyObject *value, const Slot *slots, int count,
                       const Trail *trail);

/* Fill in what a step did with the keys of a slot; 0 where all is well. */
static int open_change(const State *s, Slot *slot, PyObject *change) {
    slot->entries = slot->under = NULL;
    if (change == Py_None) return 0;
    PyObject *outer = PyObject_GetAttr(change, s->s_outer);
    if (outer == NULL) return FAILED;
    int is_outer = PyObject_IsTrue(outer);
    Py_DECREF(outer);
    if (is_outer) return is_outer < 0 ? FAILED : NO_STACK;
    slot->entries = PyObject_GetAttr(change, s->s_entries);
    if (slot->entries == NULL) return FAILED;
    slot->under = PyObject_GetAttr(change, s->s_under);
    if (slot->under == NULL) return FAILED;
    if (!PyDict_Check(slot->entries) || !(slot->under == Py_None || PyDict_Check(slot->under))) return NO_STACK;
    return PyDict_GET_SIZE(slot->entries) == PyDict_GET_SIZE(slot->members) ? 0 : NO_STACK;
}

static void close_changes(Slot *slots, int count) {
    for (int at = 0; at < count; at++) {
        Py_CLEAR(slots[at].entries);
        Py_CLEAR(slots[at].under);
    }
}

/* What a step did with a key, by its entry. */
static int step_of(const State *s, PyObject *entry) {
    if (entry == s->old) return KEPT;
    if (entry == s->new) return TAKEN;
    if ((PyObject *)Py_TYPE(entry) == s->MapDelta) return MERGED;
    if ((PyObject *)Py_TYPE(entry) != s->ListDelta) return NO_STACK;
    PyObject *first = PyObject_GetAttr(entry, s->s_first);
    if (first == NULL) return FAILED;
    int step = first == Py_None ? JOINED : PyUnicode_CompareWithASCIIString(first, "old") ? NEW_FIRST : OLD_FIRST;
    Py_DECREF(first);
    return step;
}

/* What a member is. */
static int kind_of(PyObject *what) {
    if (PyLong_CheckExact(what)) return LEAF;
    if (!PyTuple_CheckExact(what)) return OTHER;
    return PyTuple_GET_SIZE(what) == 2 ? MAPPING : LIST;
}

/* Whether something of a kind may be what a step made. */
static int is_made(int kind, int step) {
    if (step <= TAKEN) return 1;
    return (kind == MAPPING && step == MERGED) || (kind == LIST && step >= OLD_FIRST);
}

/* Find out what the slots have at a key; `last` is the slot and the position that decided the place of the key before. */
static int look_up(const State *s, PyObject *key, const Slot *slots, int count, unsigned long live, long last[2],
                   Held *held) {
    int first = -1;
    PyObject *spelling = NULL;
    held->count = held->has_policy = 0;
    PyObject *member = NULL;
    for (int at = 0; at < count; at++) {
        if (at == 0 || slots[at].members != slots[at - 1].members)
            member = PyDict_GetItemWithError(slots[at].members, key);
        if (member == NULL) {
            if (PyErr_Occurred()) return FAILED;
            continue;
        }
        PyObject *step = PyTuple_GET_ITEM(member, 1), *what = PyTuple_GET_ITEM(member, 2);
        if (spelling != NULL && step != spelling && PyLong_AsLong(step) != PyLong_AsLong(spelling)) return NO_STACK;
        spelling = step;
        if (first < 0 && live >> at & 1) {
            long position = PyLong_AsLong(PyTuple_GET_ITEM(member, 0));
            if (at < last[0] || (at == last[0] && position <= last[1])) return NO_STACK;
            last[0] = first = at;
            last[1] = position;
        }
        int n = held->count++;
        held->at[n] = at;
        held->what[n] = what;
        held->entry[n] = held->policy[n] = NULL;
        held->step[n] = KEPT;
        held->kind = n == 0 || held->kind == kind_of(what) ? kind_of(what) : OTHER;
        if (slots[at].entries == NULL) continue;
        held->entry[n] = PyDict_GetItemWithError(slots[at].entries, key);
        if (held->entry[n] == NULL) return PyErr_Occurred() ? FAILED : NO_STACK;
        held->step[n] = step_of(s, held->entry[n]);
        if (held->step[n] < 0) return held->step[n];
        if (slots[at].under == Py_None) continue;
        held->policy[n] = PyDict_GetItemWithError(slots[at].under, key);
        if (held->policy[n] == NULL && PyErr_Occurred()) return FAILED;
        if (held->policy[n] != NULL) held->has_policy = 1;
    }
    if (first < 0) return NO_STACK;
    for (int n = 0; n < held->count; n++)
        if (!is_made(held->kind, held->step[n])) held->kind = OTHER;
    return 0;
}

/* Whether two slots have the same at a key: a text of the same number, or the same mapping. */
static int is_same(int kind, PyObject *one, PyObject *other) {
    if (one == other) return 1;
    if (kind != LEAF) { /* the last number is that of a mapping, or what equal lists have in common */
        one = PyTuple_GET_ITEM(one, kind == MAPPING);
        other = PyTuple_GET_ITEM(other, kind == MAPPING);
    }
    return PyLong_AsLongLong(one) == PyLong_AsLongLong(other);
}

/* What the pattern knows what is at a key by: its code, and the policies if there are any. */
static PyObject *known_by(const Held *held) {
    unsigned long long code = 0;
    for (int n = 0; n < held->count; n++) {
        int first = n;
        if (held->kind != OTHER)
            for (first = 0; first < n && !is_same(held->kind, held->what[first], held->what[n]);) first++;
        code |= (unsigned long long)((held->at[first] + 1) | (held->step[n] & 3) << 4) << held->at[n] * SLOT_BITS;
    }
    PyObject *number = PyLong_FromUnsignedLongLong(code);
    if (number == NULL || !held->has_policy) return number;
    PyObject *made = PyTuple_New(held->count + 1);
    if (made == NULL) {
        Py_DECREF(number);
        return NULL;
    }
    PyTuple_SET_ITEM(made, 0, number);
    for (int n = 0; n < held->count; n++)
        PyTuple_SET_ITEM(made, n + 1, Py_NewRef(held->policy[n] == NULL ? Py_None : held->policy[n]));
    return made;
}

/* The numbers of the slots that have a key, behind `leading` places that are left open. */
static PyObject *idents_of(const Held *held, const Slot *slots, int leading) {
    PyObject *made = PyTuple_New(leading + held->count);
    if (made != NULL)
        for (int n = 0; n < held->count; n++)
            PyTuple_SET_ITEM(made, leading + n, Py_NewRef(slots[held->at[n]].ident));
    return made;
}

static PyObject *path_of(const Trail *trail) {
    PyObject *made = PyTuple_New(trail->depth);
    if (made != NULL)
        for (; trail->depth; trail = trail->above) PyTuple_SET_ITEM(made, trail->depth - 1, Py_NewRef(trail->key));
    return made;
}

/* Note something that is missing; 0 where that was done. */
static int note(const Walk *w, int kind, PyObject *pattern, const Trail *trail, PyObject *key, PyObject *known,
                const Held *held, const Slot *slots) {
    PyObject *path = path_of(trail), *idents = path == NULL ? NULL : idents_of(held, slots, 0), *made = NULL;
    if (idents != NULL) made = Py_BuildValue("iOOOOO", kind, pattern, path, key, known, idents);
    Py_XDECREF(path);
    Py_XDECREF(idents);
    int failed = made == NULL ? FAILED : PyList_Append(w->missing, made);
    Py_XDECREF(made);
    return failed;
}

/* Walk through a mapping inside a stack. */
static Py_ssize_t walk_inside(const Walk *w, PyObject *inner, PyObject *value, const Held *held, const Trail *trail) {
    Slot slots[MOST_SLOTS];
    int failed = 0, opened = 0;
    if (trail->depth > MOST_NESTED) return NO_STACK;
    for (; opened < held->count && !failed; opened++) {
        Slot *slot = &slots[opened];
        slot->members = PyTuple_GET_ITEM(held->what[opened], 0);
        slot->ident = PyTuple_GET_ITEM(held->what[opened], 1);
        failed = open_change(w->state, slot, held->step[opened] == MERGED ? held->entry[opened] : Py_None);
    }
    Py_ssize_t count = failed ? failed : walk(w, inner, value, slots, held->count, trail);
    close_changes(slots, opened);
    return count;
}

/* Look at something that has a row of its own. */
static int look_at_other(const Walk *w, PyObject *pattern, PyObject *key, PyObject *known, const Held *held,
                         const Slot *slots, const Trail *trail) {
    PyObject *other = idents_of(held, slots, 2);
    if (other == NULL) return FAILED;
    PyTuple_SET_ITEM(other, 0, Py_NewRef(key));
    PyTuple_SET_ITEM(other, 1, Py_NewRef(known));
    int found = PySet_Contains(PyTuple_GET_ITEM(pattern, OTHERS), other);
    if (found == 0) found = note(w, OTHER, pattern, trail, key, other, held, slots);
    Py_DECREF(other);
    return found < 0 ? FAILED : 0;
}

/* Look at one key; about how many rows it adds. */
static Py_ssize_t look_at(const Walk *w, PyObject *pattern, PyObject *key, PyObject *value, const Held *held,
                          const Slot *slots, const Trail *trail) {
    Py_ssize_t count = 0;
    int kind = held->kind == MAPPING && !PyDict_CheckExact(value) ? OTHER : held->kind, is_other = kind == OTHER;
    PyObject *known = known_by(held);
    if (known == NULL) return FAILED;
    if (!is_other) {
        PyObject *found = PyDict_GetItemWithError(PyTuple_GET_ITEM(pattern, LEAVES + kind), known);
        if (found == NULL)
            count = PyErr_Occurred() || note(w, kind, pattern, trail, key, known, held, slots) < 0 ? FAILED : 0;
        else if (kind == LEAF)
            is_other = PyLong_AsLong(found) < 0;
        else if (kind == LIST)
            is_other = found == Py_False;
        else if (found == Py_None)
            is_other = 1;
        else {
            Trail inside = {trail, key, trail->depth + 1};
            count = walk_inside(w, found, value, held, &inside);
        }
        if (kind != MAPPING && !is_other && count == 0) count = held->count > 1;
    }
    if (is_other) count = look_at_other(w, pattern, key, known, held, slots, trail);
    Py_DECREF(known);
    return count;
}

/* What a walk through a stack is remembered by: the key that it is at, and its slots. */
static PyObject *token_of(const Slot *slots, int count, const Trail *trail) {
    PyObject *made = PyTuple_New(count + 1);
    if (made == NULL) return NULL;
    PyTuple_SET_ITEM(made, 0, Py_NewRef(trail->depth ? trail->key : Py_None));
    for (int at = 0; at < count; at++) PyTuple_SET_ITEM(made, at + 1, Py_NewRef(slots[at].ident));
    return made;
}

static Py_ssize_t walk_keys(const Walk *w, PyObject *pattern, PyObject *value, const Slot *slots, int count,
                            const Trail *trail) {
    unsigned long live = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(pattern, LIVE));
    Py_ssize_t rows = 1 + PyDict_GET_SIZE(value) / GLANCES, present = 0, position = 0;
    long last[2] = {-1, -1};
    PyObject *key, *inside;
    Held held;
    while (PyDict_Next(value, &position, &key, &inside)) {
        int failed = look_up(w->state, key, slots, count, live, last, &held);
        Py_ssize_t added = failed ? failed : look_at(w, pattern, key, inside, &held, slots, trail);
        if (added < 0) return added;
        rows += added;
        present += held.count;
    }
    for (int at = 0; at < count; at++) present -= PyDict_GET_SIZE(slots[at].members);
    return present ? NO_STACK : rows;
}

static Py_ssize_t walk(const Walk *w, PyObject *pattern, PyObject *value, const Slot *slots, int count,
                       const Trail *trail) {
    PyObject *token = token_of(slots, count, trail), *walked = PyTuple_GET_ITEM(pattern, WALKED);
    if (token == NULL) return FAILED;
    int known = PySet_Contains(walked, token);
    Py_ssize_t rows = known < 0 ? FAILED : 0, before = PyList_GET_SIZE(w->missing);
    if (known == 0) {
        rows = walk_keys(w, pattern, value, slots, count, trail);
        if (rows >= 0 && PyList_GET_SIZE(w->missing) == before && PySet_Add(walked, token) < 0) rows = FAILED;
    }
    Py_DECREF(token);
    return rows;
}

static int is_pattern(PyObject *pattern) {
    return PyTuple_Check(pattern) && PyTuple_GET_SIZE(pattern) == FIELDS && PyDict_Check(PyTuple_GET_ITEM(pattern, LEAVES))
           && PyDict_Check(PyTuple_GET_ITEM(pattern, MAPPINGS)) && PyDict_Check(PyTuple_GET_ITEM(pattern, LISTS))
           && PySet_Check(PyTuple_GET_ITEM(pattern, OTHERS))
           && PySet_Check(PyTuple_GET_ITEM(pattern, WALKED)) && PyLong_Check(PyTuple_GET_ITEM(pattern, LIVE));
}

static int is_packed(PyObject *slot) {
    return PyTuple_Check(slot) && PyTuple_GET_SIZE(slot) == 2 && PyDict_Check(PyTuple_GET_ITEM(slot, 0));
}

static PyObject *py_walk(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    const State *s = PyModule_GetState(module);
    if (s->old == NULL || count != 5 || !is_pattern(arguments[0]) || !PyDict_CheckExact(arguments[1])
        || !PyList_CheckExact(arguments[2]) || !PyList_CheckExact(arguments[3]) || !PyList_CheckExact(arguments[4])
        || PyList_GET_SIZE(arguments[2]) != PyList_GET_SIZE(arguments[3])
        || PyList_GET_SIZE(arguments[2]) > MOST_SLOTS) {
        PyErr_SetString(PyExc_TypeError, "walk takes a pattern, a mapping, its slots, their changes, and a list");
        return NULL;
    }
    Walk w = {s, arguments[4]};
    Trail top = {NULL, NULL, 0};
    Slot slots[MOST_SLOTS];
    int failed = 0, opened = 0, most = (int)PyList_GET_SIZE(arguments[2]);
    for (; opened < most && !failed; opened++) {
        PyObject *packed = PyList_GET_ITEM(arguments[2], opened);
        slots[opened].entries = slots[opened].under = NULL;
        if (!is_packed(packed)) {
            PyErr_SetString(PyExc_TypeError, "a slot is its members and a number");
            failed = FAILED;
            continue;
        }
        slots[opened].members = PyTuple_GET_ITEM(packed, 0);
        slots[opened].ident = PyTuple_GET_ITEM(packed, 1);
        failed = open_change(s, &slots[opened], PyList_GET_ITEM(arguments[3], opened));
    }
    Py_ssize_t rows = failed ? failed : walk(&w, arguments[0], arguments[1], slots, most, &top);
    close_changes(slots, opened);
    if (rows == FAILED) return NULL;
    return PyLong_FromSsize_t(rows == NO_STACK ? -1 : rows);
}

/* Members of mappings of sources: single values, and tables, which are mappings of single values. */

/* What members are listed with; all borrowed. */
typedef struct {
    PyObject *lines, *columns; /* lists */
    PyObject *locate;          /* None where positions are those of a file */
    PyObject *origin;          /* all are in the same source as that */
    PyObject *steps, *step;    /* the numbers of keys by their spelling, and what gives those of others */
    PyObject *numbers, *text;  /* the numbers of texts, and what gives the code of a value */
    Py_ssize_t spent;
} Listing;

/* What is listed of one mapping; all borrowed. */
typedef struct {
    PyObject *part, *sizes, *members, *group;
    PyObject *tables, *others;
    Py_ssize_t first; /* the number of the first table */
} Listed;

/* Whether a string in ASCII is written as it is, as `is_plain_string` says; short ones are left to that. */
static int is_plain(PyObject *value) {
    if (!PyUnicode_CheckExact(value) || !PyUnicode_IS_ASCII(value)) return 0;
    Py_ssize_t length = PyUnicode_GET_LENGTH(value);
    const Py_UCS1 *text = PyUnicode_1BYTE_DATA(value);
    if (length <= SHORT_STRING || length >= LONGEST_STRING || !(Py_ISALPHA(text[0]) || text[0] == '_' || text[0] == '/'))
        return 0;
    for (Py_ssize_t at = 1; at < length; at++) {
        Py_UCS1 one = text[at], next = at + 1 < length ? text[at + 1] : ' ';
        if (one == ':' || one == ' ') {
            if (next == ' ') return 0; /* all else that is white, and a hash, ends it below */
        } else if (!Py_ISALNUM(one) && (one == 0 || strchr("_./@%+=~$;,()*!?<>|&'-", one) == NULL))
            return 0;
    }
    return 1;
}

/* The code of a value: twice the number of its text, and one more for a string; None if it has none. */
static PyObject *code_of(Listing *l, PyObject *value) {
    if (!is_plain(value)) return PyObject_CallOneArg(l->text, value);
    PyObject *number = PyDict_GetItemWithError(l->numbers, value);
    if (number != NULL) return PyLong_FromSsize_t(2 * PyLong_AsSsize_t(number) + 1);
    if (PyErr_Occurred()) return NULL;
    Py_ssize_t next = PyDict_GET_SIZE(l->numbers);
    l->spent += PyUnicode_GET_LENGTH(value);
    number = PyLong_FromSsize_t(next);
    int failed = number == NULL ? -1 : PyDict_SetItem(l->numbers, value, number);
    Py_XDECREF(number);
    return failed < 0 ? NULL : PyLong_FromSsize_t(2 * next + 1);
}

/* The number of the text of a key. */
static PyObject *step_number(const Listing *l, PyObject *key) {
    if (PyUnicode_Check(key)) {
        PyObject *spelling = PyUnicode_FromObject(key);
        PyObject *number = spelling == NULL ? NULL : PyDict_GetItemWithError(l->steps, spelling);
        Py_XDECREF(spelling);
        if (number != NULL) return Py_NewRef(number);
        if (PyErr_Occurred()) return NULL;
    }
    return PyObject_CallOneArg(l->step, key);
}

/* Fill in a line and a column as something else locates them; 1 if they are in the same source, 0 if they are not. */
static int locate(const Listing *l, PyObject *line, PyObject *column, PyObject *place[2]) {
    PyObject *arguments[] = {line, column};
    PyObject *found = PyObject_Vectorcall(l->locate, arguments, 2, NULL);
    if (found == NULL) return -1;
    int same = PyTuple_Check(found) && PyTuple_GET_SIZE(found) == 4;
    for (int at = 0; same == 1 && at < 4; at += 3)
        same = PyObject_RichCompareBool(PyTuple_GET_ITEM(found, at), PyTuple_GET_ITEM(l->origin, at), Py_EQ);
    for (int at = 0; same == 1 && at < 2; at++) place[at] = Py_NewRef(PyTuple_GET_ITEM(found, 1 + at));
    Py_DECREF(found);
    return same;
}

/* Fill in the line and the column of a record; 1 if they are in the same source, 0 if they are not. */
static int place_of(const Listing *l, Py_ssize_t record, PyObject *place[2]) {
    if (record < 0 || record >= PyList_GET_SIZE(l->lines) || record >= PyList_GET_SIZE(l->columns)) {
        PyErr_SetString(PyExc_IndexError, "there is no such record");
        return -1;
    }
    PyObject *line = PyList_GET_ITEM(l->lines, record), *column = PyList_GET_ITEM(l->columns, record);
    if (l->locate != Py_None) return locate(l, line, column, place);
    place[0] = PyLong_FromLong(PyLong_AsLong(line) + 1);
    place[1] = PyLong_FromLong(PyLong_AsLong(column) + 1);
    return place[0] == NULL || place[1] == NULL || PyErr_Occurred() ? -1 : 1;
}

/* Enter a member; 1 if that was done. */
static int enter(PyObject *members, PyObject *group, PyObject *key, PyObject *const numbers[3], PyObject *what,
                 PyObject *shown) {
    PyObject *member = Py_BuildValue("nOO", PyDict_GET_SIZE(members), numbers[0], what);
    int failed = member == NULL || PyDict_SetItem(members, key, member) < 0;
    for (int at = 0; at < 3 && !failed; at++) failed = PyList_Append(group, numbers[at]) < 0;
    failed = failed || PyList_Append(group, shown) < 0;
    Py_XDECREF(member);
    return failed ? -1 : 1;
}

static void clear_all(PyObject **objects, int count) {
    for (int at = 0; at < count; at++) Py_CLEAR(objects[at]);
}

/* List a member of a table; 1 if that was done, 0 if the table is not of that kind. */
static int list_single(Listing *l, PyObject *key, PyObject *value, Py_ssize_t record, PyObject *members,
                       PyObject *group) {
    PyObject *made[4] = {NULL}; /* step, line, column, code */
    int done = place_of(l, record, made + 1);
    if (done == 1 && (made[0] = step_number(l, key)) == NULL) done = -1;
    if (done == 1 && (made[3] = code_of(l, value)) == NULL) done = -1;
    if (done == 1) done = made[3] == Py_None ? 0 : enter(members, group, key, made, made[3], made[3]);
    clear_all(made, 4);
    return done;
}

/* Whether keys that differ have the same text, by what the page has of all. */
static int has_repeated(PyObject *group) {
    Py_ssize_t count = PyList_GET_SIZE(group);
    if (count <= 4) return 0;
    PyObject *steps = PySet_New(NULL);
    int failed = steps == NULL;
    for (Py_ssize_t at = 0; at < count && !failed; at += 4) failed = PySet_Add(steps, PyList_GET_ITEM(group, at)) < 0;
    int found = failed ? -1 : PySet_GET_SIZE(steps) * 4 != count;
    Py_XDECREF(steps);
    return found;
}

/* List all members of a table; 1 if that was done, 0 if it is none. */
static int list_table(Listing *l, PyObject *value, Py_ssize_t record, PyObject *members, PyObject *group) {
    PyObject *key, *each;
    Py_ssize_t position = 0;
    int done = 1;
    while (done == 1 && PyDict_Next(value, &position, &key, &each)) {
        record += 2;
        done = list_single(l, key, each, record, members, group);
    }
    if (done != 1) return done;
    int repeated = has_repeated(group);
    return repeated < 0 ? -1 : !repeated;
}

/* Whether a collection has single values alone, by its size. */
static int has_size_of_table(const Listed *to, PyObject *value, PyObject *record) {
    PyObject *size = PyDict_GetItemWithError(to->sizes, record);
    if (size == NULL) return PyErr_Occurred() ? -1 : 0;
    return PyLong_AsSsize_t(size) == 1 + 2 * PyDict_GET_SIZE(value);
}

/* Find a table; fills in its members with its number, and what the page has in the place of its text. */
static int find_table(const State *s, Listing *l, const Listed *to, PyObject *key, PyObject *value, PyObject *record,
                      PyObject **what, PyObject **shown) {
    int done = has_size_of_table(to, value, record);
    if (done != 1) return done;
    PyTypeObject *type = (PyTypeObject *)s->ListedTable;
    PyObject *members = PyDict_New(), *group = PyList_New(0), *table = NULL;
    done = members == NULL || group == NULL ? -1 : list_table(l, value, PyLong_AsSsize_t(record), members, group);
    if (done == 1) {
        Py_ssize_t number = to->first + PyList_GET_SIZE(to->tables);
        *what = Py_BuildValue("On", members, number);
        *shown = PyLong_FromSsize_t(INNER - 2 * number);
        if (*what != NULL && *shown != NULL) table = type->tp_alloc(type, 5);
        if (table != NULL) {
            PyObject *const fields[5] = {to->part, key, record, *what, group};
            for (int at = 0; at < 5; at++) PyTuple_SET_ITEM(table, at, Py_NewRef(fields[at]));
        }
        if (table == NULL || PyList_Append(to->tables, table) < 0) done = -1;
    }
    Py_XDECREF(members);
    Py_XDECREF(group);
    Py_XDECREF(table);
    return done;
}

/* Note a collection that is listed later. */
static int leave_to_caller(const Listed *to, PyObject *key, PyObject *record) {
    PyObject *other = Py_BuildValue("nOO", PyDict_GET_SIZE(to->members), key, record);
    int failed = other == NULL ? -1 : PyList_Append(to->others, other);
    Py_XDECREF(other);
    return failed;
}

/* List one member of a mapping; 1 if that was done, 0 if it is in another source. */
static int list_member(const State *s, Listing *l, const Listed *to, PyObject *key, PyObject *value, PyObject *record) {
    PyObject *made[5] = {NULL}; /* step, line, column, what, shown */
    int is_mapping = PyDict_CheckExact(value), is_table = 0;
    int done = place_of(l, PyLong_AsSsize_t(record), made + 1);
    if (done == 1 && (made[0] = step_number(l, key)) == NULL) done = -1;
    if (done == 1 && is_mapping && PyDict_GET_SIZE(value)) {
        is_table = find_table(s, l, to, key, value, record, &made[3], &made[4]);
        if (is_table < 0) done = -1;
    }
    if (done == 1 && !is_table) {
        made[3] = is_mapping ? Py_NewRef(Py_None) : code_of(l, value);
        made[4] = made[3] == NULL ? NULL : made[3] == Py_None ? PyLong_FromLong(-1) : Py_NewRef(made[3]);
        int is_other = is_mapping ? PyDict_GET_SIZE(value) > 0 : PyList_CheckExact(value) && PyList_GET_SIZE(value) > 0;
        if (made[4] == NULL || (is_other && leave_to_caller(to, key, record) < 0)) done = -1;
    }
    if (done == 1) done = enter(to->members, to->group, key, made, made[3], made[4]);
    clear_all(made, 5);
    return done;
}

static int is_listing(PyObject *listing) {
    if (!PyTuple_CheckExact(listing) || PyTuple_GET_SIZE(listing) != 8) return 0;
    PyObject *origin = PyTuple_GET_ITEM(listing, 3);
    return PyList_CheckExact(PyTuple_GET_ITEM(listing, 0)) && PyList_CheckExact(PyTuple_GET_ITEM(listing, 1))
           && PyTuple_Check(origin) && PyTuple_GET_SIZE(origin) == 4 && PyDict_CheckExact(PyTuple_GET_ITEM(listing, 4))
           && PyDict_CheckExact(PyTuple_GET_ITEM(listing, 6));
}

/* List all members of a mapping; 1 if that was done, 0 if they are in several sources. */
static int list_all(const State *s, Listing *l, const Listed *to, PyObject *value, PyObject *records) {
    PyObject *key, *each, *ordered = PySequence_Fast(records, "records are a sequence");
    Py_ssize_t position = 0, at = 0;
    int done = ordered == NULL || to->tables == NULL || to->others == NULL ? -1 : 1;
    if (done == 1 && PySequence_Fast_GET_SIZE(ordered) != PyDict_GET_SIZE(value)) {
        PyErr_SetString(PyExc_ValueError, "there is a record for each member");
        done = -1;
    }
    while (done == 1 && PyDict_Next(value, &position, &key, &each))
        done = list_member(s, l, to, key, each, PySequence_Fast_GET_ITEM(ordered, at++));
    Py_XDECREF(ordered);
    return done;
}

static PyObject *py_list_members(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    const State *s = PyModule_GetState(module);
    if (s->ListedTable == NULL || count != 8 || !PyDict_CheckExact(arguments[0]) || !PyDict_CheckExact(arguments[2])
        || !PyList_CheckExact(arguments[3]) || !PyDict_CheckExact(arguments[5]) || !PyLong_Check(arguments[6])
        || !is_listing(arguments[7])) {
        PyErr_SetString(PyExc_TypeError, "list_members takes a mapping, its records, its members, a list, its part, "
                                         "sizes, the number of the first table, and what members are listed with");
        return NULL;
    }
    PyObject *const *with = ((PyTupleObject *)arguments[7])->ob_item;
    Listing l = {with[0], with[1], with[2], with[3], with[4], with[5], with[6], with[7], 0};
    Listed to = {arguments[4], arguments[5], arguments[2],  arguments[3],
                 PyList_New(0), PyList_New(0), PyLong_AsSsize_t(arguments[6])};
    int done = list_all(s, &l, &to, arguments[0], arguments[1]);
    PyObject *found = NULL;
    if (done == 1) found = Py_BuildValue("(OO)n", to.tables, to.others, l.spent);
    if (done == 0) found = Py_BuildValue("On", Py_None, l.spent);
    Py_XDECREF(to.tables);
    Py_XDECREF(to.others);
    return found;
}

static PyObject *configure_members(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    State *s = PyModule_GetState(module);
    if (count != 1 || !PyType_Check(arguments[0]) || !PyType_IsSubtype((PyTypeObject *)arguments[0], &PyTuple_Type)) {
        PyErr_SetString(PyExc_TypeError, "configure_members takes the type of tables");
        return NULL;
    }
    Py_XSETREF(s->ListedTable, Py_NewRef(arguments[0]));
    Py_RETURN_NONE;
}

static PyObject *configure(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    State *s = PyModule_GetState(module);
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "configure takes the two sides, and the types of deltas of mappings and lists");
        return NULL;
    }
    Py_XSETREF(s->old, Py_NewRef(arguments[0]));
    Py_XSETREF(s->new, Py_NewRef(arguments[1]));
    Py_XSETREF(s->MapDelta, Py_NewRef(arguments[2]));
    Py_XSETREF(s->ListDelta, Py_NewRef(arguments[3]));
    Py_RETURN_NONE;
}

static int make_names(PyObject *module) {
    State *s = PyModule_GetState(module);
    s->s_entries = PyUnicode_InternFromString("_entries");
    s->s_first = PyUnicode_InternFromString("first");
    s->s_outer = PyUnicode_InternFromString("outer");
    s->s_under = PyUnicode_InternFromString("under");
    return s->s_entries == NULL || s->s_first == NULL || s->s_outer == NULL || s->s_under == NULL ? -1 : 0;
}

static int traverse_module(PyObject *module, visitproc visit, void *arg) {
    State *s = PyModule_GetState(module);
    Py_VISIT(s->old);
    Py_VISIT(s->new);
    Py_VISIT(s->MapDelta);
    Py_VISIT(s->ListDelta);
    Py_VISIT(s->ListedTable);
    return 0;
}

static int clear_module(PyObject *module) {
    State *s = PyModule_GetState(module);
    Py_CLEAR(s->old);
    Py_CLEAR(s->new);
    Py_CLEAR(s->MapDelta);
    Py_CLEAR(s->ListDelta);
    Py_CLEAR(s->ListedTable);
    Py_CLEAR(s->s_entries);
    Py_CLEAR(s->s_first);
    Py_CLEAR(s->s_outer);
    Py_CLEAR(s->s_under);
    return 0;
}

static void free_module(void *module) {
    clear_module(module);
}

static PyMethodDef methods[] = {
    {"configure", (PyCFunction)(void (*)(void))configure, METH_FASTCALL, "Hand over the sides and types of deltas."},
    {"walk", (PyCFunction)(void (*)(void))py_walk, METH_FASTCALL, "Look at all keys of a stack."},
    {"configure_members", (PyCFunction)(void (*)(void))configure_members, METH_FASTCALL, "Hand over the type of tables."},
    {"list_members", (PyCFunction)(void (*)(void))py_list_members, METH_FASTCALL, "List the members of a mapping."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, make_names},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lamina.views.report._stack_walk",
    .m_doc = "Walking through the stacks of a page.",
    .m_size = sizeof(State),
    .m_methods = methods,
    .m_slots = module_slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__stack_walk(void) {
    return PyModuleDef_Init(&definition);
}
