"""A Pydantic AI agent with tools that send requests, and with a secret in every place that can hold one.

It knows nothing of us: what is watched, and how, is said by variables alone.
"""

import json
import logging
import os
import signal
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
from canaries import SECRETS
from opentelemetry import baggage, metrics, trace
from opentelemetry._logs import get_logger_provider
from opentelemetry.context import attach, detach
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

logging.basicConfig(filename="application.log", level=logging.WARNING)
logging.getLogger("counterfoil").setLevel(logging.DEBUG)


class Provider(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.dumps({"id": "ch-1", "note": SECRETS["answer_body"]}).encode()
        self.send_response(500 if "broken" in self.path else 201)
        self.send_header("X-Request-Secret", SECRETS["response_header"])
        self.send_header("Location", f"/charges/{SECRETS['location']}")
        self.send_header("Set-Cookie", f"session={SECRETS['cookie']}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()


def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """Calls the tool that the prompt begins with, once."""
    if any(isinstance(message, ModelResponse) for message in messages):
        return ModelResponse(parts=[TextPart("done")])
    tool = str(messages[0].parts[-1].content).split()[0]
    arguments = {"amount": 4711, "note": SECRETS["argument"], "token": SECRETS["key_argument"]}
    return ModelResponse(parts=[ToolCallPart(tool, arguments, tool_call_id=f"call-{tool}")])


agent = Agent(FunctionModel(model), name="payer", system_prompt=SECRETS["prompt"])


def send(path: str, key: str = SECRETS["key_header"]) -> httpx.Response:
    who = f"{SECRETS['url_user']}:{SECRETS['url_password']}"
    url = f"http://{who}@127.0.0.1:{server.server_port}/{SECRETS['url_path']}/{path}?token={SECRETS['url_query']}"
    headers = {
        "Idempotency-Key": key,
        "X-Api-Key": SECRETS["request_header"],
        "Authorization": f"Bearer {SECRETS['authorization']}",
        "Cookie": f"session={SECRETS['cookie']}",
    }
    return httpx.post(url, headers=headers, json={"note": SECRETS["argument"]}, timeout=30)


@agent.tool_plain
def charge(amount: int, note: str, token: str) -> dict[str, str]:
    """A receipt, and one more charge under another key."""
    answer = send("charges")
    span = trace.get_current_span()
    span.set_attribute("counterfoil.operation.id", "order-1")
    span.set_attribute("counterfoil.effect.ref", ["ch-1", "ch-2"])
    span.set_attribute("counterfoil.effect.authoritative", True)
    return {"id": answer.json()["id"], "note": SECRETS["result"], "location": answer.headers["Location"]}


@agent.tool_plain
def mail(amount: int, note: str, token: str) -> str:
    """Nobody names this operation; its key stands on the span."""
    trace.get_current_span().set_attribute("counterfoil.idempotency_key", SECRETS["key_attribute"])
    return SECRETS["result"]


@agent.tool_plain
def refund(amount: int, note: str, token: str) -> str:
    """Sent twice under two keys, and then it raises."""
    for key in (SECRETS["key_header"], SECRETS["key_header"] + "2"):
        send("broken", key)
    raise RuntimeError(SECRETS["exception"])


@agent.tool_plain
def unreachable(amount: int, note: str, token: str) -> str:
    """Nobody listens there."""
    url = f"http://{SECRETS['url_user']}:{SECRETS['url_password']}@127.0.0.1:1/{SECRETS['url_path']}"
    httpx.post(url, params={"token": SECRETS["url_query"]}, timeout=30).raise_for_status()
    return "never"


@agent.tool_plain
def refuse(amount: int, note: str, token: str) -> str:
    """Told in a message of its own that it can't be done."""
    raise ValueError(SECRETS["refusal"]) from RuntimeError(SECRETS["exception"])


def break_us() -> None:
    """Something of ours breaks, with the secret in the error's own words."""
    from counterfoil.reading.endings import Endings
    from counterfoil.telling import teller

    def broken(*_args: object, **_named: object) -> None:
        raise ValueError(SECRETS["crash"], SECRETS["argument"])

    Endings.of = broken
    teller.say_event = broken


if "broken" in sys.argv:
    break_us()
carried = baggage.set_baggage("customer", SECRETS["baggage_value"])
carried = baggage.set_baggage("counterfoil.idempotency_key", SECRETS["key_baggage"], carried)
for tool in ("charge", "mail", "refund", "unreachable", "refuse", "charge"):
    token = attach(carried)
    with suppress(Exception):
        agent.run_sync(f"{tool} {SECRETS['prompt']}")
    detach(token)
if "killed" in sys.argv:
    for provider in (trace.get_tracer_provider(), metrics.get_meter_provider(), get_logger_provider()):
        provider.force_flush()
    os.kill(os.getpid(), signal.SIGKILL)
