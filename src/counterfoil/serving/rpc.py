"""The door for OTLP over gRPC."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import grpc  # type: ignore[import-untyped]
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from counterfoil.serving.answers import Refused
from counterfoil.serving.parcels import parcel_of_protobuf
from counterfoil.serving.taking import Taking

SERVICE, METHOD = "opentelemetry.proto.collector.logs.v1.LogsService", "Export"
_CODES = {code.value[0]: code for code in grpc.StatusCode}


def rpc_server(taking: Taking) -> grpc.Server:
    """A server without an address yet. Messages are taken as bytes, so that one that is no request is answered as such
    and not as an error of ours."""
    limits = taking.limits
    # One thread more than there are places, so that somebody is there to say that there is none. Further calls wait
    # unread; gRPC's own limit on them would answer with a status that senders take for good.
    server = grpc.server(
        ThreadPoolExecutor(limits.waiting + 1, thread_name_prefix="counterfoil-grpc"),
        options=[("grpc.max_receive_message_length", limits.body), ("grpc.so_reuseport", 0)],
    )

    def export(message: bytes, context: grpc.ServicerContext) -> bytes:
        try:
            headers = dict(context.invocation_metadata() or ())
            taking.tokens.check(str(headers.get("authorization", "")))
            with taking.place():
                kept = taking.take(parcel_of_protobuf(message, limits))
        except Refused as refused:
            taking.refused(refused)
            _refuse(refused, context)
            return b""
        answer = ExportLogsServiceResponse()
        if kept.number:
            answer.partial_success.rejected_log_records = kept.number
            answer.partial_success.error_message = kept.message
        return answer.SerializeToString()

    handlers = {METHOD: grpc.unary_unary_rpc_method_handler(export)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    return server


def _refuse(refused: Refused, context: grpc.ServicerContext) -> None:
    """A sender comes back only where the status has a `RetryInfo`: the protocol says so of RESOURCE_EXHAUSTED."""
    why = refused.why
    if why.is_retryable:
        after = Duration()
        after.FromMilliseconds(int(refused.after_s * 1_000))
        detail = Packed()
        detail.Pack(RetryInfo(retry_delay=after))
        status = Status(code=why.grpc, message=str(refused), details=[detail])
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
    context.set_code(_CODES[why.grpc])
    context.set_details(str(refused))
