import { Stack, type StackProps } from 'aws-cdk-lib';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { Watch } from './constructs/watch.ts';
import { apiIdParameter } from './names.ts';
import { type ServiceStack, UNKNOWN_ROUTE } from './service-stack.ts';
import type { Stage } from './stages/settings.ts';
import type { StatefulStack } from './stateful-stack.ts';

interface WatchStackProps extends StackProps {
  readonly stage: Stage;
  readonly stateful: StatefulStack;
  readonly service: ServiceStack;
  readonly groups: readonly EndpointGroup[];
}

/**
 * Alarms, metrics of log lines and dashboard of a stage. They are a stack of their own, because they would take a tenth of the
 * resources that the service stack can have. The stack knows the resources of the service stack by their names only: it can
 * be deployed and removed at any time, and the service stack can change whatever the watch stack looks at.
 */
export class WatchStack extends Stack {
  constructor(scope: Construct, id: string, { stage, stateful, service, groups, ...props }: WatchStackProps) {
    super(scope, id, { ...props, description: `Delivery evidence, ${stage.name}: alarms and dashboard` });
    // The filters of this stack need the logs of functions, and the id of the API.
    this.addStackDependency(service);
    new Watch(this, 'Watch', {
      stageName: stage.name,
      stateful,
      table: stateful.store.table,
      api: HttpApi.fromHttpApiAttributes(this, 'Api', {
        httpApiId: StringParameter.valueForStringParameter(this, apiIdParameter(stage.name)),
      }),
      apiFunctions: [UNKNOWN_ROUTE, ...groups.map(({ name }) => name)],
      alarmAddress: stage.alarmAddress,
      mailSender: stage.mailSender,
      isRootRefreshed: stage.rootRepository !== undefined,
    });
  }
}
