import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnStage,
  DomainName,
  HttpApi,
  HttpIntegrationType,
  HttpMethod,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { gatewayRoutes, isPublicDoor, routeKey } from '../gateway-routes.ts';
import { apiIdParameter } from '../names.ts';
import { acceptFinding } from '../policy-checks.ts';
import type { Stage } from '../stages/settings.ts';
import { constructId } from './service-function.ts';

/** The fields of the access log: one line per request, also for requests that reach no function (throttled, too large). */
const ACCESS_LOG = {
  requestId: '$context.requestId',
  time: '$context.requestTimeEpoch',
  sourceIp: '$context.identity.sourceIp',
  routeKey: '$context.routeKey',
  status: '$context.status',
  responseLength: '$context.responseLength',
  responseLatency: '$context.responseLatency',
  integrationStatus: '$context.integrationStatus',
  integrationError: '$context.integrationErrorMessage',
  error: '$context.error.responseType',
};

interface GatewayProps {
  readonly stage: Stage;
  /** Answers every request that no route matches. */
  readonly unknownRoute: IFunction;
}

/** The HTTP API in front of the functions. Its routes are made from the endpoint definitions (rules/requests.md#routing). */
export class Gateway extends Construct {
  readonly api: HttpApi;
  /** Scheme and authority of the API, without a path. */
  readonly address: string;
  /** The end of the origins of logs: a host name below that of the API (rules/log.md#origin). */
  readonly logDomain: string;
  readonly #stage: Stage;
  readonly #deployed: HttpStage;

  constructor(scope: Construct, id: string, { stage, unknownRoute }: GatewayProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: `delivery-evidence-${stage.name}`,
      createDefaultStage: false,
      defaultIntegration: new FunctionIntegration('UnknownRoute', unknownRoute),
      // An API with its own domain answers only there.
      disableExecuteApiEndpoint: stage.domainName !== undefined,
    });
    new StringParameter(this, 'ApiId', {
      parameterName: apiIdParameter(stage.name),
      description: 'The id of the API, for the stack with alarms and dashboard',
      stringValue: this.api.apiId,
    });
    this.#allowInvoke(unknownRoute);
    this.#stage = stage;
    const domain = this.#createDomain(stage);
    this.#deployed = this.#deploy(stage, domain);
    this.address = domain ? `https://${stage.domainName}` : this.api.apiEndpoint;
    const { region } = Stack.of(this);
    const host = stage.domainName ?? `${this.api.apiId}.execute-api.${region}.amazonaws.com`;
    this.logDomain = `${stage.name}.log.${host}`;
    acceptFinding(
      this,
      'APIG4',
      'The functions check API keys before anything else, so that refusals have the sentences of the API document.',
    );
  }

  /**
   * Lets the gateway invoke a function. The permission covers all routes, because the policy of a function has a limited
   * size. The pattern has no method and path, because the route `$default` has neither.
   */
  #allowInvoke(handler: IFunction): void {
    handler.addPermission('Gateway', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: Stack.of(this).formatArn({
        service: 'execute-api',
        resource: this.api.apiId,
        resourceName: '*/*',
      }),
    });
  }

  #deploy(stage: Stage, domain: DomainName | undefined): HttpStage {
    return new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: stage.requestsPerSecond, burstLimit: stage.requestBurst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', {
            retention: stage.logRetentionDays,
            removalPolicy: RemovalPolicy.DESTROY,
          }),
        ),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
      ...(domain && { domainMapping: { domainName: domain } }),
    });
  }

  #createDomain({ domainName, certificateArn }: Stage): DomainName | undefined {
    if (domainName === undefined || certificateArn === undefined) return undefined;
    const domain = new DomainName(this, 'Domain', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
    });
    const output = new CfnOutput(this, 'DomainTarget', {
      description: 'What the DNS record of the domain must point at',
      value: domain.regionalDomainName,
    });
    output.overrideLogicalId('DomainTarget');
    return domain;
  }

  /**
   * Adds the routes of all groups (rules/requests.md#routes-of-the-gateway). Public doors get limits of their own, so that
   * strangers cannot use up the limit of everybody.
   *
   * @param functions the function of each group
   */
  serve(functions: ReadonlyMap<EndpointGroup, IFunction>): void {
    const targets = new Map(
      [...functions].map(([group, handler]) => {
        this.#allowInvoke(handler);
        return [group, new FunctionIntegration(constructId(group.name), handler)];
      }),
    );
    const { publicRequestsPerSecond, publicRequestBurst } = this.#stage;
    const limits: Record<string, object> = {};
    for (const route of gatewayRoutes([...functions.keys()])) {
      const integration = targets.get(route.group);
      if (!integration) throw new Error(`The group ${route.group.name} has no function`);
      const added = this.api.addRoutes({ path: route.path, methods: [HttpMethod[route.method]], integration });
      if (!isPublicDoor(route.group)) continue;
      // The stage names this route, so CloudFormation must create the route first.
      this.#deployed.node.addDependency(...added);
      limits[routeKey(route)] = {
        ThrottlingRateLimit: publicRequestsPerSecond,
        ThrottlingBurstLimit: publicRequestBurst,
      };
    }
    // The construct of the stage has no property for the settings of single routes; the resource below it has.
    const resource = this.#deployed.node.defaultChild as CfnStage;
    resource.routeSettings = limits;
  }
}

/** Passes requests to a function in payload format 2.0 (rules/requests.md#path-decoding). */
class FunctionIntegration extends HttpRouteIntegration {
  readonly #handler: IFunction;

  constructor(id: string, handler: IFunction) {
    super(id);
    this.#handler = handler;
  }

  override bind(): HttpRouteIntegrationConfig {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      uri: this.#handler.functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
    };
  }
}
