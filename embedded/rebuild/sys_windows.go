package rebuild

// isOwn returns false: users do not change access lists here.
func isOwn(error) bool { return false }
