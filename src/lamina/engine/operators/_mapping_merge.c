/* Merging two mappings by a table of operators: `merge_mappings_py` of mapping.py as a C extension, and
   `merge_member_py` of value_merge.py, which gives the value alone.

   The Python function is the definition; this one gives the same deltas. What is not plain (an operator that promises
   nothing, a value of an unusual type) is asked of the Python objects themselves. Mappings inside mappings are merged,
   and strings and lists joined, without leaving C where their operators promise what member_protocols.py describes. All
   state is the module's own.

   What is made here and holds nothing but plain data is not visited by the garbage collector, which would do so in
   vain: neither values nor deltas are changed once they are made, so that none can come to hold itself. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

enum { ABSENT, NULL_, FALSE_, TRUE_, ZERO, NUMBER, EMPTY_TEXT, TEXT, EMPTY_LIST, LIST, EMPTY_MAP, MAP, OTHER, COUNT };

/* What the Python side hands over once, in this order: classes of deltas, sets of classes of operators, the rest. */
#define CLASSES(X) X(MapDelta) X(TextDelta) X(ListDelta) X(Compose)
#define CLASS_SETS(X) X(by_table) X(own_policy) X(text_joins) X(list_joins)
#define HANDED_OVER(X) \
    CLASSES(X) CLASS_SETS(X) X(DESCEND) X(KEEP) X(TAKE) X(OLD) X(NEW) X(MISSING) X(classify)

/* Names of attributes and methods, made once. */
#define NAMES(X) X(apply) X(build) X(cells) X(enter) X(entries) X(everywhere) X(explicit) X(first) X(guard) X(inherited_policies) \
    X(inherit) X(inherits) X(known) X(mappings) X(parts) X(separator) X(spend) X(spends) X(table) X(value)

/* Slots of the classes of deltas that are filled here: the class, the slot, and its name in Python. */
#define SLOTS(X) X(MapDelta, value, "value") X(MapDelta, entries, "_entries") X(MapDelta, under, "under") \
    X(MapDelta, outer, "outer") X(TextDelta, value, "value") X(TextDelta, parts, "parts") \
    X(ListDelta, value, "value") X(ListDelta, lost, "lost") X(ListDelta, starts, "_starts") \
    X(ListDelta, first, "_first") X(ListDelta, cut, "_cut") X(Compose, delta, "delta")

#define FIELD(name) PyObject *name;
#define NAME_FIELD(name) PyObject *s_##name;
#define SLOT_FIELD(kind, slot, name) Py_ssize_t kind##_##slot;

typedef struct {
    HANDED_OVER(FIELD)
    NAMES(NAME_FIELD)
    SLOTS(SLOT_FIELD)
} State;

/* Where a merge is: the trail of mapping.py, whose tuple is made when an operator is asked. */
typedef struct Trail {
    struct Trail *outer;
    PyObject *key;
    PyObject *made; /* the tuple, once it is made; given for the outermost */
} Trail;

/* What is known of an operator that combines mappings, or of a policy. */
typedef struct {
    PyObject *of;
    PyObject *cells; /* those of the operator, or of the policy's table */
    int everywhere;  /* of a policy */
    int spends;      /* of an operator */
    int unguarded;   /* of an operator: whether its table holds for all mappings */
} Fact;

#define FACTS 8

/* What all mappings of one call have in common. */
typedef struct {
    PyObject *run;
    Fact facts[FACTS];    /* what was looked up last: a call meets few operators and policies, again and again */
    PyObject *cells;      /* the table that was looked at last; NULL: none was */
    int takes_others;     /* whether it takes every new value that is not a mapping, whatever the old one is */
    PyObject *taken;      /* the entries of the mapping whose members were all taken last; NULL: there was none */
    Py_ssize_t looked_at; /* keys that still have to be counted against the budget of the run */
    Py_ssize_t nodes;     /* what was built, in nodes and bytes, likewise */
    Py_ssize_t size;
} Call;

static PyObject *merge_mappings(const State *s, PyObject *cells, PyObject *old, PyObject *new, PyObject *policy,
                        Trail *trail, Call *call);

/* The class of a value, -1 on error; as in values.py. */
static int class_of(const State *s, PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyUnicode_Type) return PyUnicode_GET_LENGTH(value) ? TEXT : EMPTY_TEXT;
    if (type == &PyDict_Type) return PyDict_GET_SIZE(value) ? MAP : EMPTY_MAP;
    if (type == &PyList_Type) return PyList_GET_SIZE(value) ? LIST : EMPTY_LIST;
    if (value == Py_None) return NULL_;
    if (value == Py_True) return TRUE_;
    if (value == Py_False) return FALSE_;
    if (value == s->MISSING) return ABSENT;
    if (type == &PyLong_Type || type == &PyFloat_Type) return PyObject_IsTrue(value) ? NUMBER : ZERO;
    PyObject *found = PyObject_CallOneArg(s->classify, value);
    if (found == NULL) return -1;
    long number = PyLong_AsLong(found);
    Py_DECREF(found);
    if (number < 0 || number >= COUNT) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no such class of values");
        return -1;
    }
    return (int)number;
}

/* The member of a mapping, or MISSING; a new reference, NULL on error. */
static PyObject *member_of(const State *s, PyObject *mapping, PyObject *key) {
    PyObject *found = PyDict_GetItemWithError(mapping, key);
    if (found == NULL && PyErr_Occurred()) return NULL;
    return Py_NewRef(found == NULL ? s->MISSING : found);
}

/* The place of two values in the cells of a table; -1 on error. */
static int place_of(const State *s, PyObject *old, PyObject *new) {
    int first = class_of(s, old), second = first < 0 ? -1 : class_of(s, new);
    return second < 0 ? -1 : first * COUNT + second;
}

/* Whether an attribute is true; -1 on error. */
static int is_so(PyObject *object, PyObject *name) {
    PyObject *found = PyObject_GetAttr(object, name);
    if (found == NULL) return -1;
    int answer = found == Py_True ? 1 : found == Py_False ? 0 : PyObject_IsTrue(found);
    Py_DECREF(found);
    return answer;
}

/* Whether the class of an operator is among those that promise something; -1 on error. */
static int promises(PyObject *operator, PyObject *classes) {
    return PySet_Contains(classes, (PyObject *)Py_TYPE(operator));
}

/* An operator out of a list of cells, borrowed; NULL on error. */
static PyObject *cell(PyObject *cells, int place) {
    if (!PyList_CheckExact(cells) || place >= PyList_GET_SIZE(cells)) {
        PyErr_SetString(PyExc_TypeError, "the cells of a table are a full list");
        return NULL;
    }
    return PyList_GET_ITEM(cells, place);
}

/* An object of a class of deltas, whose slots are then filled. */
static PyObject *blank(PyObject *class) {
    return ((PyTypeObject *)class)->tp_alloc((PyTypeObject *)class, 0);
}

/* Fill a slot that is empty; steals the value. */
static void fill(PyObject *object, Py_ssize_t slot, PyObject *value) {
    *(PyObject **)((char *)object + slot) = value;
}

/* What a slot holds, borrowed. */
static PyObject *slot_value(PyObject *object, Py_ssize_t slot) {
    return *(PyObject **)((char *)object + slot);
}

/* The value of a delta; a new reference. */
static PyObject *value_of_delta(const State *s, PyObject *delta) {
    if ((PyObject *)Py_TYPE(delta) != s->MapDelta) return PyObject_GetAttr(delta, s->s_value);
    return Py_NewRef(slot_value(delta, s->MapDelta_value));
}

/* The delta of a mapping; steals all three, of which `under` may be NULL. */
static PyObject *map_delta(const State *s, PyObject *value, PyObject *entries, PyObject *under, int plain) {
    PyObject *made = value == NULL ? NULL : blank(s->MapDelta);
    if (made == NULL) {
        Py_XDECREF(value);
        Py_XDECREF(entries);
        Py_XDECREF(under);
        return NULL;
    }
    fill(made, s->MapDelta_value, value);
    fill(made, s->MapDelta_entries, entries);
    fill(made, s->MapDelta_under, under == NULL ? Py_NewRef(Py_None) : under);
    fill(made, s->MapDelta_outer, Py_NewRef(Py_False));
    if (plain) {
        PyObject_GC_UnTrack(entries);
        PyObject_GC_UnTrack(made);
    }
    return made;
}

/* Whether a key contains a string that is not empty; -1 on error. Mostly it lacks even the first character. */
static int contains(PyObject *key, PyObject *guard) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(key);
    if (PyUnicode_KIND(key) == PyUnicode_1BYTE_KIND) {
        Py_UCS4 first = PyUnicode_READ_CHAR(guard, 0);
        if (first > 0xff || memchr(PyUnicode_1BYTE_DATA(key), (int)first, (size_t)length) == NULL) return 0;
    }
    Py_ssize_t found = PyUnicode_Find(key, guard, 0, length, 1);
    return found == -2 ? -1 : found >= 0;
}

/* Whether no key of a mapping contains a string; -1 on error. What is not a string might. */
static int none_contains(PyObject *mapping, PyObject *guard) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(mapping, &at, &key, &value)) {
        int found = PyUnicode_Check(key) ? contains(key, guard) : 1;
        if (found) return found < 0 ? -1 : 0;
    }
    return 1;
}

/* Where something is known of an object, if anything is. */
static Fact *fact_of(Call *call, PyObject *object) {
    return &call->facts[((uintptr_t)object >> 5) % FACTS];
}

/* Know an object from now on, and its cells, which are stolen. */
static const Fact *learn(Fact *fact, PyObject *object, PyObject *cells) {
    Py_XSETREF(fact->cells, cells);
    Py_XSETREF(fact->of, Py_NewRef(object));
    return fact;
}

/* Let go of all that is known. */
static void forget(Call *call) {
    Py_CLEAR(call->taken);
    Py_CLEAR(call->cells);
    for (int at = 0; at < FACTS; at++) {
        Py_CLEAR(call->facts[at].of);
        Py_CLEAR(call->facts[at].cells);
    }
}

/* What is known of a policy; NULL on error. It may be forgotten as soon as something else is looked up. */
static const Fact *policy_fact(const State *s, Call *call, PyObject *policy) {
    Fact *fact = fact_of(call, policy);
    if (fact->of == policy) return fact;
    int everywhere = is_so(policy, s->s_everywhere);
    PyObject *table = everywhere < 0 ? NULL : PyObject_GetAttr(policy, s->s_table);
    PyObject *cells = table == NULL ? NULL : PyObject_GetAttr(table, s->s_cells);
    Py_XDECREF(table);
    if (cells == NULL) return NULL;
    fact->everywhere = everywhere;
    return learn(fact, policy, cells);
}

/* What is known of an operator that combines mappings by a table; likewise. */
static const Fact *operator_fact(const State *s, Call *call, PyObject *operator) {
    Fact *fact = fact_of(call, operator);
    if (fact->of == operator) return fact;
    int spends = is_so(operator, s->s_spends);
    PyObject *guard = spends < 0 ? NULL : PyObject_GetAttr(operator, s->s_guard);
    PyObject *cells = guard == NULL ? NULL : PyObject_GetAttr(operator, s->s_cells);
    int unguarded = guard != NULL && PyUnicode_Check(guard) && PyUnicode_GET_LENGTH(guard) == 0;
    Py_XDECREF(guard);
    if (cells == NULL) return NULL;
    fact->spends = spends;
    fact->unguarded = unguarded;
    return learn(fact, operator, cells);
}

/* Whether the table of an operator holds for two mappings; -1 on error. */
static int table_holds(const State *s, PyObject *operator, PyObject *old, PyObject *new) {
    PyObject *guard = PyObject_GetAttr(operator, s->s_guard);
    if (guard == NULL) return -1;
    int holds = PyUnicode_Check(guard);
    if (holds && PyUnicode_GET_LENGTH(guard)) {
        holds = none_contains(old, guard);
        if (holds > 0) holds = none_contains(new, guard);
    }
    Py_DECREF(guard);
    return holds;
}

/* The tuple of a trail, borrowed; NULL on error. No trail is deeper than the mappings that are being merged. */
static PyObject *as_tuple(Trail *trail) {
    if (trail->made == NULL) {
        PyObject *outer = as_tuple(trail->outer);
        if (outer != NULL) trail->made = PyTuple_Pack(3, outer, trail->key, trail->key);
    }
    return trail->made;
}

static PyObject *applied(const State *s, PyObject *operator, PyObject *before, PyObject *value, PyObject *inner,
                         Trail *trail, PyObject *run) {
    PyObject *path = as_tuple(trail);
    if (path == NULL) return NULL;
    PyObject *arguments[] = {operator, before, value, inner, path, run};
    return PyObject_VectorcallMethod(s->s_apply, arguments, 6 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
}

#define MOST_UNCOUNTED 4096

/* Count what was looked at against the budget of a run, by its own method; -1 on error. */
static int spend(const State *s, Call *call) {
    PyObject *spent = PyLong_FromSsize_t(call->looked_at), *answer = NULL;
    call->looked_at = 0;
    if (spent != NULL) answer = PyObject_CallMethodOneArg(call->run, s->s_spend, spent);
    Py_XDECREF(spent);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

/* Look at the keys of a mapping; the budget is asked once for many mappings. -1 on error. */
static int look_at(const State *s, Call *call, PyObject *mapping) {
    call->looked_at += PyDict_GET_SIZE(mapping);
    return call->looked_at > MOST_UNCOUNTED ? spend(s, call) : 0;
}

#define MOST_UNCOUNTED_SIZE (1 << 20)
#define ENTRY 48 /* what an entry of a mapping that is copied costs; as in budget.py */

/* Count what was built against the budget of a run, by its own method; -1 on error. */
static int count_built(const State *s, Call *call) {
    PyObject *nodes = PyLong_FromSsize_t(call->nodes), *size = PyLong_FromSsize_t(call->size), *answer = NULL;
    call->nodes = call->size = 0;
    if (nodes != NULL && size != NULL) answer = PyObject_CallMethodObjArgs(call->run, s->s_build, nodes, size, NULL);
    Py_XDECREF(nodes);
    Py_XDECREF(size);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

/* What is about to be built; the budget is asked once for many small things. -1 on error. */
static int build(const State *s, Call *call, Py_ssize_t nodes, Py_ssize_t size) {
    call->nodes += nodes;
    call->size += size;
    return call->nodes > MOST_UNCOUNTED || call->size > MOST_UNCOUNTED_SIZE ? count_built(s, call) : 0;
}

/* How many bytes a string takes, at most; as in budget.py. */
static Py_ssize_t text_size(PyObject *text) {
    return PyUnicode_GET_LENGTH(text) * (PyUnicode_IS_ASCII(text) ? 1 : 4);
}

/* What JoinStrings makes of two strings. */
static PyObject *one_text(const State *s, PyObject *operator, PyObject *old, PyObject *new, Call *call) {
    if (build(s, call, 0, text_size(old) + text_size(new)) < 0) return NULL;
    PyObject *separator = PyObject_GetAttr(operator, s->s_separator), *value = NULL;
    if (separator != NULL && PyUnicode_Check(separator)) {
        PyObject *first = PyUnicode_GET_LENGTH(separator) ? PyUnicode_Concat(old, separator) : Py_NewRef(old);
        value = first == NULL ? NULL : PyUnicode_Concat(first, new);
        Py_XDECREF(first);
    } else if (separator != NULL) {
        PyErr_SetString(PyExc_TypeError, "a separator is a string");
    }
    Py_XDECREF(separator);
    return value;
}

/* Two strings joined, as JoinStrings does it. */
static PyObject *joined_texts(const State *s, PyObject *operator, PyObject *old, PyObject *new, Call *call) {
    PyObject *value = one_text(s, operator, old, new, call), *made = NULL;
    PyObject *parts = value == NULL ? NULL : PyObject_GetAttr(operator, s->s_parts);
    if (parts != NULL && (made = blank(s->TextDelta)) != NULL) {
        fill(made, s->TextDelta_value, Py_NewRef(value));
        fill(made, s->TextDelta_parts, Py_NewRef(parts));
        PyObject_GC_UnTrack(made);
    }
    Py_XDECREF(parts);
    Py_XDECREF(value);
    return made;
}

/* The items of two lists in one. */
static PyObject *in_one_list(PyObject *first, PyObject *second) {
    Py_ssize_t cut = PyList_GET_SIZE(first), length = cut + PyList_GET_SIZE(second);
    PyObject *made = PyList_New(length);
    if (made == NULL) return NULL;
    for (Py_ssize_t at = 0; at < length; at++)
        PyList_SET_ITEM(made, at, Py_NewRef(at < cut ? PyList_GET_ITEM(first, at) : PyList_GET_ITEM(second, at - cut)));
    PyObject_GC_UnTrack(made);
    return made;
}

/* Whether the items of the old list come first; counts what is built; -1 on error. */
static int old_is_first(const State *s, PyObject *operator, PyObject *old, PyObject *new, Call *call) {
    Py_ssize_t length = PyList_GET_SIZE(old) + PyList_GET_SIZE(new);
    if (build(s, call, length, length * (Py_ssize_t)sizeof(PyObject *)) < 0) return -1;
    PyObject *first = PyObject_GetAttr(operator, s->s_first);
    int is_old = first == NULL || !PyUnicode_Check(first) ? -1 : PyUnicode_CompareWithASCIIString(first, "old") == 0;
    if (first != NULL && is_old < 0) PyErr_SetString(PyExc_TypeError, "a side is a string");
    Py_XDECREF(first);
    return is_old;
}

/* Two lists joined, as JoinLists does it. */
static PyObject *joined_lists(const State *s, PyObject *operator, PyObject *old, PyObject *new, Call *call) {
    PyObject *first = NULL, *value = NULL, *cut = NULL, *made = NULL;
    int is_old = old_is_first(s, operator, old, new, call);
    if (is_old >= 0 && (first = PyObject_GetAttr(operator, s->s_first)) != NULL
        && (value = is_old ? in_one_list(old, new) : in_one_list(new, old)) != NULL
        && (cut = PyLong_FromSsize_t(PyList_GET_SIZE(is_old ? old : new))) != NULL
        && (made = blank(s->ListDelta)) != NULL) {
        fill(made, s->ListDelta_value, Py_NewRef(value));
        fill(made, s->ListDelta_lost, PyTuple_New(0));
        fill(made, s->ListDelta_starts, Py_NewRef(Py_None));
        fill(made, s->ListDelta_first, Py_NewRef(first));
        fill(made, s->ListDelta_cut, Py_NewRef(cut));
        PyObject_GC_UnTrack(made);
    }
    Py_XDECREF(first);
    Py_XDECREF(value);
    Py_XDECREF(cut);
    return made;
}

/* What an operator makes of two values that are not both mappings: joined here where it promises that. */
static PyObject *combined_others(const State *s, PyObject *operator, PyObject *old, PyObject *new, PyObject *policy,
                                 Trail *trail, Call *call) {
    int texts = PyUnicode_CheckExact(old) && PyUnicode_CheckExact(new);
    int lists = PyList_CheckExact(old) && PyList_CheckExact(new);
    int joins = texts || lists ? promises(operator, texts ? s->text_joins : s->list_joins) : 0;
    if (joins < 0) return NULL;
    return joins ? (texts ? joined_texts : joined_lists)(s, operator, old, new, call)
                 : applied(s, operator, old, new, policy, trail, call->run);
}

/* Whether an operator promises to combine two mappings by a table; then the cells of it, a new reference, and the keys
   are counted. -1 on error. */
static int cells_for(const State *s, PyObject *operator, PyObject *old, PyObject *new, Call *call, PyObject **cells) {
    int plain = promises(operator, s->by_table);
    if (plain <= 0) return plain;
    const Fact *fact = operator_fact(s, call, operator);
    if (fact == NULL) return -1;
    *cells = Py_NewRef(fact->cells);
    int spends = fact->spends;
    if (!fact->unguarded) plain = table_holds(s, operator, old, new);
    if (plain > 0 && spends && look_at(s, call, new) < 0) plain = -1;
    if (plain <= 0) Py_CLEAR(*cells);
    return plain;
}

/* What an operator makes of two values: here where it promises to combine mappings by a table, else its own method. */
static PyObject *combined(const State *s, PyObject *operator, PyObject *old, PyObject *new, PyObject *policy,
                          Trail *trail, Call *call) {
    if (!PyDict_CheckExact(old) || !PyDict_CheckExact(new))
        return combined_others(s, operator, old, new, policy, trail, call);
    PyObject *cells;
    int plain = cells_for(s, operator, old, new, call, &cells);
    if (plain < 0) return NULL;
    if (!plain) return applied(s, operator, old, new, policy, trail, call->run);
    PyObject *made = merge_mappings(s, cells, old, new, policy, trail, call);
    Py_DECREF(cells);
    return made;
}

/* What an operator with a policy of its own makes of two members: mappings by its operator for them where that holds. */
static PyObject *combined_members(const State *s, PyObject *operator, PyObject *before, PyObject *value,
                                  PyObject *inner, Trail *trail, Call *call) {
    PyObject *mappings = PyObject_GetAttr(operator, s->s_mappings), *made = NULL;
    if (mappings == NULL) return NULL;
    int explicit = mappings == Py_None || !PyDict_CheckExact(value) ? 1 : is_so(inner, s->s_explicit);
    if (explicit == 0) made = combined(s, mappings, before, value, inner, trail, call);
    else if (explicit == 1) made = applied(s, operator, before, value, inner, trail, call->run);
    Py_DECREF(mappings);
    return made;
}

/* What a method of a policy answers for a key, looked up in what it is known to answer; a new reference. */
static PyObject *answer(PyObject *policy, PyObject **known, PyObject *known_answers, PyObject *method, PyObject *key) {
    if (*known == NULL && (*known = PyObject_GetAttr(policy, known_answers)) == NULL) return NULL;
    PyObject *found = PyDict_CheckExact(*known) ? Py_XNewRef(PyDict_GetItemWithError(*known, key)) : NULL;
    return found != NULL || PyErr_Occurred() ? found : PyObject_CallMethodOneArg(policy, method, key);
}

/* One pass: what has been made so far. */
typedef struct {
    PyObject *old, *policy;
    Trail *trail;
    Call *call;
    PyObject *entries, *under, *result;
    PyObject *known, *inherited; /* what the policy is known to answer, once that is looked at */
    int everywhere;
    int plain;               /* whether the entries hold nothing but plain data */
} Pass;

/* The policy of a member, for an operator that has one of its own or for another; a new reference. */
static PyObject *policy_of(const State *s, Pass *pass, PyObject *operator, PyObject *key, int own) {
    PyObject *policy = pass->policy;
    if (!own && pass->everywhere) return Py_NewRef(policy);
    int inherits = own ? is_so(operator, s->s_inherits) : 0;
    if (inherits < 0) return NULL;
    return inherits ? answer(policy, &pass->inherited, s->s_inherited_policies, s->s_inherit, key)
                    : answer(policy, &pass->known, s->s_known, s->s_enter, key);
}

/* The operator that a policy has in a cell; a new reference. */
static PyObject *operator_of(const State *s, Call *call, PyObject *policy, int place) {
    const Fact *fact = policy_fact(s, call, policy);
    return fact == NULL ? NULL : Py_XNewRef(cell(fact->cells, place));
}

/* Store the delta and the value of a key; -1 on error. */
static int enter(const State *s, Pass *pass, PyObject *key, PyObject *before, PyObject *after) {
    if (after == before) return 0;
    if (pass->result == NULL && (pass->result = PyDict_Copy(pass->old)) == NULL) return -1;
    return after == s->MISSING ? PyDict_DelItem(pass->result, key) : PyDict_SetItem(pass->result, key, after);
}

/* Combine two members by an operator that is more than keeping and taking; -1 on error. */
static int go_deeper(const State *s, Pass *pass, PyObject *operator, PyObject *key, PyObject *before, PyObject *value,
                     int place) {
    int status = -1, own = operator == s->DESCEND ? 0 : promises(operator, s->own_policy);
    if (own < 0) return -1;
    PyObject *delta = NULL, *after = NULL;
    Trail trail = {.outer = pass->trail, .key = key};
    PyObject *inner = policy_of(s, pass, operator, key, own);
    if (inner == NULL) return -1;
    Py_INCREF(operator);
    if (operator == s->DESCEND) Py_SETREF(operator, operator_of(s, pass->call, inner, place));
    if (operator == NULL) goto done;
    if (own) {
        if (pass->under == NULL && (pass->under = PyDict_New()) == NULL) goto done;
        if (PyDict_SetItem(pass->under, key, inner) < 0) goto done;
    }
    if (operator == s->KEEP) delta = Py_NewRef(s->OLD);
    else if (operator == s->TAKE) delta = Py_NewRef(s->NEW);
    else delta = (own ? combined_members : combined)(s, operator, before, value, inner, &trail, pass->call);
    if (delta == NULL || PyDict_SetItem(pass->entries, key, delta) < 0) goto done;
    if (delta != s->OLD && delta != s->NEW && PyObject_GC_IsTracked(delta)) pass->plain = 0;
    after = delta == s->OLD   ? Py_NewRef(before)
            : delta == s->NEW ? Py_NewRef(value)
                              : value_of_delta(s, delta);
    if (after != NULL) status = enter(s, pass, key, before, after);
done:
    Py_DECREF(inner);
    Py_XDECREF(operator);
    Py_XDECREF(trail.made);
    Py_XDECREF(delta);
    Py_XDECREF(after);
    return status;
}

/* Merge one key; -1 on error. */
static int merge_key(const State *s, Pass *pass, PyObject *cells, PyObject *key, PyObject *value) {
    PyObject *before = member_of(s, pass->old, key);
    if (before == NULL) return -1;
    int status = -1, place = place_of(s, before, value);
    PyObject *operator = place < 0 ? NULL : cell(cells, place);
    if (operator == s->KEEP) status = PyDict_SetItem(pass->entries, key, s->OLD);
    else if (operator == s->TAKE)
        status = PyDict_SetItem(pass->entries, key, s->NEW) < 0 ? -1 : enter(s, pass, key, before, value);
    else if (operator != NULL) status = go_deeper(s, pass, operator, key, before, value, place);
    Py_DECREF(before);
    return status;
}

/* Whether all keys of `some`, which `mapping` has too, are the very same objects there; -1 on error. */
static int same_spelling(PyObject *some, PyObject *mapping) {
    PyObject *key, *value, *keys = PySet_New(NULL);
    Py_ssize_t at = 0;
    int same = keys == NULL ? -1 : 1;
    while (same >= 0 && PyDict_Next(mapping, &at, &key, &value)) {
        PyObject *identity = PyLong_FromVoidPtr(key);
        if (identity == NULL || PySet_Add(keys, identity) < 0) same = -1;
        Py_XDECREF(identity);
    }
    for (at = 0; same > 0 && PyDict_Next(some, &at, &key, &value);) {
        PyObject *identity = PyLong_FromVoidPtr(key);
        same = identity == NULL ? -1 : PySet_Contains(keys, identity);
        Py_XDECREF(identity);
    }
    Py_XDECREF(keys);
    return same;
}

/* The mapping with those of its keys that `spelt` has, too, in its spelling. */
static PyObject *respelt(PyObject *mapping, PyObject *spelt) {
    PyObject *made = PyDict_New(), *spellings = PyDict_New(), *key, *value;
    Py_ssize_t at = 0;
    int status = made == NULL || spellings == NULL ? -1 : 0;
    while (status == 0 && PyDict_Next(spelt, &at, &key, &value)) status = PyDict_SetItem(spellings, key, key);
    for (at = 0; status == 0 && PyDict_Next(mapping, &at, &key, &value);) {
        PyObject *other = PyDict_GetItemWithError(spellings, key);
        status = other == NULL && PyErr_Occurred() ? -1 : PyDict_SetItem(made, other == NULL ? key : other, value);
    }
    Py_XDECREF(spellings);
    if (status < 0) Py_CLEAR(made);
    return made;
}

/* The old mapping as the pass leaves it; a new reference. */
static PyObject *outcome(Pass *pass) {
    PyObject *result = pass->result == NULL ? pass->old : pass->result;
    int same = pass->under == NULL ? 1 : same_spelling(pass->under, pass->old);
    PyObject *made = same < 0 ? NULL : same ? Py_NewRef(result) : respelt(result, pass->under);
    if (made != NULL && made != pass->old) PyObject_GC_UnTrack(made);
    return made;
}

/* Whether a table takes every new value that is not a mapping: the old ones then need not be looked at, which are rarely
   in the caches of the processor. As `_taking` of Union in mapping.py. */
static int takes_others(const State *s, Call *call, PyObject *cells) {
    if (call->cells == cells) return call->takes_others;
    Py_XSETREF(call->cells, Py_NewRef(cells));
    call->takes_others = PyList_CheckExact(cells) && PyList_GET_SIZE(cells) == COUNT * COUNT;
    for (int at = 0; call->takes_others && at < COUNT * COUNT; at++) {
        int kind = at % COUNT;
        if (kind != EMPTY_MAP && kind != MAP && PyList_GET_ITEM(cells, at) != s->TAKE) call->takes_others = 0;
    }
    return call->takes_others;
}

/* Whether a value is surely not a mapping. */
static int is_simple(PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyList_Type || type == &PyBool_Type
           || value == Py_None || type == &PyFloat_Type;
}

/* The members of a mapping from its first one on that are taken as they are. */
typedef struct {
    Py_ssize_t count;
    Py_ssize_t next; /* where the first one after them is, for PyDict_Next */
    int changes;     /* whether any is another object than the old mapping has */
} Taken;

/* Look for them by the cells of a table; -1 on error. Most mappings without mappings inside are taken altogether. */
static int find_taken(const State *s, PyObject *cells, PyObject *old, PyObject *new, Call *call, Taken *taken) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int others = takes_others(s, call, cells);
    while (PyDict_Next(new, &at, &key, &value)) {
        /* Classes of values may be asked: what is looked at must stay, whatever they do. */
        Py_INCREF(key);
        Py_INCREF(value);
        PyObject *before = member_of(s, old, key);
        int simple = before != NULL && others && is_simple(value), place = 0;
        if (!simple) place = before == NULL ? -1 : place_of(s, before, value);
        PyObject *operator = simple ? s->TAKE : place < 0 ? NULL : cell(cells, place);
        int takes = operator == s->TAKE;
        if (takes && value != before) taken->changes = 1;
        Py_XDECREF(before);
        Py_DECREF(key);
        Py_DECREF(value);
        if (operator == NULL) return -1;
        if (!takes) break;
        taken->count++;
        taken->next = at;
    }
    return 0;
}

/* Whether two keys cannot be distinguished: they are one object, or plain strings that are equal. */
static int is_same_key(PyObject *one, PyObject *other) {
    if (one == other) return 1;
    return PyUnicode_CheckExact(one) && PyUnicode_CheckExact(other)
           && PyUnicode_GET_LENGTH(one) == PyUnicode_GET_LENGTH(other) && PyUnicode_Compare(one, other) == 0;
}

/* Whether two mappings have the same keys in the same order. */
static int has_same_keys(PyObject *one, PyObject *other) {
    PyObject *key, *other_key, *value;
    Py_ssize_t at = 0, other_at = 0;
    if (PyDict_GET_SIZE(one) != PyDict_GET_SIZE(other)) return 0;
    while (PyDict_Next(one, &at, &key, &value)) {
        if (!PyDict_Next(other, &other_at, &other_key, &value) || !is_same_key(key, other_key)) return 0;
    }
    return 1;
}

/* Put the first members of a mapping into another, or with an `entry` that under each of their keys; -1 on error. */
static int put_first(PyObject *target, PyObject *mapping, Py_ssize_t count, PyObject *entry) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (count-- > 0 && PyDict_Next(mapping, &at, &key, &value)) {
        if (PyDict_SetItem(target, key, entry == NULL ? value : entry) < 0) return -1;
    }
    return 0;
}

/* A copy of a mapping with the first members of another put into it, or an `entry` under each of their keys. */
static PyObject *with_first(PyObject *mapping, PyObject *other, Py_ssize_t count, PyObject *entry) {
    PyObject *made = PyDict_Copy(mapping);
    if (made != NULL && put_first(made, other, count, entry) < 0) Py_CLEAR(made);
    return made;
}

/* The delta of a mapping whose members are all taken. Where it has the keys of the old one, nothing is copied; where it
   has those of the mapping before it, as the items of a list or a table have, they have their entries in common. */
static PyObject *all_taken(const State *s, PyObject *old, PyObject *new, const Taken *taken, Call *call) {
    if (call->taken == NULL || !has_same_keys(call->taken, new)) {
        PyObject *entries = with_first(new, new, taken->count, s->NEW);
        if (entries == NULL) return NULL;
        PyObject_GC_UnTrack(entries);
        Py_XSETREF(call->taken, entries);
    }
    PyObject *value;
    if (!taken->changes) value = Py_NewRef(old);
    else if (PyDict_CheckExact(new) && has_same_keys(old, new)) value = Py_NewRef(new);
    else if ((value = with_first(old, new, taken->count, NULL)) != NULL) PyObject_GC_UnTrack(value);
    return map_delta(s, value, Py_NewRef(call->taken), NULL, 1);
}

/* Merge the keys after those that are taken; -1 on error. */
static int merge_keys(const State *s, Pass *pass, PyObject *cells, PyObject *new, const Taken *taken) {
    const Fact *fact = policy_fact(s, pass->call, pass->policy);
    if (fact == NULL) return -1;
    pass->everywhere = fact->everywhere;
    /* There is an entry for every key of the new mapping: a copy has room for them, and all are replaced. */
    pass->entries = with_first(new, new, taken->count, s->NEW);
    if (pass->entries == NULL) return -1;
    if (taken->changes && (pass->result = with_first(pass->old, new, taken->count, NULL)) == NULL) return -1;
    PyObject *key, *value;
    Py_ssize_t at = taken->next;
    int status = 0;
    while (status == 0 && PyDict_Next(new, &at, &key, &value)) {
        /* Operators are asked meanwhile: what is looked at must stay, whatever they do. */
        Py_INCREF(key);
        Py_INCREF(value);
        status = merge_key(s, pass, cells, key, value);
        Py_DECREF(key);
        Py_DECREF(value);
    }
    return status;
}

static PyObject *merge_mappings(const State *s, PyObject *cells, PyObject *old, PyObject *new, PyObject *policy,
                        Trail *trail, Call *call) {
    Taken taken = {0};
    if (find_taken(s, cells, old, new, call, &taken) < 0) return NULL;
    if (taken.count == PyDict_GET_SIZE(new)) return all_taken(s, old, new, &taken, call);
    if (Py_EnterRecursiveCall(" while merging")) return NULL;
    Pass pass = {.old = old, .policy = policy, .trail = trail, .call = call, .plain = 1};
    PyObject *result = merge_keys(s, &pass, cells, new, &taken) < 0 ? NULL : outcome(&pass);
    Py_XDECREF(pass.result);
    Py_XDECREF(pass.known);
    Py_XDECREF(pass.inherited);
    Py_LeaveRecursiveCall();
    return map_delta(s, result, pass.entries, pass.under, pass.plain && pass.under == NULL);
}

/* Merging for the value alone: `merge_member_py` of value_merge.py. The functions return 1 if it was merged, 0 if that
   takes an operator that promises nothing, -1 on error. */

static int merge_members(const State *s, PyObject *cells, PyObject *target, PyObject *new, PyObject *policy,
                         PyObject *made, Call *call);

/* Whether a container was made for the target, and so may be changed; -1 on error. */
static int is_made(PyObject *made, PyObject *container) {
    PyObject *identity = PyLong_FromVoidPtr(container);
    int found = identity == NULL ? -1 : PyDict_Contains(made, identity);
    Py_XDECREF(identity);
    return found;
}

/* Put a container that was made for the target into it; steals the container; -1 on error. */
static int put_made(PyObject *made, PyObject *target, PyObject *key, PyObject *container) {
    PyObject *identity = container == NULL ? NULL : PyLong_FromVoidPtr(container);
    int status = identity == NULL ? -1 : PyDict_SetItem(made, identity, container);
    if (status == 0) status = PyDict_SetItem(target, key, container);
    Py_XDECREF(identity);
    Py_XDECREF(container);
    return status;
}

/* Merge a mapping into the member of the target, by an operator that promises to do so by a table. */
static int merge_mapping(const State *s, PyObject *operator, PyObject *target, PyObject *key, PyObject *before,
                         PyObject *value, PyObject *policy, PyObject *made, Call *call) {
    PyObject *cells;
    int status = cells_for(s, operator, before, value, call, &cells);
    if (status <= 0) return status;
    int own = is_made(made, before);
    PyObject *mapping = own < 0 ? NULL : own ? Py_NewRef(before) : PyDict_Copy(before);
    status = mapping == NULL ? -1 : own ? 0 : put_made(made, target, key, Py_NewRef(mapping));
    if (status == 0) status = merge_members(s, cells, mapping, value, policy, made, call);
    Py_ssize_t length = status > 0 ? PyDict_GET_SIZE(mapping) : 0;
    if (status > 0 && build(s, call, length, length * ENTRY) < 0) status = -1;
    Py_XDECREF(mapping);
    Py_DECREF(cells);
    return status;
}

/* Join a list to the member of the target: to the list itself where that was made for the target. */
static int join_list(const State *s, PyObject *operator, PyObject *target, PyObject *key, PyObject *before,
                     PyObject *value, PyObject *made, Call *call) {
    int old_first = old_is_first(s, operator, before, value, call);
    int own = old_first < 0 ? -1 : old_first ? is_made(made, before) : 0;
    if (own < 0) return -1;
    Py_ssize_t length = PyList_GET_SIZE(before);
    if (own) {
        if (PyList_SetSlice(before, length, length, value) < 0) return -1;
        PyObject_GC_UnTrack(before);
        return 1;
    }
    PyObject *list = old_first ? in_one_list(before, value) : in_one_list(value, before);
    return put_made(made, target, key, list) < 0 ? -1 : 1;
}

/* Merge a value into the member of the target by an operator. */
static int merge_by(const State *s, PyObject *operator, PyObject *target, PyObject *key, PyObject *before,
                    PyObject *value, PyObject *policy, PyObject *made, Call *call) {
    if (operator == s->KEEP) return 1;
    if (operator == s->TAKE) return PyDict_SetItem(target, key, value) < 0 ? -1 : 1;
    if (PyDict_CheckExact(before) && PyDict_CheckExact(value))
        return merge_mapping(s, operator, target, key, before, value, policy, made, call);
    int texts = PyUnicode_CheckExact(before) && PyUnicode_CheckExact(value);
    int lists = PyList_CheckExact(before) && PyList_CheckExact(value);
    int joins = texts || lists ? promises(operator, texts ? s->text_joins : s->list_joins) : 0;
    if (joins <= 0) return joins;
    if (lists) return join_list(s, operator, target, key, before, value, made, call);
    PyObject *text = one_text(s, operator, before, value, call);
    int status = text == NULL || PyDict_SetItem(target, key, text) < 0 ? -1 : 1;
    Py_XDECREF(text);
    return status;
}

/* Merge a value into the member of the target by an operator that needs the policy of the member. */
static int merge_deeper(const State *s, Pass *pass, PyObject *operator, PyObject *target, PyObject *key,
                        PyObject *before, PyObject *value, int place, PyObject *made) {
    int own = operator == s->DESCEND ? 0 : promises(operator, s->own_policy);
    /* A key may get the spelling of the new side; the spelling of a string is always the same. */
    if (own < 0 || (own && !PyUnicode_CheckExact(key))) return own < 0 ? -1 : 0;
    PyObject *inner = policy_of(s, pass, operator, key, own), *chosen = NULL;
    int explicit = inner == NULL ? -1 : own ? is_so(inner, s->s_explicit) : 0;
    if (explicit == 0) {
        chosen = own                      ? PyObject_GetAttr(operator, s->s_mappings)
                 : operator == s->DESCEND ? operator_of(s, pass->call, inner, place)
                                          : Py_NewRef(operator);
    }
    int status = explicit > 0 ? 0 : -1;
    if (chosen != NULL) {
        status = own && !(PyDict_CheckExact(before) && PyDict_CheckExact(value))
                     ? 0
                     : merge_by(s, chosen, target, key, before, value, inner, made, pass->call);
    }
    Py_XDECREF(chosen);
    Py_XDECREF(inner);
    return status;
}

/* Merge a value into the member of the target by the cells of a table. */
static int merge_by_cells(const State *s, Pass *pass, PyObject *cells, PyObject *target, PyObject *key,
                          PyObject *value, PyObject *made) {
    PyObject *before = member_of(s, target, key);
    if (before == NULL) return -1;
    int status = -1, place = place_of(s, before, value);
    PyObject *operator = place < 0 ? NULL : cell(cells, place);
    if (operator == s->KEEP) status = 1;
    else if (operator == s->TAKE) status = PyDict_SetItem(target, key, value) < 0 ? -1 : 1;
    else if (operator != NULL) status = merge_deeper(s, pass, operator, target, key, before, value, place, made);
    Py_DECREF(before);
    return status;
}

static int merge_members(const State *s, PyObject *cells, PyObject *target, PyObject *new, PyObject *policy,
                         PyObject *made, Call *call) {
    if (Py_EnterRecursiveCall(" while merging")) return -1;
    Pass pass = {.policy = policy, .call = call};
    const Fact *fact = policy_fact(s, call, policy);
    pass.everywhere = fact != NULL && fact->everywhere;
    int status = fact == NULL ? -1 : 1;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (status > 0 && PyDict_Next(new, &at, &key, &value)) {
        /* Policies are asked meanwhile: what is looked at must stay, whatever they do. */
        Py_INCREF(key);
        Py_INCREF(value);
        status = merge_by_cells(s, &pass, cells, target, key, value, made);
        Py_DECREF(key);
        Py_DECREF(value);
    }
    PyObject_GC_UnTrack(target);
    Py_XDECREF(pass.known);
    Py_XDECREF(pass.inherited);
    Py_LeaveRecursiveCall();
    return status;
}

/* How many keys the mappings of a delta have, which were copied for it; -1 on error. */
static Py_ssize_t keys_copied(const State *s, PyObject *delta) {
    PyObject *value = slot_value(delta, s->MapDelta_value), *entries = slot_value(delta, s->MapDelta_entries);
    /* Else they are still to be made of something. */
    int made = entries != NULL && PyDict_CheckExact(entries);
    entries = made ? Py_NewRef(entries) : PyObject_GetAttr(delta, s->s_entries);
    PyObject *key, *entry;
    Py_ssize_t at = 0, count = value == NULL || entries == NULL ? -1 : PyObject_Size(value);
    if (count < 0 ? !PyErr_Occurred() : !PyDict_Check(entries)) {
        PyErr_SetString(PyExc_TypeError, "a delta has a value, and a mapping of entries");
        count = -1;
    }
    if (count >= 0 && Py_EnterRecursiveCall(" while counting what was merged")) count = -1;
    else if (count >= 0) {
        while (count >= 0 && PyDict_Next(entries, &at, &key, &entry)) {
            if ((PyObject *)Py_TYPE(entry) == s->Compose) entry = slot_value(entry, s->Compose_delta);
            if (entry == NULL || (PyObject *)Py_TYPE(entry) != s->MapDelta) continue;
            Py_ssize_t inside = keys_copied(s, entry);
            count = inside < 0 ? -1 : count + inside;
        }
        Py_LeaveRecursiveCall();
    }
    Py_XDECREF(entries);
    return count;
}

/* The module */

static PyObject *py_keys_copied(PyObject *module, PyObject *delta) {
    const State *s = PyModule_GetState(module);
    if ((PyObject *)Py_TYPE(delta) != s->MapDelta) {
        PyErr_SetString(PyExc_TypeError, "keys_copied takes the delta of a mapping");
        return NULL;
    }
    Py_ssize_t count = keys_copied(s, delta);
    return count < 0 ? NULL : PyLong_FromSsize_t(count);
}

static PyObject *py_merge_mappings(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    const State *s = PyModule_GetState(module);
    if (s->classify == NULL || count != 6 || !PyDict_Check(arguments[1]) || !PyDict_Check(arguments[2])) {
        PyErr_SetString(PyExc_TypeError, "merge_mappings takes cells, two mappings, a policy, a trail and a run");
        return NULL;
    }
    Call call = {.run = arguments[5]};
    Trail trail = {.made = arguments[4]};
    PyObject *made = merge_mappings(s, arguments[0], arguments[1], arguments[2], arguments[3], &trail, &call);
    if (made != NULL && call.looked_at && spend(s, &call) < 0) Py_CLEAR(made);
    if (made != NULL && (call.nodes || call.size) && count_built(s, &call) < 0) Py_CLEAR(made);
    forget(&call);
    return made;
}

/* Merge a value into a member of a mapping; whether that was possible. */
static PyObject *py_merge_member(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    const State *s = PyModule_GetState(module);
    if (s->classify == NULL || count != 6 || !PyDict_CheckExact(arguments[0]) || !PyDict_CheckExact(arguments[4])) {
        PyErr_SetString(PyExc_TypeError, "merge_member takes a mapping, a key, a value, a policy, containers and a run");
        return NULL;
    }
    PyObject *target = arguments[0], *key = arguments[1], *value = arguments[2], *policy = arguments[3];
    PyObject *before = member_of(s, target, key);
    if (before == NULL) return NULL;
    Call call = {.run = arguments[5]};
    int status = -1, place = place_of(s, before, value);
    PyObject *operator = place < 0 ? NULL : operator_of(s, &call, policy, place);
    if (operator != NULL) status = merge_by(s, operator, target, key, before, value, policy, arguments[4], &call);
    if (status > 0 && call.looked_at && spend(s, &call) < 0) status = -1;
    if (status > 0 && (call.nodes || call.size) && count_built(s, &call) < 0) status = -1;
    forget(&call);
    Py_XDECREF(operator);
    Py_DECREF(before);
    return status < 0 ? NULL : PyBool_FromLong(status);
}

/* Where the objects of a class have a slot; -1 on error. */
static Py_ssize_t slot_of(PyObject *class, const char *name) {
    PyObject *found = PyObject_GetAttrString(class, name);
    if (found == NULL) return -1;
    Py_ssize_t offset = Py_IS_TYPE(found, &PyMemberDescr_Type) ? ((PyMemberDescrObject *)found)->d_member->offset : -1;
    Py_DECREF(found);
    if (offset < 0) PyErr_Format(PyExc_TypeError, "%s is not a slot of a delta", name);
    return offset;
}

/* Whether the arguments of `configure` have the right types. */
static int is_right(PyObject *arguments, Py_ssize_t count) {
#define ONE(name) +1
    Py_ssize_t classes = 0 CLASSES(ONE), sets = 0 CLASS_SETS(ONE);
    int right = PyTuple_GET_SIZE(arguments) == count;
    for (Py_ssize_t at = 0; right && at < classes + sets; at++) {
        PyObject *given = PyTuple_GET_ITEM(arguments, at);
        right = at < classes ? PyType_Check(given) : PyAnySet_Check(given);
    }
    return right;
}

static PyObject *configure(PyObject *module, PyObject *arguments) {
    State *s = PyModule_GetState(module);
#define ADDRESS(name) &s->name,
    PyObject **all[] = {HANDED_OVER(ADDRESS)};
    Py_ssize_t count = sizeof all / sizeof *all;
    if (!is_right(arguments, count)) {
        PyErr_SetString(PyExc_TypeError, "configure takes what the operators for mappings are made of");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < count; at++) Py_XSETREF(*all[at], Py_NewRef(PyTuple_GET_ITEM(arguments, at)));
#define FIND_SLOT(kind, slot, name) \
    if ((s->kind##_##slot = slot_of(s->kind, name)) < 0) return NULL;
    SLOTS(FIND_SLOT)
    Py_RETURN_NONE;
}

static int make_names(PyObject *module) {
    State *s = PyModule_GetState(module);
#define MAKE_NAME(name) \
    if ((s->s_##name = PyUnicode_InternFromString(#name)) == NULL) return -1;
    NAMES(MAKE_NAME)
    return 0;
}

static int traverse_module(PyObject *module, visitproc visit, void *arg) {
    State *s = PyModule_GetState(module);
#define VISIT(name) Py_VISIT(s->name);
    HANDED_OVER(VISIT)
    return 0;
}

static int clear_module(PyObject *module) {
    State *s = PyModule_GetState(module);
#define CLEAR(name) Py_CLEAR(s->name);
#define CLEAR_NAME(name) Py_CLEAR(s->s_##name);
    HANDED_OVER(CLEAR)
    NAMES(CLEAR_NAME)
    return 0;
}

static void free_module(void *module) {
    clear_module(module);
}

static PyMethodDef methods[] = {
    {"keys_copied", py_keys_copied, METH_O, "How many keys the mappings of a delta have, nested ones included."},
    {"configure", configure, METH_VARARGS, "Hand over what the operators for mappings are made of."},
    {"merge_member", (PyCFunction)(void (*)(void))py_merge_member, METH_FASTCALL, "Merge a value into a member of a mapping, which is changed."},
    {"merge_mappings", (PyCFunction)(void (*)(void))py_merge_mappings, METH_FASTCALL, "Two mappings merged by a table of operators."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, make_names},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lamina.engine.operators._mapping_merge",
    .m_doc = "Merging two mappings by a table of operators.",
    .m_size = sizeof(State),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__mapping_merge(void) {
    return PyModuleDef_Init(&definition);
}
