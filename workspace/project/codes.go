package project

import "github.com/pentode-dev/pentode/core/diag"

var (
	notTOML = &diag.Code{
		ID: "project/not-toml", Severity: diag.Error,
		Title: "the project file is not TOML",
		Doc:   "`pentode.toml` is a TOML file. One that cannot be read as such says nothing, so that no half of it holds.",
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
		Doc:   "A misspelt setting would do nothing, without a word. The settings are listed in `docs/project.md`.",
		Bad:   "exclud = [\"build/\"]\n",
		Good:  "exclude = [\"build/\"]\n",
	}
	badValue = &diag.Code{
		ID: "project/bad-value", Severity: diag.Error,
		Title: "a value that does not fit its setting",
		Doc:   "Lists hold texts, dialects are `documented` and `upstream`, severities are `error`, `warning` and `info`, languages are called as in `--lang`, and patterns are those of `.gitignore`.",
		Bad:   "as = \"upsteam\"\n",
		Good:  "as = \"upstream\"\n",
	}
	unknownCode = &diag.Code{
		ID: "project/unknown-code", Severity: diag.Warning,
		Title: "a code that no finding has",
		Doc:   "What is ignored, selected or given a severity is named by its code, in which `*` stands for any text. Nothing has this one.",
		Bad:   "ignore = [\"sprokit/unknown-prot\"]\n",
		Good:  "ignore = [\"sprokit/unknown-port\"]\n",
	}
	unmatched = &diag.Code{
		ID: "project/unmatched-pattern", Severity: diag.Warning,
		Title: "a pattern that no file matches",
		Doc:   "What `fragments`, `templates` and `sources` name are files of the project. It is said where the whole project is looked at, as by `pentode check .`, and of sources where a tree is; files that are excluded do not count.",
		Bad:   "[sprokit]\ntemplates = [\"*.tmpl\"]\n",
		Good:  "[sprokit]\ntemplates = [\"*.pipe.in\"]\n",
	}
	unknownProgram = &diag.Code{
		ID: "project/unknown-program", Severity: diag.Warning,
		Title: "settings of a program that no plan has",
		Doc:   "`[launch.NAME]` is about programs of launch plans, by the names that `pentode run --dry-run` prints. It is said where the whole project is looked at, as by `pentode check .`, and all of its plans are sound.",
		Bad:   "[launch.solvr]\nrestart = \"always\"\n",
		Good:  "[launch.solver]\nrestart = \"always\"\n",
	}
	unusable = &diag.Code{
		ID: "project/unusable-file", Severity: diag.Error,
		Title: "a file that the project names cannot be used",
		Doc:   "A catalogue, a table of machines or a folder of the project file is not there, or is not what it should be. Paths are relative to the folder of `pentode.toml`.",
		Bad:   "[sprokit]\ntypes = [\"no-such-file.json\"]\n",
		Good:  "[sprokit]\ntypes = []\n",
	}
)

// Codes returns the codes of findings about project files.
func Codes() []*diag.Code {
	return []*diag.Code{notTOML, unreadable, unknownKey, badValue, unknownCode, unmatched, unknownProgram, unusable}
}
