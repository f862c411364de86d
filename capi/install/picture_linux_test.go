package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pentode-dev/pentode/internal/golden"
)

// browser is a client of the page that `pentode serve` shows.
type browser struct {
	http.Client
	page string
}

// open opens the page of the folder, which is served until the end of the benchmark.
func (h *handoffs) open(b *testing.B) *browser {
	b.Helper()
	cmd := h.command(b, golden.Pentode(b), "serve", "--listen", "127.0.0.1:0", ".")
	lines := following(b, cmd)
	b.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
	if !lines.Scan() {
		b.Fatal("there is no page")
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	page, _, _ := strings.Cut(lines.Text(), "?")
	p := &browser{http.Client{Jar: jar}, page}
	p.read(b, lines.Text())
	return p
}

func (p *browser) read(b *testing.B, address string) {
	b.Helper()
	answer, err := p.Get(address)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s %v", address, answer.Status, err)
	}
}

// events reads the events of a run until visit has seen enough; without a run, it reads the list of all runs.
func (p *browser) events(b *testing.B, run string, visit func(name string, data []byte) (enough bool)) {
	b.Helper()
	answer, err := p.Get(p.page + "api/events?" + url.Values{"run": {run}}.Encode())
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<24)
	name := ""
	for lines.Scan() {
		if event, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = event
		} else if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok && visit(name, []byte(text)) {
			return
		}
	}
	b.Fatalf("the page ends: %v", lines.Err())
}

// BenchmarkPicture measures the time from an event of a program to its picture in the page's viewer: from the line that
// the program prints after the event to the last byte of the image.
func BenchmarkPicture(b *testing.B) {
	const steps = 20
	h := newHandoffs(b, compile(b, prefix(b), "handoff.c"))
	h.write(b, "wave.yml", strings.Replace(handoffTree, ", policy: block", "", 1))
	h.write(b, "wave.pipe", "process sim\n  :: program\n\nprocess paint\n  :: colormap\n  scale = 1\n\nprocess view\n  :: image_viewer\n\nconnect from sim.field to paint.field\nconnect from paint.image to view.image\n")
	page := h.open(b)
	var all []time.Duration
	for b.Loop() {
		cmd := h.command(b, h.argv[0], "wave.yml", fmt.Sprint(steps), "350000")
		lines := following(b, cmd)
		happened := make(chan time.Time, steps+1)
		go func() {
			for lines.Scan() {
				happened <- time.Now()
			}
			cmd.Wait()
		}()
		run := ""
		page.events(b, "", func(name string, data []byte) bool {
			var runs []struct{ ID, State string }
			if name == "runs" && json.Unmarshal(data, &runs) == nil {
				for _, r := range runs {
					if r.State == "running" {
						run = r.ID
					}
				}
			}
			return run != ""
		})
		seen := uint64(0)
		page.events(b, run, func(name string, data []byte) bool {
			var f struct {
				State     string
				Processes []struct {
					Name  string
					Steps uint64
				}
			}
			if name != "figures" || json.Unmarshal(data, &f) != nil {
				return false
			}
			for _, p := range f.Processes {
				if p.Name != "view" || p.Steps == seen {
					continue
				}
				page.read(b, page.page+"api/picture?"+url.Values{"run": {run}, "process": {p.Name}, "step": {fmt.Sprint(p.Steps)}}.Encode())
				for ; seen < p.Steps; seen++ {
					if at := <-happened; seen > 0 { // at the first picture, the page was still looking for the run
						all = append(all, time.Since(at))
					}
				}
			}
			return seen >= steps-1 || f.State != "running"
		})
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms/picture")
	b.ReportMetric(float64(all[len(all)*9/10].Microseconds())/1000, "ms/picture-90%")
}
