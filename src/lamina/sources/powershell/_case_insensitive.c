/* Keys that compare without case: the compiled twin of parts of caseless.py.

   A text remembers its hash once it is known. A key that is given the hash of its spelling without case can be looked
   up by the hash function all texts have, which is several times as fast as one written in Python. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *take_hash(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 2 || !PyUnicode_Check(arguments[0]) || PyUnicode_CheckExact(arguments[0]) ||
        !PyUnicode_Check(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "take_hash takes a key of a kind of its own and a text");
        return NULL;
    }
    Py_hash_t hash = PyObject_Hash(arguments[1]);
    if (hash == -1) return NULL;
    ((PyASCIIObject *)arguments[0])->hash = hash;
    Py_RETURN_NONE;
}

/* The kind of keys that know their spelling as a plain text, and the name of that attribute. */
static PyObject *Key, *s_text;

static PyObject *with_case(PyObject *value);

static int is_scalar(PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBool_Type || type == &PyFloat_Type ||
           value == Py_None;
}

/* A mapping with its keys as plain texts, and so all that is in it. */
static PyObject *mapping_with_case(PyObject *mapping) {
    PyObject *made = PyDict_New(), *key, *item;
    Py_ssize_t at = 0;
    int status = made == NULL ? -1 : 0;
    while (status == 0 && PyDict_Next(mapping, &at, &key, &item)) {
        PyObject *text = (PyObject *)Py_TYPE(key) == Key ? PyObject_GetAttr(key, s_text) : Py_NewRef(key);
        PyObject *inner = text == NULL ? NULL : is_scalar(item) ? Py_NewRef(item) : with_case(item);
        status = inner == NULL ? -1 : PyDict_SetItem(made, text, inner);
        Py_XDECREF(text);
        Py_XDECREF(inner);
    }
    if (status < 0) Py_CLEAR(made);
    return made;
}

/* A list with the keys of all that is in it as plain texts; the very same where there is nothing to change. */
static PyObject *list_with_case(PyObject *list) {
    Py_ssize_t at = 0, count = PyList_GET_SIZE(list);
    if (PyList_CheckExact(list)) {
        while (at < count && is_scalar(PyList_GET_ITEM(list, at))) at++;
        if (at == count) return Py_NewRef(list);
    }
    PyObject *made = PyList_New(0);
    for (at = 0; made != NULL && at < PyList_GET_SIZE(list); at++) {
        PyObject *inner = with_case(PyList_GET_ITEM(list, at));
        if (inner == NULL || PyList_Append(made, inner) < 0) Py_CLEAR(made);
        Py_XDECREF(inner);
    }
    return made;
}

static PyObject *with_case(PyObject *value) {
    if (!PyDict_Check(value) && !PyList_Check(value)) return Py_NewRef(value);
    if (Py_EnterRecursiveCall(" while spelling keys")) return NULL;
    PyObject *made = PyDict_Check(value) ? mapping_with_case(value) : list_with_case(value);
    Py_LeaveRecursiveCall();
    return made;
}

static PyObject *py_with_case(PyObject *module, PyObject *value) {
    (void)module;
    return with_case(value);
}

static PyObject *configure(PyObject *module, PyObject *key) {
    (void)module;
    Py_XSETREF(Key, Py_NewRef(key));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"configure", configure, METH_O, "Hand over the kind of keys."},
    {"with_case", py_with_case, METH_O, "A value whose keys are plain texts and whose lists are plain lists."},
    {"take_hash", (PyCFunction)(void (*)(void))take_hash, METH_FASTCALL, "Give a key the hash of another text."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_case_insensitive", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__case_insensitive(void) {
    s_text = PyUnicode_InternFromString("text");
    return s_text == NULL ? NULL : PyModule_Create(&definition);
}
