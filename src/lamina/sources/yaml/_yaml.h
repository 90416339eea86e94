/* The two functions of the module, and what both of their files need. */

#ifndef LAMINA_YAML_H
#define LAMINA_YAML_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Before Python 3.13 there is always a lock on all objects, the GIL. */
#if PY_VERSION_HEX < 0x030D0000
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

PyObject *lamina_read_yaml(PyObject *module, PyObject *args);
PyObject *lamina_write_yaml(PyObject *module, PyObject *args);

#endif
