/* Merging simple tables for their value alone, without the deltas that history is read from.

   The operators of tables.py, deeper.py and lists.py are the definition: for tables that `is_orderless` accepts, and
   where no option entry singles out a path inside them, `merged` gives the value that they give. Where they would reject
   something or warn of it, it answers None. All state is the module's own. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

enum { KEEP, SUM, UNIQUE };

/* The function that gives a value its plain keys, the type of keys without case, and the name of their attribute that
   holds a plain key, with where it is in them. */
typedef struct {
    PyObject *with_case, *Key, *s_text;
    Py_ssize_t offset;
} State;

/* What all tables of one call have in common. */
typedef struct {
    int deep;         /* whether tables inside tables are merged, rather than kept */
    int lists;        /* how two lists are merged */
    Py_ssize_t count; /* the keys and items of everything that was made */
} Rule;

static int is_single(PyObject *value) {
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBool_Type || type == &PyFloat_Type;
}

/* Whether a list is not empty and holds nothing but single values, or texts. */
static int is_plain_list(PyObject *list, int texts) {
    Py_ssize_t count = PyList_GET_SIZE(list);
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *item = PyList_GET_ITEM(list, at);
        if (texts ? !PyUnicode_CheckExact(item) : !is_single(item)) return 0;
    }
    return count > 0;
}

/* Whether a key is a string without any of the markers; -1 on error. */
static int is_unmarked(PyObject *key, PyObject *markers) {
    if (!PyUnicode_Check(key)) return 0;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(markers); at++) {
        PyObject *marker = PyTuple_GET_ITEM(markers, at);
        Py_UCS4 first = PyUnicode_READ_CHAR(marker, 0);
        Py_ssize_t length = PyUnicode_GET_LENGTH(key), found;
        if (PyUnicode_KIND(key) == PyUnicode_1BYTE_KIND
            && (first > 0xff || memchr(PyUnicode_1BYTE_DATA(key), (int)first, (size_t)length) == NULL))
            continue;
        found = PyUnicode_Find(key, marker, 0, length, 1);
        if (found != -1) return found == -2 ? -1 : 0;
    }
    return 1;
}

/* Whether a table is simple and none of its keys holds a marker; -1 on error. */
static int is_orderless(PyObject *table, PyObject *markers, int texts) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int answer = 1;
    if (Py_EnterRecursiveCall(" while looking at a table")) return -1;
    while (answer == 1 && PyDict_Next(table, &at, &key, &value)) {
        answer = is_unmarked(key, markers);
        if (answer != 1 || is_single(value) || value == Py_None) continue;
        if (PyDict_CheckExact(value)) answer = is_orderless(value, markers, texts);
        else answer = PyList_CheckExact(value) && is_plain_list(value, texts);
    }
    Py_LeaveRecursiveCall();
    return answer;
}

/* The items of both lists, each once; where that leaves a single one, the upper list as it is. */
static PyObject *united(PyObject *upper, PyObject *lower) {
    PyObject *made = PyList_New(0), *seen = PySet_New(NULL);
    PyObject *both[] = {upper, lower};
    int status = made == NULL || seen == NULL ? -1 : 0;
    for (int side = 0; side < 2; side++) {
        for (Py_ssize_t at = 0; status == 0 && at < PyList_GET_SIZE(both[side]); at++) {
            PyObject *item = PyList_GET_ITEM(both[side], at);
            int known = PySet_Contains(seen, item);
            if (known < 0 || (!known && (PySet_Add(seen, item) < 0 || PyList_Append(made, item) < 0))) status = -1;
        }
    }
    Py_XDECREF(seen);
    if (status < 0) Py_CLEAR(made);
    else if (PyList_GET_SIZE(made) == 1) Py_SETREF(made, Py_NewRef(upper));
    return made;
}

static PyObject *merged_lists(Rule *rule, PyObject *upper, PyObject *lower) {
    if (rule->lists == KEEP) return Py_NewRef(upper);
    rule->count += PyList_GET_SIZE(upper) + PyList_GET_SIZE(lower);
    return rule->lists == UNIQUE ? united(upper, lower) : PySequence_Concat(upper, lower);
}

static PyObject *merged(Rule *rule, PyObject *upper, PyObject *lower);

/* What two collections give; Py_None where they would clash. */
static PyObject *merged_members(Rule *rule, PyObject *upper, PyObject *lower) {
    if (Py_TYPE(upper) != Py_TYPE(lower)) Py_RETURN_NONE;
    return PyDict_CheckExact(upper) ? merged(rule, upper, lower) : merged_lists(rule, upper, lower);
}

/* The table with those of its keys that `spelt` has, too, in its spelling. */
static PyObject *respelt(PyObject *table, PyObject *spelt) {
    PyObject *made = PyDict_New(), *key, *value;
    Py_ssize_t at = 0;
    int status = made == NULL ? -1 : 0;
    while (status == 0 && PyDict_Next(table, &at, &key, &value)) {
        PyObject *other = PyDict_GetItemWithError(spelt, key);
        status = other == NULL && PyErr_Occurred() ? -1 : PyDict_SetItem(made, other == NULL ? key : other, value);
    }
    if (status < 0) Py_CLEAR(made);
    return made;
}

/* Merge one key of the lower table into the table made so far; 1 where that would clash, -1 on error. */
static int merge_key(Rule *rule, PyObject *made, PyObject **spelt, PyObject *key, PyObject *value) {
    PyObject *before = PyDict_GetItemWithError(made, key);
    if (before == NULL) return PyErr_Occurred() ? -1 : PyDict_SetItem(made, key, value);
    int is_table = PyDict_CheckExact(before);
    if ((!is_table && !PyList_CheckExact(before)) || (is_table && !rule->deep)) return 0;
    PyObject *inner = merged_members(rule, before, value);
    if (inner == NULL || inner == Py_None) {
        Py_XDECREF(inner);
        return inner == NULL ? -1 : 1;
    }
    int status = PyDict_SetItem(made, key, inner);
    Py_DECREF(inner);
    /* A key that is merged takes the lower spelling; setting an item keeps the one that is there. */
    if (status == 0 && *spelt == NULL && (*spelt = PyDict_New()) == NULL) status = -1;
    return status < 0 ? -1 : PyDict_SetItem(*spelt, key, key);
}

/* Whether some key of `spelt` is another object in the table; -1 on error. */
static int is_respelt(PyObject *spelt, PyObject *table) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(table, &at, &key, &value)) {
        PyObject *other = PyDict_GetItemWithError(spelt, key);
        if (other == NULL && PyErr_Occurred()) return -1;
        if (other != NULL && other != key) return 1;
    }
    return 0;
}

/* The lower table merged under the upper one, a new reference; Py_None where something would clash. */
static PyObject *merged(Rule *rule, PyObject *upper, PyObject *lower) {
    if (Py_EnterRecursiveCall(" while merging")) return NULL;
    PyObject *made = PyDict_Copy(upper), *spelt = NULL, *key, *value;
    Py_ssize_t at = 0;
    int status = made == NULL ? -1 : 0;
    while (status == 0 && PyDict_Next(lower, &at, &key, &value)) status = merge_key(rule, made, &spelt, key, value);
    int other = status == 0 && spelt != NULL ? is_respelt(spelt, upper) : 0;
    if (status == 0 && other > 0) Py_XSETREF(made, respelt(made, spelt));
    Py_XDECREF(spelt);
    Py_LeaveRecursiveCall();
    if (status != 0 || other < 0) Py_CLEAR(made);
    if (status == 1) Py_RETURN_NONE;
    if (made != NULL) rule->count += PyDict_GET_SIZE(made);
    return made;
}

/* With plain keys

   The same value with keys that are plain strings, made in one go from the upper table and from what the lower one is
   with plain keys, which is shared. */

/* A lower table: with plain keys, and as it is. Where that was not made, the layers that the whole value was merged from
   say whether a key is spelt in another way in it. */
typedef struct Lower {
    PyObject *plain, *table; /* the table is NULL where it was not made */
    PyObject *layers;        /* a tuple of whole tables; NULL where the table was made */
    const struct Lower *outer;
    PyObject *key; /* the key of this table in the outer one */
} Lower;

static PyObject *merged_plain(const State *s, Rule *rule, PyObject *upper, const Lower *lower);

/* A key as a plain string; keys without case know it. A new reference. */
static PyObject *plain_key(const State *s, PyObject *key) {
    if (PyUnicode_CheckExact(key)) return Py_NewRef(key);
    PyObject *text = (PyObject *)Py_TYPE(key) == s->Key ? *(PyObject **)((char *)key + s->offset) : NULL;
    return text == NULL ? PyObject_GetAttr(key, s->s_text) : Py_NewRef(text);
}

/* What a layer has where the lower table is, borrowed; NULL where it has no table there, or on error. */
static PyObject *in_layer(PyObject *layer, const Lower *lower) {
    PyObject *table = lower->outer == NULL ? layer : in_layer(layer, lower->outer);
    if (table != NULL && lower->outer != NULL) table = PyDict_GetItemWithError(table, lower->key);
    return table != NULL && PyDict_CheckExact(table) ? table : NULL;
}

/* Whether the lower table has a key that its plain form does not have by that spelling; -1 on error. Merged tables have
   all keys of the tables that the layers have there: anything else there would have clashed with them. */
static int is_spelt_otherwise(PyObject *key, const Lower *lower) {
    if (lower->table != NULL) return PyDict_Contains(lower->table, key);
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(lower->layers); at++) {
        PyObject *table = in_layer(PyTuple_GET_ITEM(lower->layers, at), lower);
        int known = table != NULL ? PyDict_Contains(table, key) : PyErr_Occurred() ? -1 : 0;
        if (known != 0) return known;
    }
    return 0;
}

/* What the upper table and a table inside the lower one give; a new reference. */
static PyObject *merged_inside(const State *s, Rule *rule, PyObject *value, PyObject *plain_below, const Lower *lower,
                               PyObject *key) {
    Lower inside = {plain_below, NULL, lower->layers, lower, key};
    if (lower->table != NULL) {
        inside.table = PyDict_GetItemWithError(lower->table, key);
        if (inside.table == NULL) return PyErr_Occurred() ? NULL : Py_NewRef(Py_NotImplemented);
    }
    return merged_plain(s, rule, value, &inside);
}

/* What a key of the upper table gives that is in the lower one in the same spelling, or in none; a new reference.
   Py_None where the two clash. */
static PyObject *plain_member(const State *s, Rule *rule, PyObject *key, PyObject *value, PyObject *plain_below,
                              const Lower *lower) {
    int is_table = PyDict_CheckExact(value);
    if (!is_table && !PyList_CheckExact(value)) return Py_NewRef(value);
    if (plain_below == NULL || (is_table && !rule->deep))
        return is_table ? PyObject_CallOneArg(s->with_case, value) : Py_NewRef(value);
    if (Py_TYPE(value) != Py_TYPE(plain_below)) Py_RETURN_NONE;
    /* Lists have no keys: both forms of one are the same. */
    return is_table ? merged_inside(s, rule, value, plain_below, lower, key) : merged_lists(rule, value, plain_below);
}

/* What one key of the upper table gives, as above. A key that is spelt in another way in the lower table sets `respelt`
   if its value stays as it is; else it gives Py_NotImplemented, and where the lower table was not made always. */
static PyObject *plain_value(const State *s, Rule *rule, PyObject *key, PyObject *text, PyObject *value,
                             const Lower *lower, int *respelt) {
    PyObject *plain_below = PyDict_GetItemWithError(lower->plain, text);
    if (plain_below == NULL) {
        int otherwise = PyErr_Occurred() ? -1 : is_spelt_otherwise(key, lower);
        if (otherwise < 0) return NULL;
        if (otherwise) {
            int is_table = PyDict_CheckExact(value), is_merged = is_table ? rule->deep : PyList_CheckExact(value);
            if (is_merged || lower->table == NULL) return Py_NewRef(Py_NotImplemented);
            *respelt = 1;
        }
    }
    return plain_member(s, rule, key, value, plain_below, lower);
}

/* Put the keys of the upper table; 0, or -1 on error, or 1 with what cannot be done in `odd`. */
static int put_upper(const State *s, Rule *rule, PyObject *made, PyObject *upper, const Lower *lower, PyObject **odd,
                     int *respelt) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(upper, &at, &key, &value)) {
        PyObject *text = plain_key(s, key);
        PyObject *inner = text == NULL ? NULL : plain_value(s, rule, key, text, value, lower, respelt);
        int status = inner == NULL ? -1 : 0;
        if (inner == Py_NotImplemented || (inner == Py_None && value != Py_None)) {
            *odd = inner;
            status = 1;
        } else if (inner != NULL) {
            status = PyDict_SetItem(made, text, inner);
        }
        Py_XDECREF(text);
        Py_XDECREF(inner); /* what is odd is never freed */
        if (status != 0) return status;
    }
    return 0;
}

/* Put the keys that only the lower table has, all other keys of which are spelt as those that are there; -1 on error. */
static int put_rest(PyObject *made, PyObject *plain) {
    PyObject *text, *below;
    Py_ssize_t at = 0;
    while (PyDict_Next(plain, &at, &text, &below))
        if (PyDict_SetDefault(made, text, below) == NULL) return -1;
    return 0;
}

/* The same where some are spelt in another way. Both forms of the lower table have their keys in the same order. */
static int put_respelt_rest(PyObject *made, PyObject *upper, const Lower *lower) {
    PyObject *key, *value, *text, *below;
    Py_ssize_t at = 0, beside = 0;
    while (PyDict_Next(lower->table, &at, &key, &value) && PyDict_Next(lower->plain, &beside, &text, &below)) {
        int known = PyDict_Contains(upper, key);
        if (known < 0 || (!known && PyDict_SetItem(made, text, below) < 0)) return -1;
    }
    return 0;
}

static PyObject *merged_plain(const State *s, Rule *rule, PyObject *upper, const Lower *lower) {
    if (Py_EnterRecursiveCall(" while merging")) return NULL;
    PyObject *made = PyDict_New(), *odd = NULL;
    int respelt = 0, status = made == NULL ? -1 : put_upper(s, rule, made, upper, lower, &odd, &respelt);
    if (status == 0) status = respelt ? put_respelt_rest(made, upper, lower) : put_rest(made, lower->plain);
    Py_LeaveRecursiveCall();
    if (status != 0) Py_CLEAR(made);
    if (made != NULL) rule->count += PyDict_GET_SIZE(made);
    return status == 1 ? Py_NewRef(odd) : made;
}

/* The module */

static PyObject *py_merged(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 4 || !PyDict_CheckExact(arguments[0]) || !PyDict_CheckExact(arguments[1])
        || !PyBool_Check(arguments[2]) || !PyLong_Check(arguments[3])) {
        PyErr_SetString(PyExc_TypeError, "merged takes two tables, whether it goes deeper, and what becomes of lists");
        return NULL;
    }
    Rule rule = {arguments[2] == Py_True, (int)PyLong_AsLong(arguments[3]), 0};
    PyObject *made = PyErr_Occurred() ? NULL : merged(&rule, arguments[0], arguments[1]);
    if (made == NULL || made == Py_None) return made;
    return Py_BuildValue("Nn", made, rule.count);
}

static PyObject *py_is_orderless(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    if (count != 3 || !PyTuple_CheckExact(arguments[1]) || !PyBool_Check(arguments[2])) {
        PyErr_SetString(PyExc_TypeError, "is_orderless takes a value, markers, and whether lists must hold texts");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(arguments[1]); at++) {
        PyObject *marker = PyTuple_GET_ITEM(arguments[1], at);
        if (!PyUnicode_Check(marker) || PyUnicode_GET_LENGTH(marker) == 0) {
            PyErr_SetString(PyExc_TypeError, "a marker is a string that is not empty");
            return NULL;
        }
    }
    if (!PyDict_CheckExact(arguments[0])) Py_RETURN_FALSE;
    int answer = is_orderless(arguments[0], arguments[1], arguments[2] == Py_True);
    return answer < 0 ? NULL : PyBool_FromLong(answer);
}

static PyObject *py_merged_plain(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    const State *s = PyModule_GetState(module);
    if (s->with_case == NULL || count != 5 || !PyDict_CheckExact(arguments[0])
        || !(PyDict_CheckExact(arguments[1]) || PyTuple_CheckExact(arguments[1])) || !PyDict_CheckExact(arguments[2])
        || !PyBool_Check(arguments[3]) || !PyLong_Check(arguments[4])) {
        PyErr_SetString(PyExc_TypeError, "merged_plain takes a table, a table or a tuple of them, a table, whether it "
                                         "goes deeper, and what becomes of lists");
        return NULL;
    }
    Rule rule = {arguments[3] == Py_True, (int)PyLong_AsLong(arguments[4]), 0};
    Lower lower = {arguments[2], NULL, NULL, NULL, NULL};
    *(PyDict_CheckExact(arguments[1]) ? &lower.table : &lower.layers) = arguments[1];
    PyObject *made = PyErr_Occurred() ? NULL : merged_plain(s, &rule, arguments[0], &lower);
    if (made == NULL || !PyDict_CheckExact(made)) return made;
    return Py_BuildValue("Nn", made, rule.count);
}

static PyObject *configure(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    State *s = PyModule_GetState(module);
    PyObject *slot = count == 2 ? PyObject_GetAttr(arguments[1], s->s_text) : NULL;
    if (slot == NULL || Py_TYPE(slot) != &PyMemberDescr_Type) {
        Py_XDECREF(slot);
        PyErr_SetString(PyExc_TypeError, "configure takes a function, and a type with a slot for its plain text");
        return NULL;
    }
    s->offset = ((PyMemberDescrObject *)slot)->d_member->offset;
    Py_DECREF(slot);
    Py_XSETREF(s->with_case, Py_NewRef(arguments[0]));
    Py_XSETREF(s->Key, Py_NewRef(arguments[1]));
    Py_RETURN_NONE;
}

static int make_names(PyObject *module) {
    State *s = PyModule_GetState(module);
    s->s_text = PyUnicode_InternFromString("text");
    return s->s_text == NULL ? -1 : 0;
}

static int traverse_module(PyObject *module, visitproc visit, void *arg) {
    State *s = PyModule_GetState(module);
    Py_VISIT(s->with_case);
    Py_VISIT(s->Key);
    return 0;
}

static int clear_module(PyObject *module) {
    State *s = PyModule_GetState(module);
    Py_CLEAR(s->with_case);
    Py_CLEAR(s->Key);
    Py_CLEAR(s->s_text);
    return 0;
}

static void free_module(void *module) {
    clear_module(module);
}

static PyMethodDef methods[] = {
    {"configure", (PyCFunction)(void (*)(void))configure, METH_FASTCALL, "Hand over what gives a value its plain keys."},
    {"merged", (PyCFunction)(void (*)(void))py_merged, METH_FASTCALL, "The value of two simple tables merged."},
    {"merged_plain", (PyCFunction)(void (*)(void))py_merged_plain, METH_FASTCALL, "The same, with plain keys."},
    {"is_orderless", (PyCFunction)(void (*)(void))py_is_orderless, METH_FASTCALL, "Whether a table is simple."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, make_names},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "lamina.dialects.datum.operators._simple_merge",
    .m_doc = "Merging simple tables for their value alone.",
    .m_size = sizeof(State),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse_module,
    .m_clear = clear_module,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__simple_merge(void) {
    return PyModuleDef_Init(&definition);
}
