/* Walking through the stacks of a page: what is at every key, and which of it is not known yet; and listing the members
   of tables in them.

   `walk_in_python` in stack_walk.py is the definition, and `list_in_python` in part_members.py. Nothing that is walked through changes meanwhile, except for the
   list of what is missing and the sets of what was walked through. All state is the module's own. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum { MOST_SLOTS = 10, MOST_NESTED = 8, SLOT_BITS = 6, GLANCES = 16 };
enum { SHORT_STRING = 5, LONGEST_STRING = 300 };
enum { LEAF, MAPPING, LIST, OTHER };
/* What a step did with a key; a code has the last two bits. */
enum { KEPT, TAKEN, MERGED, JOINED, OLD_FIRST = 6, NEW_FIRST = 7 };
enum { FAILED = -1, NO_STACK = -2 };
enum { NUMBER, LIVE, LEAVES, MAPPINGS, LISTS, OTHERS, WALKED, FIELDS }; /* of a StackPattern */

typedef struct {
    PyObject *old, *new, *MapDelta, *ListDelta;
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

/* Tables: mappings of single values, of which the members are listed. */

/* What all members of a table are listed with; all borrowed. */
typedef struct {
    PyObject *lines, *columns, *locate; /* of a position map */
    PyObject *origin;                   /* of the table: all are in the same source */
    PyObject *steps, *step;             /* the numbers of keys by their spelling, and what gives those of others */
    PyObject *numbers, *text;           /* the numbers of texts, and what gives the code of a value */
} Listing;

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
static PyObject *code_of(const Listing *l, PyObject *value, Py_ssize_t *spent) {
    if (!is_plain(value)) return PyObject_CallOneArg(l->text, value);
    PyObject *number = PyDict_GetItemWithError(l->numbers, value);
    if (number != NULL) return PyLong_FromSsize_t(2 * PyLong_AsSsize_t(number) + 1);
    if (PyErr_Occurred()) return NULL;
    Py_ssize_t next = PyDict_GET_SIZE(l->numbers);
    *spent += PyUnicode_GET_LENGTH(value);
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

/* The origin of a record if it is in the same source as the table; Py_None if it is not. */
static PyObject *origin_of(const Listing *l, Py_ssize_t record) {
    PyObject *line = PySequence_GetItem(l->lines, record), *column = PySequence_GetItem(l->columns, record);
    PyObject *arguments[] = {line, column};
    PyObject *found = line && column ? PyObject_Vectorcall(l->locate, arguments, 2, NULL) : NULL;
    Py_XDECREF(line);
    Py_XDECREF(column);
    if (found == NULL) return NULL;
    int same = PyTuple_Check(found) && PyTuple_GET_SIZE(found) == 4;
    for (int at = 0; same == 1 && at < 4; at += 3)
        same = PyObject_RichCompareBool(PyTuple_GET_ITEM(found, at), PyTuple_GET_ITEM(l->origin, at), Py_EQ);
    if (same == 1) return found;
    Py_DECREF(found);
    return same < 0 ? NULL : Py_NewRef(Py_None);
}

/* List one member; 1 if that was done, 0 if the table is not of that kind. */
static int list_member(const Listing *l, PyObject *key, PyObject *value, Py_ssize_t record, PyObject *members,
                       PyObject *group, Py_ssize_t *spent) {
    PyObject *code = code_of(l, value, spent), *origin = NULL, *step = NULL, *member = NULL;
    int done = code == NULL ? -1 : code == Py_None ? 0 : 1;
    if (done == 1) {
        origin = origin_of(l, record);
        done = origin == NULL ? -1 : origin == Py_None ? 0 : 1;
    }
    if (done == 1) {
        step = step_number(l, key);
        if (step != NULL) member = Py_BuildValue("nOO", PyDict_GET_SIZE(members), step, code);
        if (member == NULL || PyDict_SetItem(members, key, member) < 0 || PyList_Append(group, step) < 0
            || PyList_Append(group, PyTuple_GET_ITEM(origin, 1)) < 0
            || PyList_Append(group, PyTuple_GET_ITEM(origin, 2)) < 0 || PyList_Append(group, code) < 0)
            done = -1;
    }
    Py_XDECREF(code);
    Py_XDECREF(origin);
    Py_XDECREF(step);
    Py_XDECREF(member);
    return done;
}

static PyObject *py_list_table(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 11 || !PyDict_CheckExact(arguments[0]) || !PyLong_Check(arguments[1]) || !PyList_CheckExact(arguments[2])
        || !PyTuple_Check(arguments[6]) || PyTuple_GET_SIZE(arguments[6]) != 4 || !PyDict_CheckExact(arguments[7])
        || !PyDict_CheckExact(arguments[9])) {
        PyErr_SetString(PyExc_TypeError, "list_table takes a mapping, its record, a list, lines, columns, what locates "
                                         "them, an origin, and the numbers of keys and texts with what gives others");
        return NULL;
    }
    Listing l = {arguments[3], arguments[4], arguments[5], arguments[6],
                 arguments[7], arguments[8], arguments[9], arguments[10]};
    PyObject *members = PyDict_New(), *key, *value;
    Py_ssize_t position = 0, spent = 0, record = PyLong_AsSsize_t(arguments[1]);
    int done = members == NULL ? -1 : 1;
    while (done == 1 && PyDict_Next(arguments[0], &position, &key, &value)) {
        record += 2;
        done = list_member(&l, key, value, record, members, arguments[2], &spent);
    }
    if (done == 1) return Py_BuildValue("Nn", members, spent);
    Py_XDECREF(members);
    return done < 0 ? NULL : Py_BuildValue("On", Py_None, spent);
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
    return 0;
}

static int clear_module(PyObject *module) {
    State *s = PyModule_GetState(module);
    Py_CLEAR(s->old);
    Py_CLEAR(s->new);
    Py_CLEAR(s->MapDelta);
    Py_CLEAR(s->ListDelta);
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
    {"list_table", (PyCFunction)(void (*)(void))py_list_table, METH_FASTCALL, "The members of a table."},
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
