-- +goose Up
CREATE TABLE organisations (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    services   TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE applications (
    id                  TEXT PRIMARY KEY,
    organisation_id     TEXT NOT NULL REFERENCES organisations (id),
    name                TEXT NOT NULL,
    key_id              TEXT NOT NULL UNIQUE,
    services            TEXT NOT NULL,
    scopes              TEXT NOT NULL,
    purposes            TEXT NOT NULL,
    production_services TEXT NOT NULL,
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL
);
CREATE TABLE key_pairs (
    id             TEXT PRIMARY KEY,
    application_id TEXT NOT NULL REFERENCES applications (id),
    sealed         BLOB NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT,
    messages       BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX key_pairs_application ON key_pairs (application_id);
CREATE TABLE nonces (
    application_id TEXT NOT NULL,
    nonce          BLOB NOT NULL,
    expires_at     BIGINT NOT NULL,
    PRIMARY KEY (application_id, nonce)
) WITHOUT ROWID;
CREATE INDEX nonces_expiry ON nonces (expires_at);
CREATE TABLE data_keys (
    id         INTEGER PRIMARY KEY,
    use        TEXT NOT NULL,
    wrapped    BLOB NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE results (
    id             TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    service        TEXT NOT NULL,
    body           BLOB NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX results_expiry ON results (expires_at);
CREATE TABLE audit_entries (
    id             TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    service        TEXT NOT NULL,
    result_id      TEXT NOT NULL,
    purpose        TEXT NOT NULL,
    scopes         TEXT NOT NULL,
    outcome        TEXT NOT NULL,
    subject        BLOB NOT NULL,
    created_at     BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX audit_entries_subject ON audit_entries (subject, created_at);

-- +goose Down
DROP TABLE audit_entries;
DROP TABLE results;
DROP TABLE data_keys;
DROP TABLE nonces;
DROP TABLE key_pairs;
DROP TABLE applications;
DROP TABLE organisations;
