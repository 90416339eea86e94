/* Settling two mappings by a table of clashes: the compiled twin of `settle_plainly` in mapping.py.

   The Python function is the definition; this one gives the same pieces. What is not plain (an operator of another
   kind, a value of an unusual type) is asked of the Python objects themselves. Mappings inside mappings that are
   settled in the same manner are gone into without leaving C. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum { ABSENT, NULL_, FALSE_, TRUE_, ZERO, NUMBER, EMPTY_TEXT, TEXT, EMPTY_LIST, LIST, EMPTY_MAP, MAP, OTHER, COUNT };

/* What the Python side hands over once, in this order. */
static PyObject *Edit, *Union, *Deeper, *DESCEND, *KEEP, *TAKE, *OLD, *NEW, *MISSING, *classify;

/* Names of attributes and methods, made once. */
static PyObject *s_apply, *s_cells, *s_enter, *s_entries, *s_everywhere, *s_explicit, *s_heirs, *s_inherit,
    *s_inherited, *s_inherits, *s_known, *s_mark, *s_spend, *s_table, *s_under, *s_value;

static PyObject *settle(PyObject *cells, PyObject *old, PyObject *new, PyObject *policy, PyObject *trail,
                        PyObject *run);

/* The class of a value, -1 on error; as in classes.py. */
static int class_of(PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyUnicode_Type) return PyUnicode_GET_LENGTH(value) ? TEXT : EMPTY_TEXT;
    if (type == &PyDict_Type) return PyDict_GET_SIZE(value) ? MAP : EMPTY_MAP;
    if (type == &PyList_Type) return PyList_GET_SIZE(value) ? LIST : EMPTY_LIST;
    if (value == Py_None) return NULL_;
    if (value == Py_True) return TRUE_;
    if (value == Py_False) return FALSE_;
    if (value == MISSING) return ABSENT;
    if (type == &PyLong_Type || type == &PyFloat_Type) return PyObject_IsTrue(value) ? NUMBER : ZERO;
    PyObject *found = PyObject_CallOneArg(classify, value);
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

/* An operator out of a list of cells, borrowed; NULL on error. */
static PyObject *cell(PyObject *cells, int place) {
    if (!PyList_CheckExact(cells) || place >= PyList_GET_SIZE(cells)) {
        PyErr_SetString(PyExc_TypeError, "the cells of a table are a full list");
        return NULL;
    }
    return PyList_GET_ITEM(cells, place);
}

/* The piece of a mapping; steals all three, of which `under` may be NULL. */
static PyObject *edit(PyObject *value, PyObject *entries, PyObject *under) {
    PyTypeObject *type = (PyTypeObject *)Edit;
    PyObject *made = value == NULL ? NULL : type->tp_alloc(type, 0);
    if (made != NULL && (PyObject_SetAttr(made, s_value, value) < 0 || PyObject_SetAttr(made, s_entries, entries) < 0 ||
                         PyObject_SetAttr(made, s_under, under == NULL ? Py_None : under) < 0))
        Py_CLEAR(made);
    Py_XDECREF(value);
    Py_XDECREF(entries);
    Py_XDECREF(under);
    return made;
}

/* Whether a key holds a text; -1 on error. Mostly it lacks even the first letter. */
static int holds(PyObject *key, PyObject *mark) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(key);
    if (PyUnicode_KIND(key) == PyUnicode_1BYTE_KIND) {
        Py_UCS4 first = PyUnicode_READ_CHAR(mark, 0);
        if (first > 0xff || memchr(PyUnicode_1BYTE_DATA(key), (int)first, (size_t)length) == NULL) return 0;
    }
    Py_ssize_t found = PyUnicode_Find(key, mark, 0, length, 1);
    return found == -2 ? -1 : found >= 0;
}

/* Whether no key of a mapping holds the text that all markers hold; -1 on error. */
static int unmarked(PyObject *mapping, PyObject *mark) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(mapping, &at, &key, &value)) {
        int held = PyUnicode_Check(key) ? holds(key, mark) : 1;
        if (held) return held < 0 ? -1 : 0;
    }
    return 1;
}

static PyObject *applied(PyObject *operator, PyObject *before, PyObject *value, PyObject *inner, PyObject *trail,
                         PyObject *run) {
    PyObject *arguments[] = {operator, before, value, inner, trail, run};
    return PyObject_VectorcallMethod(s_apply, arguments, 6 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
}

/* Count what is built against the budget of a run, as its own method does; -1 on error. */
static int spend(PyObject *run, Py_ssize_t amount) {
    PyObject *spent = PyLong_FromSsize_t(amount), *answer = NULL;
    if (spent != NULL) answer = PyObject_CallMethodOneArg(run, s_spend, spent);
    Py_XDECREF(spent);
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

/* What a union whose keys may strike others makes of two mappings: here where no key does, else its own method. */
static PyObject *struck(PyObject *operator, PyObject *old, PyObject *new, PyObject *policy, PyObject *trail,
                        PyObject *run) {
    PyObject *made = NULL, *cells = NULL, *mark = PyObject_GetAttr(operator, s_mark);
    if (mark == NULL) return NULL;
    int plain = PyUnicode_Check(mark) && PyUnicode_GET_LENGTH(mark) && PyDict_CheckExact(old) && PyDict_CheckExact(new);
    if (plain) plain = unmarked(old, mark);
    if (plain > 0) plain = unmarked(new, mark);
    Py_DECREF(mark);
    if (plain < 0) return NULL;
    if (!plain) return applied(operator, old, new, policy, trail, run);
    if (spend(run, PyDict_GET_SIZE(new)) < 0) return NULL;
    cells = PyObject_GetAttr(operator, s_cells);
    if (cells != NULL) made = settle(cells, old, new, policy, trail, run);
    Py_XDECREF(cells);
    return made;
}

/* What `deeper` makes of two members: by the operator it inherits where that holds, else its own method. */
static PyObject *deepened(PyObject *operator, PyObject *before, PyObject *value, PyObject *inner, PyObject *trail,
                          PyObject *run) {
    PyObject *inherited = PyObject_GetAttr(operator, s_inherited), *made = NULL;
    if (inherited == NULL) return NULL;
    int explicit = inherited == Py_None || !PyDict_CheckExact(value) ? 1 : is_so(inner, s_explicit);
    if (explicit == 0) made = struck(inherited, before, value, inner, trail, run);
    else if (explicit == 1) made = applied(operator, before, value, inner, trail, run);
    Py_DECREF(inherited);
    return made;
}

/* What any other operator makes of two members; a union is gone into. */
static PyObject *combined(PyObject *operator, PyObject *before, PyObject *value, PyObject *inner, PyObject *trail,
                          PyObject *run) {
    if ((PyObject *)Py_TYPE(operator) != Union || !PyDict_CheckExact(before) || !PyDict_CheckExact(value))
        return applied(operator, before, value, inner, trail, run);
    PyObject *cells = PyObject_GetAttr(operator, s_cells);
    if (cells == NULL) return NULL;
    PyObject *made = settle(cells, before, value, inner, trail, run);
    Py_DECREF(cells);
    return made;
}

/* What a method of a policy answers for a key, looked up in what it is known to answer; a new reference. */
static PyObject *answer(PyObject *policy, PyObject *known_answers, PyObject *method, PyObject *key) {
    PyObject *known = PyObject_GetAttr(policy, known_answers);
    if (known == NULL) return NULL;
    PyObject *found = PyDict_CheckExact(known) ? Py_XNewRef(PyDict_GetItemWithError(known, key)) : NULL;
    Py_DECREF(known);
    return found != NULL || PyErr_Occurred() ? found : PyObject_CallMethodOneArg(policy, method, key);
}

/* The policy of a member; a new reference. */
static PyObject *policy_of(PyObject *operator, PyObject *policy, PyObject *key, int everywhere) {
    if ((PyObject *)Py_TYPE(operator) != Deeper)
        return everywhere ? Py_NewRef(policy) : answer(policy, s_known, s_enter, key);
    int inherits = is_so(operator, s_inherits);
    if (inherits < 0) return NULL;
    return inherits ? answer(policy, s_heirs, s_inherit, key) : answer(policy, s_known, s_enter, key);
}

/* The operator that a policy has in a cell; a new reference. */
static PyObject *operator_of(PyObject *policy, int place) {
    PyObject *table = PyObject_GetAttr(policy, s_table);
    PyObject *cells = table == NULL ? NULL : PyObject_GetAttr(table, s_cells);
    PyObject *found = cells == NULL ? NULL : Py_XNewRef(cell(cells, place));
    Py_XDECREF(table);
    Py_XDECREF(cells);
    return found;
}

/* One pass: what has been made so far. */
typedef struct {
    PyObject *old, *policy, *trail, *run;
    PyObject *entries, *under, *result;
    int everywhere;
} Pass;

/* Put what became of a key where it belongs; -1 on error. */
static int enter(Pass *pass, PyObject *key, PyObject *before, PyObject *after) {
    if (after == before) return 0;
    if (pass->result == NULL && (pass->result = PyDict_Copy(pass->old)) == NULL) return -1;
    return after == MISSING ? PyDict_DelItem(pass->result, key) : PyDict_SetItem(pass->result, key, after);
}

/* Combine two members by an operator that is more than keeping and taking; -1 on error. */
static int go_deeper(Pass *pass, PyObject *operator, PyObject *key, PyObject *before, PyObject *value, int place) {
    int status = -1, deeper = (PyObject *)Py_TYPE(operator) == Deeper;
    PyObject *trail = NULL, *piece = NULL, *after = NULL;
    PyObject *inner = policy_of(operator, pass->policy, key, pass->everywhere);
    if (inner == NULL) return -1;
    Py_INCREF(operator);
    if (operator == DESCEND) Py_SETREF(operator, operator_of(inner, place));
    if (operator == NULL) goto done;
    if (deeper) {
        if (pass->under == NULL && (pass->under = PyDict_New()) == NULL) goto done;
        if (PyDict_SetItem(pass->under, key, inner) < 0) goto done;
    }
    if (operator == KEEP) piece = Py_NewRef(OLD);
    else if (operator == TAKE) piece = Py_NewRef(NEW);
    else if ((trail = PyTuple_Pack(3, pass->trail, key, key)) != NULL)
        piece = (deeper ? deepened : combined)(operator, before, value, inner, trail, pass->run);
    if (piece == NULL || PyDict_SetItem(pass->entries, key, piece) < 0) goto done;
    after = piece == OLD ? Py_NewRef(before) : piece == NEW ? Py_NewRef(value) : PyObject_GetAttr(piece, s_value);
    if (after != NULL) status = enter(pass, key, before, after);
done:
    Py_DECREF(inner);
    Py_XDECREF(operator);
    Py_XDECREF(trail);
    Py_XDECREF(piece);
    Py_XDECREF(after);
    return status;
}

/* Settle one key; -1 on error. */
static int settle_key(Pass *pass, PyObject *cells, PyObject *key, PyObject *value) {
    PyObject *before = PyDict_GetItemWithError(pass->old, key);
    if (before == NULL) {
        if (PyErr_Occurred()) return -1;
        before = MISSING;
    }
    Py_INCREF(before);
    int status = -1, first = class_of(before), second = first < 0 ? -1 : class_of(value);
    PyObject *operator = second < 0 ? NULL : cell(cells, first * COUNT + second);
    if (operator == KEEP) status = PyDict_SetItem(pass->entries, key, OLD);
    else if (operator == TAKE)
        status = PyDict_SetItem(pass->entries, key, NEW) < 0 ? -1 : enter(pass, key, before, value);
    else if (operator != NULL) status = go_deeper(pass, operator, key, before, value, first * COUNT + second);
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
    return same < 0 ? NULL : same ? Py_NewRef(result) : respelt(result, pass->under);
}

static PyObject *settle(PyObject *cells, PyObject *old, PyObject *new, PyObject *policy, PyObject *trail,
                        PyObject *run) {
    if (Py_EnterRecursiveCall(" while merging")) return NULL;
    Pass pass = {old, policy, trail, run, PyDict_New(), NULL, NULL, is_so(policy, s_everywhere)};
    int status = pass.entries == NULL || pass.everywhere < 0 ? -1 : 0;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (status == 0 && PyDict_Next(new, &at, &key, &value)) {
        /* Operators are asked meanwhile: what is looked at must stay, whatever they do. */
        Py_INCREF(key);
        Py_INCREF(value);
        status = settle_key(&pass, cells, key, value);
        Py_DECREF(key);
        Py_DECREF(value);
    }
    PyObject *result = status < 0 ? NULL : outcome(&pass);
    Py_XDECREF(pass.result);
    Py_LeaveRecursiveCall();
    return edit(result, pass.entries, pass.under);
}

static PyObject *py_settle(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (classify == NULL || count != 6 || !PyDict_Check(arguments[1]) || !PyDict_Check(arguments[2])) {
        PyErr_SetString(PyExc_TypeError, "settle takes cells, two mappings, a policy, a trail and a run");
        return NULL;
    }
    return settle(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

static PyObject *configure(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject **all[] = {&Edit, &Union, &Deeper, &DESCEND, &KEEP, &TAKE, &OLD, &NEW, &MISSING, &classify};
    Py_ssize_t count = sizeof all / sizeof *all;
    if (PyTuple_GET_SIZE(arguments) != count || !PyType_Check(PyTuple_GET_ITEM(arguments, 0))) {
        PyErr_SetString(PyExc_TypeError, "configure takes what the operators for mappings are made of");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < count; at++) Py_XSETREF(*all[at], Py_NewRef(PyTuple_GET_ITEM(arguments, at)));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"configure", configure, METH_VARARGS, "Hand over what the operators for mappings are made of."},
    {"settle", (PyCFunction)(void (*)(void))py_settle, METH_FASTCALL, "Two mappings combined by a table of clashes."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_mapping_merge", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__mapping_merge(void) {
    static const struct {
        PyObject **name;
        const char *text;
    } names[] = {
        {&s_apply, "apply"},         {&s_cells, "cells"},           {&s_enter, "enter"},
        {&s_entries, "entries"},     {&s_everywhere, "everywhere"}, {&s_explicit, "explicit"},
        {&s_heirs, "heirs"},         {&s_inherit, "inherit"},       {&s_inherited, "inherited"},
        {&s_inherits, "inherits"},   {&s_known, "known"},           {&s_mark, "mark"},
        {&s_spend, "spend"},         {&s_table, "table"},           {&s_under, "under"},
        {&s_value, "value"},
    };
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        if ((*names[at].name = PyUnicode_InternFromString(names[at].text)) == NULL) return NULL;
    return PyModule_Create(&definition);
}
