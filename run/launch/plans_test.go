package launch

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// randomPlan returns a few programs in a folder, in which later programs may come after earlier ones.
func randomPlan(t testing.TB, random *rand.Rand, dir string) (Decls, []string) {
	t.Helper()
	daemon, process, deaf := filepath.Join(dir, "daemon"), filepath.Join(dir, "process"), filepath.Join(dir, "deaf")
	var d Decls
	var settings, names []string
	for i := range 3 + random.IntN(4) {
		name := fmt.Sprintf("n%d", i)
		switch random.IntN(3) {
		case 0:
			d.Daemons = append(d.Daemons, Daemon{Name: name, Command: fmt.Sprintf("%s %d", Quote(daemon), random.IntN(9)), Host: "localhost"})
			d.Daemons[len(d.Daemons)-1].Command += " " + name // equal daemons would be one daemon
		case 1:
			args := []string{fmt.Sprint(random.IntN(9)), fmt.Sprint(random.IntN(9)), fmt.Sprint(max(0, random.IntN(6)-3))}
			d.Processes = append(d.Processes, Process{Name: name, Command: process, Args: args, Host: "localhost"})
		default:
			d.Processes = append(d.Processes, Process{Name: name, Command: deaf, Host: "localhost"})
		}
		if random.IntN(2) == 0 {
			settings = append(settings, name+" ready = line:^up")
		} else {
			settings = append(settings, name+" ready = none")
		}
		if random.IntN(3) == 0 {
			settings = append(settings, fmt.Sprintf("%s copies = %d", name, 1+random.IntN(3)))
		}
		if random.IntN(3) == 0 {
			settings = append(settings, name+" restart = on-failure:2")
		}
		if random.IntN(4) == 0 {
			settings = append(settings, name+" alive = exec:true", name+" alive-every = 20ms")
		}
		if random.IntN(4) == 0 {
			settings = append(settings, name+" limits.memory = 1GB")
		}
		var after []string
		for _, before := range names {
			if random.IntN(3) == 0 {
				after = append(after, before+":"+string(untils[random.IntN(len(untils))]))
			}
		}
		if len(after) > 0 {
			settings = append(settings, name+" after = ["+strings.Join(after, ", ")+"]")
		}
		names = append(names, name)
	}
	d.Settings = settingsOf(t, settings...)
	for i := range d.Settings {
		if r := d.Settings[i].Restart; r != nil {
			r.Pause = 10 * time.Millisecond
		}
	}
	return d, settings
}
