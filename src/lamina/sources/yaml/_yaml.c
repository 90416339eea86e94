/* Reading and writing plainly written YAML, as a C extension: `reader.c` and `writer.c`.
 *
 * It has two functions and nothing else: nothing is kept between calls, in the module or anywhere else, so that any
 * interpreter may load it, and threads may use it side by side.
 */

#include "_yaml.h"

PyDoc_STRVAR(read_doc,
"read_yaml(data, scalars, keys, starts, depth, nodes, /)\n--\n\n"
"The value, places, sizes, aliases (or None) and odd mappings (or None) of each document of a text in UTF-8 that is\n"
"written plainly, and whether it holds only what JSON has; None if it is not plain, is deeper or has more nodes.\n\n"
"Places are the line and column of each node, sizes the number of a collection and how many nodes it takes: pairs of\n"
"32-bit numbers in the order of this machine, as bytes. Aliases are the number of each, and of its anchor. Odd mappings\n"
"are the number and the keys of each mapping that repeats or merges, where a merge key is its value in a tuple.\n\n"
"Plain scalars mean what the dict `scalars` says. Keys mean what the dict `keys` says, and are text if that is None;\n"
"if both are the same dict, quoted keys are text, and keys may repeat and merge. Plain text that begins with none of\n"
"`starts` is known to be text.");

PyDoc_STRVAR(write_doc,
"write_yaml(value, sort_keys, allow_unicode, scalars, left, /)\n--\n\n"
"The text of a collection that is not empty, and what is then left of the budget: less than nothing, and no text, if it\n"
"does not suffice. None where Python has to write it.");

static PyMethodDef methods[] = {
    {"read_yaml", lamina_read_yaml, METH_VARARGS, read_doc},
    {"write_yaml", lamina_write_yaml, METH_VARARGS, write_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lamina.sources.yaml._yaml",
    .m_doc = "Reading and writing plainly written YAML.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__yaml(void) {
    return PyModuleDef_Init(&definition);
}
