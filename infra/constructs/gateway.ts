import { CfnOutput, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
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
import { Construct } from 'constructs';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { fullPath } from '#shared/http/gateway-event.ts';
import { acceptFinding } from '../policy-checks.ts';
import type { Stage } from '../stages.ts';
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

export interface GatewayProps {
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
  /** Operations by the shape of their route: method and path without the names of parameters. */
  readonly #routes = new Map<string, string>();

  constructor(scope: Construct, id: string, { stage, unknownRoute }: GatewayProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: `delivery-evidence-${stage.name}`,
      createDefaultStage: false,
      defaultIntegration: new FunctionIntegration('UnknownRoute', unknownRoute),
      // An API with its own domain answers only there.
      disableExecuteApiEndpoint: stage.domainName !== undefined,
    });
    this.#allowInvoke(unknownRoute);
    this.address = this.#deploy(stage);
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

  /** @returns the address of the API */
  #deploy(stage: Stage): string {
    const domain = this.#createDomain(stage);
    new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: stage.requestsPerSecond, burstLimit: stage.requestBurst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(new LogGroup(this, 'AccessLog', { retention: stage.logRetentionDays })),
        format: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
      ...(domain && { domainMapping: { domainName: domain } }),
    });
    return domain ? `https://${stage.domainName}` : this.api.apiEndpoint;
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
   * Routes every endpoint of a group to its function.
   *
   * @throws Error if two endpoints have the same method and the same shape of path
   */
  serve(group: EndpointGroup, handler: IFunction): void {
    this.#allowInvoke(handler);
    const target = new FunctionIntegration(constructId(group.name), handler);
    for (const { method, path, operation } of group.endpoints) {
      const route = fullPath(path);
      const shape = `${method} ${route.replace(/\{[^}]+\}/g, '{}')}`;
      const other = this.#routes.get(shape);
      if (other !== undefined) throw new Error(`${operation} and ${other} have the same route: ${method} ${route}`);
      this.#routes.set(shape, operation);
      this.api.addRoutes({ path: route, methods: [HttpMethod[method]], integration: target });
    }
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
