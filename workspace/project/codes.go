package project

import "github.com/pentode-dev/pentode/core/diag"

var (
	notTOML = &diag.Code{
		ID: "project/not-toml", Severity: diag.Error,
		Title: "the project file is not TOML",
		Doc:   "`pentode.toml` is a TOML file. If it is not valid TOML, none of its settings apply.",
		Bad:   "exclude = [\"build/\"\n",
		Good:  "exclude = [\"build/\"]\n",
	}
	unreadable = &diag.Code{
		ID: "project/unreadable", Severity: diag.Error,
		Title: "the project file cannot be read",
		Doc:   "There is a `pentode.toml`, but it may not be read or is over the size limit. `--no-config` works without it.",
		Bad:   "a `pentode.toml` that belongs to another user",
		Good:  "exclude = [\"build/\"]\n",
	}
	unknownKey = &diag.Code{
		ID: "project/unknown-key", Severity: diag.Error,
		Title: "a setting that does not exist",
		Doc:   "A misspelt setting would silently do nothing. The settings are listed in `docs/project.md`.",
		Bad:   "exclud = [\"build/\"]\n",
		Good:  "exclude = [\"build/\"]\n",
	}
	badValue = &diag.Code{
		ID: "project/bad-value", Severity: diag.Error,
		Title: "a value that does not fit its setting",
		Doc:   "Lists contain texts, dialects are `documented` and `upstream`, severities are `error`, `warning` and `info`, languages have the same names as in `--lang`, and patterns are written as in `.gitignore`.",
		Bad:   "as = \"upsteam\"\n",
		Good:  "as = \"upstream\"\n",
	}
	unknownCode = &diag.Code{
		ID: "project/unknown-code", Severity: diag.Warning,
		Title: "a code that no finding has",
		Doc:   "Findings are ignored, selected or given a severity by their code, in which `*` matches any text. No finding has this code.",
		Bad:   "ignore = [\"sprokit/unknown-prot\"]\n",
		Good:  "ignore = [\"sprokit/unknown-port\"]\n",
	}
	unmatched = &diag.Code{
		ID: "project/unmatched-pattern", Severity: diag.Warning,
		Title: "a pattern that no file matches",
		Doc:   "The patterns of `fragments`, `templates` and `sources` must match files of the project, without excluded files. This is reported when the whole project is checked, as by `pentode check .`, and for sources when a tree is checked.",
		Bad:   "[sprokit]\ntemplates = [\"*.tmpl\"]\n",
		Good:  "[sprokit]\ntemplates = [\"*.pipe.in\"]\n",
	}
	unknownProgram = &diag.Code{
		ID: "project/unknown-program", Severity: diag.Warning,
		Title: "settings of a program that no plan has",
		Doc:   "`[launch.NAME]` applies to programs of launch plans, by the names that `pentode run --dry-run` prints. This is reported when the whole project is checked, as by `pentode check .`, and all of its plans can be made.",
		Bad:   "[launch.solvr]\nrestart = \"always\"\n",
		Good:  "[launch.solver]\nrestart = \"always\"\n",
	}
	unusable = &diag.Code{
		ID: "project/unusable-file", Severity: diag.Error,
		Title: "a file that the project names cannot be used",
		Doc:   "A catalogue, a table of machines or a folder in the project file does not exist, or is of the wrong kind. Paths are relative to the folder of `pentode.toml`.",
		Bad:   "[sprokit]\ntypes = [\"no-such-file.json\"]\n",
		Good:  "[sprokit]\ntypes = []\n",
	}
)

// Codes returns the codes of findings about project files.
func Codes() []*diag.Code {
	return []*diag.Code{notTOML, unreadable, unknownKey, badValue, unknownCode, unmatched, unknownProgram, unusable}
}
