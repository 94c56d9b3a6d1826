//! An empty library: the integration tests are in `integration/`.
