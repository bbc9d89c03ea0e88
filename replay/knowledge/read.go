package knowledge

import "journal/events"

// Read is a file that was only read. Its items come with those of File.
const Read Kind = "read"

var _ = declare(Def{
	Kind: Read, As: File,
	Text:  Text{Place: 120, Turn: 95, Form: Line, Units: 400, Grow: 8, Most: 15, Summary: true},
	Audit: Audit{Match: ByPath, Place: 51, Worth: routine("files that were only read"), Title: "Files", Subject: subject(func(e events.FileRead) string { return e.Path })},
})
