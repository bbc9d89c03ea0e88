package ui

import (
	"os/exec"
	"runtime"
)

// browse has the system open a file in the person's browser, and does not wait for it.
func browse(path string) error {
	var c *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		c = exec.Command("open", path)
	case "windows":
		c = exec.Command("rundll32", "url.dll,FileProtocolHandler", path)
	default:
		c = exec.Command("xdg-open", path)
	}
	if err := c.Start(); err != nil {
		return err
	}
	go c.Wait() // nothing is left of it when it ends
	return nil
}
