"""The AgentRx traces (73 failed agent runs with 334 annotated failures) as experiences of ours."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FILES = ("agentrx/magentic_one_ground_truth.json", "agentrx/tau_ground_truth.json", "agentrx/traces.tar.gz")
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_SOURCES = {"magentic": FILES[0], "tau": FILES[1]}
_TAU_TRACES = "data/tau_retail/tau_dataset_failed.json"
_QUOTED = 400


@dataclass(frozen=True)
class AnnotatedFailure:
    """One failure of a trace. step is 1-based; agent is normalised; message is what was said at that step.

    Known before the step: instruction (the last one given), before (the message before it), and planned, the tool or
    the verb of the step, if the agent states its plan.
    """

    id: int
    step: int
    agent: str
    category: str
    reason: str
    message: str
    instruction: str = ""
    before: str = ""
    planned: str = ""


@dataclass(frozen=True)
class Trace:
    """One failed run, failures in order. root is None where the label is no failure's number."""

    name: str
    task: str
    steps: int
    failures: tuple[AnnotatedFailure, ...]
    root: int | None

    @property
    def final_step(self) -> int:
        """Where the run ended in failure: after the last message and the last annotated failure."""
        return max(self.steps, max(failure.step for failure in self.failures)) + 1


def read_traces(data: Path) -> list[Trace]:
    """All traces, Magentic-One first."""
    messages = _messages(data / FILES[2])
    return [
        _trace(source, item, messages)
        for source, name in _SOURCES.items()
        for item in json.loads((data / name).read_text(encoding="utf8"))
    ]


def key(trace: Trace, failure_id: int | str) -> str:
    """The idempotency key of a failure; 'final' is the run's own."""
    return f"agentrx:{trace.name}:{failure_id}"


def experiences(trace: Trace) -> list[dict[str, Any]]:
    """GraphQL inputs for a trace: every failure and the final one, with the causes an agent could have stated.

    A failure is caused by the previous one of the same agent; the final failure by the last of every agent.
    Nothing of the root-cause label is used.
    """
    inputs: list[dict[str, Any]] = []
    last: dict[str, str] = {}
    for failure in trace.failures:
        own = key(trace, failure.id)
        inputs.append(_input(trace, failure, own, [last[failure.agent]] if failure.agent in last else []))
        last[failure.agent] = own
    final = AnnotatedFailure(
        0, trace.final_step, "run", "Task failed", "The run ended without the right answer.", ""
    )
    inputs.append(_input(trace, final, key(trace, "final"), list(last.values())))
    return inputs


def _input(trace: Trace, failure: AnnotatedFailure, own: str, causes: Sequence[str]) -> dict[str, Any]:
    at = BEGAN + timedelta(minutes=failure.step)
    return {
        "key": own,
        "action": failure.reason,
        "context": trace.task[:_QUOTED],
        "output": failure.message[:_QUOTED],
        "result": "FAILURE",
        "errorType": failure.category,
        "agent": failure.agent,
        "taskId": trace.name,
        "occurredAt": at.isoformat(),
        "causedBy": [{"key": cause} for cause in causes],
    }


def _trace(source: str, item: Mapping[str, Any], messages: Mapping[str, list[Any]]) -> Trace:
    name = f"{source}/{item['trajectory_id']}"
    said = messages.get(name, [])
    failures = tuple(
        sorted(
            (_failure(entry, said) for entry in item["failures"]),
            key=lambda failure: (failure.step, failure.id),
        )
    )
    root = item["root_cause"].get("failure_id")
    task = str(said[0].get("content") or "") if said else ""
    return Trace(name, task, len(said), failures, root if isinstance(root, int) else None)


def _failure(entry: Mapping[str, Any], said: Sequence[Any]) -> AnnotatedFailure:
    step = int(entry["step_number"])
    own = said[step - 1] if 0 < step <= len(said) else {}
    message = own.get("content")
    before = said[: max(0, step - 1)]
    told = [one for one in before if _instructs(str(one.get("role") or ""))]
    return AnnotatedFailure(
        id=int(entry["failure_id"]),
        step=step,
        agent=re.sub(r"\W", "", str(entry.get("failed_agent", ""))).lower(),
        category=str(entry["failure_category"]).strip(),
        reason=str(entry["step_reason"]).strip() or "unknown",
        message=_clean(str(message or "")),
        instruction=_clean(str(told[-1].get("content") or "")) if told else "",
        before=_clean(str(before[-1].get("content") or "")) if before else "",
        planned=_planned(own),
    )


def _instructs(role: str) -> bool:
    return role in ("user", "human") or role.startswith("Orchestrator (->")


def _planned(message: Mapping[str, Any]) -> str:
    """The tool that a message calls, else the verb with which a surfer begins, else who speaks."""
    calls = message.get("tool_calls") or [{}]
    verb = re.match(r"I (\w+)", str(message.get("content") or ""))
    tool = calls[0].get("function", {}).get("name", "")
    role = str(message.get("role") or "")
    return str(tool or (verb.group(1) if verb and role == "WebSurfer" else role))


def _clean(text: str) -> str:
    return text.replace("\0", "").encode("utf8", "ignore").decode("utf8")


def _messages(archive: Path) -> dict[str, list[Any]]:
    """Messages by trace name, read from the archive without unpacking it."""
    found: dict[str, list[Any]] = {}
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member) if member.name.endswith(".json") else None
            if file is None:
                continue
            content = json.load(file)
            if member.name == _TAU_TRACES:
                found |= {f"tau/{entry['task_id']}": entry["traj"] for entry in content}
            elif isinstance(content, list):
                found[f"magentic/{Path(member.name).stem}"] = content
    return found
