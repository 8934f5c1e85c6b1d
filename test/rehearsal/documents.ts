import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { groups } from '#functions/groups.ts';
import { iamDocument } from '#infra/documents/iam-document.ts';
import { gatewayRoutes, routeKey } from '#infra/gateway-routes.ts';
import { apiIdParameter, dashboardName, functionName, logName, RULE_NAMES, ruleName } from '#infra/names.ts';
import { UNKNOWN_ROUTE } from '#infra/service-stack.ts';
import { ROOT } from '#test/run/tool.ts';
import { type Deployed, STAGE } from './deployment.ts';
import { ACCOUNT, REGION } from './emulator.ts';
import { type Facts, type Inventory, keyOf } from './inventory.ts';

/** Compares what is there with the documents. Each function returns a sentence for each difference. */

export const page = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What the stacks list, and what the services hold. */
export interface Found {
  deployed: readonly Deployed[];
  inventory: Inventory;
}

/** Entries of a type, by physical id. */
export const entriesOf = (inventory: Inventory, type: string): Map<string, Facts> =>
  new Map(
    [...inventory]
      .filter(([key]) => key.startsWith(`${type} `))
      .map(([key, facts]) => [key.slice(type.length + 1), facts]),
  );

/** Types that are a part of something else, with the type that shows them. */
const SHOWN_BY: ReadonlyMap<string, string> = new Map([
  ['AWS::S3::BucketPolicy', 'AWS::S3::Bucket'],
  ['AWS::SQS::QueuePolicy', 'AWS::SQS::Queue'],
  ['AWS::SNS::TopicPolicy', 'AWS::SNS::Topic'],
  ['AWS::Lambda::Permission', 'AWS::Lambda::Function'],
  ['AWS::ApiGatewayV2::ApiMapping', 'AWS::ApiGatewayV2::DomainName'],
]);

/** Every resource of the stacks exists. */
export function missingResources({ deployed, inventory }: Found): string[] {
  return deployed
    .filter((resource) => !isThere(resource, inventory))
    .map(({ id, type }) => `${id} (${type}) is missing`);
}

function isThere({ type, physical }: Deployed, inventory: Inventory): boolean {
  const parent = SHOWN_BY.get(type);
  if (parent === undefined) return inventory.has(keyOf(type, physical));
  const facts = JSON.stringify([...entriesOf(inventory, parent).values()]);
  // Policies of queues and topics have no id of their own; they are compared below.
  return type.endsWith('Policy') ? facts.includes('"Policy":{') : facts.includes(physical);
}

const compared = (what: string, expected: Iterable<string>, found: Iterable<string>): string[] => {
  const wanted = new Set(expected);
  const there = new Set(found);
  return [
    ...[...wanted.difference(there)].map((one) => `${what} ${one} is missing`),
    ...[...there.difference(wanted)].map((one) => `${what} ${one} is not documented`),
  ];
};

const RoleFacts = z.looseObject({
  Description: z.string(),
  get_role_policy: z.looseObject({ PolicyName: z.string(), PolicyDocument: z.record(z.string(), z.unknown()) }),
  list_role_policies: z.looseObject({ PolicyNames: z.array(z.string()) }),
  list_attached_role_policies: z.looseObject({ AttachedPolicies: z.array(z.unknown()) }),
});

/** The rights of the roles that are there are those of docs/iam.md, line by line. */
export function differentRights({ deployed, inventory }: Found): string[] {
  const names = logicalNames(deployed);
  const roles = deployed.filter(({ type }) => type === 'AWS::IAM::Role');
  const problems: string[] = [];
  const Resources = Object.fromEntries(
    roles.map(({ id, type, physical }) => {
      const facts = RoleFacts.parse(inventory.get(keyOf(type, physical)));
      const { PolicyName, PolicyDocument } = facts.get_role_policy;
      const others = [...facts.list_role_policies.PolicyNames.filter((name) => name !== PolicyName)];
      if (others.length + facts.list_attached_role_policies.AttachedPolicies.length > 0) {
        problems.push(`the role of ${id} has rights outside of ${PolicyName}`);
      }
      const document = JSON.parse(withLogicalNames(JSON.stringify(PolicyDocument), names));
      const Properties = { Description: facts.Description, Policies: [{ PolicyName, PolicyDocument: document }] };
      return [id, { Type: type, Properties }];
    }),
  );
  const found = iamDocument(Template.fromJSON({ Resources })).split('\n');
  const documented = page('docs/iam.md').split('\n');
  return [...problems, ...compared('line of docs/iam.md:', documented, found)];
}

/** Names that the page has in place of ARNs. Longer ARNs come first: a stream begins with its table. */
function logicalNames(deployed: readonly Deployed[]): [arn: string, name: string][] {
  const at = (service: string, rest: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
  return deployed.flatMap(({ id, type, physical }): [string, string][] => {
    if (type === 'AWS::DynamoDB::Table') return [[at('dynamodb', `table/${physical}`), id]];
    if (type === 'AWS::S3::Bucket') return [[`arn:aws:s3:::${physical}`, id]];
    if (type === 'AWS::KMS::Key') return [[at('kms', `key/${physical}`), id]];
    if (type === 'AWS::SQS::Queue') return [[at('sqs', physical.split('/').at(-1) ?? ''), id]];
    return [];
  });
}

function withLogicalNames(text: string, names: readonly [arn: string, name: string][]): string {
  const named = names.reduce((result, [arn, name]) => result.replaceAll(arn, name), text);
  return named.replaceAll(/(\w+)\/stream\/[0-9T:.-]+/g, '$1Stream').replaceAll(`:${ACCOUNT}:`, ':{AccountId}:');
}

const TableFacts = z.looseObject({
  describe_table: z.looseObject({
    Table: z.looseObject({
      KeySchema: z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.string() })),
      GlobalSecondaryIndexes: z.array(z.unknown()).optional(),
      LocalSecondaryIndexes: z.array(z.unknown()).optional(),
      DeletionProtectionEnabled: z.boolean(),
    }),
  }),
  describe_continuous_backups: z.unknown(),
  describe_time_to_live: z.unknown(),
});

/** The table has the keys of docs/table.md, and is protected as docs/deploying.md says. */
export function differentTable({ deployed, inventory }: Found): string[] {
  const table = deployed.find(({ type }) => type === 'AWS::DynamoDB::Table');
  const facts = TableFacts.parse(inventory.get(keyOf('AWS::DynamoDB::Table', table?.physical ?? '')));
  const { KeySchema, GlobalSecondaryIndexes = [], LocalSecondaryIndexes = [], ...further } = facts.describe_table.Table;
  const [, pk, sk] = /One table with the keys `(\w+)` and `(\w+)`, no index\./.exec(page('docs/table.md')) ?? [];
  const keys = KeySchema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`);
  const backups = JSON.stringify(facts.describe_continuous_backups);
  return [
    ...compared('key of the table', [`${pk} HASH`, `${sk} RANGE`], keys),
    ...(GlobalSecondaryIndexes.length + LocalSecondaryIndexes.length > 0 ? ['the table has an index'] : []),
    ...(further.DeletionProtectionEnabled ? [] : ['the table can be deleted']),
    ...(/"PointInTimeRecoveryStatus":"ENABLED"/.test(backups) ? [] : ['the table has no backups']),
    ...(/"RecoveryPeriodInDays":35\b/.test(backups) ? [] : ['backups of the table are not kept for 35 days']),
    ...(/"AttributeName":"ttl"/.test(JSON.stringify(facts.describe_time_to_live))
      ? []
      : ['items do not expire by ttl']),
  ];
}

const RouteFacts = z.looseObject({ RouteKey: z.string(), Target: z.string() });
const IntegrationFacts = z.looseObject({ IntegrationUri: z.string() });

/** The gateway has the routes of docs/rules/requests.md#routes-of-the-gateway, each to the function of its group. */
export function differentRoutes({ inventory }: Found): string[] {
  const integrations = entriesOf(inventory, 'AWS::ApiGatewayV2::Integration');
  const found = [...entriesOf(inventory, 'AWS::ApiGatewayV2::Route').values()].map((facts) => {
    const { RouteKey, Target } = RouteFacts.parse(facts);
    const { IntegrationUri } = IntegrationFacts.parse(integrations.get(Target.replace('integrations/', '')));
    return `${RouteKey} to ${IntegrationUri.split(':').at(-1)}`;
  });
  const documented = gatewayRoutes(groups).map(
    (route) => `${routeKey(route)} to ${functionName(STAGE, route.group.name)}`,
  );
  return compared('route', [...documented, `$default to ${functionName(STAGE, UNKNOWN_ROUTE)}`], found);
}

/** Each alarm has a section of docs/runbook.md, and each section an alarm. A number at the end stands for a further part. */
export function differentAlarms({ inventory }: Found): string[] {
  const headings = [...page('docs/runbook.md').matchAll(/^## (\S+)$/gm)].map(([, name = '']) => name.toLowerCase());
  const named = [...entriesOf(inventory, 'AWS::CloudWatch::Alarm').values()].map(({ AlarmDescription }) => {
    const [, section = 'nothing'] = /docs\/runbook\.md#(\w+?)\d*$/.exec(String(AlarmDescription)) ?? [];
    return section;
  });
  return compared('alarm', headings, named);
}

const LogSettings = z.looseObject({ LoggingConfig: z.looseObject({ LogGroup: z.string() }) });

/** Functions are those of docs/iam.md. They, their logs, the schedules and what else has a fixed name are called as `infra/names.ts` says. */
export function differentNames({ inventory }: Found): string[] {
  const functions = [...page('docs/iam.md').matchAll(/^## (\S+)$/gm)].map(([, name = '']) => name);
  const has = (type: string) => [...entriesOf(inventory, type).keys()];
  const written = [...entriesOf(inventory, 'AWS::Lambda::Function')].map(
    ([name, facts]) => `${name} writes to ${LogSettings.parse(facts).LoggingConfig.LogGroup}`,
  );
  const logs = has('AWS::Logs::LogGroup').filter((name) => name.startsWith('/'));
  const parameters = has('AWS::SSM::Parameter').filter((name) => !name.startsWith('/cdk-bootstrap/'));
  return [
    ...compared(
      'function',
      functions.map((name) => functionName(STAGE, name)),
      has('AWS::Lambda::Function'),
    ),
    ...compared(
      'function that',
      functions.map((name) => `${functionName(STAGE, name)} writes to ${logName(STAGE, name)}`),
      written,
    ),
    ...compared(
      'log',
      functions.map((name) => logName(STAGE, name)),
      logs,
    ),
    ...compared(
      'schedule',
      RULE_NAMES.map((name) => ruleName(STAGE, name)),
      has('AWS::Events::Rule'),
    ),
    ...compared('dashboard', [dashboardName(STAGE)], has('AWS::CloudWatch::Dashboard')),
    ...compared('parameter', [apiIdParameter(STAGE)], parameters),
  ];
}

/** The outputs of the service stack are those of docs/deploying.md. */
export function differentOutputs(outputs: ReadonlyMap<string, string>): string[] {
  const documented = [
    ...page('docs/deploying.md').matchAll(/^\| `(\w+)` \| .*(?:address of the API|operator's function|DNS record)/gm),
  ];
  return [
    ...compared(
      'output',
      documented.map(([, name = '']) => name),
      outputs.keys(),
    ),
    ...(outputs.get('ApiUrl')?.endsWith('/api/v2') ? [] : ['ApiUrl does not end with /api/v2']),
    ...(outputs.get('OperatorFunctionName') === functionName(STAGE, 'operator')
      ? []
      : ['OperatorFunctionName differs']),
  ];
}

/** Queues and the topic refuse requests without TLS, the bucket is private and keeps versions (docs/deploying.md#tear-down). */
export function missingProtection(inventory: Inventory): string[] {
  const own = (type: string) => [...entriesOf(inventory, type)].filter(([id]) => id.includes('delivery-evidence-'));
  const open = ['AWS::SQS::Queue', 'AWS::S3::Bucket', 'AWS::SNS::Topic']
    .flatMap(own)
    .filter(([, facts]) => !JSON.stringify(facts).includes('"aws:SecureTransport":"false"'))
    .map(([id]) => `${id} accepts requests without TLS`);
  const exposed = own('AWS::S3::Bucket').flatMap(([id, facts]) => {
    const text = JSON.stringify(facts);
    return [
      ...(text.includes('"Status":"Enabled"') ? [] : [`${id} keeps no versions`]),
      ...(text.includes('"RestrictPublicBuckets":true') ? [] : [`${id} can become public`]),
    ];
  });
  return [...open, ...exposed];
}
