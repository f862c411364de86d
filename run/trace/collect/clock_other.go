//go:build !amd64 && !arm64

package collect

func counter() uint64 { return 0 }

func steady() bool { return false }
