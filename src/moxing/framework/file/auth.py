"""How to reach an object store. Secrets stay in this process and reach no log."""

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class StoreAccess:
    """What a script has set; None where it has set nothing."""

    ak: str | None = field(default=None, repr=False)
    sk: str | None = field(default=None, repr=False)
    server: str | None = None
    port: int | None = None
    is_secure: bool | None = None
    ssl_verify: bool | None = None
    long_conn_mode: bool | None = None
    path_style: bool | None = None
    retry: int | None = None
    retry_wait: float | None = None
    client_timeout: float | None = None
    list_max_keys: int | None = None
    timeout_config: dict[str, float | None] | None = None


_access = StoreAccess()
_NAMES = tuple(one.name for one in fields(StoreAccess))


def set_auth(*args: Any, **kwargs: Any) -> None:
    """Says how to reach an object store: ak, sk, server, port, is_secure and so on, in the order of `StoreAccess`.

    Local files need none of it. What an earlier call has set stays.
    """
    global _access
    given = dict(zip(_NAMES, args, strict=False)) | kwargs
    unknown = [name for name in given if name not in _NAMES]
    if unknown or len(args) > len(_NAMES):
        raise TypeError(f"set_auth() takes {', '.join(_NAMES)}; not {', '.join(unknown) or 'more'}")
    kept = {name: getattr(_access, name) for name in _NAMES}
    _access = StoreAccess(**(kept | given))


def store_access() -> StoreAccess:
    """What scripts have set up to now."""
    return _access
