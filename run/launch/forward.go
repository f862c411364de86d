package launch

import (
	"os"
	"os/signal"
	"syscall"
)

// Forward lets the signals of this program steer the run until it is over:
// INT and TERM stop it, a second one kills it; HUP, USR1 and USR2 go to every
// node; TSTP pauses every node and then this program, until CONT. That nobody
// reads the output any more ends nothing: the logs go on.
func (s *Supervisor) Forward() Result {
	news := make(chan os.Signal, 16)
	signal.Notify(news, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGPIPE)
	defer signal.Stop(news)
	asked := false
	for {
		select {
		case <-s.done:
			return s.result
		case n := <-news:
			switch sig := n.(syscall.Signal); sig {
			case syscall.SIGINT, syscall.SIGTERM:
				if asked {
					s.Kill()
				} else {
					s.Stop(128 + int(sig))
				}
				asked = true
			case syscall.SIGTSTP:
				_ = s.Pause("")
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			case syscall.SIGPIPE:
			case syscall.SIGCONT:
				_ = s.Continue("")
			default:
				_ = s.Signal("", sig) // the run may be over by now
			}
		}
	}
}
