package collect

// counter reads the virtual count of the generic timer.
func counter() uint64

// steady reports whether the counter runs at one speed on all processors. This one always does.
func steady() bool { return true }
