// Command pentode checks, formats, explains and runs the configuration
// files of a scientific run.
package main

import (
	"os"

	"github.com/pentode-dev/pentode/cli"
)

func main() { os.Exit(cli.Main(cli.Options{})) }
