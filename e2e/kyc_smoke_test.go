package e2e_test

import (
	"testing"
	"time"
	"fmt"

	"github.com/stretchr/testify/require"

	"idplatform/client"
	"idplatform/e2e/e2etest"
)

func TestSmoke(t *testing.T) {
	t.Parallel()
	start := time.Now()
	e2etest.Each(t, func(t *testing.T, p *e2etest.Platform) {
		fmt.Println("started", time.Since(start))
		a := p.NewApplication()
		c := e2etest.Citizen(0)
		got, err := a.Client().ValidateKYC(t.Context(), client.KYCRequest{Identifier: client.Identifier{Type: "platform_id", Value: c.Identifiers[0].Value}, Purpose: "customer_onboarding"})
		require.NoError(t, err)
		require.Equal(t, "verified", got.Result)
		ans := p.Send(a.Signed("POST", "/v1/kyc/validations", []byte(`{"identifier":{"type":"platform_id","value":"x"},"purpose":"customer_onboarding"}`)))
		fmt.Println(ans.Status, string(ans.Body), ans.Header, time.Since(start))
		_, b := p.Page("/openapi.json")
		fmt.Println(string(b[:0]))
	})
}
