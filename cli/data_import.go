package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/debuginfo"
	"github.com/pentode-dev/pentode/core/debuginfo/structs"
	"github.com/pentode-dev/pentode/lang/pdi"
)

func (a *app) dataImportVerb() *cobra.Command {
	var program string
	cmd := &cobra.Command{
		Use:     "import --elf PROGRAM STRUCT",
		Short:   "Write a struct of a compiled program as a type of a tree",
		Long:    "Reads the layout of a struct from the debug information of a program (compile with -g) and writes it as a record with the\noffsets that the compiler chose, after the structs it contains.",
		Example: examples("pentode data import --elf ./sim particle", "pentode data import --elf ./sim particle > types.yml"),
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if program == "" {
				return errors.New("give the program with --elf")
			}
			f, err := debuginfo.Open(program, debuginfo.Options{})
			if err != nil {
				return err
			}
			defer f.Close()
			all := structs.Of(f)
			s, err := all.Struct(args[0])
			if err != nil {
				fmt.Fprintf(a.err, "pentode: %s%s\n", err, nearStruct(all, args[0]))
				return exitCode(exitNo)
			}
			return pdi.WriteStruct(a.exact(), args[0], s)
		},
	}
	cmd.Flags().StringVar(&program, "elf", "", "the `PROGRAM`, an ELF file with debug information")
	return cmd
}

// nearStruct suggests a struct that the program has.
func nearStruct(all *structs.Program, name string) string {
	names, err := all.Names()
	if err != nil {
		return ""
	}
	return near(name, names)
}
