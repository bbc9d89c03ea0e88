// Package all links the projections of the other packages, so that projections.All lists every one.
package all

import (
	_ "journal/projections/compilation"
	_ "journal/projections/workers"
)
