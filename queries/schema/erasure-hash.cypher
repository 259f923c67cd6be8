// The hash of a key whose memory was forgotten is kept once.
CREATE CONSTRAINT erasure_hash IF NOT EXISTS FOR (e:Erasure) REQUIRE e.hash IS UNIQUE
