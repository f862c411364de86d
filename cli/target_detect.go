package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/load"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/lang/coil"
	"github.com/pentode-dev/pentode/run/target"
	"github.com/pentode-dev/pentode/workspace/project"
)

func (a *app) detectVerb() *cobra.Command {
	var format string
	var gpu int
	cmd := &cobra.Command{
		Use:     "detect",
		Short:   "Write this machine as a COIL configuration",
		Example: examples("pentode target detect > here.coilcfg", "pentode target detect --format json"),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			machines, err := a.machines()
			if err != nil {
				return err
			}
			t, err := a.detect(machines, gpu)
			if err != nil {
				return err
			}
			comments := []string{"What this machine is, found out by pentode target detect."}
			if gpu == 0 {
				comments = append(comments, machines.Identify(target.ThisHost()).Lines()...)
			}
			return a.writeTarget(t, format, comments...)
		},
	}
	cmd.Flags().StringVar(&format, "format", "coil", "`coil|json`")
	cmd.Flags().IntVar(&gpu, "gpu", 0, "write the machine's `N`th GPU, counted from 1, instead of its processor")
	targetFiles(cmd, &a.files.options)
	return a.projectFlags(cmd)
}

// detect asks the machine for its processor, or for one of its GPUs.
func (a *app) detect(machines target.Machines, gpu int) (target.Target, error) {
	gpus, notes := machines.DetectGPUs(target.ThisHost())
	a.notes(notes)
	if gpu == 0 {
		for i, g := range gpus {
			fmt.Fprintf(a.err, "pentode: this machine also has a GPU, %s %s: `--gpu %d` writes it\n", g.Architecture, strings.Join(g.Features, " "), i+1)
		}
		t, err := machines.Detect(target.ThisHost())
		if err != nil {
			return t, err
		}
		return machines.Current(t), nil
	}
	if gpu < 0 || gpu > len(gpus) {
		return target.Target{}, fmt.Errorf("there is no GPU %d; %d were found on this machine", gpu, len(gpus))
	}
	return gpus[gpu-1], nil
}

// writeTarget prints a target as configuration or as JSON.
func (a *app) writeTarget(t target.Target, format string, comments ...string) error {
	text := coil.Write(t, comments...)
	switch format {
	case "coil":
		_, err := fmt.Fprint(a.out, text)
		return err
	case "json":
		o, err := a.files.options.coil(&project.Project{})
		if err != nil {
			return err
		}
		_, err = coil.New(o).Parse(source.NewFile("target.coilcfg", text)).Resolve(&load.Env{}).Convert("json", a.out)
		return err
	}
	return fmt.Errorf("--format takes coil or json, not `%s`", format)
}
