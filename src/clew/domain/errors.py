"""Why we could not go on, drawn as a tree. Findings about input are issues (`clew.domain.issues`), not errors.

ClewError
├── WorkspaceError         no workspace here, or it cannot be used
│   ├── WorkspaceNotFound
│   └── WorkspaceTooNew
├── StorageError           the database refused
│   └── StorageFull
├── InputRefused           one piece of input that the command needs was refused; carries its issues
├── MalformedText          a literal, key, URL, filter, date or JSON text breaks its grammar; carries code, position
├── UnknownReference       a name or id that nothing in the workspace has; carries suggestions
├── NotPermitted           a decision denied the call; carries the decision's reasons
├── CallFailed             the service answered with an error; carries its status and body
│   └── CallRefused        a mock service refuses a request; carries its code and target
└── MissingExtra           an optional dependency is not installed; says how to install it
"""

from clew.domain.issues import Issue, Suggestion


class ClewError(Exception):
    """The root of everything that Clew raises."""


class WorkspaceError(ClewError):
    """The workspace cannot be used."""


class WorkspaceNotFound(WorkspaceError):
    """There is no workspace in this folder or above it."""


class WorkspaceTooNew(WorkspaceError):
    """The workspace was written by a newer version of Clew; it was not touched."""


class StorageError(ClewError):
    """The database could not do what was asked of it."""


class StorageFull(StorageError):
    """The disk is full; nothing was changed."""


class InputRefused(ClewError):
    """Input was refused; `issues` say what, where, and what would be right."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        """Keeps the issues; the first one is the message."""
        super().__init__(str(issues[0]) if issues else self.__doc__)
        self.issues = issues


class MalformedText(ClewError):
    """A text does not follow its grammar."""

    def __init__(self, code: str, message: str, position: int = 0) -> None:
        """Keeps the stable code and the position (0-based, in characters) at which the grammar was left."""
        super().__init__(message)
        self.code = code
        self.position = position


class UnknownReference(ClewError):
    """Nothing in the workspace has this name or id."""

    def __init__(self, what: str, name: str, suggestions: tuple[Suggestion, ...] = ()) -> None:
        """Names what was looked for, and keeps what comes close."""
        hint = " Did you mean " + ", ".join(repr(s.value) for s in suggestions[:3]) + "?" if suggestions else ""
        super().__init__(f"There is no {what} {name!r} in this workspace.{hint}")
        self.what = what
        self.name = name
        self.suggestions = suggestions


class NotPermitted(ClewError):
    """The call was denied; `reasons` say why, and what would open it."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        """Keeps the reasons; joined they are the message."""
        super().__init__("; ".join(reasons) or self.__doc__)
        self.reasons = reasons


class CallFailed(ClewError):
    """The service answered with an error."""

    def __init__(self, status: int, message: str, body: str = "") -> None:
        """Keeps the HTTP status and the body as it came."""
        super().__init__(f"HTTP {status}: {message}")
        self.status = status
        self.body = body


class CallRefused(CallFailed):
    """A mock service refuses a request as a real one would."""

    def __init__(self, status: int, code: str, message: str, target: str = "") -> None:
        """Keeps the HTTP status, the service's code, and the property or parameter that it is about."""
        super().__init__(status, message)
        self.code = code
        self.text = message
        self.target = target


class MissingExtra(ClewError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        """Says which package is missing and which extra brings it."""
        super().__init__(f"{package} is not installed; `pip install 'clew[{extra}]'` brings it")
