"""The same shop on Django: the provider's answer is lost, and the webhook's view says what the provider holds.

pip install counterfoil django httpx
export COUNTERFOIL_LEDGER=sqlite:///ledger.db
python examples/django_webhook.py
counterfoil show charge:order-7
"""

from __future__ import annotations

import json
import threading
from wsgiref.simple_server import WSGIRequestHandler, make_server

import httpx
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from losing_provider import losing_provider

import counterfoil

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"])
webhook_came = threading.Event()


def pay(request: HttpRequest, order: str) -> JsonResponse:
    wanted = {"order": order, "cents": 4_900}
    with counterfoil.operation(f"charge:{order}", tool="charge", request=wanted) as charge:
        headers = {"Idempotency-Key": charge.idempotency_key}  # a repeat, from wherever, sends the same one
        body = {**wanted, "metadata": charge.metadata, "webhook": request.build_absolute_uri("/webhook")}
        try:
            answer = httpx.post(request.GET["provider"], json=body, headers=headers)
        except httpx.TransportError:
            return JsonResponse({"status": "nobody knows yet"})
        charge.receipt(answer.json()["id"])
        return JsonResponse({"status": "paid"})


def webhook(request: HttpRequest) -> HttpResponse:  # check the provider's signature here, as always
    event = json.loads(request.body)
    name = event["metadata"]["counterfoil_operation_id"]
    counterfoil.record_effect(event["id"], operation_id=name, source="webhook")
    webhook_came.set()
    return HttpResponse(status=204)


urlpatterns = [path("orders/<order>", pay), path("webhook", webhook)]


class Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of single requests."""


def main() -> None:
    with make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Silent) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        with losing_provider() as provider:
            shop = f"http://127.0.0.1:{server.server_port}"
            print(httpx.post(f"{shop}/orders/order-7", params={"provider": provider}, timeout=30).json()["status"])
            print("the webhook came" if webhook_came.wait(30) else "no webhook came")
        server.shutdown()
        serving.join()


if __name__ == "__main__":
    main()
