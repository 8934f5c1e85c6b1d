"""What services of moto lack. Each function says in one line why it is needed."""

from moto.awslambda.models import LambdaBackend, LambdaFunction
from moto.iam.access_control import PermissionResult
from moto.kms.utils import KeySpec
from moto.s3.models import FakeBucket


def install() -> None:
    accept_edwards_keys()
    leave_bucket_policies_alone()
    run_no_functions()
    keep_log_settings()


def accept_edwards_keys() -> None:
    """moto does not know the kind of key that signs here. Nothing is signed in a rehearsal."""
    known = KeySpec.key_specs()
    KeySpec.key_specs = classmethod(lambda cls: [*known, "ECC_NIST_EDWARDS25519"])


def leave_bucket_policies_alone() -> None:
    """moto ignores conditions, so a policy that refuses requests without TLS would refuse all."""
    FakeBucket.get_permission = lambda self, action, resource: PermissionResult.NEUTRAL


def run_no_functions() -> None:
    """Functions have no code here, and moto would start a container for each message and each changed item."""
    LambdaBackend.send_sqs_batch = lambda self, function_arn, messages, queue_arn: False
    LambdaBackend.send_dynamodb_items = lambda self, function_arn, items, source: ""


def keep_log_settings() -> None:
    """moto forgets where a function writes its log."""
    make, update, describe = LambdaFunction.__init__, LambdaFunction.update_configuration, LambdaFunction.get_configuration

    def init(self, account_id, spec, *args, **options) -> None:
        self.logging_config = spec.get("LoggingConfig")
        make(self, account_id, spec, *args, **options)

    def update_configuration(self, updates):
        self.logging_config = updates.get("LoggingConfig", self.logging_config)
        return update(self, updates)

    def get_configuration(self, *args, **options):
        return {**describe(self, *args, **options), "LoggingConfig": self.logging_config}

    LambdaFunction.__init__ = init
    LambdaFunction.update_configuration = update_configuration
    LambdaFunction.get_configuration = get_configuration
