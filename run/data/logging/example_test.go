package logging_test

import (
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/run/data/logging"
)

// A pattern in spdlog's language defines what a line looks like.
func ExamplePattern() {
	pattern := logging.Compile("[%n] %l: %v")
	line := pattern.Append(nil, &logging.Entry{Time: time.Now(), Level: logging.Warn, Name: "PDI", Text: "no data"}, false)
	fmt.Println(string(line))
	// Output:
	// [PDI] warning: no data
}
