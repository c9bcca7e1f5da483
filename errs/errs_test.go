package errs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"idplatform/errs"
)

// published are the codes that callers have been promised.
const published = `production_access_required service_not_enabled scope_not_granted purpose_not_approved consent_required
	invalid_identifier unsupported_identifier_type image_quality_insufficient no_face_detected multiple_faces_detected
	liveness_failed batch_too_large batch_not_found job_not_found batch_cancelled insufficient_balance credit_limit_reached
	rate_limited quota_exceeded batch_quota_exceeded
	invalid_request encryption_required decryption_failed invalid_signature timestamp_out_of_window nonce_reused
	certificate_mismatch not_found method_not_allowed idempotency_conflict batch_already_finished invalid_transition
	payload_too_large idempotency_key_reused image_unreadable image_unavailable evidence_rejected simulation_unknown_image
	internal_error registry_unavailable async_unavailable`

func TestCatalogue_IsThePublishedOne(t *testing.T) {
	t.Parallel()
	var codes []string
	for _, code := range errs.Codes() {
		codes = append(codes, string(code))
	}
	require.ElementsMatch(t, strings.Fields(published), codes)
	require.IsIncreasing(t, codes)
}

func TestCatalogue_EveryCodeHasAMessageOfItsOwn(t *testing.T) {
	t.Parallel()
	said := map[string]errs.Code{}
	for _, code := range errs.Codes() {
		message := code.Message()
		require.True(t, strings.HasSuffix(message, "."), "%s: %s", code, message)
		require.NotContains(t, said, message, "%s says the same as %s", code, said[message])
		said[message] = code
		if code != errs.InternalError {
			require.NotEqual(t, errs.KindInternal, code.Kind(), code)
		}
	}
	require.Equal(t, errs.KindInternal, errs.Code("never_heard_of").Kind())
}

func TestError_WithCopies(t *testing.T) {
	t.Parallel()
	one := errs.New(errs.ScopeNotGranted)
	two := one.With("scope", "a")
	three := two.With("scope", "b").Because(errors.New("cause"))
	require.Empty(t, one.Context)
	require.Equal(t, map[string]any{"scope": "a"}, two.Context)
	require.Equal(t, map[string]any{"scope": "b"}, three.Context)
	require.NoError(t, errors.Unwrap(two))
}

func TestError_CauseIsPrivate(t *testing.T) {
	t.Parallel()
	cause := errors.New("secret")
	e := errs.Internal(cause)
	require.NotContains(t, e.Message, "secret")
	require.Contains(t, e.Error(), "secret", "the log may know")
	require.ErrorIs(t, e, cause)
}

func TestFrom(t *testing.T) {
	t.Parallel()
	e := errs.New(errs.NotFound)
	require.Same(t, e, errs.From(e))
	require.Same(t, e, errs.From(fmt.Errorf("looking: %w", e)))
	require.Equal(t, errs.InternalError, errs.From(errors.New("anything")).Code)
	require.ErrorIs(t, e.With("a", 1), errs.New(errs.NotFound))
	require.NotErrorIs(t, e, errs.New(errs.JobNotFound))
}

func TestInvalid_WordsTheFirstFaults(t *testing.T) {
	t.Parallel()
	var fields []errs.Field
	for i := range 20 {
		fields = append(fields, errs.Field{Field: fmt.Sprintf("f%02d", i), Problem: "is wrong"})
	}
	e := errs.Invalid(fields...)
	require.Len(t, e.Fields, 20)
	require.Contains(t, e.Message, "f07 is wrong")
	require.NotContains(t, e.Message, "f08")
	require.Contains(t, e.Message, "12 more faults")
}
