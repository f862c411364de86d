package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/run/flow/catalog"
	"github.com/pentode-dev/pentode/run/flow/catalog/scan"
	"github.com/pentode-dev/pentode/workspace"
)

func (a *app) flowImportVerb() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "import [-o FILE] SOURCE...",
		Short: "Write a catalogue of the process types and algorithms of an installation",
		Long: "Reads process types and algorithms with their keys from folders of C++ and Python sources, from single source files,\n" +
			"and from what `plugin_explorer --proc all --fmt json` and `plugin_explorer --algo all -d` print, and writes a file for\n" +
			"--types. Nothing of the installation is run. Of two with one name that of the later SOURCE counts.",
		Example: examples("pentode flow import -o kwiver.json kwiver/", "pentode flow import -o types.json kwiver/ VIAME/plugins explorer.json"),
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, sources []string) error {
			s := &scan.Scanner{}
			for _, path := range sources {
				if err := scanSource(s, path); err != nil {
					return err
				}
			}
			all := catalog.Declarations{Types: s.Types(), Algorithms: s.Algorithms(), Placeholders: s.Placeholders(), Unread: s.Unread()}
			if len(all.Types)+len(all.Algorithms) == 0 {
				fmt.Fprintln(a.err, "there is no process type and no algorithm in these sources")
				return exitCode(exitNo)
			}
			if output == "" {
				return a.buffered(func() error { return all.Write(a.out) })
			}
			var text bytes.Buffer
			if err := all.Write(&text); err != nil {
				return err
			}
			if err := workspace.Replace(output, text.String()); err != nil {
				return err
			}
			found := count(len(all.Types), "process type", "process types")
			if len(all.Algorithms) > 0 {
				found += " and " + count(len(all.Algorithms), "algorithm", "algorithms")
			}
			fmt.Fprintf(a.err, "%s in `%s`\n", found, output)
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write to `FILE` instead of standard output")
	return cmd
}

// scanSource reads one folder or file.
func scanSource(s *scan.Scanner, path string) error {
	name := filepath.ToSlash(filepath.Clean(path))
	if isFolder(path) {
		return s.Folder(name, os.DirFS(path))
	}
	f, err := source.Disk{}.Open(path)
	if err != nil {
		return fmt.Errorf("%s", source.Explain(path, err))
	}
	if scan.IsSource(path) {
		s.File(name, f.Text())
		return nil
	}
	if err := s.Explorer(filepath.Base(path), f.Text()); err != nil {
		return fmt.Errorf("`%s` cannot be used: %w", path, err)
	}
	return nil
}
