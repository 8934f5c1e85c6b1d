import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { gatewayRoutes, routeKey } from '#infra/gateway-routes.ts';
import { functionName } from '#infra/names.ts';
import { resourcesOf, serviceTemplates, synthesize } from './synthesized.ts';

const template = serviceTemplates().eu.service;
const lowered = serviceTemplates({ eu: { publicRequestsPerSecond: '5', publicRequestBurst: '6' } });

const DOMAIN = {
  domainName: 'eu.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
};

const routeKeys = (service: Template): string[] =>
  Object.values(resourcesOf<{ RouteKey: string }>(service, 'AWS::ApiGatewayV2::Route')).map(({ RouteKey }) => RouteKey);

describe('the gateway', () => {
  test('has the routes of the groups and the default route, and no others', () => {
    const defined = gatewayRoutes(groups).map(routeKey);
    expect(defined.length).toBeGreaterThan(groups.length);
    expect(routeKeys(template).toSorted()).toEqual(['$default', ...defined].toSorted());
  });

  test('passes requests in payload format 2.0', () => {
    template.allResourcesProperties('AWS::ApiGatewayV2::Integration', {
      IntegrationType: 'AWS_PROXY',
      PayloadFormatVersion: '2.0',
    });
  });

  test('throttles requests and writes an access log', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 },
      AccessLogSettings: { Format: Match.stringLikeRegexp('\\$context\\.requestId') },
    });
  });

  test('throttles the routes of strangers apart, with a lower limit that a stage can set', () => {
    const limitsOf = (service: Template) => {
      const [stage] = Object.values(
        resourcesOf<{ RouteSettings: Record<string, object> }>(service, 'AWS::ApiGatewayV2::Stage'),
      );
      return stage?.RouteSettings ?? {};
    };
    const doors = [
      'ANY /api/v2/token/{proxy+}',
      'ANY /api/v2/witness/{proxy+}',
      'GET /api/v2/witness',
      'GET /api/v2/user/sign-in',
      'GET /api/v2/user/sign-in/callback',
    ];
    expect(Object.keys(limitsOf(template)).toSorted()).toEqual(doors.toSorted());
    const limit = { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 };
    for (const set of Object.values(limitsOf(template))) expect(set).toEqual(limit);
    const lower = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 6 };
    expect(limitsOf(lowered.eu.service)['GET /api/v2/user/sign-in']).toEqual(lower);
  });

  test('has every route that its stage names before the stage', () => {
    const [stage] = Object.values(template.findResources('AWS::ApiGatewayV2::Stage'));
    const settings: Record<string, unknown> = stage?.['Properties'].RouteSettings ?? {};
    const named = Object.entries(resourcesOf<{ RouteKey: string }>(template, 'AWS::ApiGatewayV2::Route'))
      .filter(([, { RouteKey }]) => RouteKey in settings)
      .map(([id]) => id);
    expect(named).toHaveLength(5);
    expect(stage?.['DependsOn']).toEqual(expect.arrayContaining(named));
  });

  test('has one permission per function that it routes to, and none for other functions', () => {
    const permissions = Object.values(
      resourcesOf<{ Principal: string; SourceArn: unknown; FunctionName: { 'Fn::GetAtt': [string] } }>(
        template,
        'AWS::Lambda::Permission',
      ),
    ).filter(({ Principal }) => Principal === 'apigateway.amazonaws.com');
    const permitted = permissions.map(({ FunctionName }) => FunctionName['Fn::GetAtt'][0]);
    expect(permitted).toHaveLength(groups.length + 1);
    expect(new Set(permitted).size).toBe(permitted.length);
    expect(permitted.filter((id) => /^(?:Relay|Notifier|Expander|Evaluator|Operator)/.test(id))).toEqual([]);
    // The pattern has stage and route only: a longer pattern does not match the route `$default`.
    for (const { SourceArn } of permissions) expect(JSON.stringify(SourceArn)).toMatch(/"\/\*\/\*"\]\]\}$/);
  });

  test('answers only at its own domain if the stage has one', () => {
    template.hasResourceProperties('AWS::Lambda::Function', { FunctionName: functionName('eu', 'operator') });
    const own = synthesize([], { eu: DOMAIN });
    own.eu.service.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true });
    own.eu.service.hasResourceProperties('AWS::ApiGatewayV2::DomainName', {
      DomainName: 'eu.example.com',
      DomainNameConfigurations: [{ CertificateArn: DOMAIN.certificateArn, EndpointType: 'REGIONAL' }],
    });
    own.eu.service.resourceCountIs('AWS::ApiGatewayV2::ApiMapping', 1);
    own.us.service.resourceCountIs('AWS::ApiGatewayV2::DomainName', 0);
  });
});
