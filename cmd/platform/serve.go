package main

import (
	"github.com/spf13/cobra"

	"idplatform/app"
)

func apiCommand() *cobra.Command {
	return serveCommand("api", "Serve the API of a configured deployment", app.Options{API: true})
}

func workerCommand() *cobra.Command {
	return serveCommand("worker", "Run the workers of a configured deployment", app.Options{Worker: true})
}

func serveCommand(name, short string, parts app.Options) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.Serve(cmd.Context(), file, parts) },
	}
	cmd.Flags().StringVar(&file, "config", "", "configuration file (see config/config.example.yaml)")
	return cmd
}

func migrateCommand() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "migrate", Short: "Bring the databases of a configured deployment up to date", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return app.Migrate(cmd.Context(), file) },
	}
	cmd.Flags().StringVar(&file, "config", "", "configuration file (see config/config.example.yaml)")
	return cmd
}
