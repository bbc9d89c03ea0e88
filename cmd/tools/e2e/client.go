package main

import (
	"cmp"
	"context"
	"net/http"
)

// client is a real client of an agent. Each is declared in a file of its own.
type client struct {
	Name    string // in the table
	Agent   string // as in `journal install --agent`; empty means Name
	Package string // of npm
	Version string

	// Program is the path of the program below node_modules.
	Program string
	// Configured are the directories of its configuration, below the home.
	Configured []string
	// Setup writes the client's own configuration for a person who has just begun with it.
	Setup func(w *world) error
	// Install and Uninstall replace `journal install` and `uninstall`; nil uses these.
	Install, Uninstall func(ctx context.Context, w *world) error
	// Connect configures the MCP server, which the command line server starts. If it is nil, the sessions of an agent with only
	// the MCP server are not played.
	Connect func(ctx context.Context, w *world, server []string) error
	// Tasks is added to the command line so that the agent has a list of tasks.
	Tasks []string
	// Line returns the command line of a prompt in a new session, or if resumed is set in the newest one.
	Line func(w *world, prompt string, resumed bool) []string
	// Terminal returns the command line of a session in a terminal that begins with a prompt, and in which the person is asked
	// before a command runs.
	Terminal func(w *world, prompt string) []string
	// Env returns the variables that the client needs besides those of world.env.
	Env func(w *world) []string
	// Serve returns the model's server, which answers the client's requests by the script.
	Serve func(m *model) http.Handler
	// Checks are made after the day, in addition to those of every client.
	Checks []check
}

// clients holds the declared clients by name.
var clients = map[string]*client{}

// declare registers a client, from the variables of its file.
func declare(c client) struct{} {
	c.Agent = cmp.Or(c.Agent, c.Name)
	clients[c.Name] = &c
	return struct{}{}
}
