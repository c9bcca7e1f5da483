-- +goose Up
CREATE TABLE jobs (
    id             TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    service        TEXT NOT NULL,
    status         TEXT NOT NULL,
    request        BYTEA NOT NULL,
    result_id      TEXT NOT NULL,
    error_code     TEXT NOT NULL,
    error_message  TEXT NOT NULL,
    created_at     BIGINT NOT NULL,
    completed_at   BIGINT,
    expires_at     BIGINT NOT NULL,
    check_at       BIGINT NOT NULL
);
CREATE INDEX jobs_expiry ON jobs (expires_at);
CREATE INDEX jobs_pending ON jobs (check_at) WHERE status = 'pending';
CREATE TABLE batches (
    id             TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    service        TEXT NOT NULL,
    status         TEXT NOT NULL,
    total          BIGINT NOT NULL,
    succeeded      BIGINT NOT NULL,
    failed         BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    completed_at   BIGINT,
    cancelled_at   BIGINT,
    expires_at     BIGINT NOT NULL,
    check_at       BIGINT NOT NULL
);
CREATE INDEX batches_expiry ON batches (expires_at);
CREATE INDEX batches_pending ON batches (check_at) WHERE status = 'pending';
CREATE TABLE batch_items (
    batch_id      TEXT NOT NULL,
    idx           BIGINT NOT NULL,
    status        TEXT NOT NULL,
    request       BYTEA NOT NULL,
    result_id     TEXT NOT NULL,
    error_code    TEXT NOT NULL,
    error_message TEXT NOT NULL,
    PRIMARY KEY (batch_id, idx)
);
CREATE INDEX batch_items_pending ON batch_items (batch_id, idx) WHERE status = 'pending';

-- +goose Down
DROP TABLE batch_items;
DROP TABLE batches;
DROP TABLE jobs;
