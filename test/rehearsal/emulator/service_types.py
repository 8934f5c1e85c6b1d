"""Types of the service stack: functions, roles, logs, schedules and the gateway."""

from kinds import Kind, kind, rest, tag_map, take, text


@kind("AWS::IAM::Role")
class Role(Kind):
    """moto does not change the rights of a role."""

    name_property = "RoleName"

    def create(self, call, resource) -> None:
        beside = ("Policies", "ManagedPolicyArns", "RoleName", "AssumeRolePolicyDocument")
        trust = text(resource.properties["AssumeRolePolicyDocument"])
        parameters = rest(resource.properties, *beside)
        role = call("iam", "create_role", RoleName=resource.name, AssumeRolePolicyDocument=trust, **parameters)["Role"]
        resource.physical_resource_id = resource.name
        resource.attributes = {"Arn": role["Arn"], "RoleId": role["RoleId"]}
        self.put_rights(call, resource, {})

    def put_rights(self, call, resource, before: dict) -> None:
        role = resource.name
        policies = {policy["PolicyName"]: policy["PolicyDocument"] for policy in resource.properties.get("Policies", [])}
        for name, document in policies.items():
            call("iam", "put_role_policy", RoleName=role, PolicyName=name, PolicyDocument=text(document))
        for policy in before.get("Policies", []):
            if policy["PolicyName"] not in policies:
                call("iam", "delete_role_policy", RoleName=role, PolicyName=policy["PolicyName"])
        attached = set(resource.properties.get("ManagedPolicyArns", []))
        for arn in attached - set(before.get("ManagedPolicyArns", [])):
            call("iam", "attach_role_policy", RoleName=role, PolicyArn=arn)
        for arn in set(before.get("ManagedPolicyArns", [])) - attached:
            call("iam", "detach_role_policy", RoleName=role, PolicyArn=arn)

    def update(self, call, resource, before, changed) -> None:
        self.put_rights(call, resource, before)
        if "AssumeRolePolicyDocument" in changed:
            trust = text(resource.properties["AssumeRolePolicyDocument"])
            call("iam", "update_assume_role_policy", RoleName=resource.name, PolicyDocument=trust)
        if "Description" in changed:
            call("iam", "update_role", RoleName=resource.name, **take(resource.properties, "Description"))
        if "PermissionsBoundary" in changed and "PermissionsBoundary" in resource.properties:
            boundary = take(resource.properties, "PermissionsBoundary")
            call("iam", "put_role_permissions_boundary", RoleName=resource.name, **boundary)
        elif "PermissionsBoundary" in changed:
            call("iam", "delete_role_permissions_boundary", RoleName=resource.name)
        if "Tags" in changed:
            call("iam", "tag_role", RoleName=resource.name, Tags=resource.properties.get("Tags", []))

    def delete(self, call, resource) -> None:
        before, resource.properties = resource.properties, {}
        self.put_rights(call, resource, before)
        call("iam", "delete_role", RoleName=resource.name)


@kind("AWS::Lambda::Function")
class Function(Kind):
    """moto leaves out log, traces and architecture."""

    name_property = "FunctionName"
    beside = ("Code", "Tags", "ReservedConcurrentExecutions", "FunctionName")

    def create(self, call, resource) -> None:
        parameters = rest(resource.properties, *self.beside)
        code = take(resource.properties, "Code")
        tags = tag_map(resource.properties)
        made = call("lambda", "create_function", FunctionName=resource.name, Tags=tags, **code, **parameters)
        resource.physical_resource_id = resource.name
        resource.attributes = {"Arn": made["FunctionArn"]}
        self.reserve(call, resource)

    def reserve(self, call, resource) -> None:
        reserved = take(resource.properties, "ReservedConcurrentExecutions")
        if reserved:
            call("lambda", "put_function_concurrency", FunctionName=resource.name, **reserved)

    def update(self, call, resource, before, changed) -> None:
        if "Code" in changed or "Architectures" in changed:
            code = {**resource.properties["Code"], **take(resource.properties, "Architectures")}
            call("lambda", "update_function_code", FunctionName=resource.name, **code)
        parameters = rest(resource.properties, *self.beside, "Architectures")
        if changed - {"Code", "Architectures", "ReservedConcurrentExecutions", "Tags"}:
            call("lambda", "update_function_configuration", FunctionName=resource.name, **parameters)
        if "ReservedConcurrentExecutions" in changed and "ReservedConcurrentExecutions" not in resource.properties:
            call("lambda", "delete_function_concurrency", FunctionName=resource.name)
        else:
            self.reserve(call, resource)
        if "Tags" in changed:
            tags = tag_map(resource.properties)
            call("lambda", "tag_resource", Resource=resource.attributes["Arn"], Tags=tags)

    def delete(self, call, resource) -> None:
        call("lambda", "delete_function", FunctionName=resource.name)


@kind("AWS::Lambda::Permission")
class Permission(Kind):
    """moto gives a permission no id, so it cannot remove it. Each change makes a new one."""

    longest_name = 100

    def create(self, call, resource) -> None:
        call("lambda", "add_permission", StatementId=resource.name, **resource.properties)
        resource.physical_resource_id = resource.name

    def delete(self, call, resource) -> None:
        call("lambda", "remove_permission", StatementId=resource.name, **take(resource.properties, "FunctionName"))


@kind("AWS::Lambda::EventInvokeConfig")
class EventInvokeConfig(Kind):
    """moto keeps one for a function, whatever its qualifier."""

    def create(self, call, resource) -> None:
        call("lambda", "put_function_event_invoke_config", **resource.properties)
        resource.physical_resource_id = resource.name

    def update(self, call, resource, before, changed) -> None:
        call("lambda", "put_function_event_invoke_config", **resource.properties)

    def delete(self, call, resource) -> None:
        call("lambda", "delete_function_event_invoke_config", **take(resource.properties, "FunctionName", "Qualifier"))


@kind("AWS::Lambda::EventSourceMapping")
class EventSourceMapping(Kind):
    """moto does not check the names of properties."""

    def create(self, call, resource) -> None:
        made = call("lambda", "create_event_source_mapping", **rest(resource.properties, "Tags"))
        resource.physical_resource_id = made["UUID"]

    def update(self, call, resource, before, changed) -> None:
        parameters = rest(resource.properties, "EventSourceArn", "StartingPosition", "Tags")
        call("lambda", "update_event_source_mapping", UUID=resource.physical_resource_id, **parameters)

    def delete(self, call, resource) -> None:
        call("lambda", "delete_event_source_mapping", UUID=resource.physical_resource_id)


@kind("AWS::Logs::LogGroup")
class LogGroup(Kind):
    """moto cannot change a log."""

    name_property = "LogGroupName"
    longest_name = 512

    def create(self, call, resource) -> None:
        call("logs", "create_log_group", logGroupName=resource.name, tags=tag_map(resource.properties))
        resource.physical_resource_id = resource.name
        arn = f"arn:aws:logs:{resource.region}:{resource.account}:log-group:{resource.name}:*"
        resource.attributes = {"Arn": arn}
        self.update(call, resource, {}, {"RetentionInDays"})

    def update(self, call, resource, before, changed) -> None:
        days = resource.properties.get("RetentionInDays")
        if "RetentionInDays" in changed and days is not None:
            call("logs", "put_retention_policy", logGroupName=resource.name, retentionInDays=days)
        elif "RetentionInDays" in changed and before:
            call("logs", "delete_retention_policy", logGroupName=resource.name)

    def delete(self, call, resource) -> None:
        call("logs", "delete_log_group", logGroupName=resource.name)


@kind("AWS::Events::Rule")
class Rule(Kind):
    """moto makes a new rule for each change, although the rule has a name."""

    name_property = "Name"

    def create(self, call, resource) -> None:
        resource.physical_resource_id = resource.name
        self.update(call, resource, {}, set())

    def update(self, call, resource, before, changed) -> None:
        targets = resource.properties.get("Targets", [])
        parameters = rest(resource.properties, "Name", "Targets")
        resource.attributes = {"Arn": call("events", "put_rule", Name=resource.name, **parameters)["RuleArn"]}
        call("events", "put_targets", Rule=resource.name, Targets=targets)
        gone = {target["Id"] for target in before.get("Targets", [])} - {target["Id"] for target in targets}
        if gone:
            call("events", "remove_targets", Rule=resource.name, Ids=sorted(gone))

    def delete(self, call, resource) -> None:
        ids = [target["Id"] for target in resource.properties.get("Targets", [])]
        call("events", "remove_targets", Rule=resource.name, Ids=ids)
        call("events", "delete_rule", Name=resource.name)


@kind("AWS::SSM::Parameter")
class Parameter(Kind):
    """moto deletes a parameter before it changes it, so that its versions begin again."""

    name_property = "Name"
    longest_name = 1011

    def create(self, call, resource) -> None:
        call("ssm", "put_parameter", Name=resource.name, **rest(resource.properties, "Name", "Tags"))
        resource.physical_resource_id = resource.name
        resource.attributes = {"Value": resource.properties["Value"], "Type": resource.properties["Type"]}

    def update(self, call, resource, before, changed) -> None:
        parameters = rest(resource.properties, "Name", "Tags")
        call("ssm", "put_parameter", Name=resource.name, Overwrite=True, **parameters)
        resource.attributes["Value"] = resource.properties["Value"]

    def delete(self, call, resource) -> None:
        call("ssm", "delete_parameter", Name=resource.name)


class GatewayKind(Kind):
    """moto does not know the types of the gateway. Templates and calls have the same names of properties."""

    what = ""
    id_name = ""
    parents = ()
    read_back = ()

    def create(self, call, resource) -> None:
        made = call("apigatewayv2", f"create_{self.what}", **resource.properties)
        resource.physical_resource_id = made[self.id_name]
        resource.attributes = {self.id_name: made[self.id_name], **take(made, *self.read_back)}

    def identity(self, resource) -> dict:
        return {self.id_name: resource.physical_resource_id, **take(resource.properties, *self.parents)}

    def update(self, call, resource, before, changed) -> None:
        parameters = take(rest(resource.properties, "Tags"), *changed)
        if parameters:
            call("apigatewayv2", f"update_{self.what}", **self.identity(resource), **parameters)

    def delete(self, call, resource) -> None:
        call("apigatewayv2", f"delete_{self.what}", **self.identity(resource))


@kind("AWS::ApiGatewayV2::Api")
class Api(GatewayKind):
    what, id_name, read_back = "api", "ApiId", ("ApiEndpoint",)


@kind("AWS::ApiGatewayV2::Integration")
class Integration(GatewayKind):
    what, id_name, parents = "integration", "IntegrationId", ("ApiId",)


@kind("AWS::ApiGatewayV2::Route")
class Route(GatewayKind):
    what, id_name, parents = "route", "RouteId", ("ApiId",)


@kind("AWS::ApiGatewayV2::Stage")
class Stage(GatewayKind):
    what, id_name, parents = "stage", "StageName", ("ApiId",)


@kind("AWS::ApiGatewayV2::ApiMapping")
class ApiMapping(GatewayKind):
    what, id_name, parents = "api_mapping", "ApiMappingId", ("DomainName",)


@kind("AWS::ApiGatewayV2::DomainName")
class DomainName(GatewayKind):
    what, id_name = "domain_name", "DomainName"

    def create(self, call, resource) -> None:
        super().create(call, resource)
        # moto gives a domain no target.
        resource.attributes["RegionalDomainName"] = f"d-rehearsal.execute-api.{resource.region}.amazonaws.com"
        resource.attributes["RegionalHostedZoneId"] = "ZREHEARSAL"
