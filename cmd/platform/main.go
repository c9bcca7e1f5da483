// Command platform is the national identity platform: server, workers and tools in one binary.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	root := &cobra.Command{
		Use:           "platform",
		Short:         "The national identity platform: server, workers and tools",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(devCommand(), apiCommand(), workerCommand(), migrateCommand(), appCommand(), auditCommand(), sandboxCommand(), callCommand(), jobsCommand(), batchesCommand(),
		eventsCommand(), listenCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "platform:", err)
		os.Exit(1)
	}
}
