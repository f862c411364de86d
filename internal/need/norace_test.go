//go:build !race

package need

const raced = false
