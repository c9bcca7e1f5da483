-- +goose Up
CREATE TABLE webhook_endpoints (
    application_id TEXT PRIMARY KEY,
    url            TEXT NOT NULL,
    types          TEXT NOT NULL,
    updated_at     BIGINT NOT NULL
);
CREATE TABLE events (
    id             TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    type           TEXT NOT NULL,
    body           BYTEA NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL
);
CREATE INDEX events_application ON events (application_id, created_at DESC, id DESC);
CREATE INDEX events_application_type ON events (application_id, type, created_at DESC, id DESC);
CREATE INDEX events_expiry ON events (expires_at);
CREATE TABLE deliveries (
    event_id         TEXT NOT NULL,
    resend           BIGINT NOT NULL,
    application_id   TEXT NOT NULL,
    status           TEXT NOT NULL,
    attempts         BIGINT NOT NULL,
    lease_holder     TEXT NOT NULL,
    lease_until      BIGINT NOT NULL,
    next_attempt_at  BIGINT NOT NULL,
    workflow_started BOOLEAN NOT NULL,
    check_at         BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    finished_at      BIGINT,
    expires_at       BIGINT NOT NULL,
    PRIMARY KEY (event_id, resend)
);
CREATE INDEX deliveries_pending ON deliveries (check_at) WHERE status = 'pending';
CREATE INDEX deliveries_failed ON deliveries (finished_at, event_id) WHERE status = 'failed';
CREATE INDEX deliveries_expiry ON deliveries (expires_at);
CREATE TABLE delivery_attempts (
    event_id       TEXT NOT NULL,
    resend         BIGINT NOT NULL,
    number         BIGINT NOT NULL,
    application_id TEXT NOT NULL,
    at             BIGINT NOT NULL,
    http_status    BIGINT NOT NULL,
    fault          TEXT NOT NULL,
    latency_ms     BIGINT NOT NULL,
    answer         BYTEA NOT NULL,
    expires_at     BIGINT NOT NULL,
    PRIMARY KEY (event_id, resend, number)
);
CREATE INDEX delivery_attempts_expiry ON delivery_attempts (expires_at);

-- +goose Down
DROP TABLE delivery_attempts;
DROP TABLE deliveries;
DROP TABLE events;
DROP TABLE webhook_endpoints;
