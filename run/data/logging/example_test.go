package logging_test

import (
	"fmt"
	"time"

	"github.com/pentode-dev/pentode/run/data/logging"
)

// A pattern of spdlog's says how a line looks.
func ExamplePattern() {
	pattern := logging.Compile("[%n] %l: %v")
	line := pattern.Append(nil, &logging.Entry{Time: time.Now(), Level: logging.Warn, Name: "PDI", Text: "no data"}, false)
	fmt.Println(string(line))
	// Output:
	// [PDI] warning: no data
}
