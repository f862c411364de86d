package cli

import (
	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/workspace/project"
)

// projectFlags gives the flags about pentode.toml to a verb that reads no file.
func (a *app) projectFlags(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringArrayVar(&a.files.config, "config", nil, "replace a setting of pentode.toml: `KEY=VALUE` (repeatable)")
	cmd.Flags().BoolVar(&a.files.noConfig, "no-config", false, "read no pentode.toml")
	return cmd
}

// here is the project of the working directory, for what is asked without a file.
func (a *app) here() (*project.Project, error) {
	languages, err := a.languages(&project.Project{})
	if err != nil {
		return nil, err
	}
	finder := &project.Finder{
		Opener: source.Disk{MaxSize: source.DefaultMaxSize}, Names: projectNames(languages), Config: a.files.config, Off: a.files.noConfig,
	}
	if err := finder.Validate(); err != nil {
		return nil, err
	}
	p := finder.Of(".", true)
	return p, a.usable(p)
}

// usable ends a verb where the project file has a mistake, or names what cannot be
// used.
func (a *app) usable(p *project.Project) error { return a.refuse(p.Problems()) }
