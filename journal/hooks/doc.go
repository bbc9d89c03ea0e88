// Package hooks translates the hooks of coding agents: their JSON into neutral
// hooks, and answers into what the agent takes from stdout.
//
// Adding an agent adds a file with one declare. Reading never fails: what can be
// read of a broken payload is kept, with the reason beside it.
package hooks
