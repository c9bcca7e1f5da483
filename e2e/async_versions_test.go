package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	deploymentpb "go.temporal.io/api/deployment/v1"
	enumspb "go.temporal.io/api/enums/v1"
	temporal "go.temporal.io/sdk/client"

	"idplatform/client"
	"idplatform/config"
	"idplatform/e2e/e2etest"
)

// Jobs and batches stay on the build that began them; a build takes work once it is the current one.
func TestAsync_WorkerVersions(t *testing.T) {
	t.Parallel()
	address := e2etest.Temporal(t)
	p := e2etest.Start(t, e2etest.Options{Driver: "sqlite", Temporal: address, Worker: true,
		Change: func(c *config.Config) { c.Temporal.Deployment, c.Temporal.Build = "platform", "2026.11.1" }})
	c, err := temporal.Dial(temporal.Options{HostPort: address, Namespace: "platform-sandbox"})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	deployment := c.WorkerDeploymentClient().GetHandle("platform")
	eventually(t, "the build is known and made the current one", func() bool {
		_, err := deployment.SetCurrentVersion(t.Context(), temporal.WorkerDeploymentSetCurrentVersionOptions{BuildID: "2026.11.1"})
		return err == nil
	})
	sdk := fast(p.NewApplication())
	job := finished(t, sdk, validations, kyc(0, nil))
	require.Equal(t, client.JobCompleted, job.Status)
	batch := submitBatch(t, sdk, validations, kycBatch(people(60)))
	awaitBatch(t, sdk, batch.ID)
	for _, id := range []string{job.ID, batch.ID, batch.ID + "/0001"} {
		answer, err := c.DescribeWorkflowExecution(t.Context(), id, "")
		require.NoError(t, err)
		versioning := answer.GetWorkflowExecutionInfo().GetVersioningInfo()
		require.Equal(t, enumspb.VERSIONING_BEHAVIOR_PINNED, versioning.GetBehavior(), id)
		require.Equal(t, &deploymentpb.WorkerDeploymentVersion{DeploymentName: "platform", BuildId: "2026.11.1"}, versioning.GetDeploymentVersion(), id)
	}
}
