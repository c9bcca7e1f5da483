package activities

import (
	"errors"

	"go.temporal.io/sdk/temporal"

	"idplatform/errs"
)

// fault is the one translation of the platform's errors into Temporal's: the type is the code, nothing of the
// message or the cause travels, for both may hold what must not stand in a history. Failures that may pass are
// retried, all others are not. They are benign to the SDK, which would log each once more, as an error.
func fault(err error) error {
	if err == nil {
		return nil
	}
	e := errs.From(err)
	options := temporal.ApplicationErrorOptions{NonRetryable: true, Category: temporal.ApplicationErrorCategoryBenign}
	switch e.Kind() {
	case errs.KindUnavailable, errs.KindInternal, errs.KindAsyncUnavailable:
		options.NonRetryable = false
	}
	return temporal.NewApplicationErrorWithOptions(e.Code.Message(), string(e.Code), options)
}

// CodeOf is the platform's code of an error that an activity failed with; internal_error when it has none.
func CodeOf(err error) errs.Code {
	var application *temporal.ApplicationError
	if errors.As(err, &application) {
		return errs.Code(application.Type())
	}
	return errs.InternalError
}
