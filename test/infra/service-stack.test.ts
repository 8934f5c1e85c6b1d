import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { ENGINE_GROUPS, functionNames, POLICY_FUNCTIONS } from '#infra/bundles/bundle.ts';
import { partitionPatterns } from '#infra/constructs/evidence-access.ts';
import { constructId } from '#infra/constructs/service-function.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { operatorFunctionName } from '#infra/stages.ts';
import { loadEnvironment } from '#shared/base/env.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import { DELIVERIES_QUEUE, LOG_ENTRIES_QUEUE } from '#shared/queues/queue-definition.ts';
import type { Family } from '#shared/table/uses.ts';
import { type Policy, statementsOf } from './statements.ts';
import { aRoute, resourcesOf, serviceTemplates, synthesize } from './synthesized.ts';

const { eu, us } = serviceTemplates();
const template = eu.service;
const optional = serviceTemplates(OPTIONAL_SETTINGS);
const tuned = serviceTemplates({
  'eu:accountConcurrency': '0',
  'us:accountConcurrency': '700',
  'us:waitingConcurrency': '7',
});

const OTHER_FUNCTIONS = [
  ...['unknown-route', 'relay', 'notifier', 'expander', 'evaluator', 'integrator', 'exporter', 'operator'],
];
const DOMAIN = {
  'eu:domainName': 'eu.example.com',
  'eu:certificateArn': 'arn:aws:acm:eu-central-1:123456789012:certificate/11111111-2222-3333-4444-555555555555',
};

const { eu: withDomain } = serviceTemplates(DOMAIN);

/** Actions that IAM cannot limit to a resource. */
const WITHOUT_RESOURCE = /^(?:xray:|dynamodb:ListStreams$)/;

const WRITES = [
  'dynamodb:PutItem',
  'dynamodb:BatchWriteItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:ConditionCheckItem',
  's3:PutObject',
];

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

  test('has a setting for each resource that it may use, and no others', () => {
    const configured = (name: string): string[] => {
      const functions = resourcesOf<{ Environment?: { Variables: object } }>(template, 'AWS::Lambda::Function');
      const isIt = ([id]: [string, unknown]) => new RegExp(`^${constructId(name)}[0-9A-F]{8}$`).test(id);
      const [, found] = Object.entries(functions).find(isIt) ?? [];
      return Object.keys(found?.Environment?.Variables ?? {}).toSorted();
    };
    const keysOf: Record<string, string[]> = {
      log: ['LOG_DOMAIN', 'LOG_KEY_ID', 'STATEMENT_KEY_ID'],
      statements: ['LOG_DOMAIN', 'LOG_KEY_ID', 'STATEMENT_KEY_ID'],
      witness: ['LOG_DOMAIN', 'LOG_KEY_ID', 'WITNESS_KEY_ID'],
    };
    const withoutServices = ['meta', 'reference', 'console'];
    for (const { name } of groups) {
      const engines = ENGINE_GROUPS.has(name) ? ['ENGINES_PATH'] : [];
      const policies = POLICY_FUNCTIONS.has(name) ? ['POLICIES_PATH'] : [];
      const keys = keysOf[name] ?? [];
      const stores = withoutServices.includes(name) ? [] : ['BUCKET_NAME', 'PUBLIC_URL', 'TABLE_NAME'];
      const expected = [...stores, ...engines, ...policies, ...keys].toSorted();
      expect([name, ...configured(name)]).toEqual([name, ...expected]);
    }
    expect(configured('operator')).toEqual(['BUCKET_NAME', 'LOG_DOMAIN', 'LOG_KEY_ID', 'PUBLIC_URL', 'TABLE_NAME']);
    const bySettings = (names: string[]) => names.map((name) => [name, name.endsWith('_URL') ? 'https://a' : '/a']);
    const usersOfServices = groups.map(({ name }) => name).filter((name) => !withoutServices.includes(name));
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
    ]);
    expect(configured('integrator')).toEqual([
      'BUCKET_NAME',
      'LOG_DOMAIN',
      'LOG_ENTRIES_URL',
      'LOG_KEY_ID',
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
    expect(configured('notifier')).toEqual(['DELIVERIES_URL', 'PUBLIC_URL', 'TABLE_NAME']);
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

describe('rights', () => {
  const [group] = groups;
  const withEndpoints = (...endpoints: Endpoint[]) => synthesize([{ name: group?.name ?? '', endpoints }]).eu.service;
  const groupId = constructId(group?.name ?? '');
  const writesOf = (service: Template) =>
    statementsOf(service, groupId).filter(({ Action }) => [Action].flat().some((action) => WRITES.includes(action)));
  const keyUse = expect.objectContaining({
    Action: 'dynamodb:UpdateItem',
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['@KEYUSE#*'] } },
  });

  test('rights of a group that only reads contain one write: the last use of an API key', () => {
    expect(writesOf(withEndpoints(aRoute('GET', '/rights/1'), aRoute('POST', '/rights/2')))).toEqual([keyUse]);
  });

  test('rights of a group are the union of what its endpoints declare, by partition key and by prefix', () => {
    const service = withEndpoints(
      aRoute('POST', '/rights/1', { writes: ['FLOW'], bucket: ['uploads:write'] }),
      aRoute('PUT', '/rights/2', { writes: ['TRAIL'], removes: ['FLOWNAME'], checks: ['MEMBER'] }),
      aRoute('GET', '/rights/3', { bucket: ['bodies:read'] }),
    );
    const [, items, checks, removal, objects, ...others] = writesOf(service);
    const keysOf = (statement: typeof items) => {
      const condition = statement?.Condition as Record<string, Record<string, string[]>> | undefined;
      return condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
    };
    expect(items?.Action).toEqual(['dynamodb:PutItem', 'dynamodb:UpdateItem']);
    expect(keysOf(items)).toEqual(
      ['FLOW', 'IDEMPOTENCY', 'TRAIL'].flatMap((name) => partitionPatterns(name as Family)),
    );
    expect([checks?.Action, keysOf(checks)]).toEqual(['dynamodb:ConditionCheckItem', partitionPatterns('MEMBER')]);
    expect([removal?.Action, keysOf(removal)]).toEqual(['dynamodb:DeleteItem', partitionPatterns('FLOWNAME')]);
    expect(objects?.Action).toBe('s3:PutObject');
    expect(JSON.stringify(objects?.Resource)).toMatch(/\/uploads\/\*"\]\]\}$/);
    expect(others).toEqual([]);
    const reads = statementsOf(service, groupId).find(({ Action }) => [Action].flat().includes('s3:GetObject'));
    expect(JSON.stringify(reads?.Resource)).toMatch(/\/bodies\/\*"\]\]\}$/);
  });

  test('rights of strangers reach the items of the witness only', () => {
    const statements = statementsOf(template, 'Witness').filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith('dynamodb:')),
    );
    expect(statements.map(({ Action }) => [Action].flat())).toEqual([
      ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'],
      ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
    ]);
    const families = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['@WITNESS', '@WITNESS#*'] } };
    expect(statements.map(({ Condition }) => Condition)).toEqual([families, families]);
  });

  test('rights to know witnesses belong to functions that know the log, and rights to know their logs to the witness', () => {
    const functions = resourcesOf<{ Environment?: { Variables: object } }>(
      optional.eu.service,
      'AWS::Lambda::Function',
    );
    const withSetting = (name: string) =>
      Object.entries(functions).flatMap(([id, { Environment }]) =>
        name in (Environment?.Variables ?? {}) ? [id.replace(/[0-9A-F]{8}$/, '')] : [],
      );
    const knowing = ['Exporter', 'Integrator', 'Log', 'Statements', 'Witness'];
    expect(withSetting('WITNESS_POLICY').toSorted()).toEqual(knowing);
    expect(withSetting('WITNESS_SECONDS')).toEqual(['Integrator']);
    expect(withSetting('WITNESS_LOGS')).toEqual(['Witness']);
  });

  test('rights to sign belong to the roles that the policies of the keys name, and to no others', () => {
    const roles = resourcesOf<{ RoleName?: string }>(template, 'AWS::IAM::Role');
    const signers = Object.entries(resourcesOf<Policy & { Roles: { Ref: string }[] }>(template, 'AWS::IAM::Policy'))
      .filter(([, { PolicyDocument }]) =>
        PolicyDocument.Statement.some(({ Action }) => [Action].flat().includes('kms:Sign')),
      )
      .flatMap(([, { Roles }]) => Roles.map(({ Ref }) => roles[Ref]?.RoleName));
    const named = ['integrator', 'statements', 'witness'].map((name) => `delivery-evidence-eu-${name}`);
    expect(signers.toSorted()).toEqual(named);
    const withNames = Object.values(roles).flatMap(({ RoleName }) => RoleName ?? []);
    expect(withNames.toSorted()).toEqual(named);
  });

  test('rights to sign are refused to another function than the one that the policy of the key names', () => {
    const endpoints = [aRoute('POST', '/flows/{org}', { keys: ['log:sign'] })];
    expect(() => synthesize([{ name: 'flows', endpoints }])).toThrow(
      'flows declares to sign with the key log of integrator',
    );
  });

  test('rights to send mail belong to the notifier only, for the sender of the stage', () => {
    const senders = Object.entries(resourcesOf<Policy>(optional.eu.service, 'AWS::IAM::Policy')).filter(([, policy]) =>
      JSON.stringify(policy).includes('ses:'),
    );
    expect(senders.map(([id]) => id)).toEqual([expect.stringMatching(/^NotifierRole/)]);
    expect(JSON.stringify(senders)).toContain('"StringEquals":{"ses:FromAddress":"evidence@example.com"}');
    expect(JSON.stringify(optional.us.service.toJSON())).not.toContain('ses:');
  });

  test('name single actions and our own resources, without wildcards', () => {
    for (const { PolicyDocument } of Object.values(resourcesOf<Policy>(template, 'AWS::IAM::Policy'))) {
      for (const { Action, Resource } of PolicyDocument.Statement) {
        const actions = [Action].flat();
        expect(actions.filter((action) => /^(?:\*|\w+:\*)$/.test(action))).toEqual([]);
        if (!actions.every((action) => WITHOUT_RESOURCE.test(action))) expect(Resource).not.toBe('*');
      }
    }
  });
});

test('the outputs are the address of the API and the name of the operator function', () => {
  expect(Object.keys(template.toJSON()['Outputs'])).toEqual(['ApiUrl', 'OperatorFunctionName']);
  expect(JSON.stringify(template.toJSON()['Outputs']['ApiUrl'])).toContain('/api/v2"');
  const own = synthesize([], DOMAIN).eu.service.toJSON()['Outputs'];
  expect(own['ApiUrl'].Value).toBe('https://eu.example.com/api/v2');
  expect(Object.keys(own)).toContain('DomainTarget');
});

test("all functions use the restored table instead of the stack's own table if the stage names one", () => {
  const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/restored';
  const stream = `${table}/stream/2026-11-21T00:00:00.000`;
  const { service } = synthesize(groups, { 'eu:restoredTableStream': stream }).eu;
  expect(JSON.stringify(service.toJSON())).not.toContain('EvidenceTable');
  service.hasResourceProperties('AWS::Lambda::EventSourceMapping', { EventSourceArn: stream });
  service.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: operatorFunctionName('eu'),
    Environment: { Variables: Match.objectLike({ TABLE_NAME: 'restored' }) },
  });
});

test('all logs are kept when the stack is removed, and nothing else', () => {
  const resources = Object.entries(template.toJSON()['Resources'] as Record<string, Record<string, string>>);
  const kept = resources.filter(([, { DeletionPolicy }]) => DeletionPolicy?.startsWith('Retain')).map(([id]) => id);
  expect(kept).toEqual(resources.filter(([, { Type }]) => Type === 'AWS::Logs::LogGroup').map(([id]) => id));
  expect(kept.length).toBeGreaterThan(0);
});

test('each group has reserved executions if the stage sets them', () => {
  const reserved = synthesize(groups, {
    'eu:reservedConcurrency': '20',
    'eu:accountConcurrency': '0',
    'us:accountConcurrency': '0',
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
    const workers = { Notifier: DELIVERIES_QUEUE.calls, Integrator: LOG_ENTRIES_QUEUE.calls + 1 };
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
        .replaceAll(`${stage}.log.`, 'STAGE.log.'),
    );
  };
  expect(withoutRegion(us.service, 'us', 'us-east-1')).toEqual(withoutRegion(eu.service, 'eu', 'eu-central-1'));
});
