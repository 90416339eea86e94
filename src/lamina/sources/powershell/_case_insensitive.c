/* Keys that compare without case: parts of case_insensitive.py as a C extension. All state is the module's own.

   A string remembers its hash once it is known. A key that is given the hash of its spelling without case can be looked
   up by the hash function all strings have, which is several times as fast as one written in Python. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *take_hash(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 2 || !PyUnicode_Check(arguments[0]) || PyUnicode_CheckExact(arguments[0]) ||
        !PyUnicode_Check(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "take_hash takes a key of a type of its own and a string");
        return NULL;
    }
    Py_hash_t hash = PyObject_Hash(arguments[1]);
    if (hash == -1) return NULL;
    ((PyASCIIObject *)arguments[0])->hash = hash;
    Py_RETURN_NONE;
}

/* The type of keys that know their spelling as a plain string, and the name of that attribute. */
typedef struct {
    PyObject *Key, *s_text;
} State;

static PyObject *with_case(const State *s, PyObject *value);

static int is_scalar(PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBool_Type || type == &PyFloat_Type ||
           value == Py_None;
}

/* A mapping with its keys as plain strings, and so all that is in it. */
static PyObject *mapping_with_case(const State *s, PyObject *mapping) {
    PyObject *made = PyDict_New(), *key, *item;
    Py_ssize_t at = 0;
    int status = made == NULL ? -1 : 0;
    while (status == 0 && PyDict_Next(mapping, &at, &key, &item)) {
        PyObject *text = (PyObject *)Py_TYPE(key) == s->Key ? PyObject_GetAttr(key, s->s_text) : Py_NewRef(key);
        PyObject *inner = text == NULL ? NULL : is_scalar(item) ? Py_NewRef(item) : with_case(s, item);
        status = inner == NULL ? -1 : PyDict_SetItem(made, text, inner);
        Py_XDECREF(text);
        Py_XDECREF(inner);
    }
    if (status < 0) Py_CLEAR(made);
    return made;
}

/* A list with the keys of all that is in it as plain strings; the very same where there is nothing to change. */
static PyObject *list_with_case(const State *s, PyObject *list) {
    Py_ssize_t at = 0, count = PyList_GET_SIZE(list);
    if (PyList_CheckExact(list)) {
        while (at < count && is_scalar(PyList_GET_ITEM(list, at))) at++;
        if (at == count) return Py_NewRef(list);
    }
    PyObject *made = PyList_New(0);
    for (at = 0; made != NULL && at < PyList_GET_SIZE(list); at++) {
        PyObject *inner = with_case(s, PyList_GET_ITEM(list, at));
        if (inner == NULL || PyList_Append(made, inner) < 0) Py_CLEAR(made);
        Py_XDECREF(inner);
    }
    return made;
}

static PyObject *with_case(const State *s, PyObject *value) {
    if (!PyDict_Check(value) && !PyList_Check(value)) return Py_NewRef(value);
    if (Py_EnterRecursiveCall(" while spelling keys")) return NULL;
    PyObject *made = PyDict_Check(value) ? mapping_with_case(s, value) : list_with_case(s, value);
    Py_LeaveRecursiveCall();
    return made;
}

static PyObject *py_with_case(PyObject *module, PyObject *value) {
    return with_case(PyModule_GetState(module), value);
}

static PyObject *configure(PyObject *module, PyObject *key) {
    State *s = PyModule_GetState(module);
    Py_XSETREF(s->Key, Py_NewRef(key));
    Py_RETURN_NONE;
}

static int make_names(PyObject *module) {
    State *s = PyModule_GetState(module);
    s->s_text = PyUnicode_InternFromString("text");
    return s->s_text == NULL ? -1 : 0;
}

static int traverse_module(PyObject *module, visitproc visit, void *arg) {
    State *s = PyModule_GetState(module);
    Py_VISIT(s->Key);
    return 0;
}

static int clear_module(PyObject *module) {
    State *s = PyModule_GetState(module);
    Py_CLEAR(s->Key);
    Py_CLEAR(s->s_text);
    return 0;
}

static void free_module(void *module) {
    clear_module(module);
}

static PyMethodDef methods[] = {
    {"configure", configure, METH_O, "Hand over the type of keys."},
    {"with_case", py_with_case, METH_O, "A value whose keys are plain strings and whose lists are plain lists."},
    {"take_hash", (PyCFunction)(void (*)(void))take_hash, METH_FASTCALL, "Give a key the hash of another string."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, make_names},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lamina.sources.powershell._case_insensitive",
    .m_doc = "Keys that compare without case.",
    .m_size = sizeof(State),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__case_insensitive(void) {
    return PyModuleDef_Init(&definition);
}
