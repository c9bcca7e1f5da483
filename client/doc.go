// Package client calls the national digital identity platform from Go: it signs and encrypts requests, decrypts
// and checks answers, tries again what may be tried again, waits for jobs and batches, and verifies webhooks.
//
//	credentials, err := client.LoadCredentials("credentials.json")
//	c, err := client.New(credentials)
//	validation, err := c.ValidateKYC(ctx, client.KYCRequest{
//		Identifier: client.Identifier{Type: client.CENI, Value: "10120301234"},
//		Purpose:    client.CustomerOnboarding,
//	})
//
// # Calls
//
// Each service has a call that answers at once, one that gives a Job, and the same two for a batch; Do is the
// call below them all, for any endpoint. WaitJob, WaitBatch and AllBatchResults follow what runs; Decode reads
// the result of a job, an item or an event. A Client is safe for concurrent use and needs no other state.
//
// # Errors
//
// Whatever the platform refuses is an *Error; IsCode asks for its code. That a person is not found, or
// not certified, is a result and no error. Unknown fields of an answer are ignored and unknown values of an
// enumeration pass: treat one you do not know as the careful case.
//
// # Repetition
//
// A call is sent up to three times (RetryPolicy), each time signed anew. So that a POST is carried out and billed once
// nevertheless, the Client gives it an Idempotency-Key; IdempotencyKey sets your own, which also holds
// when your program restarts in the middle.
//
// # Time
//
// A request is valid within five minutes of the server's clock. When the server refuses a timestamp, the
// Client takes the time from the Date header of that answer and sends the call again, once; it keeps the
// correction when an encrypted answer has confirmed it. Clocks that are more than a day out are not corrected.
//
// # Trust
//
// Every success is encrypted for its very request (nonce and status are bound to it); one that is not is
// refused with ErrUnencryptedAnswer or ErrForeignAnswer. Errors from before authentication, and those of
// proxies, come in clear: Error.Encrypted is false on them. Credentials and Client never print their secrets.
package client
