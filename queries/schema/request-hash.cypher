// An idempotency key, found by the hash of namespace and key, was used once.
CREATE CONSTRAINT request_hash IF NOT EXISTS FOR (q:Request) REQUIRE q.hash IS UNIQUE
