"""Types of the stateful stack. moto makes them without the properties that are named at each of them."""

from kinds import Kind, kind, rest, tag_map, take, text


@kind("AWS::DynamoDB::Table")
class Table(Kind):
    """moto leaves out expiry and backups, and cannot change a table."""

    name_property = "TableName"
    longest_name = 255
    beside = ("PointInTimeRecoverySpecification", "TimeToLiveSpecification")

    def create(self, call, resource) -> None:
        parameters = rest(resource.properties, *self.beside, "SSESpecification", "StreamSpecification", "TableName")
        encryption = dict(resource.properties.get("SSESpecification", {}))
        if encryption:
            encryption["Enabled"] = encryption.pop("SSEEnabled")
            parameters["SSESpecification"] = encryption
        if "StreamSpecification" in resource.properties:
            parameters["StreamSpecification"] = {"StreamEnabled": True, **resource.properties["StreamSpecification"]}
        table = call("dynamodb", "create_table", TableName=resource.name, **parameters)["TableDescription"]
        resource.physical_resource_id = resource.name
        resource.attributes = {"Arn": table["TableArn"], "StreamArn": table.get("LatestStreamArn")}
        self.apply(call, resource, set(self.beside))

    def update(self, call, resource, before, changed) -> None:
        self.apply(call, resource, changed)
        parameters = take(resource.properties, *(changed - set(self.beside)))
        if parameters:
            call("dynamodb", "update_table", TableName=resource.name, **parameters)

    def apply(self, call, resource, changed: set) -> None:
        for name, operation in zip(self.beside, ("update_continuous_backups", "update_time_to_live")):
            if name in changed and name in resource.properties:
                call("dynamodb", operation, TableName=resource.name, **take(resource.properties, name))

    def delete(self, call, resource) -> None:
        call("dynamodb", "delete_table", TableName=resource.name)


@kind("AWS::KMS::Key")
class Key(Kind):
    """moto makes every key a symmetric one, and cannot change a policy."""

    def create(self, call, resource) -> None:
        parameters = rest(resource.properties, "KeyPolicy", "EnableKeyRotation", "Tags")
        tags = [{"TagKey": name, "TagValue": value} for name, value in tag_map(resource.properties).items()]
        policy = text(resource.properties["KeyPolicy"])
        key = call("kms", "create_key", Policy=policy, Tags=tags, **parameters)["KeyMetadata"]
        resource.physical_resource_id = key["KeyId"]
        resource.attributes = {"Arn": key["Arn"], "KeyId": key["KeyId"]}
        if resource.properties.get("EnableKeyRotation"):
            call("kms", "enable_key_rotation", KeyId=key["KeyId"])

    def update(self, call, resource, before, changed) -> None:
        key = resource.physical_resource_id
        if "KeyPolicy" in changed:
            policy = text(resource.properties["KeyPolicy"])
            call("kms", "put_key_policy", KeyId=key, PolicyName="default", Policy=policy)
        if "Description" in changed:
            call("kms", "update_key_description", KeyId=key, Description=resource.properties["Description"])
        if changed - {"KeyPolicy", "Description"}:
            super().update(call, resource, before, changed)

    def delete(self, call, resource) -> None:
        call("kms", "schedule_key_deletion", KeyId=resource.physical_resource_id)


def lifecycle_rule(rule: dict) -> dict:
    same = take(rule, "Status", "NoncurrentVersionExpiration", "AbortIncompleteMultipartUpload")
    expiration = {}
    if "ExpirationInDays" in rule:
        expiration["Days"] = rule["ExpirationInDays"]
    if "ExpiredObjectDeleteMarker" in rule:
        expiration["ExpiredObjectDeleteMarker"] = rule["ExpiredObjectDeleteMarker"]
    limits = {"Expiration": expiration} if expiration else {}
    return {"ID": rule["Id"], "Filter": {"Prefix": rule.get("Prefix", "")}, **same, **limits}


def encryption_rule(rule: dict) -> dict:
    default = rule["ServerSideEncryptionByDefault"]
    return {"ApplyServerSideEncryptionByDefault": default, **take(rule, "BucketKeyEnabled")}


def cors_rule(rule: dict) -> dict:
    age = {"MaxAgeSeconds": rule["MaxAge"]} if "MaxAge" in rule else {}
    return {**rest(rule, "MaxAge", "Id"), **age}


@kind("AWS::S3::Bucket")
class Bucket(Kind):
    """moto leaves out everything but encryption and tags."""

    name_property = "BucketName"
    longest_name = 63
    lower_case = True

    def create(self, call, resource) -> None:
        place = {} if resource.region == "us-east-1" else {"LocationConstraint": resource.region}
        options = {"CreateBucketConfiguration": place} if place else {}
        if resource.properties.get("ObjectLockEnabled"):
            options["ObjectLockEnabledForBucket"] = True
        call("s3", "create_bucket", Bucket=resource.name, **options)
        resource.physical_resource_id = resource.name
        resource.attributes = {
            "Arn": f"arn:aws:s3:::{resource.name}",
            "DomainName": f"{resource.name}.s3.amazonaws.com",
            "RegionalDomainName": f"{resource.name}.s3.{resource.region}.amazonaws.com",
        }
        self.apply(call, resource, set(resource.properties) - {"ObjectLockEnabled", "BucketName"})

    def update(self, call, resource, before, changed) -> None:
        self.apply(call, resource, changed)

    def apply(self, call, resource, changed: set) -> None:
        for name in changed:
            value = resource.properties[name]
            if name == "BucketEncryption":
                rules = [encryption_rule(rule) for rule in value["ServerSideEncryptionConfiguration"]]
                operation, parameters = "put_bucket_encryption", {"ServerSideEncryptionConfiguration": {"Rules": rules}}
            elif name == "CorsConfiguration":
                rules = [cors_rule(rule) for rule in value["CorsRules"]]
                operation, parameters = "put_bucket_cors", {"CORSConfiguration": {"CORSRules": rules}}
            elif name == "LifecycleConfiguration":
                rules = [lifecycle_rule(rule) for rule in value["Rules"]]
                operation, parameters = "put_bucket_lifecycle_configuration", {"LifecycleConfiguration": {"Rules": rules}}
            elif name == "OwnershipControls":
                operation, parameters = "put_bucket_ownership_controls", {name: value}
            elif name == "PublicAccessBlockConfiguration":
                operation, parameters = "put_public_access_block", {name: value}
            elif name == "VersioningConfiguration":
                operation, parameters = "put_bucket_versioning", {name: value}
            elif name == "Tags":
                operation, parameters = "put_bucket_tagging", {"Tagging": {"TagSet": value}}
            else:
                raise NotImplementedError(f"The property {name} is not emulated")
            call("s3", operation, Bucket=resource.name, **parameters)

    def delete(self, call, resource) -> None:
        call("s3", "delete_bucket", Bucket=resource.name)


@kind("AWS::S3::BucketPolicy")
class BucketPolicy(Kind):
    """moto does not know the type."""

    def create(self, call, resource) -> None:
        resource.physical_resource_id = resource.properties["Bucket"]
        self.update(call, resource, {}, set())

    def update(self, call, resource, before, changed) -> None:
        policy = text(resource.properties["PolicyDocument"])
        call("s3", "put_bucket_policy", Bucket=resource.properties["Bucket"], Policy=policy)

    def delete(self, call, resource) -> None:
        call("s3", "delete_bucket_policy", Bucket=resource.properties["Bucket"])


@kind("AWS::SQS::Queue")
class Queue(Kind):
    """moto changes two properties of a queue only."""

    name_property = "QueueName"
    longest_name = 80

    def create(self, call, resource) -> None:
        tags = tag_map(resource.properties)
        options = {"tags": tags} if tags else {}
        call("sqs", "create_queue", QueueName=resource.name, Attributes=self.attributes(resource), **options)
        # The address that templates get. The one of moto's server has the port of the server.
        resource.physical_resource_id = f"https://sqs.{resource.region}.amazonaws.com/{resource.account}/{resource.name}"
        resource.attributes = {
            "Arn": f"arn:aws:sqs:{resource.region}:{resource.account}:{resource.name}",
            "QueueName": resource.name,
            "QueueUrl": resource.physical_resource_id,
        }

    def attributes(self, resource) -> dict:
        values = rest(resource.properties, "QueueName", "Tags")
        return {name: str(value).lower() if isinstance(value, bool) else
                text(value) if isinstance(value, dict) else str(value) for name, value in values.items()}

    def update(self, call, resource, before, changed) -> None:
        values = take(self.attributes(resource), *changed)
        if values:
            call("sqs", "set_queue_attributes", QueueUrl=resource.physical_resource_id, Attributes=values)

    def delete(self, call, resource) -> None:
        call("sqs", "delete_queue", QueueUrl=resource.physical_resource_id)


@kind("AWS::SQS::QueuePolicy")
class QueuePolicy(Kind):
    """moto does not know the type."""

    def create(self, call, resource) -> None:
        resource.physical_resource_id = resource.name
        self.update(call, resource, {}, set())

    def update(self, call, resource, before, changed) -> None:
        for url in resource.properties["Queues"]:
            policy = text(resource.properties["PolicyDocument"])
            call("sqs", "set_queue_attributes", QueueUrl=url, Attributes={"Policy": policy})

    def delete(self, call, resource) -> None:
        for url in resource.properties["Queues"]:
            call("sqs", "set_queue_attributes", QueueUrl=url, Attributes={"Policy": ""})


@kind("AWS::CloudTrail::Trail")
class Trail(Kind):
    """moto does not know the type."""

    name_property = "TrailName"
    longest_name = 128
    beside = ("TrailName", "IsLogging", "AdvancedEventSelectors", "Tags")

    def create(self, call, resource) -> None:
        trail = call("cloudtrail", "create_trail", Name=resource.name, **rest(resource.properties, *self.beside))
        resource.physical_resource_id = resource.name
        resource.attributes = {"Arn": trail["TrailARN"]}
        self.apply(call, resource, set(self.beside))

    def update(self, call, resource, before, changed) -> None:
        call("cloudtrail", "update_trail", Name=resource.name, **take(resource.properties, *(changed - set(self.beside))))
        self.apply(call, resource, changed)

    def apply(self, call, resource, changed: set) -> None:
        if "AdvancedEventSelectors" in changed:
            selectors = resource.properties["AdvancedEventSelectors"]
            call("cloudtrail", "put_event_selectors", TrailName=resource.name, AdvancedEventSelectors=selectors)
        if "IsLogging" in changed:
            operation = "start_logging" if resource.properties["IsLogging"] else "stop_logging"
            call("cloudtrail", operation, Name=resource.name)

    def delete(self, call, resource) -> None:
        call("cloudtrail", "delete_trail", Name=resource.name)
