// Command coil-config-validate is the validator of COIL configurations, under
// its name in the documentation of COIL.
package main

import (
	"os"

	"github.com/pentode-dev/pentode/cli"
)

func main() { os.Exit(cli.ValidateCoil(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
