//go:build !linux && !darwin

package proc

const machineNamespace = "none"

// Boot returns nothing: this system does not tell.
func Boot() string { return "" }

// Start returns 0: this system does not tell.
func Start(int) int64 { return 0 }

func surroundings() (identity, bool) { return identity{}, false }

func startOf(int) (string, bool) { return "", false }
