//go:build !linux && !darwin

package proc

const machineNamespace = "none"

// Boot returns an empty id: this system does not report it.
func Boot() string { return "" }

// Start returns 0: this system does not report it.
func Start(int) int64 { return 0 }

func surroundings() (identity, bool) { return identity{}, false }

func startOf(int) (string, bool) { return "", false }
