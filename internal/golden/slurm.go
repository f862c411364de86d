package golden

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pentode-dev/pentode/internal/need"
)

// Slurm starts a Slurm cluster of two nodes, n1 and n2, on this machine: munged,
// slurmctld and two slurmd. The cluster uses neither systemd nor control groups, and its
// time-outs are long, because the machine may be busy. Slurm returns the environment
// variables that Slurm's commands need.
func Slurm(t testing.TB) []string {
	t.Helper()
	need.Root(t)
	munged, ctld, slurmd := need.Program(t, "munged"), need.Program(t, "slurmctld"), need.Program(t, "slurmd")
	need.Program(t, "srun")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	dir, err := os.MkdirTemp("", "slurm") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "munge")
	conf := fmt.Sprintf(`ClusterName=pentode
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[3]d
AuthType=auth/munge
AuthInfo=socket=%[6]s
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool-%%n
SlurmctldPidFile=%[2]s/ctld.pid
SlurmdPidFile=%[2]s/%%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
MessageTimeout=100
BatchStartTimeout=300
SlurmdTimeout=0
NodeName=n1 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[4]d CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[5]d CPUs=1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
`, host, dir, freePort(t), freePort(t), freePort(t), socket)
	file := filepath.Join(dir, "slurm.conf")
	for name, text := range map[string]string{file: conf, filepath.Join(dir, "key"): strings.Repeat("pentode test key ", 64)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state", "spool-n1", "spool-n2"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"SLURM_CONF=" + file}
	for _, args := range [][]string{
		{munged, "--foreground", "--force", "--key-file=" + dir + "/key", "--socket=" + socket, "--pid-file=" + dir + "/munge.pid", "--log-file=" + dir + "/munge.log", "--seed-file=" + dir + "/munge.seed"},
		{ctld, "-D", "-c"},
		{slurmd, "-D", "-N", "n1"},
		{slurmd, "-D", "-N", "n2"},
	} {
		var log Buffer
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = append(os.Environ(), env...)
		cmd.Stdout, cmd.Stderr = &log, &log
		start(t, cmd)
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("%s wrote:\n%s", args[0], log.String())
			}
		})
		if args[0] == munged {
			Until(t, "munged is ready", func() bool { _, err := os.Stat(socket); return err == nil })
		}
	}
	Until(t, "the cluster is ready", func() bool {
		cmd := exec.Command("sinfo", "-h", "-o", "%T %D")
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.Output()
		return err == nil && strings.TrimSpace(string(out)) == "idle 2"
	})
	return env
}
