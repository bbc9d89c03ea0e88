// Package vars names the environment variables that agents give to their hooks and that
// their dialects read: one file for each agent. It imports nothing, because the program
// that carries hooks to the owner takes along these variables and no others.
package vars

// names are those that are declared.
var names []string

// declare adds names, in the variables of each agent's file.
func declare(all ...string) struct{} {
	names = append(names, all...)
	return struct{}{}
}

// Names lists the variables of all agents.
func Names() []string { return names }
