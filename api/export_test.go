package api

// Statuses is the one map from kinds of errors to HTTP.
var Statuses = statuses
