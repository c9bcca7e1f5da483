package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"idplatform/app"
)

func devCommand() *cobra.Command {
	var o app.DevOptions
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		o.Progress = os.Stderr // a bar in a log file is of no use
	}
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run the whole platform on this machine, with a synthetic population",
		Long: `Runs API, workers and a supervised Temporal on this machine. On its first start it creates a data
folder with the databases, a master key, a synthetic population, an application that may do everything, and
credentials.json for it. It prints "ready <base_url>" when every part answers; Ctrl-C stops it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Ready = func(baseURL string) { fmt.Fprintln(cmd.OutOrStdout(), "ready", baseURL) }
			return app.Dev(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Data, "data", "./data", "folder that holds everything")
	f.StringVar(&o.Listen, "listen", "127.0.0.1:8080", "address of the API")
	f.IntVar(&o.TemporalPort, "temporal-port", 7233, "port of Temporal (0: a free one)")
	f.IntVar(&o.TemporalUIPort, "temporal-ui-port", 8233, "port of Temporal's UI (0: a free one)")
	f.IntVar(&o.Population, "population", 10000, "citizens in the synthetic register")
	f.BoolVar(&o.NoLimits, "no-limits", false, "switch off the per-address guard, for load tests")
	f.StringVar(&o.WebhookURL, "webhook-url", "", "`URL` that the application's events are posted to; it may be one on this machine, over http too")
	f.StringArrayVar(&o.AllowLoopback, "allow-loopback", nil, "`host:port` on this machine that URLs of callers may lead to (repeatable)")
	f.StringVar(&o.ConfigFile, "config", "", "configuration file with settings on top of the defaults")
	return cmd
}
