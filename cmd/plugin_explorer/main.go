// Command plugin_explorer lists and describes process types. It has the name of KWIVER's program.
package main

import (
	"os"

	"github.com/pentode-dev/pentode/cli"
)

func main() {
	os.Exit(cli.AsKwiver("plugin_explorer", cli.Options{}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
