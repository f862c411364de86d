/* The parts of CPython that the agent uses: functions that exist since 3.9, found by name at run
 * time, so that the agent is built without Python. */
#ifndef PENTODE_PYTHON_API_H
#define PENTODE_PYTHON_API_H

#include <stddef.h>

typedef struct object object; /* PyObject */

/* The event numbers of a profile function. */
enum { PY_CALL = 0, PY_RETURN = 3, PY_C_CALL = 4, PY_C_RAISED = 5, PY_C_RETURN = 6 };
typedef int (*profile_function)(object *, object *frame, int what, object *);

typedef int (*audit_hook)(const char *event, object *args, void *);

typedef object *(*method)(object *self, object *const *args, ptrdiff_t count);
enum { METH_FASTCALL = 0x80 };
struct method_def {
	const char *name;
	method call;
	int flags;
	const char *doc;
};

#define PYTHON_NEEDED(f)                                                    \
	f(const char *, Py_GetVersion, (void))                                  \
	f(void, Py_IncRef, (object *))                                          \
	f(void, Py_DecRef, (object *))                                          \
	f(void, PyErr_Clear, (void))                                            \
	f(long, PyLong_AsLong, (object *))                                      \
	f(object *, PyLong_FromLong, (long))                                    \
	f(const char *, PyUnicode_AsUTF8, (object *))                           \
	f(object *, PyObject_GetAttrString, (object *, const char *))           \
	f(int, PyObject_SetAttrString, (object *, const char *, object *))      \
	f(object *, PyObject_CallMethod, (object *, const char *, const char *, ...)) \
	f(object *, PyObject_Call, (object *, object *args, object *named))     \
	f(object *, Py_BuildValue, (const char *, ...))                         \
	f(object *, PyDict_GetItemString, (object *, const char *))             \
	f(object *, PySys_GetObject, (const char *))                            \
	f(object *, PyEval_GetGlobals, (void))                                  \
	f(void, PyEval_SetProfile, (profile_function, object *))                \
	f(object *, PyFrame_GetCode, (object *))                                \
	f(object *, PyCFunction_NewEx, (struct method_def *, object *, object *)) \
	f(void *, PyInterpreterState_Get, (void))                               \
	f(long, PyInterpreterState_GetID, (void *))

/* These have another name from 3.12 on. */
#define PYTHON_RENAMED(f)                                                              \
	f(int, code_get, (object *, ptrdiff_t, void **), "PyUnstable_Code_GetExtra", "_PyCode_GetExtra") \
	f(int, code_set, (object *, ptrdiff_t, void *), "PyUnstable_Code_SetExtra", "_PyCode_SetExtra") \
	f(ptrdiff_t, code_index, (void (*)(void *)), "PyUnstable_Eval_RequestCodeExtraIndex", "_PyEval_RequestCodeExtraIndex")

#define PYTHON_POINTER(type, name, parameters) type(*name) parameters;
#define PYTHON_POINTER_2(type, name, parameters, first, second) type(*name) parameters;
struct python_api {
	PYTHON_NEEDED(PYTHON_POINTER)
	PYTHON_RENAMED(PYTHON_POINTER_2)
	object *none;
	const void *c_function, *c_method, *method_descriptor; /* types of objects written in C */
	size_t head; /* the size of an object's header; the type is its last word */
	ptrdiff_t index; /* of the extra data of a code object for the agent */
};

#endif
