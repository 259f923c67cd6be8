// The memories of a task.
CREATE INDEX memory_task IF NOT EXISTS FOR (m:Memory) ON (m.namespace, m.task_id)
