// Package vars names the environment variables that agents set for their hooks and that dialects read: one file per
// agent. It imports nothing, because the program that carries hooks to the owner sends along these variables and no
// others.
package vars

// names are the declared names.
var names []string

// declare adds the names in an agent's file.
func declare(all ...string) struct{} {
	names = append(names, all...)
	return struct{}{}
}

// Names lists the variables of all agents.
func Names() []string { return names }
