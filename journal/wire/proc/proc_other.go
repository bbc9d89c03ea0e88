//go:build !linux && !darwin

package proc

// machineNamespace equals no namespace: this system reports no identity.
const machineNamespace = "none"

// Boot returns an empty id: this system does not report it.
func Boot() string { return "" }

// Start returns 0: this system does not report it.
func Start(int) int64 { return 0 }

// thisMachine returns false: this system reports no identity.
func thisMachine() (identity, bool) { return identity{}, false }

// startOf returns false: this system does not report it.
func startOf(int) (string, bool) { return "", false }
