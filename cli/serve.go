package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/leaf/visible"
	"github.com/pentode-dev/pentode/internal/lsp"
	"github.com/pentode-dev/pentode/internal/web"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/runs"
)

// defaultListen is the address of the page, unless another program uses the port.
const defaultListen = "127.0.0.1:7310"

func (a *app) serveVerb() *cobra.Command {
	var listen string
	var readOnly, browser bool
	cmd := &cobra.Command{
		Use:   "serve [PATH]",
		Short: "Serve a web page that shows files, findings, pictures and runs",
		Long: "Serves a web page for the folder PATH (default: the current one), or for the folder of the file PATH: its files\n" +
			"with their findings, its pictures, and its runs while they are live. It listens on this machine only. The printed\n" +
			"address contains a token: anyone who knows it can change the files in the folder, and start runs.\n" +
			"Ctrl-C ends the page, and the runs started from it.",
		Example: examples("pentode serve examples/heat", "pentode serve --read-only --listen 127.0.0.1:8000 examples"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "."
			if len(args) == 1 {
				path = args[0]
			}
			l, hosts, err := openListener(listen, cmd.Flags().Changed("listen"))
			if err != nil {
				return err
			}
			defer l.Close()
			ctx, stop := interruptible()
			defer stop()
			return interrupted(ctx, a.serve(ctx, l, path, hosts, readOnly, browser))
		},
	}
	cmd.Flags().StringVar(&listen, "listen", defaultListen, "the `ADDRESS` to listen on; the token is always needed")
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "show everything, but change and start nothing")
	cmd.Flags().BoolVar(&browser, "open", false, "open the page in a browser")
	return a.reads(cmd)
}

// serve serves the page until ctx ends.
func (a *app) serve(ctx context.Context, l net.Listener, path string, hosts []string, readOnly, browser bool) error {
	w, err := a.workspace()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return errors.New(source.Explain(path, err))
	}
	states, err := control.StateDir(os.Getenv)
	if err != nil {
		states = "" // the page then cannot follow plans
	}
	machines, err := a.machines()
	if err != nil {
		return err
	}
	program := a.program()
	program.Guards = false // a guard would mark this program, which also has other runs
	page, err := web.New(web.Options{
		Path: path, Workspace: w, Host: a.host(), Machines: machines, ReadOnly: readOnly, Hosts: hosts, StateDir: states,
		MaxSize: int64(a.files.maxSize), Runs: &runs.Options{Program: program, Version: Version, Record: a.recording(), Seal: true},
	})
	if err != nil {
		return err
	}
	defer page.Close()
	address := "http://" + l.Addr().String() + "/?token=" + page.Token()
	fmt.Fprintln(a.out, address)
	fmt.Fprintf(a.err, "the page of `%s`; Ctrl-C ends it\n", path)
	if browser {
		openBrowser(address)
	}
	return page.Serve(ctx, l)
}

// openListener listens on the address of the user, else on the default port, else on any port.
// hosts are the host names besides loopback that requests may use.
func openListener(address string, given bool) (l net.Listener, hosts []string, err error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, nil, fmt.Errorf("--listen takes an address with a port, such as 127.0.0.1:8000, not `%s`", address)
	}
	l, err = net.Listen("tcp", address)
	if err != nil && !given {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("`%s` cannot be listened on: %w; another port may be free", address, networkReason(err))
	}
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		return l, []string{host}, nil
	}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	all, _ := net.InterfaceAddrs() // if they are unknown, only the name is accepted
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok {
			hosts = append(hosts, ip.IP.String())
		}
	}
	return l, hosts, nil
}

// openBrowser opens the page in a browser. It ignores errors, because the address is on the terminal.
func openBrowser(address string) {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	if cmd := exec.Command(program, address); cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}

func (a *app) lspVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Run the language server for editors, on standard input and output",
		Long: "Speaks the language server protocol on standard input and output. An editor starts it; docs/editors.md shows how to\n" +
			"set up each editor. The flags apply to every file that is open in the editor.",
		Example: examples("pentode lsp", "pentode lsp -I examples/numbers"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := a.workspace()
			if err != nil {
				return err
			}
			in, ok := a.in.(io.ReadCloser)
			if !ok {
				in = io.NopCloser(a.in)
			}
			signal.Ignore(syscall.SIGPIPE) // if the client stops reading, a write fails instead
			defer signal.Reset(syscall.SIGPIPE)
			err = lsp.Serve(cmd.Context(), in, visible.Below(a.out), lsp.Options{Version: Version, Workspace: w, Host: a.host(), Log: a.err})
			if lost := (*fs.PathError)(nil); err != nil && !errors.As(err, &lost) { // Run reports a failed write
				return a.no(err) // the exit code that the protocol prescribes
			}
			return err
		},
	}
	return a.reads(cmd)
}
