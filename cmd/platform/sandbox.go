package main

import (
	"github.com/spf13/cobra"

	"idplatform/app"
)

func sandboxCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "sandbox", Short: "What the sandbox offers for trying"}
	cmd.AddCommand(identitiesCommand())
	return cmd
}

func identitiesCommand() *cobra.Command {
	var data string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "identities", Short: "List the test identities, with which every outcome can be tried", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return show(cmd.OutOrStdout(), app.Identities(), asJSON)
		},
	}
	cmd.Flags().StringVar(&data, "data", "./data", "data `folder` of platform dev")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
