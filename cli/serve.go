package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/web"
	"github.com/pentode-dev/pentode/lang/sprokit"
	"github.com/pentode-dev/pentode/run/control"
	"github.com/pentode-dev/pentode/run/flow"
	"github.com/pentode-dev/pentode/run/flow/steer"
	"github.com/pentode-dev/pentode/run/launch/state"
	"github.com/pentode-dev/pentode/suite"
)

// defaultListen is where the page is, unless another program has the port.
const defaultListen = "127.0.0.1:7310"

func (a *app) serveVerb() *cobra.Command {
	var listen string
	var readOnly, browser bool
	cmd := &cobra.Command{
		Use:   "serve [PATH]",
		Short: "Open a page that shows files, findings, pictures and runs",
		Long: "Serves a page for the folder PATH (the current one), or for the folder of the file PATH: its files with\n" +
			"their findings, its pictures, and its runs while they go on. It listens on this machine only, and the\n" +
			"printed address carries a token; whoever has it can start and change what is in the folder.\n" +
			"Ctrl-C ends the page, and the runs that it has started.",
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
			return a.serve(ctx, l, path, hosts, readOnly, browser)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", defaultListen, "the `ADDRESS` to listen on; the token is needed on every one")
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "show everything, change and start nothing")
	cmd.Flags().BoolVar(&browser, "open", false, "open the page in the browser")
	return a.reads(cmd)
}

// serve answers until ctx ends.
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
		states = "" // plans cannot be followed then
	}
	folder := path
	if !isFolder(path) {
		folder = filepath.Dir(path)
	}
	page, err := web.New(web.Options{
		Path: path, Workspace: w, Host: a.host(), ReadOnly: readOnly, Hosts: hosts, StateDir: states,
		MaxSize:  a.files.maxSize,
		Pipeline: a.servePipeline,
		Plan: func(_ context.Context, path string, log io.Writer) (web.Plan, error) {
			return startPlan(folder, path, log)
		},
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

// openListener listens where the user says, else on the usual port, else on any.
// hosts are the names besides loopback that the page may be asked by.
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
		return nil, nil, fmt.Errorf("`%s` cannot be listened on: %w; another port may be free", address, flow.Reason(err))
	}
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		return l, []string{host}, nil
	}
	if name, err := os.Hostname(); err == nil {
		hosts = append(hosts, name)
	}
	all, _ := net.InterfaceAddrs() // without them the name is enough
	for _, a := range all {
		if ip, ok := a.(*net.IPNet); ok {
			hosts = append(hosts, ip.IP.String())
		}
	}
	return l, hosts, nil
}

// openBrowser opens the page; where that fails, the address is on the terminal.
func openBrowser(address string) {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	if cmd := exec.Command(program, address); cmd.Start() == nil {
		go func() { _ = cmd.Wait() }()
	}
}

// servePipeline runs a pipeline inside this program, so that the page reads its
// figures without asking. What it writes goes to a folder beside the pipeline.
func (a *app) servePipeline(path string, log io.Writer) (web.Pipeline, error) {
	own := &app{options: a.options, in: strings.NewReader(""), out: log, err: log, files: a.files}
	w, err := own.workspace()
	if err != nil {
		return nil, err
	}
	config, err := w.Config(path)
	if err != nil {
		return nil, errors.New(source.Explain(path, err))
	}
	found := sprokit.Findings(config)
	own.say(found)
	if found.HasErrors() {
		return nil, fmt.Errorf("`%s` has errors, and is not started", path)
	}
	p := &pipeRun{app: own, out: strings.TrimSuffix(path, filepath.Ext(path)) + "-out", dir: filepath.Dir(path)}
	pipeline, opt, err := p.pipeline(config)
	if err != nil {
		return nil, err
	}
	served := &servedPipeline{}
	if served.unlock, err = p.outFolder(&opt); err != nil {
		return nil, err
	}
	stores, err := openStores(w, path, opt, log)
	if err != nil {
		served.unlock()
		return nil, err
	}
	own.stores, served.closeStores = suite.KeepStores(stores)
	said := newRunLog(log)
	opt.Log = said.logger()
	if served.Run, err = pipeline.Start(context.Background(), said.begin(opt)); err != nil {
		_ = served.closeStores() // why it did not begin matters more
		served.unlock()
		return nil, err
	}
	if served.dir, served.server, err = registerPipeline(path, steer.Methods(served.Run), os.Getenv("PENTODE_RUN"), os.Getenv("PENTODE_NODE")); err != nil {
		fmt.Fprintf(log, "warning: the run cannot be steered: %s\n", err)
	}
	return served, nil
}

// servedPipeline is a pipeline with the data stores that it feeds. Other programs
// find it as every pipeline that runs.
type servedPipeline struct {
	*flow.Run
	closeStores func() error
	unlock      func()     // the folder of its results
	dir         *state.Dir // nil where it could not be registered
	server      *control.Server
}

// Socket is where it is steered, or "".
func (p *servedPipeline) Socket() string {
	if p.dir == nil {
		return ""
	}
	return p.dir.Socket()
}

// Wait waits for the pipeline, and closes its stores.
func (p *servedPipeline) Wait() error {
	defer p.unlock()
	err := p.Run.Wait()
	if p.dir != nil {
		p.server.Close()
		_ = p.dir.Remove() // what is left is removed with old runs
	}
	if e := p.closeStores(); err == nil {
		err = e
	}
	return err
}

// startPlan starts this program once more, to run a plan or a folder. It
// registers its run as every launch does, and is steered through its socket.
func startPlan(folder, path string, log io.Writer) (web.Plan, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, errors.New("this program cannot be started again: its file is not known")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	args := []string{"run", full}
	if isFolder(full) {
		args = append(args, "--out", filepath.Join(full, filepath.Base(full)+"-out"))
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, log, log
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("`%s` cannot be started: %w", path, flow.Reason(err))
	}
	return &startedPlan{cmd}, nil
}

// startedPlan is this program, running a plan.
type startedPlan struct{ cmd *exec.Cmd }

func (p *startedPlan) Pid() int { return p.cmd.Process.Pid }

func (p *startedPlan) Stop() { _ = p.cmd.Process.Signal(os.Interrupt) } // it may have ended

func (p *startedPlan) Wait() error {
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("it ended with code %d", exit.ExitCode())
	}
	return err
}
