/* Keys that compare without case, with the hash of another text: see caseless.py.

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

static PyMethodDef methods[] = {
    {"take_hash", (PyCFunction)(void (*)(void))take_hash, METH_FASTCALL, "Give a key the hash of another text."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_caseless", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__caseless(void) { return PyModule_Create(&definition); }
