package devtemporal

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// The dev server's rate limits per second and instance would throttle a load test on one machine long before its processor
// is busy. Keys and defaults: go.temporal.io/server v1.29.1, common/dynamicconfig/constants.go.
var dynamicConfig = []string{
	"frontend.rps=100000",                     // 2,400
	"frontend.namespaceRPS=100000",            // 2,400
	"frontend.namespaceRPS.visibility=100000", // 100 in the dev server
	"frontend.namespaceCount=20000",           // 1,200 long polls at a time for each API method
	"frontend.persistenceMaxQPS=100000",       // 10,000 in the dev server
	"history.rps=100000",                      // 3,000
	"history.persistenceMaxQPS=100000",        // 45,000 in the dev server
	"matching.rps=100000",                     // 1,200
	"matching.persistenceMaxQPS=100000",       // 3,000
	"matching.enableFairness=true",            // one application's batch must not starve the others
}

// arguments is the child's command line. HTTP, metrics and the inner services take free ports by themselves, so that
// several environments run side by side.
func (o Options) arguments() []string {
	args := []string{
		"server", "start-dev",
		"--ip", o.IP, "--port", strconv.Itoa(o.Port), "--ui-port", strconv.Itoa(o.UIPort),
		"--namespace", o.Namespace,
		"--log-level", "warn", "--color", "never",
		// What the user keeps in the CLI's own configuration is meant for other clusters.
		"--env-file", os.DevNull, "--disable-config-file", "--disable-config-env",
	}
	if o.DBFile != "" {
		args = append(args, "--db-filename", o.DBFile, "--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=1")
	}
	for _, setting := range dynamicConfig {
		args = append(args, "--dynamic-config-value", setting)
	}
	return args
}

// environment is the parent's without the variables that would override the command line.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "TEMPORAL_") })
}
