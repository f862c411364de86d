package record

import "strings"

// secrets are parts of the names of variables with secret values.
var secrets = []string{"SECRET", "TOKEN", "PASSW", "PASSPHRASE", "CREDENTIAL", "PRIVATE", "APIKEY", "COOKIE"}

// secretWords are such parts too, but only as separate words: MONKEY does not contain KEY.
var secretWords = []string{"KEY", "KEYS", "PASS", "PWD", "AUTH", "PAT", "PIN", "SESSION", "CERT"}

// Hidden begins the text that replaces a secret in a record; the name of the variable follows.
const Hidden = "(not recorded: "

// IsSecret reports whether the name of a variable suggests that its value is secret. Such a value is never recorded.
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
