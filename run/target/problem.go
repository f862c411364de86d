package target

import (
	"fmt"

	"github.com/pentode-dev/pentode/core/problem"
)

// The kinds of problems.
const (
	UnknownMachine  problem.Kind = "unknown-machine"  // the tables do not have it
	UnknownCompiler problem.Kind = "unknown-compiler" // Flags does not have it
	NothingCommon   problem.Kind = "nothing-common"   // no code runs on all machines
	NoTarget        problem.Kind = "no-target"        // a compiler does not build for the machine
	NoFlag          problem.Kind = "no-flag"          // a compiler has no flag for a setting
	NoMacro         problem.Kind = "no-macro"         // a compiler takes a flag but defines no macro for it
	Contradiction   problem.Kind = "contradiction"    // two keys of a target contradict each other
	NoAnswer        problem.Kind = "no-answer"        // a device was found but cannot be queried
)

// wrong returns a problem about a key of a target.
func wrong(kind problem.Kind, key Key, format string, args ...any) *problem.Problem {
	return &problem.Problem{Kind: kind, Subject: problem.Subject{Key: string(key)}, Message: fmt.Sprintf(format, args...)}
}

// info returns a problem that does not stop the work.
func info(kind problem.Kind, key Key, format string, args ...any) *problem.Problem {
	p := wrong(kind, key, format, args...)
	p.Severity = problem.Info
	return p
}

// Key is the name of a configuration key.
type Key string

// The keys that reasons and problems are about.
const (
	KeyPU             Key = "PU"
	KeyArchitecture   Key = "Architecture"
	KeyMode           Key = "Mode"
	KeyFeatures       Key = "Features"
	KeyInlining       Key = "InliningLevel"
	KeyVectorization  Key = "VectorizationLevel"
	KeyModel          Key = "Model"
	KeyStackGrowth    Key = "StackGrowth"
	KeyEndianness     Key = "Endianness"
	KeyABI            Key = "ABI"
	KeyLevel          Key = "Level"
	KeyParameters     Key = "ParameterRegisters"
	KeyReturns        Key = "ReturnRegisters"
	KeyStackAlignment Key = "StackAlignment"
	KeyRedZone        Key = "RedZoneSize"
	KeyDefine         Key = "Define"
	KeyEntryPoint     Key = "EntryPoint"
	KeyOutputFormat   Key = "OutputFormat"
	KeyOS             Key = "OS"
	KeyOSVersion      Key = "OSVersion"
	KeyLibc           Key = "Libc"
	KeyLibcVersion    Key = "LibcVersion"
	KeyCodeModel      Key = "CodeModel"
	KeyPosition       Key = "PositionIndependence"
	KeyFloatABI       Key = "FloatABI"
	KeyTLSModel       Key = "TLSModel"
	KeyAtomicWidth    Key = "AtomicWidth"
)
