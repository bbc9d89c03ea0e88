package events

// PlacesObserved says where things were in the files in work when the owner of the log looked, at a compaction. No hook
// tells it.
type PlacesObserved struct {
	Files []FilePlaces `json:"files"`
}

// FilePlaces are places in one file, in lines from 1.
type FilePlaces struct {
	Path    string  `json:"path"`              // below the project with slashes
	Changed []Range `json:"changed,omitempty"` // what was changed last
	Names   []Place `json:"names,omitempty"`   // what is defined there and matters
}

// Range is a stretch of lines.
type Range struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	In   string `json:"in,omitempty"` // the function or type around it
	// Names are what else stands in the newest of those lines and was spoken of.
	Names []Place `json:"names,omitempty"`
}

// Place is where a name is defined, or stands.
type Place struct {
	Name string `json:"name"`
	Line int    `json:"line"`
}

func (PlacesObserved) event() {}

var _ = declare[PlacesObserved]("places.observed", "where things were in the files in work at a compaction", reserved)
