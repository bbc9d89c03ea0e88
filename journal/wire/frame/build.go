package frame

// built is Build in decimal, when the linker was told it: releases are built without
// their repository.
var built string

// Build orders the builds of the programs, by what the linker was told: the time of the
// newest change in their source, in Unix seconds; 0 when it was told nothing.
func Build() (at int64) {
	for i := range len(built) {
		digit := built[i] - '0'
		if digit > 9 || at > 1<<53 {
			return 0
		}
		at = at*10 + int64(digit)
	}
	return at
}
