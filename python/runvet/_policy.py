"""Policies: user code that is shown the state of a run, and may advise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, Protocol, TypeAlias

from ._errors import PolicyError


@dataclass(frozen=True, slots=True)
class Hint:
    """A suggestion, which the run may follow. The confidence is 0 to 1."""

    text: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Intervention:
    """A change that the run must make, if the policy is sure enough of it.

    The recorder understands `{"step": id, "set": {…}}` with `description`, `kind`, `rationale` and
    `inputs`, `{"skip": id}`, and `{"append": step}`.
    """

    change: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Veto:
    """The run must not do what it is about to do: a step, or anything at all."""

    reason: str
    scope: Literal["step", "run"] = "step"


Advice: TypeAlias = Hint | Intervention | Veto


class Policy(Protocol):
    """User code that advises a run. It can't change the state that it is shown.

    One that also has `advise_on_step(state, step)` is asked that instead when the recorder is about
    to open a step.
    """

    @property
    def name(self) -> str:
        """The name under which its advice is recorded."""

    @property
    def version(self) -> str:
        """Its version: advice of two versions is not the same advice."""

    def advise(self, state: dict[str, Any]) -> Advice | None:
        """Reads the state of a run and returns its advice, or None."""


@dataclass(frozen=True, slots=True)
class Consulted:
    """The advice of one policy; None where it had none."""

    policy: str
    version: str
    advice: Advice | None


def consult(policies: Iterable[Policy], state: Mapping[str, Any]) -> list[Consulted]:
    """Asks policies one after the other, and collects the advice of each.

    They can't change the state. All are asked, even after a veto or an exception; the
    first that raised one is then raised as `PolicyError`.
    """
    consulted: list[Consulted] = []
    failed: PolicyError | None = None
    for policy in policies:
        try:
            advice = ask(policy, state)
        except PolicyError as error:
            failed = failed or error
            continue
        consulted.append(Consulted(policy.name, policy.version, advice))
    if failed is not None:
        raise failed
    return consulted


def ask(
    policy: Policy, state: Mapping[str, Any], step: Mapping[str, Any] | None = None
) -> Advice | None:
    """The advice of a policy. Raises `PolicyError` if it raises, or returns something else."""
    name, version = type(policy).__name__, "without a version"
    try:
        name, version = policy.name, policy.version
        on_step = getattr(policy, "advise_on_step", None)
        if step is None or on_step is None:
            advice = policy.advise(frozen(state))
        else:
            advice = on_step(frozen(state), frozen(step))
    except Exception as error:
        message = f"the policy {name} {version} failed: {error!r}"
        raise PolicyError(message, policy=name, version=version) from error
    if advice is None or isinstance(advice, (Hint, Intervention, Veto)):
        return advice
    message = (
        f"the policy {name} {version} returned {type(advice).__name__}, "
        "not a Hint, an Intervention, a Veto or None"
    )
    raise PolicyError(message, policy=name, version=version)


def advice_of(
    policy: Policy, state: dict[str, Any], step: dict[str, Any] | None
) -> tuple[str, Any, Any] | None:
    """The advice of a policy as the recorder takes it: on the run, or on a step that opens."""
    advice = ask(policy, state, step)
    match advice:
        case None:
            return None
        case Hint(text, confidence):
            return "hint", text, _share(policy, confidence)
        case Intervention(change, confidence):
            return "intervention", change, _share(policy, confidence)
        case Veto(reason, scope):
            return "veto", reason, scope


def _share(policy: Policy, confidence: float) -> float:
    if not 0 <= confidence <= 1:
        message = (
            f"the policy {policy.name} {policy.version} gave the confidence {confidence}, "
            "which is not between 0 and 1"
        )
        raise PolicyError(message, policy=policy.name, version=policy.version)
    return float(confidence)


def frozen(value: Any) -> Any:
    """A copy of a JSON value that can be read like any other, and not changed."""
    if isinstance(value, (_FrozenDict, _FrozenList)):
        return value
    if isinstance(value, Mapping):
        return _FrozenDict({key: frozen(item) for key, item in value.items()})
    if isinstance(value, (list, tuple)):
        return _FrozenList(frozen(item) for item in value)
    return value


def shown(state: dict[str, Any], lists: tuple[list[Any], ...]) -> Any:
    """The state of a run as policies see it: these frozen lists, and the rest of it."""
    plan, memory, outcomes = state["plan"], state["memory"] or {}, state["outcomes"]
    places = (state, "beliefs"), (plan, "steps"), (memory, "facts"), (outcomes, "actions")
    for (part, name), items in zip(places, lists):
        if part.get(name) is not None:
            part[name] = _FrozenList(items)
    for part in (state, plan, memory, outcomes):
        for name in [it for it, value in part.items() if value is None and it != "error"]:
            del part[name]
    return frozen(state)


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError(
        "a policy can't change the state; return a Hint, Intervention or Veto"
    )


def _thawed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _thawed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_thawed(item) for item in value]
    return value


class _FrozenDict(dict[str, Any]):
    """A dictionary whose writes raise; its copies are plain ones."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def copy(self) -> dict[str, Any]:
        return dict(self)

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Any:
        return _thawed(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (_thawed(self),)


class _FrozenList(list[Any]):
    """A list whose writes raise; its copies are plain ones."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = _refuse
    reverse = sort = _refuse

    def copy(self) -> list[Any]:
        return list(self)

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Any:
        return _thawed(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (_thawed(self),)
