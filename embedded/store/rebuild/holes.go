package rebuild

// A mark is written in the place of each missing record, so that a number which a file holds would decide alone how much
// that is: a million marks take 17 s and 280 MB.
const (
	// mostHoles is what the copies of a journal may lack up to a record, unless the log is remembered to have come so
	// far: more than years of events.
	mostHoles = 10_000_000
	// freeHoles and holesEach are what a file from elsewhere may lack: so many, and so many more for each record in it.
	freeHoles = 100_000
	holesEach = 10
)

// MayLack says whether a file that holds so many records before the next one can be a log that lacks so many there.
func MayLack(holds, missing uint64) bool { return missing <= freeHoles+holesEach*holds }
