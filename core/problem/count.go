package problem

import "fmt"

// Count is a number of things: "1 byte", "2 bytes".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
