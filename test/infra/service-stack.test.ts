import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { ENGINE_GROUPS, functionNames, POLICY_FUNCTIONS } from '#infra/bundles/bundle.ts';
import { constructId } from '#infra/constructs/service-function.ts';
import { functionName } from '#infra/names.ts';
import { releaseSettings } from '#infra/release/source-release.ts';
import { loadEnvironment } from '#shared/base/env.ts';
import { DELIVERIES_QUEUE, LOG_ENTRIES_QUEUE } from '#shared/queues/queue-definition.ts';
import { statementsOf } from './statements.ts';
import { resourcesOf, serviceTemplates, synthesize } from './synthesized.ts';

const { eu, us } = serviceTemplates();
const template = eu.service;

const tuned = serviceTemplates({
  eu: { accountConcurrency: '0' },
  us: { accountConcurrency: '700', waitingConcurrency: '7' },
});

const OTHER_FUNCTIONS = [
  ...['unknown-route', 'relay', 'notifier', 'expander', 'evaluator', 'integrator', 'exporter', 'operator'],
];
const DOMAIN = {
  domainName: 'eu.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
};

const PROVIDER = { signInIssuer: 'https://login.example.com', signInClientId: 'evidence', signInSecretName: '/secret' };

const { eu: withDomain } = serviceTemplates({ eu: { ...DOMAIN, ...PROVIDER } });

describe('every function', () => {
  test('exists once: one per group, and those that serve no endpoint', () => {
    template.resourceCountIs('AWS::Lambda::Function', groups.length + OTHER_FUNCTIONS.length);
    const names = [...groups.map(({ name }) => name), ...OTHER_FUNCTIONS];
    expect(functionNames()).toEqual(names.toSorted());
  });

  test('has the same runtime, traces, and a log that is kept for the days of the stage', () => {
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogGroup: Match.anyValue() },
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 90 });
  });

  test.each([
    ['its domain', withDomain, 'https://eu.example.com'],
    ['the own address of the gateway', eu, { 'Fn::GetAtt': [expect.stringMatching(/^GatewayApi/), 'ApiEndpoint'] }],
  ])('links, redirects and signs with %s', (_, { service }, address) => {
    const functions = resourcesOf<{ Environment?: { Variables: object } }>(service, 'AWS::Lambda::Function');
    const settings = Object.values(functions).map(({ Environment }) => Environment?.Variables ?? {});
    const addresses = settings.flatMap((one) => ('PUBLIC_URL' in one ? [one.PUBLIC_URL] : []));
    expect(addresses.length).toBeGreaterThan(20);
    for (const one of addresses) expect(one).toEqual(address);
  });

  test('knows the identity provider if people sign in with it, and only the one that exchanges codes reads its secret', () => {
    const functions = resourcesOf<{ Environment?: { Variables: object } }>(withDomain.service, 'AWS::Lambda::Function');
    const knowing = (setting: string) =>
      Object.entries(functions).flatMap(([id, { Environment }]) =>
        setting in (Environment?.Variables ?? {}) ? [id.replace(/[0-9A-F]{8}$/, '')] : [],
      );
    const provider = ['SIGN_IN_ISSUER', 'SIGN_IN_SCOPES', 'SIGN_IN_GROUPS_CLAIM', 'SIGN_IN_RULES'];
    for (const setting of provider) expect(knowing(setting).toSorted()).toEqual(['Mcp', 'SignIn']);
    expect(knowing('SIGN_IN_SECRET_NAME')).toEqual(['SignIn']);
    const reads = (name: string) => JSON.stringify(statementsOf(withDomain.service, constructId(name)));
    expect([reads('sign-in').includes('ssm:'), reads('mcp').includes('ssm:')]).toEqual([true, false]);
  });

  test('has a setting for each resource that it may use, and no others', () => {
    const configured = (name: string): string[] => {
      const functions = resourcesOf<{ Environment?: { Variables: Record<string, unknown> } }>(
        template,
        'AWS::Lambda::Function',
      );
      const isIt = ([id]: [string, unknown]) => new RegExp(`^${constructId(name)}[0-9A-F]{8}$`).test(id);
      const [, found] = Object.entries(functions).find(isIt) ?? [];
      const { SERVICE_VERSION, SOURCE_COMMIT, ...others } = found?.Environment?.Variables ?? {};
      expect([name, { SERVICE_VERSION, SOURCE_COMMIT }]).toEqual([name, releaseSettings()]);
      return Object.keys(others).toSorted();
    };
    const sampleOf = (name: string) => (name.endsWith('_URL') ? 'https://a' : '/a');
    const keysOf: Record<string, string[]> = {
      log: ['LOG_DOMAIN', 'LOG_KEY_ID', 'STATEMENT_KEY_ID'],
      mcp: ['LOG_DOMAIN', 'LOG_KEY_ID', 'STATEMENT_KEY_ID'],
      statements: ['LOG_DOMAIN', 'LOG_KEY_ID', 'STATEMENT_KEY_ID'],
      witness: ['LOG_DOMAIN', 'LOG_KEY_ID', 'WITNESS_KEY_ID'],
    };
    const withoutServices = ['reference', 'console'];
    for (const { name, endpoints } of groups) {
      const limits = endpoints.every(({ access }) => access === 'public') ? [] : ['REQUEST_LIMITS'];
      const engines = ENGINE_GROUPS.has(name) ? ['ENGINES_PATH'] : [];
      const policies = POLICY_FUNCTIONS.has(name) ? ['POLICIES_PATH'] : [];
      const keys = keysOf[name] ?? [];
      const all = ['BUCKET_NAME', 'PUBLIC_URL', 'TABLE_NAME'];
      const stores = withoutServices.includes(name)
        ? []
        : all.filter((store) => store === 'TABLE_NAME' || name !== 'meta');
      const expected = [...stores, ...engines, ...policies, ...keys, ...limits].toSorted();
      expect([name, ...configured(name)]).toEqual([name, ...expected]);
    }
    expect(configured('operator')).toEqual([
      'BUCKET_NAME',
      'LOG_DOMAIN',
      'LOG_KEY_ID',
      'PUBLIC_URL',
      'REQUEST_LIMITS',
      'TABLE_NAME',
    ]);
    const bySettings = (names: string[]) => names.map((name) => [name, sampleOf(name)]);
    const usersOfServices = groups
      .map(({ name }) => name)
      .filter((name) => ![...withoutServices, 'meta'].includes(name));
    for (const name of [...usersOfServices, 'operator', 'evaluator']) {
      expect(() => loadEnvironment(Object.fromEntries(bySettings(configured(name)))), name).not.toThrow();
    }
    expect(configured('relay')).toEqual([
      'BUCKET_NAME',
      'DELIVERIES_URL',
      'EVALUATIONS_URL',
      'EXPANSIONS_URL',
      'EXPORTS_URL',
      'LOG_ENTRIES_URL',
      'TABLE_NAME',
      'VISITS_URL',
    ]);
    expect(configured('integrator')).toEqual([
      'BUCKET_NAME',
      'LOG_DOMAIN',
      'LOG_ENTRIES_URL',
      'LOG_KEY_ID',
      'SIGNATURES_PER_SECOND',
      'TABLE_NAME',
    ]);
    expect(configured('exporter')).toEqual([
      'BUCKET_NAME',
      'EXPORTS_URL',
      'LOG_KEY_ID',
      'NODE_OPTIONS',
      'STATEMENT_KEY_ID',
      'TABLE_NAME',
    ]);
    expect(configured('expander')).toEqual(['BUCKET_NAME', 'DELIVERIES_URL', 'EXPANSIONS_URL', 'TABLE_NAME']);
    expect(configured('evaluator')).toEqual(['BUCKET_NAME', 'POLICIES_PATH', 'PUBLIC_URL', 'TABLE_NAME']);
    expect(configured('notifier')).toEqual(['DELIVERIES_URL', 'PUBLIC_URL', 'ROOT_REPOSITORY', 'TABLE_NAME']);
    expect(configured('unknown-route')).toEqual([]);
    for (const name of ['unknown-route', ...withoutServices]) {
      expect(statementsOf(template, constructId(name)).flatMap(({ Action }) => Action)).toEqual([
        'xray:PutTelemetryRecords',
        'xray:PutTraceSegments',
        'logs:CreateLogStream',
        'logs:PutLogEvents',
      ]);
    }
  });
});

test('the outputs are the address of the API and the name of the operator function', () => {
  expect(Object.keys(template.toJSON()['Outputs'])).toEqual(['ApiUrl', 'OperatorFunctionName']);
  expect(JSON.stringify(template.toJSON()['Outputs']['ApiUrl'])).toContain('/api/v2"');
  const own = synthesize([], { eu: DOMAIN }).eu.service.toJSON()['Outputs'];
  expect(own['ApiUrl'].Value).toBe('https://eu.example.com/api/v2');
  expect(Object.keys(own)).toContain('DomainTarget');
});

test("all functions use the restored table instead of the stack's own table if the stage names one", () => {
  const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored';
  const stream = `${table}/stream/2026-11-21T00:00:00.000`;
  const { service } = synthesize(groups, { eu: { restoredTableStream: stream } }).eu;
  expect(JSON.stringify(service.toJSON())).not.toContain('EvidenceTable');
  service.hasResourceProperties('AWS::Lambda::EventSourceMapping', { EventSourceArn: stream });
  service.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: functionName('eu', 'operator'),
    Environment: { Variables: Match.objectLike({ TABLE_NAME: 'restored' }) },
  });
});

test('nothing is kept when the stack is removed, and logs go with what they belong to', () => {
  const resources = Object.values(template.toJSON()['Resources'] as Record<string, Record<string, string>>);
  expect(resources.filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain'))).toEqual([]);
  template.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' });
});

test('each group has reserved executions if the stage sets them', () => {
  const reserved = synthesize(groups, {
    eu: { reservedConcurrency: '20', accountConcurrency: '0' },
    us: { accountConcurrency: '0' },
  });
  const counts = (service: Template) =>
    Object.values(resourcesOf<{ ReservedConcurrentExecutions?: number }>(service, 'AWS::Lambda::Function')).flatMap(
      ({ ReservedConcurrentExecutions: count }) => count ?? [],
    );
  expect(counts(reserved.eu.service)).toEqual(groups.map(() => 20));
  expect(counts(reserved.us.service)).toEqual([]);
});

describe('functions that wait for other hosts', () => {
  const reservedIn = (service: Template) =>
    Object.fromEntries(
      Object.entries(resourcesOf<{ ReservedConcurrentExecutions?: number }>(service, 'AWS::Lambda::Function')).flatMap(
        ([id, { ReservedConcurrentExecutions: count }]) =>
          count === undefined ? [] : [[id.replace(/[0-9A-F]{8}$/, ''), count]],
      ),
    );

  test('have a reservation by default, and none if the account has no executions to give away', () => {
    const workers = { Notifier: DELIVERIES_QUEUE.calls + 1, Integrator: LOG_ENTRIES_QUEUE.calls + 1 };
    expect(reservedIn(template)).toEqual({ Token: 100, SignIn: 100, ...workers });
    expect(reservedIn(tuned.us.service)).toEqual({ Token: 7, SignIn: 7, ...workers });
    expect(reservedIn(tuned.eu.service)).toEqual({});
  });

  test('are called by their queues at most as often at once as they have executions, also without a reservation', () => {
    const calls = Object.values(
      resourcesOf<{ ScalingConfig?: { MaximumConcurrency: number } }>(template, 'AWS::Lambda::EventSourceMapping'),
    ).flatMap(({ ScalingConfig }) => ScalingConfig?.MaximumConcurrency ?? []);
    expect(calls).toEqual(expect.arrayContaining([DELIVERIES_QUEUE.calls, LOG_ENTRIES_QUEUE.calls]));
  });
});

test('the groups with engines and the functions with policies exist', () => {
  expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining([...ENGINE_GROUPS]));
  expect(functionNames()).toEqual(expect.arrayContaining([...POLICY_FUNCTIONS]));
});

test('both regions have the same service stack, except for names of the region', () => {
  // The CDK puts the stack's name into some logical ids, so resources are compared in order and not by id.
  const withoutRegion = (service: Template, stage: string, region: string) => {
    const { Resources, Outputs } = service.toJSON();
    return JSON.parse(
      JSON.stringify([Object.values(Resources), Outputs])
        .replaceAll(region, 'REGION')
        .replaceAll(`delivery-evidence-${stage}`, 'STAGE')
        .replaceAll(`/delivery-evidence/${stage}/`, '/STAGE/')
        .replaceAll(`${stage}.log.`, 'STAGE.log.'),
    );
  };
  expect(withoutRegion(us.service, 'us', 'us-east-1')).toEqual(withoutRegion(eu.service, 'eu', 'eu-central-1'));
});
