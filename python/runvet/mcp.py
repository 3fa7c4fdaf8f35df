"""Sessions of the official MCP SDK -> sessions whose calls of tools are acts of a run.

>>> async with mcp.ClientSession(*streams) as session:     # doctest: +SKIP
...     session = runvet.mcp.session(run, session)
...     await session.call_tool("pay", {"amount": 5})
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Mapping
from typing import Any, cast

from mcp import ClientSession  # type: ignore[import-not-found, unused-ignore]
from mcp.types import CallToolResult  # type: ignore[import-not-found, unused-ignore]

from ._encode import MAX_OUTPUT
from ._errors import Refused
from ._run import OpenStep, Run
from ._tool import Call


def session(
    run: Run | OpenStep, session: ClientSession, *, name: str | None = None
) -> ClientSession:
    """The session, with each call of a tool an act of the run, or of the step, as `runvet mcp` has.

    A call that a rule holds back is not made: its result is an error that says why. With the `name`
    of the server, a tool is recorded as `mcp__NAME__TOOL`. Everything else is that of the session.
    """
    return cast(ClientSession, _Session(run, session, name))


class _Session:
    """A session whose calls are recorded."""

    def __init__(self, place: Run | OpenStep, session: ClientSession, name: str | None) -> None:
        self._place = place
        self._session = session
        self._prefix = f"mcp__{name}__" if name else ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    async def call_tool(
        self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **more: Any
    ) -> CallToolResult:
        """Calls a tool, unless a rule holds the call back."""
        call = Call(self._place, self._prefix + name, arguments or {}, MAX_OUTPUT)
        try:
            call.must_be_allowed()
        except Refused as refused:
            content = [{"type": "text", "text": _why(refused)}]
            return CallToolResult.model_validate({"content": content, "isError": True})
        try:
            result = await self._session.call_tool(name, arguments, *args, **more)
        except asyncio.CancelledError:
            call.record("cancelled", None)
            raise
        except BaseException as error:
            call.failed(error)
            raise
        told = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        media = self._attached(told)
        call.record(
            "error" if told.get("isError") else "ok",
            _output(told),
            **({"result_artifacts": media} if media else {}),
        )
        return cast(CallToolResult, result)

    def _attached(self, told: Mapping[str, Any]) -> list[str]:
        """The names of the files of pictures and sounds."""
        names = []
        for part in told.get("content", []):
            if part["type"] in ("image", "audio"):
                extension = part.get("mimeType", "").rpartition("/")[2]
                try:
                    content = base64.b64decode(part["data"], validate=True)
                except binascii.Error:
                    continue
                extension = extension if extension.isalnum() else "bin"
                names.append(self._place._of_run.attach(content, extension)["name"])
        return names


def _output(told: Mapping[str, Any]) -> Any:
    """The structured content of a result, or else its texts."""
    if "structuredContent" in told:
        return told["structuredContent"]
    if "content" not in told:
        return told
    texts = [part["text"] for part in told["content"] if part["type"] == "text"]
    return "\n".join(texts) if texts else None


def _why(refused: Refused) -> str:
    """The sentence of each rule, with its id and what helps."""
    said = {
        it.rule: f"{it.message} ({it.rule})" + (f": {it.help}" if it.help else "")
        for it in reversed(refused.findings)
    }
    return "\n".join(reversed(said.values())) or str(refused)
