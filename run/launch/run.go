package launch

import (
	"os"
	"os/signal"
	"syscall"
)

// Hangup is what a run does when its terminal is closed.
type Hangup string

const (
	HangupForward Hangup = "forward" // every node gets the signal
	HangupStop    Hangup = "stop"    // the run ends in good order
	HangupIgnore  Hangup = "ignore"  // the run goes on
)

// Run starts a plan, lets the signals of this program steer it, and returns
// when it is over. INT and TERM stop the run, a second one kills it; USR1
// and USR2 go to every node, and HUP unless RunOptions.Hangup says otherwise; TSTP pauses every node and then this program,
// until CONT. PIPE is ignored: when the output is not read any more, the logs
// go on. Signals are caught before anything is started, so that none is missed.
func Run(p *Plan, o RunOptions) (Result, error) {
	news := make(chan os.Signal, 16)
	signal.Notify(news, steering()...)
	defer signal.Stop(news)
	s, err := Start(p, o)
	if err != nil {
		return Result{}, err
	}
	if o.Began != nil {
		o.Began(s)
	}
	return s.forward(news), nil
}

// forward turns signals into requests until the run is over.
func (s *Supervisor) forward(news <-chan os.Signal) Result {
	asked := false
	for {
		select {
		case <-s.done:
			return s.Wait()
		case n := <-news:
			switch sig := n.(syscall.Signal); sig {
			case syscall.SIGINT, syscall.SIGTERM:
				if asked {
					s.Kill()
				} else {
					s.Stop(128 + int(sig))
				}
				asked = true
			case sigUserPause:
				_ = s.Pause("")
				pauseSelf()
			case syscall.SIGHUP:
				switch s.opt.Hangup {
				case HangupStop:
					s.Stop(128 + int(sig))
				case HangupIgnore:
				default:
					_ = s.Signal("", sig) // the run may be over by now
				}
			case syscall.SIGPIPE:
			case sigContinue:
				_ = s.Continue("")
			default:
				_ = s.Signal("", sig) // the run may be over by now
			}
		}
	}
}
