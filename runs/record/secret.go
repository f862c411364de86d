package record

import "strings"

// secrets are parts of the names of variables that hold what nobody else may know.
var secrets = []string{"SECRET", "TOKEN", "PASSW", "PASSPHRASE", "CREDENTIAL", "PRIVATE", "APIKEY", "COOKIE"}

// secretWords are such parts where they stand as a word of their own: MONKEY is none.
var secretWords = []string{"KEY", "KEYS", "PASS", "PWD", "AUTH", "PAT", "PIN", "SESSION", "CERT"}

// Hidden begins what stands for a secret in a record, before the name of its variable.
const Hidden = "(not recorded: "

// IsSecret reports whether the name of a variable looks as if its value were a secret. Such a value is never recorded.
func IsSecret(name string) bool {
	upper := strings.ToUpper(name)
	if upper == "PWD" || upper == "OLDPWD" { // folders
		return false
	}
	for _, part := range secrets {
		if strings.Contains(upper, part) {
			return true
		}
	}
	words := strings.FieldsFunc(upper, func(r rune) bool { return r < 'A' || r > 'Z' })
	for _, word := range words {
		for _, secret := range secretWords {
			if word == secret {
				return true
			}
		}
	}
	return false
}
