package main

import "github.com/spf13/cobra"

// The groups that verbs stand in, as a person meets them. A verb names its group.
const (
	recording  = "record"
	looking    = "look"
	auditing   = "audit"
	caring     = "care"
	installing = "install"
)

// groups are the groups as the help lists them.
func groups() []*cobra.Group {
	return []*cobra.Group{
		{ID: recording, Title: "Record what happens:"},
		{ID: looking, Title: "Look at what happened:"},
		{ID: auditing, Title: "Audit what compactions lost:"},
		{ID: caring, Title: "Care for the log:"},
		{ID: installing, Title: "Install, and what agents call:"},
	}
}
