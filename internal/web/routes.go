// Package web serves the page: a run in a browser.
//
// The page consists of plain ES modules, embedded unchanged. It requests JSON
// of the shapes that the command line prints, gets pictures as SVG, and follows
// runs over one stream of server-sent events.
//
//	browser ──guard──▶ views (run, graph, file, process) ──▶ workspace, suite
//	   ▲                 records, results ──▶ packages record, compare; datasets ──▶ package hdf5
//	   │                 traces among the results ──▶ packages report, why, timeline
//	   │                 edits (set, fix, text) ──▶ lang.Config.Edit ──▶ disk
//	   └──events── list of runs ◀──StartPipeline, Spawn── package runs
//
// Code that needs no Server is in three packages below: guard (which requests are answered, and which files they reach), results
// (results of runs) and watch (live runs). Inside this package the files are layered. At the bottom is server, the value that all
// views share. Above it are open (the folder as one request reads it), records (the recorded runs of the folder) and edit; then one
// file for each view, with its answers; at the top is routes, the only file that knows all views. Each view also has one module of
// the page, and one entry in the list of views in page/views.js. The views of recorded runs and of their traces are loaded when
// they are first opened.
//
// The page is private. Outside of the folder, it reads only the results of its runs. No client can slow down a run: it gets
// the newest figures when it is ready for them.
package web

import (
	"context"
	"embed"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/pentode-dev/pentode/core/graph/svg"
	"github.com/pentode-dev/pentode/core/source"
	"github.com/pentode-dev/pentode/internal/web/guard"
	"github.com/pentode-dev/pentode/internal/web/results"
	"github.com/pentode-dev/pentode/internal/web/watch"
)

//go:embed page
var page embed.FS

// Limits on the resources of clients.
const (
	maxConnections = 256
	maxBody        = 4 << 20
)

// New makes the page. Close releases its resources.
func New(o Options) (*Server, error) {
	info, err := os.Stat(o.Path)
	if err != nil {
		return nil, err
	}
	root := filepath.Clean(o.Path)
	if !info.IsDir() {
		root = filepath.Dir(root)
	}
	s := &Server{opt: o, root: root, judgeLimit: judgeLimit, slices: make(guard.Turns, maxReaders), wholes: make(guard.Turns, 1)}
	if s.fence, err = guard.NewFence(append([]string{root}, o.Workspace.Env.Include...), source.Disk{MaxSize: o.MaxSize}); err != nil {
		return nil, err
	}
	s.guard = guard.New(o.Hosts)
	if o.Runs != nil {
		s.opt.pipeline, s.opt.plan = s.startPipeline, s.startPlan
	}
	s.runs = watch.New(watch.Options{Root: root, Fence: s.fence, StateDir: o.StateDir, Pipeline: s.opt.pipeline, Plan: s.opt.plan})
	s.timelines = results.NewTimelines(o.StateDir, o.ReadOnly)
	s.routes()
	return s, nil
}

// Token returns the secret that the first visit needs.
func (s *Server) Token() string { return s.guard.Token }

// Close stops the runs that the page has started, and waits for their end.
func (s *Server) Close() {
	s.runs.Close()
	s.timelines.Close()
	s.fence.Close()
}

// Serve serves the page until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 16 << 10, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() {
		last, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if h.Shutdown(last) != nil {
			h.Close()
		}
	})
	defer stop()
	err := h.Serve(guard.Limited(l, maxConnections))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.guard.Admit(w, r) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		s.mux.ServeHTTP(w, r)
	}
}

func (s *Server) routes() {
	s.mux = http.NewServeMux()
	s.mux.HandleFunc("GET /{$}", s.index)
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic(err) // it is embedded
	}
	static := http.StripPrefix("/static/", http.FileServerFS(files))
	s.mux.Handle("GET /static/", static)
	s.mux.HandleFunc("GET /graph.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		io.WriteString(w, svg.StyleSheet)
	})
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET /api/run":               s.runView,
		"GET /api/graph":             s.graphView,
		"GET /api/node":              s.nodeView,
		"GET /api/file":              s.fileView,
		"GET /api/hover":             s.hoverView,
		"POST /api/scratch":          s.scratchView,
		"GET /api/processes":         s.processView,
		"GET /api/visi":              s.visiView,
		"GET /api/records":           s.recordsView,
		"GET /api/record":            s.recordView,
		"GET /api/compare":           s.compareView,
		"GET /api/result":            s.resultSlice,
		"GET /api/result-chart":      s.resultChart,
		"GET /api/result-tree":       s.resultTree,
		"GET /api/result-attributes": s.resultAttributes,
		"GET /api/result-values":     s.resultValues,
		"GET /api/words":             s.wordsView,
		"GET /api/tunable":           s.tunable,
		"POST /api/tune":             s.tune,
		"POST /api/set":              s.set,
		"POST /api/fix":              s.fix,
		"POST /api/start":            s.start,
		"POST /api/stop":             s.steer((*watch.Run).Stop),
		"POST /api/pause":            s.steer((*watch.Run).Pause),
		"POST /api/resume":           s.steer((*watch.Run).Resume),
		"POST /api/restart":          s.steer((*watch.Run).Restart),
		"POST /api/signal":           s.steer((*watch.Run).Signal),
		"GET /api/timeline":          s.timelineView,
		"GET /api/totals":            s.timelineTotals,
		"GET /api/span":              s.timelineSpan,
		"GET /api/find":              s.timelineFind,
		"GET /api/decided":           s.timelineDecided,
		"GET /api/report":            s.reportView,
		"GET /api/why":               s.whyView,
		"GET /api/text":              s.textView,
		"POST /api/text":             s.save,
		"POST /api/complete":         s.complete,
		"GET /api/form":              s.formView,
		"POST /api/form":             s.fill,
		"GET /api/origin":            s.originView,
		"GET /api/layout":            s.layoutView,
		"GET /api/decode":            s.decodeView,
		"GET /api/policy":            s.policyView,
		"GET /api/target":            s.targetView,
	} {
		s.mux.HandleFunc(pattern, answering(answer))
	}
	s.mux.HandleFunc("GET /api/events", s.events)
	s.mux.HandleFunc("GET /api/picture", s.pictureView)
	s.mux.HandleFunc("GET /api/window", s.timelineWindow)
	s.mux.HandleFunc("GET /api/result-picture", s.resultPicture)
	s.mux.HandleFunc("GET /api/flames", s.flameView)
}

// index serves the page itself. The page contains the token for changes, which a site
// that makes the browser send the cookie does not know.
func (s *Server) index(w http.ResponseWriter, _ *http.Request) {
	text, err := page.ReadFile("page/index.html")
	if err != nil {
		panic(err) // it is embedded
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(s.guard.Sign(text))
}
