// Command pipeline_runner runs a pipeline. It has the name and the flags of KWIVER's program.
package main

import (
	"os"

	"github.com/pentode-dev/pentode/cli"
)

func main() {
	os.Exit(cli.AsKwiver("pipeline_runner", cli.Options{}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
