package launch

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/internal/leaf/bytesize"
)

// Around describes the surroundings in which a program runs, apart from its variables and folder. The zero value means the surroundings of this
// program.
type Around struct {
	Umask  string // octal digits
	User   string // `USER` or `USER:GROUP`; only root can start programs as another user
	Nice   int
	Stdin  string // the file to use as standard input; empty: standard input is empty
	Limits Limits
	Cores  string // the cores that it may use, as taskset takes them, or `numa:NODE`; empty: all
}

// Limits are the resources that a program may use; 0: the same limit as this program.
type Limits struct {
	Memory int64         // bytes: for all its processes together in a control group, or else for the address space of each process
	CPU    time.Duration // for all its threads together
	Files  int           // open at the same time
	Time   time.Duration // between start and end; the supervisor enforces it
}

// words returns the command line that a starter executes for a node. If surroundings must be set up first, a shell does that and then becomes the
// program. So the process ID and the arguments stay the same: no shell interprets the arguments.
func (n *Node) words() []string {
	a := &n.Around
	var first []string
	if a.Umask != "" {
		first = append(first, "umask "+a.Umask)
	}
	if a.Limits.Memory > 0 {
		first = append(first, fmt.Sprintf(joinGroup, (a.Limits.Memory+1023)/1024))
	}
	if a.Limits.CPU > 0 {
		first = append(first, fmt.Sprintf("ulimit -t %d", wholeSeconds(a.Limits.CPU)))
	}
	if a.Limits.Files > 0 {
		first = append(first, fmt.Sprintf("ulimit -n %d", a.Limits.Files))
	}
	if a.Stdin != "" {
		first = append(first, "exec <"+Quote(a.Stdin))
	}
	last := []string{"exec"}
	if a.Nice != 0 {
		last = append(last, "nice", "-n", strconv.Itoa(a.Nice))
	}
	if a.Cores != "" {
		last = append(last, pinned(a.Cores)...)
	}
	if user, group, ok := strings.Cut(a.User, ":"); user != "" {
		if group = Quote(group); !ok {
			group = `"$(id -g -- ` + Quote(user) + `)"`
		}
		last = append(last, "setpriv", "--reuid="+Quote(user), "--regid="+group, "--init-groups", "--")
	}
	if len(first) == 0 && len(last) == 1 {
		return n.Argv
	}
	text := strings.Join(append(last, `"$@"`), " ")
	if len(first) > 0 {
		text = strings.Join(first, " && ") + " || exit 126; " + text
	}
	return append([]string{"sh", "-c", text, "sh"}, n.Argv...)
}

// joinGroup moves a shell, and so the program that it becomes, into the control group that the supervisor has made for it. Without a control group,
// or if joining is refused, the limit applies to each process.
const joinGroup = `{ { [ -n "$PENTODE_GROUP" ] && echo $$ >"$PENTODE_GROUP/cgroup.procs"; } 2>/dev/null || ulimit -v %d; } && unset PENTODE_GROUP`

// arranged reports whether a shell sets up surroundings before the program starts.
func (n *Node) arranged() bool { return len(n.words()) != len(n.Argv) }

// wholeSeconds rounds up.
func wholeSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// surroundingsKeys returns the settings for the surroundings, sorted by name.
func surroundingsKeys() []Key {
	return []Key{
		{
			Name: "dir", Takes: "a folder", Doc: "the folder in which it starts, relative to the folder in which it would start otherwise",
			set: text(func(s *Settings, text string) error { s.Dir = text; return notEmpty(text) }),
		},
		{
			Name: "env", Takes: "`NAME = \"VALUE\"`", Doc: "variables of the environment", Table: true,
			set: func(s *Settings, name string, v Value) error {
				if v.IsList {
					return fmt.Errorf("variable `%s` is one text, not a list", name)
				}
				s.Env = append(s.Env, Var{name, v.Text})
				return checkVariable(name, v.Text)
			},
		},
		{
			Name: "env-file", Takes: "a file, relative to the folder of `pentode.toml`", Doc: "a file with lines `NAME=VALUE`; variables in `env` win; plans never show the values",
			set: text(func(s *Settings, text string) error { s.EnvFile = text; return notEmpty(text) }),
		},
		{
			Name: "limits", Takes: "`memory = \"2GB\"`, `cpu = \"10m\"`, `files = 1024`, `time = \"1h\"`",
			Doc: "limits for memory, processor time, open files and run time. Memory is limited for all its processes together if this machine allows control groups; otherwise, and for the other limits, `ulimit` limits each process. `time` ends the program after that long", Table: true,
			set: func(s *Settings, name string, v Value) error { return s.Limits.set(name, v.String()) },
		},
		{
			Name: "nice", Takes: "-20 to 19", Doc: "its priority: 19 is the lowest; only root can go below 0",
			set: text(func(s *Settings, text string) (err error) {
				if s.Nice, err = strconv.Atoi(text); err != nil || s.Nice < -20 || s.Nice > 19 {
					return fmt.Errorf("`%s` is not a priority: expected a number from -20 to 19", text)
				}
				return nil
			}),
		},
		{
			Name: "stdin", Takes: "a file", Doc: "the file that it reads as standard input; without this setting, standard input is empty",
			set: text(func(s *Settings, text string) error { s.Stdin = text; return notEmpty(text) }),
		},
		{
			Name: "umask", Takes: "three octal digits such as `\"027\"`", Doc: "the permissions that it removes from files it creates",
			set: text(func(s *Settings, text string) error {
				s.Umask = text
				if n, err := strconv.ParseUint(text, 8, 32); err != nil || n > 0o777 || len(text) < 3 {
					return fmt.Errorf("`%s` is not a mask of permissions: expected three octal digits such as \"027\"", text)
				}
				return nil
			}),
		},
		{
			Name: "user", Takes: "`USER` or `USER:GROUP`", Doc: "the user that it runs as; only root can start programs as another user",
			set: text(func(s *Settings, text string) error {
				s.User = text
				if user, group, ok := strings.Cut(text, ":"); user == "" || ok && group == "" || strings.HasPrefix(text, "-") {
					return fmt.Errorf("`%s` is not a user: expected `USER` or `USER:GROUP`", text)
				}
				return nil
			}),
		},
	}
}

func notEmpty(text string) error {
	if text == "" || strings.ContainsRune(text, 0) {
		return fmt.Errorf("this is not a path")
	}
	return nil
}

// set reads one limit from text.
func (l *Limits) set(name, text string) (err error) {
	switch name {
	case "memory":
		var ok bool
		if l.Memory, ok = bytesize.Parse(text); !ok || l.Memory < 1 {
			return fmt.Errorf("`%s` is not a size: expected something like `2GB` or `512MiB`", text)
		}
	case "cpu":
		l.CPU, err = ParseWithin(text)
	case "time":
		l.Time, err = ParseWithin(text)
	case "files":
		if l.Files, err = strconv.Atoi(text); err != nil || l.Files < 3 {
			return fmt.Errorf("`%s` is not a number of open files: expected one from 3 on", text)
		}
	default:
		return fmt.Errorf("there is no limit `%s`: expected `cpu`, `files`, `memory` or `time`", name)
	}
	return err
}

// planVariables are the variables that every plan sets.
var planVariables = []string{"PENTODE_RUN", "PENTODE_NODE", "PENTODE_RANK", "PENTODE_SIZE", "PENTODE_COPY", "PENTODE_COPIES", "PENTODE_GROUP", "PENTODE_GUARD", "PENTODE_OUT"}

// checkVariable returns an error if name or value cannot be used for a variable.
func checkVariable(name, value string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		return fmt.Errorf("`%s` cannot name a variable", strings.ReplaceAll(name, "\x00", "\\0"))
	case slices.Contains(planVariables, name) || strings.HasPrefix(name, "PARADYN_"):
		return fmt.Errorf("the variable `%s` is set by the plan, for every program", name)
	case strings.ContainsRune(value, 0):
		return fmt.Errorf("the value of `%s` has a NUL byte: no program can receive it", name)
	}
	return nil
}

// parseEnvFile reads lines `NAME=VALUE`. It skips empty lines and lines that begin with #; a value may be quoted as for a shell.
func parseEnvFile(content string) ([]Var, error) {
	var list []Var
	number := 0
	for line := range strings.Lines(content) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if !ok {
			return nil, fmt.Errorf("line %d has no `=`: expected NAME=VALUE", number)
		}
		if strings.ContainsAny(value, `"'`) {
			words, err := Split(value)
			if err != nil || len(words) != 1 {
				return nil, fmt.Errorf("line %d: the value of `%s` is not one word in quotes", number, name)
			}
			value = words[0]
		}
		if err := checkVariable(name, value); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		list = append(list, Var{name, value})
	}
	return list, nil
}

// surround sets the surroundings of a node from its settings.
func (b *planner) surround(n *Node, s *Settings) {
	if s.Dir != "" {
		n.Dir = beneath(n.Dir, s.Dir)
	}
	n.Env = append(n.Env, s.Env...)
	if s.EnvFile != "" {
		n.Secret = append(n.Secret, b.envFile(s)...)
	}
	n.Secret = slices.DeleteFunc(n.Secret, func(v Var) bool {
		return slices.ContainsFunc(n.Env, func(own Var) bool { return own.Name == v.Name })
	})
	if s.Umask != "" {
		n.Around.Umask = s.Umask
	}
	if s.User != "" {
		n.Around.User = s.User
	}
	if s.Nice != 0 {
		n.Around.Nice = s.Nice
	}
	if s.Stdin != "" {
		n.Around.Stdin = s.Stdin
	}
	if cores := s.Copies.Cores.of(n.share); cores != "" {
		n.Around.Cores = cores
	}
	if gpus := s.GPUs.of(n.share); gpus != "" {
		n.Env = append(n.Env, Var{"CUDA_VISIBLE_DEVICES", gpus})
	}
	if l := &n.Around.Limits; s.Limits != (Limits{}) {
		l.Memory, l.CPU = cmp.Or(s.Limits.Memory, l.Memory), cmp.Or(s.Limits.CPU, l.CPU)
		l.Files, l.Time = cmp.Or(s.Limits.Files, l.Files), cmp.Or(s.Limits.Time, l.Time)
	}
}

// envFile reads the variables of a file on the machine that makes the plan: other machines need not have the file.
func (b *planner) envFile(s *Settings) []Var {
	at := s.span("env-file")
	path := s.EnvFile
	if at.File != nil {
		path = beneath(filepath.Dir(at.File.Path()), path)
	}
	content, err := b.Host.ReadFile(path)
	if err != nil {
		b.report(problem.Error, EnvFile, at, s.Program, "the file `%s` with variables for `%s` cannot be read", path, s.Program).
			Expected = "paths are relative to the folder of the project file"
		return nil
	}
	list, err := parseEnvFile(string(content))
	if err != nil {
		b.report(problem.Error, EnvFile, at, s.Program, "the variables in the file `%s` cannot be read: %s", path, err)
	}
	return list
}

// beneath returns path relative to dir, unless path is absolute.
func beneath(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
