"""
How stacks change. It replaces this part of moto, for these reasons:

- moto removes resources before it adds others; CloudFormation removes last, so a name that moves to another logical id is refused.
- moto updates a resource only if its template changed; CloudFormation also if a resource that it refers to was replaced.
- moto never replaces a resource whose fixed property changed, and ignores changes of roles, tables, keys and logs.
- moto deletes retained resources that leave a template, and those with `RetainExceptOnCreate`.
- moto lets a stack remove an export that another stack imports.
- moto skips types that it does not know; here they are an error.
"""

import copy
import secrets
import string

from moto.cloudformation import cloudformation_backends
from moto.cloudformation.exceptions import ValidationError
from moto.cloudformation.models import CloudFormationBackend, Stack
from moto.cloudformation.parsing import ResourceMap, clean_json
from moto.cloudformation.responses import CloudFormationResponse
from moto.core.responses import ActionResult

import kinds

RETAINED = ("Retain", "RetainExceptOnCreate")


class Resource:
    """A resource of a stack. moto reads the three attributes with long names."""

    def __init__(self, logical_id: str, kind: str, name: str, properties: dict, region: str, account: str) -> None:
        self.logical_resource_id = logical_id
        self.cf_resource_type = kind
        self.name = name
        self.properties = properties
        self.region = region
        self.account = account
        self.physical_resource_id = ""
        self.attributes = {}

    def get_cfn_attribute(self, name: str):
        return self.attributes[name]

    def is_created(self) -> bool:
        return True


def generated_name(stack: str, logical_id: str, kind) -> str:
    """Names that CloudFormation generates: the stack, the logical id, and a suffix that no other resource has."""
    suffix = "".join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(12))
    name = f"{stack}-{logical_id}"[: kind.longest_name - len(suffix) - 1] + f"-{suffix}"
    return name.lower() if kind.lower_case else name


class Engine:
    def __init__(self, services, fixed_properties: dict) -> None:
        self.services = services
        self.fixed = {kind: set(names) for kind, names in fixed_properties.items()}

    def at(self, region: str):
        return lambda service, operation, **parameters: self.services.call(region, service, operation, **parameters)

    def create(self, stack: ResourceMap, logical_id: str, template: dict) -> Resource:
        kind_name = template["Type"]
        kind = kinds.KINDS.get(kind_name)
        if kind is None:
            raise ValidationError(message=f"{logical_id}: {kind_name} is unknown. Add it to test/rehearsal/emulator")
        properties = clean_json(copy.deepcopy(template.get("Properties", {})), stack)
        own_name = properties.get(kind.name_property) if kind.name_property else None
        name = own_name or generated_name(stack["AWS::StackName"], logical_id, kind)
        resource = Resource(logical_id, kind_name, name, properties, stack._region_name, stack._account_id)
        with explained(resource):
            kind.create(self.at(resource.region), resource)
        return resource

    def update(self, stack: ResourceMap, old: Resource, template: dict) -> "tuple[Resource, Resource | None]":
        """Returns the resource, and the one that it replaced, if any."""
        properties = clean_json(copy.deepcopy(template.get("Properties", {})), stack)
        names = set(properties) | set(old.properties)
        changed = {name for name in names if properties.get(name) != old.properties.get(name)}
        if template["Type"] != old.cf_resource_type:
            raise ValidationError(message=f"{old.logical_resource_id}: the type of a resource cannot change")
        if not changed:
            return old, None
        if changed & self.fixed[old.cf_resource_type]:
            return self.create(stack, old.logical_resource_id, template), old
        before, old.properties = old.properties, properties
        with explained(old):
            kinds.KINDS[old.cf_resource_type].update(self.at(old.region), old, before, changed)
        return old, None

    def delete(self, resource: Resource) -> None:
        with explained(resource):
            kinds.KINDS[resource.cf_resource_type].delete(self.at(resource.region), resource)


class explained:
    """Names the resource in errors of services, as the events of a stack do."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind, error, trace) -> None:
        if isinstance(error, Exception) and not isinstance(error, ValidationError):
            who = f"{self.resource.logical_resource_id} ({self.resource.cf_resource_type})"
            raise ValidationError(message=f"{who}: {error}") from error


def references(value) -> set:
    """The logical ids that a value of a template refers to."""
    if isinstance(value, list):
        return set().union(*map(references, value))
    if not isinstance(value, dict):
        return set()
    found = {value["Ref"]} if isinstance(value.get("Ref"), str) else set()
    if "Fn::GetAtt" in value:
        found.add(value["Fn::GetAtt"][0])
    return found.union(*map(references, value.values()))


def in_order(resources: dict) -> list:
    """Logical ids in the order in which they are created. moto looks at `DependsOn` only."""
    ordered = {}

    def visit(logical_id: str) -> None:
        if logical_id in ordered or logical_id not in resources:
            return
        template = resources[logical_id]
        depends = template.get("DependsOn", [])
        for other in sorted(references(template.get("Properties", {})) | set([depends] if isinstance(depends, str) else depends)):
            visit(other)
        ordered[logical_id] = True

    for logical_id in resources:
        visit(logical_id)
    return list(ordered)


def exports_of(template: dict, values: ResourceMap) -> dict:
    outputs = (template.get("Outputs") or {}).values()
    return {output["Export"]["Name"]: clean_json(output["Value"], values) for output in outputs if "Export" in output}


def imports_of(value) -> set:
    if isinstance(value, list):
        return set().union(*map(imports_of, value))
    if not isinstance(value, dict):
        return set()
    found = {value["Fn::ImportValue"]} if isinstance(value.get("Fn::ImportValue"), str) else set()
    return found.union(*map(imports_of, value.values()))


def check_exports(stack: ResourceMap, before: dict, after: dict) -> None:
    backend = cloudformation_backends[stack._account_id][stack._region_name]
    for other in backend.stacks.values():
        if other.stack_id == stack.stack_id:
            continue
        for name in imports_of(other.template_dict) & set(before):
            if before[name] != after.get(name):
                raise ValidationError(message=f"Export {name} cannot be changed as it is in use by {other.name}")


def install(services, fixed_properties: dict) -> None:
    engine = Engine(services, fixed_properties)

    def get(self: ResourceMap, logical_id: str):
        if logical_id not in self._parsed_resources:
            template = self._resource_json_map[logical_id]
            self._parsed_resources[logical_id] = engine.create(self, logical_id, template)
        return self._parsed_resources[logical_id]

    def create(self: ResourceMap, template: dict) -> bool:
        self._template = template
        self._resource_json_map = template["Resources"]
        for logical_id in in_order(self._resource_json_map):
            self[logical_id]
        return True

    def update(self: ResourceMap, template: dict, parameters=None) -> None:
        old = self._resource_json_map
        before = exports_of(self._template, self)
        self._template = template
        self._resource_json_map = template["Resources"]
        self.load_parameters()
        leftover = []
        for logical_id in in_order(self._resource_json_map):
            if logical_id not in old:
                self[logical_id]
                continue
            resource, replaced = engine.update(self, self._parsed_resources[logical_id], self._resource_json_map[logical_id])
            self._parsed_resources[logical_id] = resource
            if replaced is not None and old[logical_id].get("UpdateReplacePolicy") not in RETAINED:
                leftover.append(replaced)
        check_exports(self, before, exports_of(template, self))
        for logical_id in in_order(old):
            if logical_id in self._resource_json_map:
                continue
            removed = self._parsed_resources.pop(logical_id)
            if old[logical_id].get("DeletionPolicy") not in RETAINED:
                leftover.append(removed)
        for resource in reversed(leftover):
            engine.delete(resource)

    def delete(self: ResourceMap) -> None:
        check_exports(self, exports_of(self._template, self), {})
        for logical_id in reversed(in_order(self._resource_json_map)):
            resource = self._parsed_resources.pop(logical_id)
            if self._resource_json_map[logical_id].get("DeletionPolicy") not in RETAINED:
                engine.delete(resource)

    ResourceMap.__getitem__ = get
    ResourceMap.create = create
    ResourceMap.update = update
    ResourceMap.delete = delete
    # It asks classes of moto, which are not used here. A wrong attribute fails when the output is read.
    ResourceMap.validate_outputs = lambda self: None
    protect_stacks()
    refuse_empty_updates()


def protect_stacks() -> None:
    """moto cannot change whether a stack is protected, deletes it all the same, and forgets a stack whose deletion failed."""

    def delete_stack(self: CloudFormationBackend, name: str) -> None:
        stack = self.get_stack(name)
        if stack.enable_termination_protection in (True, "true"):
            raise ValidationError(message=f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled")
        names = [export.name for export in stack.exports]
        stack.delete()
        self.deleted_stacks[stack.stack_id] = self.stacks.pop(stack.stack_id)
        for export in names:
            self.exports.pop(export)

    def update_termination_protection(self: CloudFormationResponse) -> ActionResult:
        stack = self.cloudformation_backend.get_stack(self._get_param("StackName"))
        stack.enable_termination_protection = self._get_bool_param("EnableTerminationProtection")
        return ActionResult({"StackId": stack.stack_id})

    CloudFormationBackend.delete_stack = delete_stack
    CloudFormationResponse.update_termination_protection = update_termination_protection


def refuse_empty_updates() -> None:
    """moto compares only updates with parameters."""
    update = Stack.update

    def checked(self: Stack, template, *args, **options) -> None:
        if self.template_dict == Stack.parse_template(template):
            raise ValidationError(self.name, message="No updates are to be performed.")
        update(self, template, *args, **options)

    Stack.update = checked
