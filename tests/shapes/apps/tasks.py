"""A Celery application whose broker is a folder."""

from pathlib import Path

from celery import Celery
from shop import charge

folder = str(Path.cwd() / "queue")
app = Celery("tasks", broker="filesystem://")
app.conf.broker_transport_options = {
    "data_folder_in": folder,
    "data_folder_out": folder,
    "control_folder": folder,
    "polling_interval": 0.1,
}


@app.task
def pay(number: int) -> str:
    return charge(number=number)
