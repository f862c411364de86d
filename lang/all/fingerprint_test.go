package all_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/fingerprint"
	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang"
	"github.com/pentode-dev/pentode/lang/all"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/flow/catalog"
)

// meaning is a configuration independent of how it is written.
type meaning interface {
	// write returns the configuration as text, written differently at each
	// call.
	write(*speller) string
	// change returns a configuration with another meaning.
	change(*rand.Rand) meaning
}

// TestFingerprint checks that a configuration has the same fingerprint however
// it is written, and that a configuration with another meaning has another
// fingerprint. PENTODE_ROUNDS=20000 makes 100,000 of each.
func TestFingerprint(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("PENTODE_ROUNDS"))
	if err != nil {
		rounds = 15
	}
	languages := all.Languages(all.Options{Sprokit: sprokit.Options{Types: catalog.Standard()}})
	for name, random := range map[string]func(*rand.Rand) meaning{
		"coil": randomTarget, "paradyn": randomPlan, "sprokit": randomPipeline, "pdi": randomTree, "pinsight": randomPolicy,
	} {
		t.Run(name, func(t *testing.T) {
			l := languages[slices.IndexFunc(languages, func(l *lang.Language) bool { return l.Name == name })]
			s := &speller{rand.New(rand.NewPCG(7, uint64(len(name)))), name}
			for range rounds {
				m := random(s.Rand)
				first, second := m.write(s), m.write(s)
				other := m.change(s.Rand).write(s)
				sum := sumOf(t, l, first)
				if sumOf(t, l, second) != sum {
					t.Fatalf("two fingerprints of one meaning:\n%s\n----\n%s\nwant %v", first, second, sum)
				}
				if formatted, ok := l.Parse(source.NewFile("x", first)).Format(); !ok || sumOf(t, l, formatted) != sum {
					t.Fatalf("formatting changes the fingerprint of\n%s", first)
				}
				if sumOf(t, l, other) == sum {
					t.Fatalf("one fingerprint of two meanings:\n%s\n----\n%s\nwant other than %v", first, other, sum)
				}
			}
		})
	}
}

// TestFingerprintUnread checks that settings for other programs affect the
// fingerprint too.
func TestFingerprintUnread(t *testing.T) {
	const target = "[Target]\nPU = CPU\nArchitecture = x86\nMode = 64\n[Memory]\nModel = Flat\nAlignment = 8\nStackGrowth = Down\nEndianness = Little\n" +
		"[ABI]\nName = SystemV\n[Optimization]\nLevel = 1\n"
	const pipe = "process a :: numbers\nprocess w :: sink\nconnect from a.number to w.sink\n"
	languages := all.Languages(all.Options{Sprokit: sprokit.Options{Types: catalog.Standard()}})
	for name, texts := range map[string][3]string{ // the first two have the same meaning
		"coil":     {target + "[ACME_Tuning]\nDepth = 3\n", "# ours\n[ACME_Tuning]\nDepth=3\n" + target, target + "[ACME_Tuning]\nDepth = 4\n"},
		"paradyn":  {"list \"l\" { \"a\" \"b\" }\n", "// ours\nlist \"l\" {\n\"a\" \"b\" }\n", "list \"l\" { \"a\" \"c\" }\n"},
		"pinsight": {"[Manifest]\n  interval = 3\n", "[Manifest]\n# s\ninterval=3\n", "[Manifest]\n  interval = 4\n"},
		"sprokit":  {pipe + "config _scheduler\n  sync:depth = 3\n", "config _scheduler:sync\n  depth = 3\n" + pipe, pipe + "config _scheduler\n  sync:depth = 4\n"},
	} {
		l := languages[slices.IndexFunc(languages, func(l *lang.Language) bool { return l.Name == name })]
		if a, b, other := sumOf(t, l, texts[0]), sumOf(t, l, texts[1]), sumOf(t, l, texts[2]); a != b || a == other {
			t.Errorf("%s: %s and %s of one meaning, %s of another; want a = %v and a other than %v", name, a.Short(), b.Short(), other.Short(), b, other)
		}
	}
}

func sumOf(t *testing.T, l *lang.Language, text string) fingerprint.Sum {
	t.Helper()
	c := l.Parse(source.NewFile("x", text)).Resolve(&load.Env{Opener: source.Map{}, Dir: "/run"})
	for _, d := range c.Found() {
		if d.Severity == diag.Error {
			t.Fatalf("%s: %s\n%s\nwant other than %v", d.Span, d.Message, text, diag.Error)
		}
	}
	sum, err := c.Fingerprint()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return sum
}

// speller chooses at random between different texts with the same meaning.
type speller struct {
	*rand.Rand
	language string
}

func (s *speller) one(ways ...string) string { return ways[s.IntN(len(ways))] }

// shuffled returns the texts in random order.
func (s *speller) shuffled(list []string) []string {
	list = slices.Clone(list)
	s.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// lines joins texts with line ends, comments and empty lines.
func (s *speller) lines(list ...string) string {
	sign := map[string]string{"paradyn": "//"}[s.language]
	if sign == "" {
		sign = "#"
	}
	var b strings.Builder
	for _, l := range list {
		for s.IntN(3) == 0 {
			b.WriteString(s.one("\n", sign+" a word\n", sign+" x = 3\n"))
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}

// field is a setting.
type field struct {
	key   string
	value any // its type is int, bool, float64 or string; []string for a set; [2][]string for a list, whose value is the first element
}

// changed gives one of the fields another value.
func changed(r *rand.Rand, list []field) []field {
	list = slices.Clone(list)
	f := &list[r.IntN(len(list))]
	switch v := f.value.(type) {
	case int:
		f.value = v + 1
	case bool:
		f.value = !v
	case float64:
		f.value = v + 0.5
	case string:
		f.value = v + "x"
	case []string:
		f.value = v[1:]
	case [2][]string:
		f.value = [2][]string{append([]string{"z"}, v[0]...)}
	}
	return list
}

// The target of a build.

type targetMeaning map[string][]field

func randomTarget(r *rand.Rand) meaning {
	return targetMeaning{
		"Target":       {{"Mode", 64}, {"Features", []string{"SSE4.1", "AVX", "POPCNT"}}},
		"Optimization": {{"Level", r.IntN(3)}, {"SizeOptimization", r.IntN(2) == 0}, {"InliningLevel", r.IntN(2)}},
		"Memory":       {{"Model", "Protected"}, {"Alignment", 8}, {"StackGrowth", "Down"}, {"Endianness", "Little"}},
		"ABI":          {{"Name", "SystemV"}},
		"Linker":       {{"Libraries", [2][]string{{"m", "a", "b"}}}, {"EntryPoint", "start"}},
		"Preprocessor": {{"Define", []string{"A=1", "B", "C=\"x\""}}, {"Include", [2][]string{{"inc", "src"}}}},
	}
}

func (m targetMeaning) write(s *speller) string {
	var sections []string
	for name, fields := range m {
		var list []string
		if name == "Target" {
			list = []string{"PU = CPU", "Architecture = " + s.one("x86", "X86")}
		}
		for _, f := range fields {
			text := ""
			switch v := f.value.(type) {
			case int:
				text = s.one(strconv.Itoa(v), fmt.Sprintf("0x%x", v), fmt.Sprintf("0X%X", v))
			case bool:
				text = map[bool]string{true: s.one("true", "yes", "1", "True"), false: s.one("false", "no", "0")}[v]
			case string:
				text = v
			case []string:
				text = strings.Join(s.shuffled(v), s.one(",", ", "))
				if f.key == "Features" {
					text = s.one(text, strings.ToLower(text))
				}
			case [2][]string:
				text = strings.Join(v[0], s.one(",", ", "))
			}
			list = append(list, f.key+s.one(" = ", "=", "  =  ")+text)
		}
		sections = append(sections, s.lines(append([]string{"[" + name + "]"}, s.shuffled(list)...)...))
	}
	return s.lines(s.shuffled(sections)...)
}

func (m targetMeaning) change(r *rand.Rand) meaning {
	other := targetMeaning{}
	names := []string{"Optimization", "Linker", "Preprocessor"}
	at := names[r.IntN(len(names))]
	for name, fields := range m {
		if other[name] = fields; name == at {
			other[name] = changed(r, fields)
		}
	}
	return other
}

// The programs of a plan.

type planMeaning struct {
	tunables  []field
	processes [][]field
}

func randomPlan(r *rand.Rand) meaning {
	m := planMeaning{tunables: []field{{"rate", 0.5 + float64(r.IntN(9))}, {"depth", 1.5}, {"width", 2.5}}}
	for i := range 1 + r.IntN(3) {
		m.processes = append(m.processes, []field{
			{"name", fmt.Sprintf("p%d", i)}, {"command", "/bin/echo"}, {"args", [2][]string{{"a", "b c"}}}, {"host", "localhost"}, {"daemon", "watch"},
		})
	}
	return m
}

func (m planMeaning) write(s *speller) string {
	var tunables, blocks []string
	for _, f := range m.tunables {
		tunables = append(tunables, fmt.Sprintf("tunable_constant %q %v;", f.key, f.value))
	}
	for _, p := range m.processes {
		var entries []string
		for _, f := range p {
			text := ""
			switch v := f.value.(type) {
			case string:
				text = fmt.Sprintf("%q", v)
			case [2][]string:
				text = "{"
				for _, a := range v[0] {
					text += s.one(" ", "\n  ") + fmt.Sprintf("%q", a)
				}
				text += " }"
			}
			entries = append(entries, f.key+s.one(" ", "   ")+text+";")
		}
		blocks = append(blocks, s.lines("process {")+s.lines(s.shuffled(entries)...)+"}")
	}
	daemon := "daemon { name \"watch\"; command \"watcher -v\"; host \"localhost\"; }"
	return s.lines(s.shuffled([]string{s.lines(s.shuffled(tunables)...), daemon, s.lines(blocks...)})...)
}

func (m planMeaning) change(r *rand.Rand) meaning {
	if m.processes = slices.Clone(m.processes); r.IntN(3) == 0 {
		m.tunables = changed(r, m.tunables)
	} else if i := r.IntN(len(m.processes)); i > 0 && r.IntN(2) == 0 {
		m.processes[0], m.processes[i] = m.processes[i], m.processes[0] // the order in which they start
	} else {
		m.processes[i] = append(changed(r, m.processes[i][:3]), m.processes[i][3:]...)
	}
	return m
}

// The processes of a pipeline.

type pipelineMeaning struct {
	painter, gap  string // the name of a process, the capacity of edges
	solver, paint []field
	statistics    bool
}

func randomPipeline(r *rand.Rand) meaning {
	return pipelineMeaning{"paint", "7", []field{{"rows", 8 + r.IntN(90)}, {"steps", r.IntN(100)}, {"heat", 90.25}},
		[]field{{"low", float64(r.IntN(9))}, {"high", 100.5}, {"scale", 2}}, r.IntN(2) == 0}
}

func (m pipelineMeaning) write(s *speller) string {
	var macros []string
	block := func(process, typ string, fields []field) string {
		var list []string
		for _, f := range fields {
			text := ""
			switch v := f.value.(type) {
			case int:
				text = s.one(strconv.Itoa(v), fmt.Sprintf("%04d", v))
			case float64:
				text = s.one(strconv.FormatFloat(v, 'g', -1, 64), strconv.FormatFloat(v, 'e', -1, 64), strconv.FormatFloat(v, 'f', 4, 64))
			}
			if s.IntN(3) == 0 {
				name := process + "_" + f.key
				macros = append(macros, "  "+name+" = "+text)
				text = "$CONFIG{shared:" + name + "}"
			}
			list = append(list, s.one("  "+f.key+" = "+text, "  :"+f.key+" "+text, "  "+f.key+"="+text))
		}
		return s.lines("process "+process, "  :: "+typ) + s.lines(s.shuffled(list)...)
	}
	parts := []string{
		block("solver", "heat", m.solver), block(m.painter, "colormap", m.paint), block("out", "image_writer", nil),
		"connect from solver.field\n        to " + m.painter + ".field", "connect from " + m.painter + ".image to out.image",
		"config _pipeline:_edge\n  capacity = " + s.one(m.gap, "0"+m.gap),
	}
	if m.statistics {
		parts = append(parts, block("mean", "field_stats", nil), "connect from solver.field to mean.field")
	}
	text := s.lines(s.shuffled(parts)...)
	if len(macros) > 0 {
		text = s.lines(append([]string{"config shared"}, s.shuffled(macros)...)...) + text
	}
	return text
}

func (m pipelineMeaning) change(r *rand.Rand) meaning {
	switch r.IntN(5) {
	case 0:
		m.painter += "er"
	case 1:
		m.gap += "1"
	case 2:
		m.statistics = !m.statistics
	case 3:
		m.solver = changed(r, m.solver)
	default:
		m.paint = changed(r, m.paint)
	}
	return m
}

// The data of a program.

type treeMeaning struct {
	metadata []field // types
	size     []string
	when     string
	file     string
	deflate  int
}

func randomTree(r *rand.Rand) meaning {
	return treeMeaning{[]field{{"n", "int"}, {"m", "long"}, {"step", "int64"}}, []string{"$n", strconv.Itoa(8 + r.IntN(99)), "$m + 2"},
		"$step % 3 = 0", "out_${step:04d}.h5", r.IntN(9)}
}

// expression returns an expression, written differently at each call.
func (s *speller) expression(text string) string {
	if n, err := strconv.Atoi(text); err == nil {
		return s.one(text, fmt.Sprintf("0x%x", n), fmt.Sprintf("0%o", n))
	}
	text = s.one(text, strings.ReplaceAll(text, " ", ""), "("+text+")")
	return s.one(text, "'"+text+"'", `"`+text+`"`)
}

// mapping writes a mapping in one of YAML's styles.
func (s *speller) mapping(indent string, entries ...string) string {
	entries = s.shuffled(entries)
	if s.IntN(2) == 0 && !slices.ContainsFunc(entries, func(e string) bool { return strings.Contains(e, "\n") }) {
		return " {" + strings.Join(entries, ", ") + "}"
	}
	return "\n" + indent + strings.Join(entries, s.one("\n", " # a word\n", "\n\n")+indent)
}

func (m treeMeaning) write(s *speller) string {
	var metadata, sizes []string
	for _, f := range m.metadata {
		metadata = append(metadata, f.key+": "+s.one(f.value.(string), "{type: "+f.value.(string)+"}", "'"+f.value.(string)+"'"))
	}
	for _, e := range m.size {
		sizes = append(sizes, s.expression(e))
	}
	array := s.mapping("    ", "type: array", "subtype: double", "size: ["+strings.Join(sizes, ", ")+"]", "+unit: 'K'", "+scale: 2.5")
	file := s.mapping("    ", "file: '"+m.file+"'", "on_event: done", "when: "+s.expression(m.when), "deflate: "+s.expression(strconv.Itoa(m.deflate)), "write: [field]")
	return s.lines(s.shuffled([]string{
		"metadata:" + s.mapping("  ", metadata...),
		"data:\n  field:" + array,
		"plugins:\n  decl_hdf5:" + file,
	})...)
}

func (m treeMeaning) change(r *rand.Rand) meaning {
	m.metadata, m.size = slices.Clone(m.metadata), slices.Clone(m.size)
	switch r.IntN(6) {
	case 0:
		m.metadata[r.IntN(3)].value = "short"
	case 1:
		m.size[r.IntN(3)] = "$n * 2"
	case 2:
		m.when = "$step % 3 = 1"
	case 3:
		m.file = "out_${step:05d}.h5"
	case 4:
		m.size[0], m.size[1] = m.size[1], m.size[0]
	default:
		m.deflate++
	}
	return m
}

// The settings of a trace.

type policyMeaning struct {
	openmp, mpi, rates, region []field
	regions                    []string
}

func randomPolicy(r *rand.Rand) meaning {
	on := func() bool { return r.IntN(2) == 0 }
	return policyMeaning{
		[]field{{"omp_task_create", on()}, {"omp_task_schedule", on()}}, []field{{"MPI_Send", on()}, {"MPI_Recv", on()}},
		[]field{{"tracing_rate", 1 + r.IntN(9)}, {"max_num_traces", 100}, {"trace_starts_at", r.IntN(9)}}, []field{{"tracing_rate", 10 + r.IntN(9)}}, []string{"0x4010bd", "0x4020bd"},
	}
}

func (m policyMeaning) write(s *speller) string {
	section := func(head string, fields []field) string {
		var list []string
		for _, f := range fields {
			text := fmt.Sprint(f.value)
			if on, ok := f.value.(bool); ok {
				text = map[bool]string{true: s.one("on", "ON"), false: s.one("off", "OFF")}[on]
			}
			list = append(list, s.one("", "    ")+f.key+s.one(" = ", "=")+text)
		}
		return s.lines("["+head+"]") + s.lines(s.shuffled(list)...)
	}
	domains := s.shuffled([]string{section("OpenMP.default", m.openmp), section("MPI.default", m.mpi)})
	parts := append(domains, section("Lexgion.default", m.rates))
	for _, address := range m.regions {
		parts = append(parts, section("Lexgion("+address+")", m.region))
	}
	return s.lines(parts...)
}

func (m policyMeaning) change(r *rand.Rand) meaning {
	switch r.IntN(5) {
	case 0:
		m.openmp = changed(r, m.openmp)
	case 1:
		m.mpi = changed(r, m.mpi)
	case 2:
		m.rates = changed(r, m.rates)
	case 3:
		m.region = changed(r, m.region)
	default:
		m.regions = []string{"0x4010bd", "0x4020be"}
	}
	return m
}
