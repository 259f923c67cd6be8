// The memories of a session.
CREATE INDEX memory_session IF NOT EXISTS FOR (m:Memory) ON (m.namespace, m.session_id)
