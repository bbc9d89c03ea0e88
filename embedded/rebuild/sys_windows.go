package rebuild

// ours says whether what an error names belongs to who asks: here nobody gives themselves access.
func ours(error) bool { return false }
