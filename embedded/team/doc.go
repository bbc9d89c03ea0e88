// Package team is what a laptop keeps of its team: who it is at the team's hub, which
// projects it shares, and how far the hub's copy of its log is. It does no networking
// (packages upload and peers do) and keeps everything in one directory, team, of the
// journal directory. The files there are written whole and read by any process:
//
//	member.json   the invitation that was accepted, with its key; mode 0600
//	device        the name of this laptop among those of the member
//	share.json    the projects that were chosen
//	copy.json     which copy of the log the hub is to have, and has (kept by the owner)
//	status.json   how the link does (kept by the owner)
//	offers.json   what others have left unfinished in projects of this log (kept by the owner)
//	decisions.json  what others have decided there (kept by the owner)
//	known.json    what others tell of those projects, and how new what each told last was (kept by the owner)
//	roots.json    where projects are that were chosen before anything happened there
//
// Member: a person or a machine at the hub, with an account of their own there.
// Device: one journal directory of a member.
// Copy: the log as the hub may have it, under its own sequences: the events of the projects that were chosen, in
// chunks (package chunk). Whoever reads it finds a record that says nothing ([record.Withheld]) in place of any other.
package team
