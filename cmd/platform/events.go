package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"idplatform/app"
)

func eventsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "events", Short: "Look at events and their deliveries, and repeat deliveries"}
	cmd.AddCommand(eventsListCommand(), eventsAttemptsCommand(), eventsResendCommand(), eventsRecoverCommand())
	return cmd
}

func eventsListCommand() *cobra.Command {
	var q app.EventsQuery
	cmd := &cobra.Command{Use: "list", Short: "List events, the newest first, with the state of their last delivery", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&q.Application, "application", "", "an application, by id, key id or name")
	cmd.Flags().StringVar(&q.Type, "type", "", "events of this type only")
	cmd.Flags().IntVar(&q.Limit, "limit", 50, "how many")
	return onDeployment(cmd, func(ctx context.Context, d *app.Deployment, _ []string) (any, error) { return d.Events(ctx, q) })
}

func eventsAttemptsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "attempts EVENT", Short: "List every attempt to deliver an event", Args: cobra.ExactArgs(1)}
	return onDeployment(cmd, func(ctx context.Context, d *app.Deployment, args []string) (any, error) {
		return d.Attempts(ctx, args[0])
	})
}

func eventsResendCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "resend EVENT", Short: "Deliver an event once more, under its own id", Args: cobra.ExactArgs(1)}
	return onDeployment(cmd, func(ctx context.Context, d *app.Deployment, args []string) (any, error) {
		return d.Resend(ctx, args[0])
	})
}

func eventsRecoverCommand() *cobra.Command {
	var since string
	cmd := &cobra.Command{Use: "recover", Short: "Repeat every delivery that failed since a time", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&since, "since", "", "a `time` such as 2026-11-20T08:00:00Z, or how long ago, such as 24h (required)")
	_ = cmd.MarkFlagRequired("since") // the flag exists
	return onDeployment(cmd, func(ctx context.Context, d *app.Deployment, _ []string) (any, error) { return d.Recover(ctx, since) })
}

func listenCommand() *cobra.Command {
	o := app.ListenOptions{Warnings: os.Stderr}
	var data string
	cmd := &cobra.Command{
		Use: "listen", Short: "Print an application's events as they happen, and forward them to a program", Args: cobra.NoArgs,
		Long: `Prints a line an event. With --forward-to each event is posted to a program as the platform posts webhooks: the
same body, headers and signatures.

The events are read from the API, so that no endpoint is needed and nothing must be reachable from outside.
With --listen they are received as webhooks instead, verified, and answered as the program answers; the
application's endpoint must lead to that address, as with "platform dev --webhook-url http://127.0.0.1:9000/".`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Credentials == "" {
				o.Credentials = filepath.Join(data, "credentials.json")
			}
			o.Out = cmd.OutOrStdout()
			return app.ListenToEvents(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&data, "data", "./data", "data `folder` of platform dev")
	cmd.Flags().StringVar(&o.Credentials, "credentials", "", "credentials file, in place of the data folder's")
	cmd.Flags().StringVar(&o.ForwardTo, "forward-to", "", "`URL` to post each event to")
	cmd.Flags().StringVar(&o.Listen, "listen", "", "`address` to receive webhooks at, such as 127.0.0.1:9000")
	return cmd
}
