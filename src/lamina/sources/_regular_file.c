/* Reading a small regular file: regular_file.py as a C extension, four calls of the system without objects between. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifndef _WIN32
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#if !defined(_WIN32) && defined(O_NOFOLLOW) && defined(O_NONBLOCK) && defined(O_CLOEXEC)
#define CAN_AVOID_LINKS 1

/* The size of the open file if it is a regular one of at most that many bytes and not empty; else -1. */
static Py_ssize_t size_of(int file, long long most) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
    return status.st_size > 0 && status.st_size <= most ? (Py_ssize_t)status.st_size : -1;
}

/* Exactly that many bytes of an open file as an object; NULL without an error if it has more or fewer. */
static PyObject *content_of(int file, Py_ssize_t size) {
    PyObject *data = PyBytes_FromStringAndSize(NULL, size);
    if (data == NULL) return NULL;
    char *bytes = PyBytes_AS_STRING(data);
    ssize_t count;
    Py_BEGIN_ALLOW_THREADS
    /* There is room for one byte more, where the zero at the end belongs: a file that has grown is noticed. */
    count = read(file, bytes, (size_t)size + 1);
    Py_END_ALLOW_THREADS
    if (count != size) {
        Py_DECREF(data);
        return NULL;
    }
    bytes[size] = '\0';
    return data;
}
#endif

static PyObject *whole_file(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "whole_file takes a path and how many bytes it may have");
        return NULL;
    }
    long long most = PyLong_AsLongLong(arguments[1]);
    if (most == -1 && PyErr_Occurred()) return NULL;
#ifdef CAN_AVOID_LINKS
    PyObject *path = NULL, *data = NULL;
    if (!PyUnicode_FSConverter(arguments[0], &path)) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) return NULL;
        PyErr_Clear(); /* no file can have such a name */
        Py_RETURN_NONE;
    }
    int file;
    Py_ssize_t size = -1;
    Py_BEGIN_ALLOW_THREADS
    file = open(PyBytes_AS_STRING(path), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (file >= 0) size = size_of(file, most);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    if (size >= 0) data = content_of(file, size);
    if (file >= 0) close(file);
    if (data != NULL || PyErr_Occurred()) return data;
#endif
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"whole_file", (PyCFunction)(void (*)(void))whole_file, METH_FASTCALL,
     "What is in a regular file that is not a link; None for anything else."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lamina.sources._regular_file",
    .m_doc = "Reading small regular files.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__regular_file(void) {
    return PyModuleDef_Init(&definition);
}
