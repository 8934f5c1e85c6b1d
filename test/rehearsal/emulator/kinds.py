"""The types of resources. Each is made by calls of its service, so that the names of properties are checked as well."""

import json

KINDS = {}


class Kind:
    """How a type of resource is made, changed and removed. `call(service, operation, **parameters)` calls a service."""

    name_property = None
    longest_name = 64
    lower_case = False

    def create(self, call, resource) -> None:
        raise NotImplementedError

    def update(self, call, resource, before: dict, changed: set) -> None:
        """Only for changes that need no new resource."""
        raise NotImplementedError(f"A change of {', '.join(sorted(changed))} is not emulated")

    def delete(self, call, resource) -> None:
        raise NotImplementedError


def kind(type_name: str):
    """Registers a type. It is used instead of moto's type of the same name."""

    def register(cls):
        KINDS[type_name] = cls()
        return cls

    return register


def take(properties: dict, *names: str) -> dict:
    """The given properties, if present."""
    return {name: properties[name] for name in names if name in properties}


def rest(properties: dict, *names: str) -> dict:
    """All properties but the given ones."""
    return {name: value for name, value in properties.items() if name not in names}


def text(document) -> str:
    """Documents are objects in templates and texts in calls."""
    return document if isinstance(document, str) else json.dumps(document)


def tag_map(properties: dict) -> dict:
    """Tags are lists of pairs in templates and maps in some calls."""
    return {tag["Key"]: tag["Value"] for tag in properties.get("Tags", [])}
