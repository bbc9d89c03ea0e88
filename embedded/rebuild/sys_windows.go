package rebuild

// ours returns false: users do not change access lists here.
func ours(error) bool { return false }
