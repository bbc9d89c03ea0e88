package doctor

import (
	"os"
	"slices"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/transcriptcopies"
	"journal/journal/agents/backfill"
	"journal/journal/agents/install"
	"journal/journal/agents/transcript"
)

// soon is the time before the deletion of a transcript at which a person is told.
const soon = 7 * 24 * time.Hour

// checkTranscripts compares the transcripts that clients delete with the log.
func checkTranscripts(x *examination) {
	x.copies()
	home, err := os.UserHomeDir()
	if err != nil {
		return // the check of the directory reports it
	}
	log, end, err := x.openLog()
	defer end()
	if err != nil || log == nil {
		return // the check of the hooks reports it
	}
	sessions, err := log.Sessions(x.ctx)
	if err != nil {
		return // journal verify reports it
	}
	known := map[string]bool{}
	for _, session := range sessions {
		known[session.ID] = true
	}
	for _, agent := range transcript.Agents() {
		f, _ := transcript.Of(agent) // it is declared
		if f.Kept == nil {
			continue
		}
		for _, folder := range f.Folders(home, os.Getenv) {
			x.transcripts(f, folder, known)
		}
	}
}

// copies reports the copies of transcripts that are kept.
func (x *examination) copies() {
	all, err := transcriptcopies.All(x.Dir)
	if err != nil {
		x.problem("make them readable", "copies of transcripts: %v", err)
		return
	}
	n, size := 0, uint64(0)
	for _, c := range all {
		if c.Bytes > 0 {
			n, size = n+1, size+c.Bytes
		}
	}
	if n > 0 {
		x.fine("copies of %s are kept, %s", cli.Counted(n, "session"), cli.Size(size))
	}
}

// transcripts checks one folder of transcripts.
func (x *examination) transcripts(f *transcript.Format, folder string, known map[string]bool) {
	files, _, err := backfill.Transcripts(x.ctx, []string{folder}, []string{f.Agent})
	if err != nil || len(files) == 0 {
		return // there is no such folder
	}
	days, setting := f.Kept(folder)
	last := time.Now().Add(soon).AddDate(0, 0, -days)
	files = slices.DeleteFunc(files, func(file transcript.File) bool {
		info, err := os.Stat(file.Path)
		return file.Skip != "" || file.Prompts || known[file.Session] || err != nil || info.ModTime().After(last)
	})
	if len(files) == 0 {
		x.fine("%s deletes transcripts after %d days (%s); the log keeps what they held", f.Agent, days, setting)
		return
	}
	lost := map[string]bool{}
	for _, file := range files {
		lost[file.Session] = true
	}
	x.remark("journal import "+install.Quote(folder), "%s of %s not in the log will have no transcript in a week: %s deletes them after %d days (%s)",
		cli.Counted(len(lost), "session"), f.Agent, f.Agent, days, setting)
}
