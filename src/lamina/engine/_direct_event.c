/* The event of one merge at a path: `event_at_py` of direct_history.py as a C extension.

   The Python function is the definition, and is called for all but the most frequent: a value that a layer sets, or
   that is ignored, in mappings that were merged key by key, by the policy of the step. All state is the module's own. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

/* What the Python side hands over once, in this order: classes, then the rest. */
#define CLASSES(X) X(MergedNode) X(MapDelta) X(SourceNode) X(PositionMap) X(StepRef) X(Merge) X(From) X(Event)
#define HANDED_OVER(X) CLASSES(X) X(OLD) X(NEW) X(MISSING) X(event_at_py)

/* Slots of these classes: the class, the slot, and its name in Python. */
#define READ_SLOTS(X) X(MergedNode, delta, "delta") X(MergedNode, policy, "policy") X(MergedNode, new, "_new") \
    X(MergedNode, cause, "cause") X(MapDelta, entries, "_entries") X(MapDelta, outer, "outer") \
    X(MapDelta, under, "under") X(SourceNode, value, "value") X(SourceNode, index, "_index") \
    X(SourceNode, layer, "layer") X(SourceNode, positions, "positions") X(PositionMap, aliases, "aliases") \
    X(PositionMap, members, "members") X(PositionMap, children, "_children") X(PositionMap, lines, "lines") \
    X(PositionMap, columns, "columns") X(PositionMap, locate, "locate") X(StepRef, output, "output") \
    X(StepRef, number, "number") X(StepRef, step, "step") X(Merge, directive, "directive") X(Merge, verb, "verb") \
    X(Merge, take, "take") X(Merge, policy, "policy") X(Merge, directives, "directives") X(From, rank, "rank")
#define EVENT_SLOTS(X) X(verdict) X(value) X(result) X(path) X(origin) X(layer) X(directive) X(output) X(step) X(rank) \
    X(displaced) X(by) X(lost) X(reads) X(inside)

#define VERDICTS(X) X(set) X(replaced) X(ignored)

#define FIELD(name) PyObject *name;
#define VERDICT_FIELD(name) PyObject *s_##name;
#define SLOT_FIELD(kind, slot, name) Py_ssize_t kind##_##slot;
#define EVENT_FIELD(slot) Py_ssize_t Event_##slot;

typedef struct {
    HANDED_OVER(FIELD)
    VERDICTS(VERDICT_FIELD)
    READ_SLOTS(SLOT_FIELD)
    EVENT_SLOTS(EVENT_FIELD)
} State;

/* The outcome of a lookup. */
typedef enum { FAILED = -1, FOUND, NOTHING, UNUSUAL } Outcome;

/* What a slot holds, borrowed; NULL if it is empty. */
static PyObject *slot_value(PyObject *object, Py_ssize_t slot) {
    return *(PyObject **)((char *)object + slot);
}

#define SLOT(object, kind, slot) slot_value(object, s->kind##_##slot)
#define IS_A(object, kind) ((object) != NULL && (PyObject *)Py_TYPE(object) == s->kind)
#define IS_KIND_OF(object, kind) ((object) != NULL && PyObject_TypeCheck(object, (PyTypeObject *)s->kind))
#define IS_EMPTY_DICT(object) ((object) != NULL && PyDict_CheckExact(object) && PyDict_GET_SIZE(object) == 0)

/* The member of a mapping, borrowed. */
static Outcome member_of(PyObject *mapping, PyObject *key, PyObject **found) {
    if (mapping == NULL || !PyDict_CheckExact(mapping)) return UNUSUAL;
    *found = PyDict_GetItemWithError(mapping, key);
    return *found != NULL ? FOUND : PyErr_Occurred() ? FAILED : NOTHING;
}

/* What a merge did at a path: the delta of a side, borrowed. */
static Outcome entry_at(const State *s, PyObject *delta, PyObject *path, PyObject **found) {
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(path); at++) {
        if (!IS_A(delta, MapDelta) || SLOT(delta, MapDelta, outer) != Py_False) return UNUSUAL;
        if (SLOT(delta, MapDelta, under) != Py_None) return UNUSUAL;
        Outcome outcome = member_of(SLOT(delta, MapDelta, entries), PyTuple_GET_ITEM(path, at), &delta);
        if (outcome != FOUND) return outcome;
    }
    *found = delta;
    return delta == s->NEW || delta == s->OLD ? FOUND : UNUSUAL;
}

/* The value that a path leads to in a layer, and its record, both borrowed; only where all is looked up already. */
static Outcome written_at(const State *s, PyObject *new, PyObject *path, PyObject **value, PyObject **index) {
    PyObject *positions = SLOT(new, SourceNode, positions), *pair;
    *value = SLOT(new, SourceNode, value);
    *index = SLOT(new, SourceNode, index);
    if (!IS_KIND_OF(positions, PositionMap)) return UNUSUAL;
    if (!IS_EMPTY_DICT(SLOT(positions, PositionMap, aliases))) return UNUSUAL;
    if (!IS_EMPTY_DICT(SLOT(positions, PositionMap, members))) return UNUSUAL;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(path); at++) {
        PyObject *key = PyTuple_GET_ITEM(path, at), *pairs;
        if (*index == NULL || !PyLong_CheckExact(*index)) return UNUSUAL;
        Outcome outcome = member_of(*value, key, value);
        if (outcome == FOUND) outcome = member_of(SLOT(positions, PositionMap, children), *index, &pairs);
        if (outcome == FOUND) outcome = member_of(pairs, key, &pair);
        if (outcome != FOUND) return outcome == FAILED ? FAILED : UNUSUAL;
        if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2) return UNUSUAL;
        *index = PyTuple_GET_ITEM(pair, 1);
    }
    return *value != NULL && *index != NULL && PyLong_CheckExact(*index) ? FOUND : UNUSUAL;
}

/* Where a record was written; a new reference. */
static Outcome origin_of(const State *s, PyObject *positions, PyObject *index, PyObject **origin) {
    PyObject *lines = SLOT(positions, PositionMap, lines), *columns = SLOT(positions, PositionMap, columns);
    PyObject *locate = SLOT(positions, PositionMap, locate);
    if (lines == NULL || columns == NULL || locate == NULL) return UNUSUAL;
    Py_ssize_t at = PyLong_AsSsize_t(index);
    if (at == -1 && PyErr_Occurred()) return FAILED;
    if (!PyList_CheckExact(lines) || !PyList_CheckExact(columns)) return UNUSUAL;
    if (at < 0 || at >= PyList_GET_SIZE(lines) || at >= PyList_GET_SIZE(columns)) return UNUSUAL;
    PyObject *position[] = {PyList_GET_ITEM(lines, at), PyList_GET_ITEM(columns, at)};
    *origin = PyObject_Vectorcall(locate, position, 2, NULL);
    return *origin == NULL ? FAILED : FOUND;
}

/* The verdict on a value, borrowed. */
static PyObject *verdict_of(const State *s, PyObject *verb, PyObject *before, int is_ignored) {
    if (is_ignored) return s->s_ignored;
    if (verb != Py_None) return verb;
    return before == s->MISSING ? s->s_set : s->s_replaced;
}

/* The event of a merge; a new reference. */
static Outcome made_event(const State *s, PyObject *node, PyObject *path, PyObject *before, PyObject **event) {
    PyObject *delta = NULL, *value = NULL, *index = NULL, *origin = NULL;
    if (!IS_A(node, MergedNode)) return UNUSUAL;
    Outcome outcome = entry_at(s, SLOT(node, MergedNode, delta), path, &delta);
    if (outcome != FOUND) return outcome;
    int is_ignored = delta == s->OLD;
    PyObject *new = SLOT(node, MergedNode, new), *cause = SLOT(node, MergedNode, cause);
    if ((is_ignored && before == s->MISSING) || !IS_A(new, SourceNode) || !IS_A(cause, StepRef)) return UNUSUAL;
    PyObject *step = SLOT(cause, StepRef, step), *layer = SLOT(new, SourceNode, layer);
    PyObject *output = SLOT(cause, StepRef, output), *number = SLOT(cause, StepRef, number);
    if (layer == NULL || output == NULL || number == NULL || !IS_A(step, Merge)) return UNUSUAL;
    PyObject *verb = SLOT(step, Merge, verb), *take = SLOT(step, Merge, take);
    PyObject *directive = SLOT(step, Merge, directive), *policy = SLOT(step, Merge, policy);
    if (policy == NULL || SLOT(node, MergedNode, policy) != policy || directive == NULL) return UNUSUAL;
    if (!IS_EMPTY_DICT(SLOT(step, Merge, directives)) || !IS_KIND_OF(take, From)) return UNUSUAL;
    if (verb != Py_None && (verb == NULL || !PyUnicode_CheckExact(verb) || !PyUnicode_GET_LENGTH(verb))) return UNUSUAL;
    PyObject *rank = SLOT(take, From, rank);
    if (rank == NULL) return UNUSUAL;
    outcome = written_at(s, new, path, &value, &index);
    if (outcome == FOUND) outcome = origin_of(s, SLOT(new, SourceNode, positions), index, &origin);
    if (outcome != FOUND) return outcome;
    PyObject *made = ((PyTypeObject *)s->Event)->tp_alloc((PyTypeObject *)s->Event, 0);
    PyObject *nothing = made == NULL ? NULL : PyTuple_New(0);
    if (nothing == NULL) {
        Py_XDECREF(made);
        Py_DECREF(origin);
        return FAILED;
    }
#define FILL(slot, value) *(PyObject **)((char *)made + s->Event_##slot) = Py_NewRef(value);
    FILL(verdict, verdict_of(s, verb, before, is_ignored))
    FILL(value, value)
    FILL(result, is_ignored ? before : value)
    FILL(path, path)
    FILL(origin, origin)
    FILL(layer, layer)
    FILL(directive, directive)
    FILL(output, output)
    FILL(step, number)
    FILL(rank, rank)
    FILL(displaced, is_ignored ? s->MISSING : before)
    FILL(by, Py_None)
    FILL(lost, nothing)
    FILL(reads, nothing)
    FILL(inside, nothing)
    Py_DECREF(nothing);
    Py_DECREF(origin);
    *event = made;
    return FOUND;
}

/* The module */

static PyObject *event_at(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    const State *s = PyModule_GetState(module);
    if (s->event_at_py == NULL || count != 3 || !PyTuple_CheckExact(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "event_at takes a node, a path and the value before");
        return NULL;
    }
    PyObject *event = NULL;
    switch (made_event(s, arguments[0], arguments[1], arguments[2], &event)) {
    case FOUND: return event;
    case NOTHING: Py_RETURN_NONE;
    case UNUSUAL: return PyObject_Vectorcall(s->event_at_py, arguments, 3, NULL);
    default: return NULL;
    }
}

/* Where the objects of a class have a slot; -1 on error. */
static Py_ssize_t slot_of(PyObject *class, const char *name) {
    PyObject *found = PyObject_GetAttrString(class, name);
    if (found == NULL) return -1;
    Py_ssize_t offset = Py_IS_TYPE(found, &PyMemberDescr_Type) ? ((PyMemberDescrObject *)found)->d_member->offset : -1;
    Py_DECREF(found);
    if (offset < 0) PyErr_Format(PyExc_TypeError, "%s is not a slot", name);
    return offset;
}

static PyObject *configure(PyObject *module, PyObject *arguments) {
    State *s = PyModule_GetState(module);
#define ONE(name) +1
#define ADDRESS(name) &s->name,
    PyObject **all[] = {HANDED_OVER(ADDRESS)};
    Py_ssize_t count = sizeof all / sizeof *all, classes = 0 CLASSES(ONE);
    int is_right = PyTuple_GET_SIZE(arguments) == count;
    for (Py_ssize_t at = 0; is_right && at < classes; at++) is_right = PyType_Check(PyTuple_GET_ITEM(arguments, at));
    if (!is_right) {
        PyErr_SetString(PyExc_TypeError, "configure takes what events are made of");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < count; at++) Py_XSETREF(*all[at], Py_NewRef(PyTuple_GET_ITEM(arguments, at)));
#define FIND_SLOT(kind, slot, name) \
    if ((s->kind##_##slot = slot_of(s->kind, name)) < 0) return NULL;
#define FIND_EVENT_SLOT(slot) FIND_SLOT(Event, slot, #slot)
    READ_SLOTS(FIND_SLOT)
    EVENT_SLOTS(FIND_EVENT_SLOT)
    Py_RETURN_NONE;
}

static int make_verdicts(PyObject *module) {
    State *s = PyModule_GetState(module);
#define MAKE_VERDICT(name) \
    if ((s->s_##name = PyUnicode_InternFromString(#name)) == NULL) return -1;
    VERDICTS(MAKE_VERDICT)
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
#define CLEAR_VERDICT(name) Py_CLEAR(s->s_##name);
    HANDED_OVER(CLEAR)
    VERDICTS(CLEAR_VERDICT)
    return 0;
}

static void free_module(void *module) {
    clear_module(module);
}

static PyMethodDef methods[] = {
    {"configure", configure, METH_VARARGS, "Hand over what events are made of."},
    {"event_at", (PyCFunction)(void (*)(void))event_at, METH_FASTCALL, "The event of a merge at a path."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, make_verdicts},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lamina.engine._direct_event",
    .m_doc = "The event of one merge at a path.",
    .m_size = sizeof(State),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__direct_event(void) {
    return PyModuleDef_Init(&definition);
}
