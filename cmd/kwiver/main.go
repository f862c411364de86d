// Command kwiver has the subcommands `runner` and `explorer` of KWIVER's program.
package main

import (
	"os"

	"github.com/pentode-dev/pentode/cli"
)

func main() {
	os.Exit(cli.AsKwiver("kwiver", cli.Options{}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
