package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"idplatform/app"
)

func auditCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Verify, show and export the audit log"}
	cmd.AddCommand(auditVerifyCommand(), auditShowCommand(), auditExportCommand())
	return cmd
}

func auditVerifyCommand() *cobra.Command {
	var file, publicKey string
	cmd := &cobra.Command{
		Use: "verify", Short: "Verify the chain of the audit log; exit code 0 when it holds", Args: cobra.NoArgs,
		Long: `Goes over the whole chain and lists every place where it does not hold: an entry that was changed,
removed, exchanged or put in later. With --file it verifies an export, without any deployment; name the
deployment's public key besides, as an earlier verification showed it, or the export's own is trusted.`,
	}
	cmd.Flags().StringVar(&file, "file", "", "an export to verify, in place of a deployment")
	cmd.Flags().StringVar(&publicKey, "public-key", "", "the deployment's public key in hex, for --file")
	online := onDeployment(cmd, func(ctx context.Context, d *app.Deployment, _ []string) (any, error) { return d.VerifyAudit(ctx) })
	verify := online.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if file == "" {
			return verify(cmd, args)
		}
		report, err := app.VerifyAuditExport(file, publicKey)
		if err != nil && !errors.Is(err, app.ErrAuditBroken) {
			return err
		}
		asJSON, _ := cmd.Flags().GetBool("json") // the flag exists
		return errors.Join(show(cmd.OutOrStdout(), report, asJSON), err)
	}
	return cmd
}

func auditShowCommand() *cobra.Command {
	var citizen, application string
	var limit int
	cmd := &cobra.Command{Use: "show", Short: "Show the newest lookups of a citizen or by an application", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&citizen, "citizen", "", "platform id of a citizen")
	cmd.Flags().StringVar(&application, "application", "", "an application, by id, key id or name")
	cmd.Flags().IntVar(&limit, "limit", 50, "how many")
	cmd.MarkFlagsOneRequired("citizen", "application")
	cmd.MarkFlagsMutuallyExclusive("citizen", "application")
	return onDeployment(cmd, func(ctx context.Context, d *app.Deployment, _ []string) (any, error) {
		if citizen != "" {
			return d.AuditOfCitizen(ctx, citizen, limit)
		}
		return d.AuditOfApplication(ctx, application, limit)
	})
}

func auditExportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{Use: "export", Short: "Export the audit log as JSON lines, for verifying elsewhere", Args: cobra.NoArgs}
	cmd.Flags().StringVar(&out, "out", "", "file to write (required)")
	_ = cmd.MarkFlagRequired("out") // the flag exists
	return onDeployment(cmd, func(ctx context.Context, d *app.Deployment, _ []string) (any, error) {
		f, err := os.OpenFile(out, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return nil, err
		}
		return nil, errors.Join(d.ExportAudit(ctx, f), f.Close())
	})
}
