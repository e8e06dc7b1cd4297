"""A shop on FastAPI: the provider's answer is lost, and the webhook's handler says what the provider holds.

pip install counterfoil fastapi uvicorn httpx
export COUNTERFOIL_LEDGER=sqlite:///ledger.db
python examples/fastapi_webhook.py
counterfoil show charge:order-7
"""

from __future__ import annotations

import socket
import threading
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from losing_provider import losing_provider

import counterfoil

app = FastAPI()
webhook_came = threading.Event()


@app.post("/orders/{order}")
async def pay(order: str, provider: str, webhook: str) -> dict[str, str]:
    request = {"order": order, "cents": 4_900}
    async with counterfoil.operation(f"charge:{order}", tool="charge", request=request) as charge:
        headers = {"Idempotency-Key": charge.idempotency_key}  # a repeat, from wherever, sends the same one
        try:
            async with httpx.AsyncClient() as client:
                body = {**request, "metadata": charge.metadata, "webhook": webhook}
                answer = await client.post(provider, json=body, headers=headers)
        except httpx.TransportError:
            return {"status": "nobody knows yet"}
        charge.receipt(answer.json()["id"])
        return {"status": "paid"}


@app.post("/webhook")  # check the provider's signature here, as always
async def webhook(event: dict[str, Any]) -> None:
    name = event["metadata"]["counterfoil_operation_id"]
    counterfoil.record_effect(event["id"], operation_id=name, source="webhook")
    webhook_came.set()


def main() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    shop = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    serving = threading.Thread(target=server.run, args=[[listening]])
    serving.start()
    with losing_provider() as provider:
        params = {"provider": provider, "webhook": f"{shop}/webhook"}
        print(httpx.post(f"{shop}/orders/order-7", params=params, timeout=30).json()["status"])
        print("the webhook came" if webhook_came.wait(30) else "no webhook came")
    server.should_exit = True
    serving.join()


if __name__ == "__main__":
    main()
