package main

import (
	"cmp"
	"context"
	"net/http"
)

// client is a real client of an agent: where it is from, how it is set up and run, and
// how its requests to the model look. Each has a file of its own.
type client struct {
	Name    string // of the row; that of the file
	Agent   string // as in `journal install --agent`; Name when empty
	Package string // of npm
	Version string

	// Program is the path of the program below node_modules.
	Program string
	// Configured are the directories of its configuration, below the home.
	Configured []string
	// Setup writes the client's own configuration for a person who has just begun with it.
	Setup func(w *world) error
	// Install and Uninstall are another way to have the hooks than `journal install`.
	Install, Uninstall func(ctx context.Context, w *world) error
	// Connect lets the client start the MCP server by a command line. Without it the
	// sessions of an agent that has nothing else are not played.
	Connect func(ctx context.Context, w *world, server []string) error
	// Tasks is added to the command line so that the agent has a list of tasks.
	Tasks []string
	// Line is the command line that hands a prompt to a new session, or to the newest one.
	Line func(w *world, prompt string, resumed bool) []string
	// Terminal is the command line of a session in a terminal that begins with a prompt, where a person
	// is asked before a command runs.
	Terminal func(w *world, prompt string) []string
	// Env is what the client needs beside HOME and PATH.
	Env func(w *world) []string
	// Serve answers the client's requests out of the script.
	Serve func(m *model) http.Handler
	// Checks are looked at when the day is over, beside those of every client.
	Checks []check
}

var clients = map[string]*client{}

// declare registers a client, from the variables of its file.
func declare(c client) struct{} {
	c.Agent = cmp.Or(c.Agent, c.Name)
	clients[c.Name] = &c
	return struct{}{}
}
