package config

import "slices"

// devOnly lists what only `platform dev` may change.
func (c Config) devOnly() (faults []string) {
	if !slices.Equal(c.Webhooks.Schedule, WebhookSchedule()) {
		faults = append(faults, "webhooks.schedule can be changed under `platform dev` only: leave it out")
	}
	if len(c.Webhooks.AllowLoopback) > 0 {
		faults = append(faults, "webhooks.allow_loopback can be set under `platform dev` only: leave it out")
	}
	return faults
}

// notYet lists what the program is prepared for but must not be used for yet. Validate lets it pass, so that
// tests can make such a Config themselves.
func (c Config) notYet() []string {
	if !c.Livemode() {
		return nil
	}
	return []string{"environment is \"production\": production needs TLS and client certificates, which this version does not have"}
}
