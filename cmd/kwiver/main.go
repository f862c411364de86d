// Command kwiver accepts the command lines of KWIVER's program, with its subcommands `runner` and
// `explorer`.
package main

import (
	"os"

	"github.com/pentode-dev/pentode/cli"
)

func main() {
	os.Exit(cli.AsKwiver("kwiver", cli.Options{}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
