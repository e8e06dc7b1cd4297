"""A WSGI application: every request is a call of the tool."""

from shop import charge

served = iter(range(1, 1_000))


def app(_environ, start_response):
    operation = charge(number=next(served))
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [operation.encode()]
