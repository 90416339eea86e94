/* Merging two mappings by a table of operators: `merge_mappings_py` of mapping.py as a C extension.

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
#define CLASSES(X) X(MapDelta) X(TextDelta) X(ListDelta)
#define CLASS_SETS(X) X(by_table) X(own_policy) X(text_joins) X(list_joins)
#define HANDED_OVER(X) \
    CLASSES(X) CLASS_SETS(X) X(DESCEND) X(KEEP) X(TAKE) X(OLD) X(NEW) X(MISSING) X(classify)

/* Names of attributes and methods, made once. */
#define NAMES(X) X(apply) X(build) X(cells) X(enter) X(everywhere) X(explicit) X(first) X(guard) X(inherited_policies) \
    X(inherit) X(inherits) X(known) X(mappings) X(parts) X(separator) X(spend) X(spends) X(table) X(value)

/* Slots of the classes of deltas that are filled here: the class, the slot, and its name in Python. */
#define SLOTS(X) X(MapDelta, value, "value") X(MapDelta, entries, "entries") X(MapDelta, under, "under") \
    X(MapDelta, outer, "outer") X(TextDelta, value, "value") X(TextDelta, parts, "parts") \
    X(ListDelta, value, "value") X(ListDelta, lost, "lost") X(ListDelta, starts, "_starts") \
    X(ListDelta, first, "_first") X(ListDelta, cut, "_cut")

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

/* What is known about an operator that was asked before; neighbours mostly have the same. */
typedef struct {
    PyObject *operator, *guard, *cells;
    int by_table, spends;
} OperatorFacts;

/* What is known about a policy, likewise; the cells of its table once they are looked up. */
typedef struct {
    PyObject *policy, *cells;
    int everywhere;
} PolicyFacts;

/* What all mappings of one call have in common. */
typedef struct {
    PyObject *run;
    OperatorFacts operator;
    PolicyFacts policy;
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

static void forget_operator(OperatorFacts *facts) {
    Py_CLEAR(facts->operator);
    Py_CLEAR(facts->guard);
    Py_CLEAR(facts->cells);
}

static void forget_policy(PolicyFacts *facts) {
    Py_CLEAR(facts->policy);
    Py_CLEAR(facts->cells);
}

/* Look up what an operator promises, unless it is the one before; -1 on error. */
static int look_up_operator(const State *s, OperatorFacts *facts, PyObject *operator) {
    if (facts->operator == operator) return 0;
    forget_operator(facts);
    facts->by_table = promises(operator, s->by_table);
    if (facts->by_table > 0) {
        facts->guard = PyObject_GetAttr(operator, s->s_guard);
        facts->cells = facts->guard == NULL ? NULL : PyObject_GetAttr(operator, s->s_cells);
        facts->spends = facts->cells == NULL ? -1 : is_so(operator, s->s_spends);
        if (facts->spends < 0) return -1;
    }
    if (facts->by_table < 0) return -1;
    facts->operator = Py_NewRef(operator);
    return 0;
}

/* Look up a policy, unless it is the one before; -1 on error. */
static int look_up_policy(const State *s, PolicyFacts *facts, PyObject *policy) {
    if (facts->policy == policy) return 0;
    forget_policy(facts);
    facts->everywhere = is_so(policy, s->s_everywhere);
    if (facts->everywhere < 0) return -1;
    facts->policy = Py_NewRef(policy);
    return 0;
}

/* The cells of the table of a policy, borrowed; NULL on error. */
static PyObject *cells_of(const State *s, PolicyFacts *facts, PyObject *policy) {
    if (look_up_policy(s, facts, policy) < 0) return NULL;
    if (facts->cells == NULL) {
        PyObject *table = PyObject_GetAttr(policy, s->s_table);
        facts->cells = table == NULL ? NULL : PyObject_GetAttr(table, s->s_cells);
        Py_XDECREF(table);
    }
    return facts->cells;
}

/* Whether no key of two mappings contains the guard of their operator, so that its table holds; -1 on error. */
static int table_holds(PyObject *guard, PyObject *old, PyObject *new) {
    if (!PyUnicode_Check(guard)) return 0;
    if (PyUnicode_GET_LENGTH(guard) == 0) return 1;
    int holds = none_contains(old, guard);
    return holds > 0 ? none_contains(new, guard) : holds;
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

/* Two strings joined, as JoinStrings does it. */
static PyObject *joined_texts(const State *s, PyObject *operator, PyObject *old, PyObject *new, Call *call) {
    if (build(s, call, 0, text_size(old) + text_size(new)) < 0) return NULL;
    PyObject *separator = PyObject_GetAttr(operator, s->s_separator), *made = NULL, *value = NULL;
    PyObject *parts = separator == NULL ? NULL : PyObject_GetAttr(operator, s->s_parts);
    if (parts != NULL && PyUnicode_Check(separator)) {
        PyObject *first = PyUnicode_GET_LENGTH(separator) ? PyUnicode_Concat(old, separator) : Py_NewRef(old);
        value = first == NULL ? NULL : PyUnicode_Concat(first, new);
        Py_XDECREF(first);
    } else if (parts != NULL) {
        PyErr_SetString(PyExc_TypeError, "a separator is a string");
    }
    if (value != NULL && (made = blank(s->TextDelta)) != NULL) {
        fill(made, s->TextDelta_value, Py_NewRef(value));
        fill(made, s->TextDelta_parts, Py_NewRef(parts));
        PyObject_GC_UnTrack(made);
    }
    Py_XDECREF(separator);
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

/* Two lists joined, as JoinLists does it. */
static PyObject *joined_lists(const State *s, PyObject *operator, PyObject *old, PyObject *new, Call *call) {
    Py_ssize_t length = PyList_GET_SIZE(old) + PyList_GET_SIZE(new);
    if (build(s, call, length, length * (Py_ssize_t)sizeof(PyObject *)) < 0) return NULL;
    PyObject *first = PyObject_GetAttr(operator, s->s_first), *value = NULL, *cut = NULL, *made = NULL;
    int is_old = first == NULL || !PyUnicode_Check(first) ? -1 : PyUnicode_CompareWithASCIIString(first, "old") == 0;
    if (is_old >= 0 && (value = is_old ? in_one_list(old, new) : in_one_list(new, old)) != NULL
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

/* What an operator makes of two values: here where it promises to combine mappings by a table, else its own method. */
static PyObject *combined(const State *s, PyObject *operator, PyObject *old, PyObject *new, PyObject *policy,
                          Trail *trail, Call *call) {
    if (!PyDict_CheckExact(old) || !PyDict_CheckExact(new))
        return combined_others(s, operator, old, new, policy, trail, call);
    OperatorFacts *facts = &call->operator;
    if (look_up_operator(s, facts, operator) < 0) return NULL;
    int plain = facts->by_table ? table_holds(facts->guard, old, new) : 0;
    if (plain < 0) return NULL;
    if (!plain) return applied(s, operator, old, new, policy, trail, call->run);
    PyObject *cells = Py_NewRef(facts->cells); /* another operator may be looked up meanwhile */
    PyObject *made = NULL;
    if (!facts->spends || look_at(s, call, new) == 0) made = merge_mappings(s, cells, old, new, policy, trail, call);
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
static PyObject *operator_of(const State *s, Pass *pass, PyObject *policy, int place) {
    PyObject *cells = cells_of(s, &pass->call->policy, policy);
    return cells == NULL ? NULL : Py_XNewRef(cell(cells, place));
}

/* The value of the delta of a mapping or of another one; a new reference. */
static PyObject *value_of_delta(const State *s, PyObject *delta) {
    if ((PyObject *)Py_TYPE(delta) != s->MapDelta) return PyObject_GetAttr(delta, s->s_value);
    return Py_NewRef(slot_value(delta, s->MapDelta_value));
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
    if (operator == s->DESCEND) Py_SETREF(operator, operator_of(s, pass, inner, place));
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
    PyObject *before = PyDict_GetItemWithError(pass->old, key);
    if (before == NULL) {
        if (PyErr_Occurred()) return -1;
        before = s->MISSING;
    }
    Py_INCREF(before);
    int status = -1, first = class_of(s, before), second = first < 0 ? -1 : class_of(s, value);
    PyObject *operator = second < 0 ? NULL : cell(cells, first * COUNT + second);
    if (operator == s->KEEP) status = PyDict_SetItem(pass->entries, key, s->OLD);
    else if (operator == s->TAKE)
        status = PyDict_SetItem(pass->entries, key, s->NEW) < 0 ? -1 : enter(s, pass, key, before, value);
    else if (operator != NULL) status = go_deeper(s, pass, operator, key, before, value, first * COUNT + second);
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

static PyObject *merge_mappings(const State *s, PyObject *cells, PyObject *old, PyObject *new, PyObject *policy,
                        Trail *trail, Call *call) {
    if (Py_EnterRecursiveCall(" while merging")) return NULL;
    /* There is an entry for every key of the new mapping: a copy has room for them, and all are replaced. */
    Pass pass = {.old = old, .policy = policy, .trail = trail, .call = call, .entries = PyDict_Copy(new), .plain = 1};
    int status = pass.entries == NULL ? -1 : look_up_policy(s, &call->policy, policy);
    pass.everywhere = call->policy.everywhere;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (status == 0 && PyDict_Next(new, &at, &key, &value)) {
        /* Operators are asked meanwhile: what is looked at must stay, whatever they do. */
        Py_INCREF(key);
        Py_INCREF(value);
        status = merge_key(s, &pass, cells, key, value);
        Py_DECREF(key);
        Py_DECREF(value);
    }
    PyObject *result = status < 0 ? NULL : outcome(&pass);
    Py_XDECREF(pass.result);
    Py_XDECREF(pass.known);
    Py_XDECREF(pass.inherited);
    Py_LeaveRecursiveCall();
    return map_delta(s, result, pass.entries, pass.under, pass.plain && pass.under == NULL);
}

/* How many keys the mappings of a delta have, which were copied for it; -1 on error. */
static Py_ssize_t keys_copied(const State *s, PyObject *delta) {
    PyObject *value = slot_value(delta, s->MapDelta_value), *entries = slot_value(delta, s->MapDelta_entries);
    PyObject *key, *entry;
    Py_ssize_t at = 0, count = value == NULL || entries == NULL ? -1 : PyObject_Size(value);
    if (count < 0 ? !PyErr_Occurred() : !PyDict_Check(entries)) {
        PyErr_SetString(PyExc_TypeError, "a delta has a value, and a mapping of entries");
        count = -1;
    }
    if (count >= 0 && Py_EnterRecursiveCall(" while counting what was merged")) count = -1;
    else if (count >= 0) {
        while (count >= 0 && PyDict_Next(entries, &at, &key, &entry)) {
            if ((PyObject *)Py_TYPE(entry) != s->MapDelta) continue;
            Py_ssize_t inside = keys_copied(s, entry);
            count = inside < 0 ? -1 : count + inside;
        }
        Py_LeaveRecursiveCall();
    }
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
    forget_operator(&call.operator);
    forget_policy(&call.policy);
    if (made != NULL && call.looked_at && spend(s, &call) < 0) Py_CLEAR(made);
    if (made != NULL && (call.nodes || call.size) && count_built(s, &call) < 0) Py_CLEAR(made);
    return made;
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
