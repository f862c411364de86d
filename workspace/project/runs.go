package project

import (
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/pentode-dev/pentode/core/problem"
)

// Records has the project's settings for the records of runs. In the zero value,
// nothing is set.
type Records struct {
	Keep *int     // how many records are kept
	Env  []string // environment variables that the records include, besides those that files read
}

// keptRecords reads `keep` of `[runs]`.
func (r *reader) keptRecords(e entry) {
	n, err := strconv.Atoi(strings.ReplaceAll(e.value.text, "_", ""))
	if e.kind != unstable.Integer || err != nil || n < 0 {
		r.report(badValue, e.at, "`keep` takes a number from 0").Helped("write `keep = 50`")
		return
	}
	r.project.Records.Keep = &n
}

// recordedEnv reads `env` of `[runs]`.
func (r *reader) recordedEnv(e entry) {
	r.project.Records.Env = nil
	for _, v := range r.texts(e) {
		if r.names.Secret != nil && r.names.Secret(v.text) {
			r.report(badValue, v.at, "`%s` looks like the name of a secret, which is never recorded", problem.Clip(v.text, problem.Short)).
				Helped("take it out of the list")
			continue
		}
		r.project.Records.Env = append(r.project.Records.Env, v.text)
	}
}
