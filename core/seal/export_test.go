package seal

// AddText puts any text where a seal would be.
func AddText(f File, size int64, text []byte) (bool, error) {
	return containerOf(f).add(f, size, text)
}
