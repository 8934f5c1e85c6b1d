"""Types of the watch stack: alarms, metrics of log lines, the topic and the dashboard."""

from kinds import Kind, kind, rest, take, text


@kind("AWS::CloudWatch::Alarm")
class Alarm(Kind):
    """moto does not know the type."""

    name_property = "AlarmName"
    longest_name = 255

    def create(self, call, resource) -> None:
        resource.physical_resource_id = resource.name
        arn = f"arn:aws:cloudwatch:{resource.region}:{resource.account}:alarm:{resource.name}"
        resource.attributes = {"Arn": arn}
        self.update(call, resource, {}, set())

    def update(self, call, resource, before, changed) -> None:
        call("cloudwatch", "put_metric_alarm", AlarmName=resource.name, **rest(resource.properties, "AlarmName"))

    def delete(self, call, resource) -> None:
        call("cloudwatch", "delete_alarms", AlarmNames=[resource.name])


@kind("AWS::CloudWatch::Dashboard")
class Dashboard(Kind):
    """moto deletes a dashboard before it changes it."""

    name_property = "DashboardName"
    longest_name = 255

    def create(self, call, resource) -> None:
        resource.physical_resource_id = resource.name
        self.update(call, resource, {}, set())

    def update(self, call, resource, before, changed) -> None:
        call("cloudwatch", "put_dashboard", DashboardName=resource.name, **take(resource.properties, "DashboardBody"))

    def delete(self, call, resource) -> None:
        call("cloudwatch", "delete_dashboards", DashboardNames=[resource.name])


@kind("AWS::Logs::MetricFilter")
class MetricFilter(Kind):
    """moto does not know the type. Templates begin names of properties with capitals, calls do not."""

    longest_name = 512

    def create(self, call, resource) -> None:
        resource.physical_resource_id = resource.name
        self.update(call, resource, {}, set())

    def update(self, call, resource, before, changed) -> None:
        properties = resource.properties
        transformations = [
            {name[0].lower() + name[1:]: value for name, value in transformation.items()}
            for transformation in properties["MetricTransformations"]
        ]
        call(
            "logs",
            "put_metric_filter",
            filterName=resource.name,
            logGroupName=properties["LogGroupName"],
            filterPattern=properties["FilterPattern"],
            metricTransformations=transformations,
        )

    def delete(self, call, resource) -> None:
        log = resource.properties["LogGroupName"]
        call("logs", "delete_metric_filter", filterName=resource.name, logGroupName=log)


@kind("AWS::SNS::Topic")
class Topic(Kind):
    """moto leaves out the name that mails show."""

    name_property = "TopicName"
    longest_name = 256

    def create(self, call, resource) -> None:
        made = call("sns", "create_topic", Name=resource.name, **take(resource.properties, "Tags"))
        resource.physical_resource_id = made["TopicArn"]
        resource.attributes = {"TopicArn": made["TopicArn"], "TopicName": resource.name}
        self.update(call, resource, {}, {"DisplayName"})

    def update(self, call, resource, before, changed) -> None:
        if "DisplayName" in changed:
            value = resource.properties.get("DisplayName", "")
            topic = resource.physical_resource_id
            call("sns", "set_topic_attributes", TopicArn=topic, AttributeName="DisplayName", AttributeValue=value)

    def delete(self, call, resource) -> None:
        call("sns", "delete_topic", TopicArn=resource.physical_resource_id)


@kind("AWS::SNS::TopicPolicy")
class TopicPolicy(Kind):
    """moto does not know the type."""

    def create(self, call, resource) -> None:
        resource.physical_resource_id = resource.name
        self.update(call, resource, {}, set())

    def update(self, call, resource, before, changed) -> None:
        for topic in resource.properties["Topics"]:
            policy = text(resource.properties["PolicyDocument"])
            call("sns", "set_topic_attributes", TopicArn=topic, AttributeName="Policy", AttributeValue=policy)

    def delete(self, call, resource) -> None:
        """The policy goes with its topic: without the topic there is nothing to set."""


@kind("AWS::SNS::Subscription")
class Subscription(Kind):
    """moto does not know the type. It sends no mail."""

    def create(self, call, resource) -> None:
        parameters = rest(resource.properties, "Endpoint")
        address = take(resource.properties, "Endpoint")
        made = call("sns", "subscribe", ReturnSubscriptionArn=True, **parameters, **address)
        resource.physical_resource_id = made["SubscriptionArn"]

    def delete(self, call, resource) -> None:
        call("sns", "unsubscribe", SubscriptionArn=resource.physical_resource_id)
