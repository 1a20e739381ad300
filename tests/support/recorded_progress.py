"""Progress that nobody watches."""


class RecordedProgress:
    """Keeps what stays of it."""

    def __init__(self) -> None:
        self.logged: list[str] = []

    def show(self, text: str) -> None:
        pass

    def log(self, text: str) -> None:
        self.logged.append(text)
