package sprokit

import (
	"slices"
	"strings"

	"github.com/pentode-dev/pentode/core/diag"
	"github.com/pentode-dev/pentode/core/problem"
	"github.com/pentode-dev/pentode/lang/sprokit/syntax"
	"github.com/pentode-dev/pentode/run/flow/pipe"
)

var (
	includeUnreadable = &diag.Code{
		ID: "sprokit/include-unreadable", Severity: diag.Error,
		Title: "an included file cannot be read",
		Doc:   "The file exists, but it is a folder, is not a text file, exceeds the size limit, or may not be read.",
		Bad:   "include /\n",
		Good:  "process a :: orphan\n",
	}
	includeMissing = &diag.Code{
		ID: "sprokit/include-missing", Severity: diag.Error,
		Title: "an included file does not exist",
		Doc: "A relative name is searched in the folders of `SPROKIT_PIPE_INCLUDE_PATH`, in the folders given by `-I` or by `include` in `pentode.toml`, beside the including files from the innermost outwards, " +
			"and in the working directory. If a file of that name exists elsewhere in the project, this is a warning: another search path would find it.",
		Bad:  "include no_such_file.pipe\n",
		Good: "process a :: orphan\n",
	}
	includeCycle = &diag.Code{
		ID: "sprokit/include-cycle", Severity: diag.Error,
		Title: "a file includes itself",
		Doc:   "A file that includes itself, directly or through others, would never end. The original program hangs.",
		Bad:   "include x.pipe\n",
		Good:  "process a :: orphan\n",
	}
	includeLimit = &diag.Code{
		ID: "sprokit/include-limit", Severity: diag.Error,
		Title: "too many or too deep includes",
		Doc:   "Includes may be nested 1,000 deep; a document has at most 4,096 of them and 64 MB of included text.",
		Bad:   "a chain of more than 1,000 files that include each other",
		Good:  "process a :: orphan\n",
	}
	includeMacro = &diag.Code{
		ID: "sprokit/include-macro", Severity: diag.Error,
		Title: "a macro in the name of an included file has no value",
		Doc:   "The name of an included file may use `$ENV{…}` and `$SYSENV{…}`, and in a `.conf` file all macros. Without the value of the macro the file is unknown. For a variable that is not set this is a warning; `[env]` in `pentode.toml` gives it a value. The original program looks for a file with the macro's text in its name.",
		Bad:   "include $ENV{NO_SUCH_VARIABLE}/a.pipe\n",
		Good:  "process a :: orphan\n",
	}
	includeAmbiguous = &diag.Code{
		ID: "sprokit/include-ambiguous", Severity: diag.Warning,
		Title: "two different files have the included name",
		Doc:   "The file exists both beside the including file and in the working directory. Which one is read depends on where the program is started, and the original program prefers the other one.",
		Bad:   "include common.conf\n",
		Good:  "process a :: orphan\n",
	}
	placeholder = &diag.Code{
		ID: "sprokit/placeholder", Severity: diag.Warning,
		Title: "a placeholder that nothing replaces",
		Doc: "A line `[-NAME-]` is a placeholder that a tool replaces with text. It is expected in files that match `templates` below `[sprokit]` in `pentode.toml`. " +
			"The sources read by `pentode types import` show which names tools replace: a name that differs from one of these only in capitals is not replaced, which is an error.",
		Bad:  "process a :: orphan\n  [-SETTINGS-]\n",
		Good: "process a :: orphan\n",
	}
	stages = &diag.Code{
		ID: "sprokit/stages", Severity: diag.Warning,
		Title: "a file of several pipelines",
		Doc:   "VIAME's program splits a file at its lines `pipeline stage N:` and runs the parts one after the other. Such lines are not part of the language: the original program refuses them, and so does `run` here. The first stage is checked.",
		Bad:   "pipeline stage 1:\nprocess a :: orphan\npipeline stage 2:\nprocess a :: orphan\n",
		Good:  "process a :: orphan\n",
	}
	noSource = &diag.Code{
		ID: "sprokit/no-source", Severity: diag.Warning,
		Title: "a pipeline without a process that begins the flow",
		Doc: "Every process waits for another one, and some wait for processes that this file does not have: it is probably a piece that others include. " +
			"Pieces match `fragments` below `[sprokit]` in `pentode.toml`; they are checked inside the files that include them.",
		Bad:  "process s :: sink\n",
		Good: "process a :: numbers\nprocess s :: sink\nconnect from a.number to s.sink\n",
	}
	unclosedBlock = &diag.Code{
		ID: "sprokit/unclosed-block", Severity: diag.Error,
		Title: "a block without `endblock`",
		Doc:   "A block must end in the section in which it begins, possibly in another file.",
		Bad:   "config a\n  block b\n    k = 1\n",
		Good:  "config a\n  block b\n    k = 1\n  endblock\n",
	}
	unopenedBlock = &diag.Code{
		ID: "sprokit/unopened-block", Severity: diag.Error,
		Title: "`endblock` without a block",
		Doc:   "Every `endblock` ends the innermost open block of its section.",
		Bad:   "config a\n  k = 1\n  endblock\n",
		Good:  "config a\n  block b\n    k = 1\n  endblock\n",
	}
	blankInBlock = &diag.Code{
		ID: "sprokit/blank-in-block", Severity: diag.Warning,
		Title: "a block's name with blanks in it",
		Doc:   "The rest of the line is the name of the block, blanks included, and no process will ask for keys with blanks.",
		Bad:   "config a\n  block b : c\n    k = 1\n  endblock\n",
		Good:  "config a\n  block b:c\n    k = 1\n  endblock\n",
	}
	tooLong = &diag.Code{
		ID: "sprokit/key-too-long", Severity: diag.Error,
		Title: "a key that is too long",
		Doc:   "The name of a block becomes part of the keys inside it. A key has at most 4 KB, and the names that deep blocks add to all keys of a document have at most 64 MB.",
		Bad:   "a thousand nested blocks with names of a hundred letters",
		Good:  "config a\n  block b\n    k = 1\n  endblock\n",
	}
	readOnlyWrite = &diag.Code{
		ID: "sprokit/read-only", Severity: diag.Error,
		Title: "a read-only key is set again",
		Doc:   "After `key[ro] = value` the key cannot be set again, not even to the same value: neither by a later line, nor by `-s`, nor by the user of a cluster.",
		Bad:   "config a\n  k[ro] = 1\n  k = 2\n",
		Good:  "config a\n  k[ro] = 1\n",
	}
	shortOverride = &diag.Code{
		ID: "sprokit/short-override", Severity: diag.Error,
		Title: "an override without a section",
		Doc:   "The original program accepts `-s` only for keys with at least two parts. Reported only under `--as upstream`.",
		Bad:   "pentode check --as upstream -s key=1 a.pipe",
		Good:  "process a :: orphan\n",
	}
	unknownAttribute = &diag.Code{
		ID: "sprokit/unknown-attribute", Severity: diag.Error,
		Title: "an attribute that does not exist",
		Doc:   "The attributes of a key are `ro` (it cannot be set again) and `tunable` (it may change while the pipeline runs), in upper or lower case.",
		Bad:   "config a\n  k[readonly] = 1\n",
		Good:  "config a\n  k[ro] = 1\n",
	}
	unknownProvider = &diag.Code{
		ID: "sprokit/unknown-provider", Severity: diag.Error,
		Title: "a macro of an unknown provider",
		Doc:   "Macros are `$LOCAL{name}` (set with `:=`), `$ENV{name}`, `$CONFIG{key}` (set above) and `$SYSENV{name}`.",
		Bad:   "config a\n  k = $CONF{a:b}\n",
		Good:  "config a\n  b = 1\n  k = $CONFIG{a:b}\n",
	}
	undefinedMacro = &diag.Code{
		ID: "sprokit/undefined-macro", Severity: diag.Warning,
		Title: "a macro that nothing defines",
		Doc: "A macro without a value is replaced by an empty text, which is an error if the key cannot be empty. `$LOCAL` and `$CONFIG` read only settings above them. " +
			"The original program refuses the file, so this is an error under `--as upstream`.",
		Bad:  "config a\n  k = $CONFIG{a:b}\n  b = 1\n",
		Good: "config a\n  b = 1\n  k = $CONFIG{a:b}\n",
	}
	unclosedMacro = &diag.Code{
		ID: "sprokit/unclosed-macro", Severity: diag.Warning,
		Title: "a macro without its closing brace",
		Doc:   "A macro is `$PROVIDER{name}`. Without the brace the text stays unchanged, which is seldom intended.",
		Bad:   "config a\n  k = 1\n  l = $CONFIG{a:k\n",
		Good:  "config a\n  k = 1\n  l = $CONFIG{a:k}\n",
	}
	nestedMacro = &diag.Code{
		ID: "sprokit/nested-macro", Severity: diag.Warning,
		Title: "a macro within the name of a macro",
		Doc:   "Names of macros are plain text: the inner macro is replaced, and the text around it stays unchanged.",
		Bad:   "config a\n  k = HOME\n  l = $ENV{$CONFIG{a:k}}\n",
		Good:  "config a\n  k = 1\n  l = $CONFIG{a:k}\n",
	}
	absoluteRelative = &diag.Code{
		ID: "sprokit/absolute-relativepath", Severity: diag.Warning,
		Title: "`relativepath` before an absolute path",
		Doc:   "`relativepath` puts the folder of the file before every value, so an absolute path becomes wrong.",
		Bad:   "config a\n  relativepath k = /data/in.txt\n  l = $CONFIG{a:k}\n",
		Good:  "config a\n  k = /data/in.txt\n  l = $CONFIG{a:k}\n",
	}
	clusterAmbiguous = &diag.Code{
		ID: "sprokit/cluster-ambiguous", Severity: diag.Warning,
		Title: "two files declare one cluster",
		Doc:   "Clusters are searched in `SPROKIT_CLUSTER_PATH`, in `sprokit.clusters` of pentode.toml and beside the file that uses them. In each folder the file named after the cluster comes first. The first match counts.",
		Bad:   "two files `a.cluster` and `b.cluster` that both begin with `cluster a`",
		Good:  "process a :: orphan\n",
	}
	macroLimit = &diag.Code{
		ID: "sprokit/macro-limit", Severity: diag.Error,
		Title: "macros that produce too much text",
		Doc:   "A value has at most 1 MB after its macros are replaced, all values together at most 64 MB.",
		Bad:   "config a\n  k := 0123456789abcdef\n" + strings.Repeat("  k := $LOCAL{k}$LOCAL{k}\n", 17),
		Good:  "config a\n  k := 1\n  l = $LOCAL{k}\n",
	}
	mixedStyle = &diag.Code{
		ID: "sprokit/mixed-style", Severity: diag.Warning,
		Title: "an entry that mixes the two styles",
		Doc:   "An entry `:key value` has no `=`, and its attributes come right after the key: all text after the first blank is the value. This is an error if such a value does not fit.",
		Bad:   "config a\n  :k = 1\n",
		Good:  "config a\n  :k 1\n",
	}
	reservedInKey = &diag.Code{
		ID: "sprokit/reserved-in-key", Severity: diag.Warning,
		Title: "a reserved word within a key",
		Doc:   "Here every word is allowed after the first part of a key. The original program refuses reserved words anywhere in a key.",
		Bad:   "config a\n  b:process = 1\n",
		Good:  "config a\n  b:processes = 1\n",
	}
	misplacedCluster = &diag.Code{
		ID: "sprokit/misplaced-cluster", Severity: diag.Error,
		Title: "`cluster` is not the first statement",
		Doc:   "A cluster file begins with `cluster NAME` and holds one cluster.",
		Bad:   "process a :: orphan\ncluster c\n",
		Good:  "process a :: orphan\n",
	}
	noCluster = &diag.Code{
		ID: "sprokit/no-cluster", Severity: diag.Error,
		Title: "a `.cluster` file without a cluster",
		Doc:   "A file with this ending begins with `cluster NAME`.",
		Bad:   "a file `c.cluster` that begins with `process`",
		Good:  "process a :: orphan\n",
	}
	misplacedMapping = &diag.Code{
		ID: "sprokit/misplaced-mapping", Severity: diag.Error,
		Title: "`imap` or `omap` outside the head of a cluster",
		Doc:   "The ports of a cluster are declared between `cluster NAME` and the first `process`, `config` or `connect`.",
		Bad:   "process p :: sink\nimap from i to p.sink\n-- in\n",
		Good:  "cluster c\n  -- takes\n\n  imap from i to p.sink\n  -- in\n\nprocess p :: sink\n",
	}
	blockInHead = &diag.Code{
		ID: "sprokit/block-in-head", Severity: diag.Error,
		Title: "a block in the head of a cluster",
		Doc:   "The head of a cluster has keys and ports only; a key with several parts is written in full.",
		Bad:   "cluster c\n  -- d\n  block b\n  endblock\n",
		Good:  "cluster c\n  -- d\n\n  b:k = 1\n  -- key\n\n  imap from i to p.sink\n  -- in\n\nprocess p :: sink\n",
	}
	duplicatePort = &diag.Code{
		ID: "sprokit/duplicate-cluster-port", Severity: diag.Error,
		Title: "a port of a cluster is declared twice",
		Doc:   "Every input and every output port of a cluster has one `imap` or `omap`; an `imap` may lead to several ports inside.",
		Bad:   "cluster c\n  -- d\n  imap from i to p.sink\n  -- a\n  imap from i to q.sink\n  -- b\nprocess p :: sink\nprocess q :: sink\n",
		Good:  "cluster c\n  -- d\n  imap from i to p.sink to q.sink\n  -- a\nprocess p :: sink\nprocess q :: sink\n",
	}
	strayDescription = &diag.Code{
		ID: "sprokit/stray-description", Severity: diag.Error,
		Title: "a description that describes nothing",
		Doc:   "Lines with `--` describe the cluster, the key or the port right above them, in the head of a cluster only.",
		Bad:   "process a :: orphan\n-- text\n",
		Good:  "process a :: orphan\n# text\n",
	}
	missingDescription = &diag.Code{
		ID: "sprokit/missing-description", Severity: diag.Error,
		Title: "a part of a cluster without its description",
		Doc:   "The cluster, each of its keys and each of its ports is followed by at least one line `-- TEXT`; `types show` shows them.",
		Bad:   "cluster c\n  imap from i to p.sink\n  -- in\nprocess p :: sink\n",
		Good:  "cluster c\n  -- takes\n  imap from i to p.sink\n  -- in\nprocess p :: sink\n",
	}
	emptyCluster = &diag.Code{
		ID: "sprokit/empty-cluster", Severity: diag.Error,
		Title: "a cluster without processes or without ports",
		Doc:   "A cluster is replaced by its processes and connected through its ports, so it needs both.",
		Bad:   "cluster c\n  -- d\n",
		Good:  "cluster c\n  -- d\n  imap from i to p.sink\n  -- in\nprocess p :: sink\n",
	}
	clusterCycle = &diag.Code{
		ID: "sprokit/cluster-cycle", Severity: diag.Error,
		Title: "a cluster contains itself",
		Doc:   "A cluster may use other clusters, but not itself, not even through others.",
		Bad:   "a file `c.cluster` with `process p :: c`",
		Good:  "process a :: orphan\n",
	}
	clusterLimit = &diag.Code{
		ID: "sprokit/cluster-limit", Severity: diag.Error,
		Title: "clusters that expand to too many processes",
		Doc:   "A pipeline has at most 10,000 instances of clusters, clusters inside clusters included, nested at most 90 deep.",
		Bad:   "clusters that use each other twice, fourteen deep",
		Good:  "process a :: orphan\n",
	}
)

// Differences from how the original program reads a file; in the documented dialect they
// are infos.
var (
	upstreamStray = &diag.Code{
		ID: "sprokit/upstream-no-section", Severity: diag.Info,
		Title: "an entry or block outside any section",
		Doc:   "The key has no section before it. The original program refuses such lines, so this is an error under `--as upstream`. In a file that is meant for inclusion both accept it.",
		Bad:   "k = 1\nprocess a :: orphan\n",
		Good:  "config c\n  k = 1\nprocess a :: orphan\n",
	}
	upstreamIncludeTab = &diag.Code{
		ID: "sprokit/upstream-include-tab", Severity: diag.Info,
		Title: "a tab after `include`",
		Doc:   "The original program reads `include` as a key unless a blank follows, so this is an error under `--as upstream`.",
		Bad:   "include\tx.conf\n",
		Good:  "process a :: orphan\n",
	}
	upstreamAttributes = &diag.Code{
		ID: "sprokit/upstream-attribute-list", Severity: diag.Info,
		Title: "several attributes on one key",
		Doc:   "`key[ro, tunable]` is the language's own example, but the original program refuses it; an error under `--as upstream`.",
		Bad:   "config a\n  k[ro, tunable] = 1\n",
		Good:  "config a\n  k[ro] = 1\n",
	}
	upstreamRelative = &diag.Code{
		ID: "sprokit/upstream-relativepath", Severity: diag.Info,
		Title: "`relativepath` before an entry of the older style",
		Doc:   "The original program accepts it only before `key = value`; an error under `--as upstream`.",
		Bad:   "config a\n  relativepath :k v\n",
		Good:  "config a\n  relativepath k = v\n",
	}
	upstreamDash = &diag.Code{
		ID: "sprokit/upstream-dash", Severity: diag.Info,
		Title: "a part of a key that begins with `-`",
		Doc:   "The parts of a key are letters, digits, `_` and `-` in any order; `--` begins a description. The original program refuses a `-` at the start of a part, so this is an error under `--as upstream`.",
		Bad:   "config a\n  -k = 1\n",
		Good:  "config a\n  k = 1\n",
	}
	upstreamStatus = &diag.Code{
		ID: "sprokit/upstream-status-first", Severity: diag.Info,
		Title: "ports of a group that are connected before its `status/GROUP`",
		Doc:   "The original `distribute` and `collate` make the other ports of a group when its status port is connected, so they refuse connections that come before it. Here the order does not matter.",
		Bad:   "process a :: numbers\nprocess d :: distribute\nprocess s :: sink\nprocess t :: sink\nprocess u :: sink\nconnect from a.number to d.src/x\nconnect from d.status/x to u.sink\nconnect from d.dist/x/1 to s.sink\nconnect from d.dist/x/2 to t.sink\n",
		Good:  "process a :: numbers\nprocess d :: distribute\nprocess s :: sink\nprocess t :: sink\nprocess u :: sink\nconnect from d.status/x to u.sink\nconnect from a.number to d.src/x\nconnect from d.dist/x/1 to s.sink\nconnect from d.dist/x/2 to t.sink\n",
	}
	upstreamFirstLetter = &diag.Code{
		ID: "sprokit/upstream-first-letter", Severity: diag.Info,
		Title: "no blank after `:=` or `--`",
		Doc:   "The original program drops the first character after `:=` and `--`, whatever it is. With a blank there, both read the same.",
		Bad:   "config a\n  k :=xyz\n  l = $LOCAL{k}\n",
		Good:  "config a\n  k := xyz\n  l = $LOCAL{k}\n",
	}
	upstreamEmptyLocal = &diag.Code{
		ID: "sprokit/upstream-empty-local", Severity: diag.Error,
		Title: "`:=` without a value",
		Doc:   "The original program ends with an exception here. Reported only under `--as upstream`.",
		Bad:   "config a\n  k :=\n",
		Good:  "config a\n  k := 1\n",
	}
	upstreamLocalName = &diag.Code{
		ID: "sprokit/upstream-local-name", Severity: diag.Info,
		Title: "`:=` inside a block",
		Doc:   "Here blocks do not change the name of a `:=`: `m := x` is `$LOCAL{m}`. The original program puts the names of the blocks before it.",
		Bad:   "config a\n  block b\n    m := x\n  endblock\n  v = $LOCAL{m}\n",
		Good:  "config a\n  m := x\n  v = $LOCAL{m}\n",
	}
)

var cannotWrite = &diag.Code{
	ID: "sprokit/cannot-write", Severity: diag.Warning,
	Title: "a setting that cannot be written in this form",
	Doc:   "`show --flat` cannot write a value that contains `#`, a line break or the text of a macro, or that begins or ends with a blank. An environment variable may have such a value. `convert --to new-style` does not rewrite an entry whose meaning would change.",
	Bad:   "pentode show --flat a file whose value comes from a variable with `#` in it",
	Good:  "process a :: orphan\n",
}

// codes are all codes of the language.
var codes = slices.Concat(syntax.Codes, []*diag.Code{
	includeUnreadable, includeMissing, includeCycle, includeLimit, includeMacro, includeAmbiguous, placeholder, stages, noSource,
	unclosedBlock, unopenedBlock, blankInBlock, tooLong, readOnlyWrite, shortOverride, unknownAttribute, unknownProvider, undefinedMacro, unclosedMacro, nestedMacro, absoluteRelative, macroLimit,
	mixedStyle, reservedInKey, misplacedCluster, noCluster, misplacedMapping, blockInHead, duplicatePort, strayDescription, missingDescription,
	emptyCluster, clusterCycle, clusterLimit, clusterAmbiguous,
	upstreamStray, upstreamIncludeTab, upstreamAttributes, upstreamRelative, upstreamFirstLetter, upstreamEmptyLocal, upstreamLocalName, upstreamDash, upstreamStatus,
	cannotWrite, shadowed, unusedLocal, unusedEntry, keySign, noSuchFile, noFolder, stepFailed, deadlock,
}, flowCodes())

var (
	stepFailed = &diag.Code{
		ID: "sprokit/step-failed", Severity: diag.Error, AtRun: true,
		Title: "a process failed while the pipeline ran",
		Doc:   "The message names the step and the reason. The other processes were stopped; the files that they had begun are kept under names that end in `.partial`.",
		Bad:   "process a :: numbers\nprocess w :: print_number\n  output = /dev/full\nconnect from a.number to w.number\n",
		Good:  "process a :: numbers\nprocess w :: print_number\n  output = numbers.txt\nconnect from a.number to w.number\n",
	}
	deadlock = &diag.Code{
		ID: "sprokit/deadlock", Severity: diag.Error, AtRun: true,
		Title: "every process waits for another one",
		Doc:   "No process can continue. The usual cause is a type that takes or gives fewer data than its ports declare.",
		Bad:   "two processes of which each waits for the data of the other\n",
		Good:  goodPipeline,
	}
)

var (
	shadowed = &diag.Code{
		ID: "sprokit/shadowed", Severity: diag.Warning,
		Title: "a value that is replaced before it is used",
		Doc:   "The same file sets a key twice, and no macro reads it in between. Changing a setting of an included file is normal and not reported.",
		Bad:   "process a :: numbers\n  end = 5\n  end = 6\nprocess s :: sink\nconnect from a.number to s.sink\n",
		Good:  "process a :: numbers\n  end = 6\nprocess s :: sink\nconnect from a.number to s.sink\n",
	}
	unusedLocal = &diag.Code{
		ID: "sprokit/unused-local", Severity: diag.Warning,
		Title: "a `:=` that no macro reads",
		Doc:   "`name := value` makes `$LOCAL{name}` available below. Nothing below uses it.",
		Bad:   "config c\n  mode := online\nprocess a :: orphan\n",
		Good:  "process a :: orphan\n",
	}
	keySign = &diag.Code{
		ID: "sprokit/key-sign", Severity: diag.Info,
		Title: "a `.` or `/` in the name of a key",
		Doc: "By the format's documentation, names consist of letters, digits, `_` and `-`, with `:` between a block and its key. `.` and `/` are accepted, as in the original program, but " +
			"as part of the name: `a.b` is one key, and not `b` in a block `a`. Keys of processes are not reported, because algorithms have such names.",
		Bad:  "config run\n  stop.at = 3\nprocess a :: numbers\n  end = $CONFIG{run:stop.at}\nprocess b :: sink\nconnect from a.number to b.sink\n",
		Good: "config run\n  stop:at = 3\nprocess a :: numbers\n  end = $CONFIG{run:stop:at}\nprocess b :: sink\nconnect from a.number to b.sink\n",
	}
	unusedEntry = &diag.Code{
		ID: "sprokit/unused-entry", Severity: diag.Warning,
		Title: "an entry that nothing reads",
		Doc:   "An entry is used if its key begins with the name of a process, `_pipeline`, `_scheduler` or `_global`, or if a `$CONFIG{…}` below reads it. Neither applies to this entry, so it has no effect.",
		Bad:   "process reader :: numbers\nconfig raeder\n  end = 3\nprocess s :: sink\nconnect from reader.number to s.sink\n",
		Good:  "process reader :: numbers\nconfig reader\n  end = 3\nprocess s :: sink\nconnect from reader.number to s.sink\n",
	}
)

var (
	noSuchFile = &diag.Code{
		ID: "sprokit/no-such-file", Severity: diag.Warning,
		Title: "a data file that does not exist",
		Doc: "A process reads the file when it begins, so a run refuses the pipeline. A relative name is searched in the folder in which the run starts. A check that starts in another folder than " +
			"the pipeline's reports a name only if it is similar to the name of an existing file. For a name after `relativepath` it is not always known whether the process reads the file; then this is an info.",
		Bad:  "process t :: text_read\n  file_name = no-such-file.txt\nprocess s :: sink\nconnect from t.text to s.sink\n",
		Good: goodPipeline,
	}
	noFolder = &diag.Code{
		ID: "sprokit/no-folder", Severity: diag.Warning,
		Title: "a folder that cannot be written to",
		Doc:   "A run creates files but no folders, so the process cannot begin if the folder does not exist, or if you may not create files in it.",
		Bad:   "process a :: numbers\nprocess p :: print_number\n  output = no-such-folder/n.txt\nconnect from a.number to p.number\n",
		Good:  goodPipeline,
	}
)

const goodPipeline = "process a :: numbers\nprocess s :: sink\nconnect from a.number to s.sink\n"

// flowCode maps the problems of the engine to codes.
var flowCode = map[problem.Kind]*diag.Code{
	pipe.NoProcesses: {ID: "sprokit/no-processes", Severity: diag.Error, Title: "a pipeline without processes",
		Doc: "A pipeline needs at least one process. For a file that has entries this is a warning, because it may be meant for inclusion; then give it the ending `.conf` or `.config`.",
		Bad: "config a\n  k = 1\n", Good: goodPipeline},
	pipe.DuplicateProcess: {ID: "sprokit/duplicate-process", Severity: diag.Error, Title: "two processes with the same name",
		Doc: "Processes and clusters share their names. To give a process further settings, write `config NAME`.",
		Bad: "process a :: numbers\nprocess a :: sink\n", Good: goodPipeline},
	pipe.UnknownType: {ID: "sprokit/unknown-type", Severity: diag.Warning, Title: "a process type that is not known here",
		Doc: "Most pipelines use types of other programs, so this is a warning, but such a pipeline cannot run here. Clusters are searched in `SPROKIT_CLUSTER_PATH`, in `sprokit.clusters` of pentode.toml and beside the file. `--types FILE` declares other types, and `pentode types import` creates such a file from an installation.",
		Bad: "process a :: nubmers\nprocess s :: sink\nconnect from a.number to s.sink\n", Good: goodPipeline},
	pipe.UnknownProcess: {ID: "sprokit/unknown-process", Severity: diag.Error, Title: "a connection to a process that does not exist",
		Doc: "Both ends of a connection are declared with `process`, before or after it.",
		Bad: "process a :: numbers\nconnect from a.number to s.sink\n", Good: goodPipeline},
	pipe.UnknownPort: {ID: "sprokit/unknown-port", Severity: diag.Error, Title: "a port that the process does not have",
		Doc: "`connect from` names an output port, `to` an input port. `pentode types show TYPE` lists them. The types of KWIVER's vision processes, and types from `pentode types import`, are declared for one version, so for them this is a warning.",
		Bad: "process a :: numbers\nprocess s :: sink\nconnect from a.nubmer to s.sink\n", Good: goodPipeline},
	pipe.PortTwice: {ID: "sprokit/port-connected-twice", Severity: diag.Error, Title: "an input port with two connections",
		Doc: "An output may be connected any number of times, an input once.",
		Bad: "process a :: numbers\nprocess b :: numbers\nprocess s :: sink\nconnect from a.number to s.sink\nconnect from b.number to s.sink\n", Good: goodPipeline},
	pipe.TypeMismatch: {ID: "sprokit/type-mismatch", Severity: diag.Error, Title: "two ports of different types",
		Doc: "Connected ports have the same type, or one of them accepts any type. A port that depends on the flow gets the type of its neighbour.",
		Bad: "process a :: numbers\nprocess s :: take_string\nconnect from a.number to s.string\n", Good: goodPipeline},
	pipe.TypeRefused: {ID: "sprokit/type-refused", Severity: diag.Error, Title: "a process refuses the type of its neighbour",
		Doc: "The process decides by its configuration which types it takes.",
		Bad: "process a :: numbers\nprocess f :: flow_dependent\n  reject = true\nprocess s :: sink\nconnect from a.number to f.input\nconnect from f.output to s.sink\n", Good: goodPipeline},
	pipe.UntypedPort: {ID: "sprokit/untyped-port", Severity: diag.Error, Title: "a connection whose type is undetermined",
		Doc: "Ports that depend on the flow get their type from a connected port; at least one port of such a chain must have a type.",
		Bad: "process a :: flow_dependent\nprocess b :: flow_dependent\nconnect from a.output to b.input\n", Good: goodPipeline},
	pipe.FlagMismatch: {ID: "sprokit/flag-mismatch", Severity: diag.Error, Title: "data that one reader may change while another reads them",
		Doc: "Data of a const port may not be changed. Data of a shared port may have either one reader that changes them, or any number of readers that do not.",
		Bad: "process a :: const\nprocess m :: mutate\nconnect from a.const to m.mutate\n", Good: goodPipeline},
	pipe.MissingConnection: {ID: "sprokit/missing-required-connection", Severity: diag.Error, Title: "a port that must be connected is not",
		Doc: "Required ports need a connection before the pipeline can run. If the type is declared for one version of another program, this is a warning.",
		Bad: "process a :: numbers\n", Good: goodPipeline},
	pipe.TooFewPorts: {ID: "sprokit/too-few-ports", Severity: diag.Error, Title: "too few ports of a group",
		Doc: "Types whose ports are named by the pipeline need a minimum number of them: a `multiplexer` needs two inputs for each group.",
		Bad: "process a :: numbers\nprocess m :: multiplexer\nprocess s :: sink\nconnect from a.number to m.g/a\nconnect from m.g to s.sink\n", Good: goodPipeline},
	pipe.NotADAG: {ID: "sprokit/not-a-dag", Severity: diag.Error, Title: "processes that wait for each other in a circle",
		Doc: "A loop needs an input that does not wait for its data, such as the input of `feedback`. A loop through an unknown type is a warning, because the type may have such an input.",
		Bad: "process a :: numbers\nprocess m :: multiplication\nconnect from a.number to m.factor1\nconnect from m.product to m.factor2\n", Good: goodPipeline},
	pipe.FrequencyMismatch: {ID: "sprokit/frequency-mismatch", Severity: diag.Error, Title: "data that come at different rates",
		Doc: "All paths to a process must deliver data for the same number of steps.",
		Bad: "process a :: numbers\nprocess d :: duplicate\nprocess m :: multiplication\nprocess s :: sink\nconnect from a.number to d.input\nconnect from a.number to m.factor1\nconnect from d.duplicate to m.factor2\nconnect from m.product to s.sink\n", Good: goodPipeline},
	pipe.SeparateParts: {ID: "sprokit/separate-parts", Severity: diag.Warning, Title: "parts of a pipeline that are not connected",
		Doc: "The parts run side by side, which is seldom meant. The original program refuses such a pipeline.",
		Bad: "process a :: numbers\nprocess s :: sink\nconnect from a.number to s.sink\nprocess b :: numbers\nprocess t :: sink\nconnect from b.number to t.sink\n", Good: goodPipeline},
	pipe.UnknownKey: {ID: "sprokit/unknown-key", Severity: diag.Warning, Title: "a key that the process does not have",
		Doc: "The process does not read the key, so the intended setting keeps its default. `pentode types show TYPE` lists the keys. For a type whose declaration was read from source code this is an info.",
		Bad: "process a :: numbers\n  edn = 5\nprocess s :: sink\nconnect from a.number to s.sink\n", Good: goodPipeline},
	pipe.UnknownAlgorithm: {ID: "sprokit/unknown-algorithm", Severity: diag.Error, Title: "an algorithm that is not known",
		Doc: "`KEY:type` names the algorithm that does the work. A name that is similar to a known one is misspelt: an error if a catalogue lists the algorithms, as catalogues from `pentode types import` do. Any other name may belong to an algorithm that the catalogue does not list, so it is a warning.",
		Bad: "process d :: image_filter\n  filter:type = vxl_treshold\nprocess s :: sink\nconnect from d.image to s.sink\n", Good: goodPipeline},
	pipe.MissingKey: {ID: "sprokit/missing-key", Severity: diag.Error, Title: "a key that a process needs",
		Doc: "The key has no usable default.",
		Bad: "process a :: numbers\nprocess p :: print_number\nconnect from a.number to p.number\n", Good: goodPipeline},
	pipe.BadValue: {ID: "sprokit/bad-value", Severity: diag.Error, Title: "a value that does not fit its key",
		Doc: "Numbers, switches and choices are checked before the pipeline runs, and so are combinations of values of one process. It is a warning if a value names a program that is not on this machine, or an algorithm that only an installation has. For the capacity of an edge it is a warning, because the default is used instead; under `--as upstream` also for text after a number, which the original program ignores.",
		Bad: "process a :: numbers\n  end = many\nprocess s :: sink\nconnect from a.number to s.sink\n", Good: goodPipeline},
	pipe.ReadOnlyKey: {ID: "sprokit/read-only-key", Severity: diag.Error, Title: "a key is set that takes its value from another key",
		Doc: "A key inside a cluster that takes its value from a key of the cluster is read-only.",
		Bad: "process a :: numbers\nprocess m :: multiplier_cluster\n  factor = 1\n  const:value = 3\nprocess s :: sink\nconnect from a.number to m.factor\nconnect from m.product to s.sink\n", Good: goodPipeline},
	pipe.NoSuchEdge: {ID: "sprokit/no-such-edge", Severity: diag.Warning, Title: "a configuration of edges that matches no edge",
		Doc: "`_edge_by_type` names the type of the port that takes the data, `_edge_by_conn` a process, `up` or `down`, and its port.",
		Bad: "config _pipeline:_edge_by_conn\n  b:up:number:capacity = 3\n" + goodPipeline, Good: goodPipeline},
	pipe.StaticIgnored: {ID: "sprokit/static-ignored", Severity: diag.Warning, Title: "the value of a static port that is connected",
		Doc: "A connection wins over the value in the configuration.",
		Bad: "process p :: some_type_with_a_static_port\n  static/port = 1\n", Good: goodPipeline},
	pipe.NoEffect: {ID: "sprokit/no-effect", Severity: diag.Warning, Title: "a setting that changes nothing",
		Doc: "Either `[tunable]` on a key that the process type reads only at its start, so that it cannot change while the pipeline runs; or `_non_blocking` on a process without inputs, since it applies to edges into the process.",
		Bad: "process a :: numbers\n  end[tunable] = 5\nprocess s :: sink\nconnect from a.number to s.sink\n", Good: goodPipeline},
	pipe.MixedData: {ID: "sprokit/mixed-data", Severity: diag.Warning, Title: "data of different steps are combined",
		Doc:  "With `_non_blocking`, data are dropped before a process, and counted anew after it. If they are combined with data of which none were dropped, the fifth of one side may be paired with the third of the other, and nothing shows it.",
		Bad:  "process a :: numbers\nprocess p :: pass\n  _non_blocking = 2\nprocess m :: multiplication\nprocess s :: sink\nconnect from a.number to p.pass\nconnect from p.pass to m.factor1\nconnect from a.number to m.factor2\nconnect from m.product to s.sink\n",
		Good: "process a :: numbers\nprocess p :: pass\n  _non_blocking = 2\nprocess m :: multiplication\nprocess s :: sink\nconnect from a.number to p.pass\nconnect from p.pass to m.factor1\nconnect from p.pass to m.factor2\nconnect from m.product to s.sink\n"},
	pipe.SameFile: {ID: "sprokit/same-file", Severity: diag.Error, Title: "two processes that write one file",
		Doc:  "Each process writes its own file, which appears when it is complete: with the same name, one file would replace the other. `text_write` with `append` adds to an existing file.",
		Bad:  "process a :: numbers\nprocess v :: print_number\n  output = n.txt\nprocess w :: print_number\n  output = n.txt\nconnect from a.number to v.number\nconnect from a.number to w.number\n",
		Good: "process a :: numbers\nprocess v :: print_number\n  output = v.txt\nprocess w :: print_number\n  output = w.txt\nconnect from a.number to v.number\nconnect from a.number to w.number\n"},
	pipe.StateInReplicas: {ID: "sprokit/state-in-replicas", Severity: diag.Error, Title: "copies of a process that may keep state",
		Doc:  "`_replicas` lets copies of a process take turns. The results stay the same only if the type declares that each step depends on its inputs alone.",
		Bad:  "process a :: numbers\n  _replicas = 2\nprocess s :: sink\nconnect from a.number to s.sink\n",
		Good: "process a :: numbers\nprocess m :: multiplication\n  _replicas = 2\nprocess s :: sink\nconnect from a.number to m.factor1\nconnect from a.number to m.factor2\nconnect from m.product to s.sink\n"},
	pipe.UnknownScheduler: {ID: "sprokit/unknown-scheduler", Severity: diag.Error, Title: "a scheduler that does not exist",
		Doc:  "`_scheduler:type` is `sync`, `thread_per_process` (the default), `pythread_per_process` or `thread_pool`.",
		Bad:  "config _scheduler\n  type = threads\nprocess a :: orphan\n",
		Good: "config _scheduler\n  type = sync\nprocess a :: orphan\n"},
	pipe.SetupFailed: {ID: "sprokit/setup-failed", Severity: diag.Error, AtRun: true, Title: "a process cannot begin",
		Doc:  "The configuration has the right form, but a file, a program or a value that it names cannot be used. Nothing was run.",
		Bad:  "process a :: numbers\nprocess p :: exec\n  command = no-such-program\nconnect from a.number to p.number\n",
		Good: "process a :: numbers\nprocess p :: exec\n  command = cat\nconnect from a.number to p.number\n"},
	pipe.CannotRun: {ID: "sprokit/cannot-run", Severity: diag.Error, AtRun: true, Title: "a process type that is only declared here",
		Doc: "Its ports and keys are known, so the pipeline can be checked and drawn; running it takes a program that has the type.",
		Bad: "process a :: a_type_of_the_types_file\n", Good: goodPipeline},
}

// flowCodes lists the codes in the order of the engine's kinds.
func flowCodes() []*diag.Code {
	var list []*diag.Code
	for _, kind := range pipe.Kinds() {
		if code := flowCode[kind]; code != nil {
			list = append(list, code)
		}
	}
	return list
}
