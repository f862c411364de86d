// Command coil-config-validate is the validator of COIL configurations under
// the name that the language's document gives it.
package main

import (
	"os"

	"github.com/pentode-dev/pentode/cli"
)

func main() { os.Exit(cli.ValidateCoil(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
