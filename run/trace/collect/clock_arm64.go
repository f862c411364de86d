package collect

// counter reads the virtual count of the generic timer.
func counter() uint64

// steady reports whether the counter runs at a constant speed on all processors. On ARM it always does.
func steady() bool { return true }
