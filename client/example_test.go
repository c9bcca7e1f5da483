package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"

	"idplatform/client"
)

func ExampleClient_ValidateKYC() {
	credentials, err := client.LoadCredentials("data/credentials.json")
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.New(credentials)
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	validation, err := c.ValidateKYC(ctx, client.KYCRequest{
		Identifier: client.Identifier{Type: client.PlatformID, Value: "COD-A1B2-C3D4-E5F6"},
		Match:      &client.KYCClaims{FullName: "Joséphine Kabongo Mwamba", DateOfBirth: "1990-04-02"},
		Purpose:    client.CustomerOnboarding,
	})
	var refused *client.Error
	switch {
	case errors.As(err, &refused):
		log.Fatalf("refused with %s, request %s", refused.Code, refused.RequestID)
	case err != nil:
		log.Fatal(err)
	}
	if validation.Result == client.KYCVerified {
		fmt.Println(validation.KYC.Basic.FullName, validation.Match.FullName)
	}
}

func ExampleClient_AllBatchResults() {
	var c *client.Client // made by New
	ctx := context.Background()
	batch, err := c.SubmitKYCBatch(ctx, client.KYCBatchRequest{
		Purpose: client.RegulatoryCompliance,
		Items: []client.KYCRequest{
			{Identifier: client.Identifier{Type: client.CENI, Value: "10120301234"}, Reference: "customer-1"},
			{Identifier: client.Identifier{Type: client.Passport, Value: "OP1234567"}, Reference: "customer-2"},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for item, err := range c.AllBatchResults(ctx, batch.ID) {
		if err != nil {
			log.Fatal(err)
		}
		if err := item.Err(); err != nil {
			fmt.Println(*item.Reference, "failed:", err)
			continue
		}
		validation, err := client.Decode[client.KYCValidation](item.Result)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(*item.Reference, validation.Result)
	}
}

func ExampleVerifyWebhook() {
	var credentials client.Credentials // from LoadCredentials
	http.HandleFunc("POST /webhooks", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<20))
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		event, err := client.VerifyWebhook(credentials.EncryptionKey, r.Header, body, 5*time.Minute, time.Now())
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		log.Println("event", event.ID, event.Type) // store it, then answer; work on it afterwards
		w.WriteHeader(http.StatusNoContent)
	})
}
