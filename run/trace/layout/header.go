package layout

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"unicode"
)

// Header returns the layout as a C header. Its assertions check that every field has the same offset as in Go.
func Header() string {
	var b strings.Builder
	b.WriteString("/* Made from run/trace/layout. */\n#include <stdatomic.h>\n#include <stddef.h>\n#include <stdint.h>\n\nenum {\n")
	for _, c := range []struct {
		name  string
		value int
	}{
		{"MAGIC", Magic}, {"LAYOUT", Number},
		{"PROCESSES_AT", ProcessesAt}, {"MAX_PROCESSES", MaxProcesses}, {"SLOTS_AT", SlotsAt}, {"MAX_SLOTS", MaxSlots},
		{"MODULES_AT", ModulesAt}, {"MAX_MODULES", MaxModules},
		{"MODULE_FREE", ModuleFree}, {"MODULE_BEGUN", ModuleBegun}, {"MODULE_MET", ModuleMet}, {"MODULE_KNOWN", ModuleKnown},
		{"POLICIES_AT", PoliciesAt}, {"POLICIES_END", PoliciesEnd},
		{"SLOT_FREE", SlotFree}, {"SLOT_IN_USE", SlotInUse}, {"SLOT_ENDED", SlotEnded},
		{"NAME_WORDS", NameWords}, {"SITE_FRAMES", SiteFrames}, {"MAX_FRAMES", MaxFrames}, {"MONITORED_BYTES", MonitoredBytes}, {"DOMAINS", Domains}, {"MAX_KINDS", MaxKinds}, {"WORDS", Words},
		{"DEVICE_RING", DeviceRing}, {"CUDA_TRACED", CudaTraced}, {"CUDA_NO_LIBRARY", CudaNoLibrary}, {"CUDA_TAKEN", CudaTaken}, {"CUDA_REFUSED", CudaRefused}, {"CUDA_ELSEWHERE", CudaElsewhere},
		{"PYTHON_UNKNOWN", PythonUnknown}, {"PYTHON_TRACED", PythonTraced}, {"PYTHON_TOO_OLD", PythonTooOld}, {"PYTHON_NO_INTERFACE", PythonNoInterface}, {"PYTHON_TAKEN", PythonTaken}, {"PYTHON_FREE", PythonFree},
		{"ACTIVITY_ON", ActivityOn}, {"ACTIVITY_EPOCH_AT", ActivityEpochAt}, {"ACTIVITY_CHANGED", ActivityChanged}, {"PICKED", Picked},
		{"MODE_BITS", ModeBits}, {"MODE_MASK", ModeMask}, {"CHANGED_AT", ChangedAt}, {"EPOCH_AT", EpochAt},
	} {
		fmt.Fprintf(&b, "\t%s = %#x,\n", c.name, c.value)
	}
	for i, name := range DomainNames {
		fmt.Fprintf(&b, "\t%s = %d,\n", strings.ToUpper(name), i)
	}
	for i, name := range ModeNames[Off:] {
		fmt.Fprintf(&b, "\t%s = %d,\n", name, Off+i)
	}
	b.WriteString("};\n")
	for _, t := range []reflect.Type{
		reflect.TypeFor[Session](), reflect.TypeFor[Process](), reflect.TypeFor[Slot](), reflect.TypeFor[Module](), reflect.TypeFor[Record](), reflect.TypeFor[Monitored](),
		reflect.TypeFor[Table](), reflect.TypeFor[Domain](), reflect.TypeFor[Policy](), reflect.TypeFor[Section](), reflect.TypeFor[Where](),
		reflect.TypeFor[Test](), reflect.TypeFor[Interval](), reflect.TypeFor[Change](), reflect.TypeFor[Rule](), reflect.TypeFor[WindowEnd](),
		reflect.TypeFor[Entry](), reflect.TypeFor[Range](), reflect.TypeFor[Name](), reflect.TypeFor[Knob](),
	} {
		declare(&b, t)
	}
	return b.String()
}

// declare writes a struct, and assertions about the offsets of its fields.
func declare(b *strings.Builder, t reflect.Type) {
	name := cName(t.Name())
	var asserts strings.Builder
	fmt.Fprintf(b, "\nstruct %s {\n", name)
	for i := range t.NumField() {
		f := t.Field(i)
		field := cName(f.Name)
		if f.Name == "_" {
			field = fmt.Sprintf("spare%d", i)
		}
		typ, dimension := f.Type, ""
		if typ.Kind() == reflect.Array {
			typ, dimension = typ.Elem(), fmt.Sprintf("[%d]", typ.Len())
		}
		fmt.Fprintf(b, "\t%s %s%s;\n", cType(typ), field, dimension)
		fmt.Fprintf(&asserts, "_Static_assert(offsetof(struct %s, %s) == %d, \"%s of %s\");\n", name, field, f.Offset, field, name)
	}
	fmt.Fprintf(b, "};\n%s_Static_assert(sizeof(struct %s) == %d, \"%s\");\n", asserts.String(), name, t.Size(), name)
}

func cType(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[atomic.Uint32]():
		return "_Atomic uint32_t"
	case reflect.TypeFor[atomic.Uint64]():
		return "_Atomic uint64_t"
	}
	switch t.Kind() {
	case reflect.Uint8:
		return "char"
	case reflect.Float64:
		return "double"
	case reflect.Struct:
		return "struct " + cName(t.Name())
	}
	return t.Kind().String() + "_t" // types such as uint32
}

// cName returns a name in C's spelling: RingBytes is ring_bytes, PID is pid.
func cName(name string) string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if unicode.IsUpper(r) && small {
			b.WriteByte('_')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
