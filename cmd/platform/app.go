package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"idplatform/app"
)

func appCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "app", Short: "Create applications and say what they may do"}
	cmd.AddCommand(appCreateCommand(), appListCommand(), appShowCommand(),
		appGrantCommand("grant", "Add to what an application may do", (*app.Deployment).Grant),
		appGrantCommand("revoke", "Take from what an application may do", (*app.Deployment).Revoke),
		appRotateCommand(), appWebhookCommand())
	return cmd
}

// onDeployment makes a command of what it does with a deployment.
func onDeployment(cmd *cobra.Command, do func(context.Context, *app.Deployment, []string) (any, error)) *cobra.Command {
	var place app.Place
	var asJSON bool
	cmd.Flags().StringVar(&place.Data, "data", "./data", "data `folder` of platform dev")
	cmd.Flags().StringVar(&place.ConfigFile, "config", "", "configuration file, in place of a data folder")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		deployment, err := app.OpenDeployment(cmd.Context(), place)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, deployment.Close()) }()
		out, err := do(cmd.Context(), deployment, args)
		if out != nil && (err == nil || errors.Is(err, app.ErrAuditBroken)) {
			err = errors.Join(show(cmd.OutOrStdout(), out, asJSON), err)
		}
		return err
	}
	return cmd
}

func appCreateCommand() *cobra.Command {
	var n app.NewApplication
	cmd := &cobra.Command{Use: "create", Short: "Create an application and show its credentials, once", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&n.Name, "name", "", "name of the application (required)")
	cmd.Flags().StringVar(&n.Organisation, "organisation", "Sandbox organisation", "its organisation, created when there is none")
	cmd.Flags().StringVar(&n.Webhook.URL, "webhook-url", "", "`URL` that its events are posted to")
	cmd.Flags().StringSliceVar(&n.Webhook.Events, "webhook-events", nil, "types of events for it, separated by commas (default all)")
	grants := grantFlags(cmd)
	_ = cmd.MarkFlagRequired("name") // the flag exists
	return onDeployment(cmd, func(ctx context.Context, a *app.Deployment, _ []string) (any, error) {
		n.Grants = grants()
		return a.Create(ctx, n)
	})
}

func appListCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the applications", Args: cobra.NoArgs}
	return onDeployment(cmd, func(ctx context.Context, a *app.Deployment, _ []string) (any, error) { return a.List(ctx) })
}

func appShowCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "show APPLICATION", Short: "Show an application (by id, key id or name)", Args: cobra.ExactArgs(1)}
	return onDeployment(cmd, func(ctx context.Context, a *app.Deployment, args []string) (any, error) {
		return a.Show(ctx, args[0])
	})
}

type grantChange func(*app.Deployment, context.Context, string, app.GrantNames) (app.ApplicationView, error)

func appGrantCommand(name, short string, change grantChange) *cobra.Command {
	cmd := &cobra.Command{Use: name + " APPLICATION", Short: short, Args: cobra.ExactArgs(1)}
	grants := grantFlags(cmd)
	return onDeployment(cmd, func(ctx context.Context, a *app.Deployment, args []string) (any, error) {
		return change(a, ctx, args[0], grants())
	})
}

func appRotateCommand() *cobra.Command {
	var overlap time.Duration
	cmd := &cobra.Command{Use: "rotate-key APPLICATION", Short: "Give an application a new key pair and show it, once", Args: cobra.ExactArgs(1)}
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "how long the old pair stays valid")
	return onDeployment(cmd, func(ctx context.Context, a *app.Deployment, args []string) (any, error) {
		return a.Rotate(ctx, args[0], overlap)
	})
}

func appWebhookCommand() *cobra.Command {
	var n app.WebhookNames
	var remove bool
	cmd := &cobra.Command{Use: "webhook APPLICATION", Short: "Say where an application's events are posted to", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringVar(&n.URL, "url", "", "`URL` of the endpoint; without it the events of the present one are changed")
	cmd.Flags().StringSliceVar(&n.Events, "events", nil, "types of events for it, separated by commas (default all)")
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the endpoint")
	cmd.MarkFlagsOneRequired("url", "events", "remove")
	cmd.MarkFlagsMutuallyExclusive("url", "remove")
	cmd.MarkFlagsMutuallyExclusive("events", "remove")
	return onDeployment(cmd, func(ctx context.Context, a *app.Deployment, args []string) (any, error) {
		if remove {
			return a.RemoveWebhook(ctx, args[0])
		}
		return a.SetWebhook(ctx, args[0], n)
	})
}

// grantFlags adds the flags of grants; a flag that is not given leaves nil.
func grantFlags(cmd *cobra.Command) func() app.GrantNames {
	var g app.GrantNames
	cmd.Flags().StringSliceVar(&g.Services, "services", nil, "services, separated by commas")
	cmd.Flags().StringSliceVar(&g.Scopes, "scopes", nil, "scopes, separated by commas")
	cmd.Flags().StringSliceVar(&g.Purposes, "purposes", nil, "purposes, separated by commas")
	return func() app.GrantNames { return g }
}
