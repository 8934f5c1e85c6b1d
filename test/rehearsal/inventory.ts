import * as z from 'zod';
import { type Emulator, REGION, ServiceError } from './emulator.ts';

/** What a service says of one thing. Dates and ids of versions are left out. */
export type Facts = Readonly<Record<string, unknown>>;

/** Everything that is there, by type and physical id: `AWS::SQS::Queue https://…`. */
export type Inventory = ReadonlyMap<string, Facts>;

export const keyOf = (type: string, physical: string): string => `${type} ${physical}`;

const Json = z.record(z.string(), z.unknown());

/** Names of facts that change although nobody changed the thing. */
const VOLATILE = /(?:Time|Timestamp|Modified|Date|Sha256|RevisionId|Bytes|CodeSize|ItemCount|NumberOfMessages)$/i;

/** Codes that mean that a thing has no such part. */
const ABSENT = /^(?:ResourceNotFoundException|NoSuch\w+|NotFoundException|\w+NotFoundError)$/;

/** An operation of a service with its parameters. */
type Call = readonly [service: string, operation: string, parameters?: Facts];

interface Source {
  type: string;
  list: Call;
  /** Name of the list in the answer. */
  in: string;
  /** Name of the physical id in an entry; absent if entries are the ids themselves. */
  id?: string;
  /** Further calls for an entry. */
  details?: (id: string, entry: Facts) => Call[];
}

const SOURCES: readonly Source[] = [
  {
    type: 'AWS::DynamoDB::Table',
    list: ['dynamodb', 'list_tables'],
    in: 'TableNames',
    details: (TableName) =>
      ['describe_table', 'describe_continuous_backups', 'describe_time_to_live'].map((one) => [
        'dynamodb',
        one,
        { TableName },
      ]),
  },
  {
    type: 'AWS::S3::Bucket',
    list: ['s3', 'list_buckets'],
    in: 'Buckets',
    id: 'Name',
    details: (Bucket) =>
      [
        'get_bucket_policy',
        'get_bucket_versioning',
        'get_bucket_encryption',
        'get_bucket_cors',
        'get_bucket_lifecycle_configuration',
        'get_bucket_ownership_controls',
        'get_public_access_block',
      ].map((one) => ['s3', one, { Bucket }]),
  },
  {
    type: 'AWS::KMS::Key',
    list: ['kms', 'list_keys'],
    in: 'Keys',
    id: 'KeyId',
    details: (KeyId) => [
      ['kms', 'describe_key', { KeyId }],
      ['kms', 'get_key_policy', { KeyId, PolicyName: 'default' }],
    ],
  },
  {
    type: 'AWS::SQS::Queue',
    list: ['sqs', 'list_queues'],
    in: 'QueueUrls',
    details: (QueueUrl) => [['sqs', 'get_queue_attributes', { QueueUrl, AttributeNames: ['All'] }]],
  },
  {
    type: 'AWS::IAM::Role',
    list: ['iam', 'list_roles'],
    in: 'Roles',
    id: 'RoleName',
    details: (RoleName) => [
      ['iam', 'get_role', { RoleName }],
      ['iam', 'list_attached_role_policies', { RoleName }],
      ['iam', 'list_role_policies', { RoleName }],
      // Each role has its rights under this name (`constructs/function-role.ts`).
      ['iam', 'get_role_policy', { RoleName, PolicyName: 'Rights' }],
    ],
  },
  {
    type: 'AWS::Lambda::Function',
    list: ['lambda', 'list_functions'],
    in: 'Functions',
    id: 'FunctionName',
    details: (FunctionName) => [
      ['lambda', 'get_policy', { FunctionName }],
      ['lambda', 'get_function_concurrency', { FunctionName }],
    ],
  },
  {
    type: 'AWS::Lambda::EventSourceMapping',
    list: ['lambda', 'list_event_source_mappings'],
    in: 'EventSourceMappings',
    id: 'UUID',
  },
  { type: 'AWS::Logs::LogGroup', list: ['logs', 'describe_log_groups'], in: 'logGroups', id: 'logGroupName' },
  { type: 'AWS::Logs::MetricFilter', list: ['logs', 'describe_metric_filters'], in: 'metricFilters', id: 'filterName' },
  {
    type: 'AWS::Events::Rule',
    list: ['events', 'list_rules'],
    in: 'Rules',
    id: 'Name',
    details: (Rule) => [['events', 'list_targets_by_rule', { Rule }]],
  },
  {
    type: 'AWS::SSM::Parameter',
    list: ['ssm', 'describe_parameters'],
    in: 'Parameters',
    id: 'Name',
    details: (Name) => [['ssm', 'get_parameter', { Name }]],
  },
  { type: 'AWS::ApiGatewayV2::Api', list: ['apigatewayv2', 'get_apis'], in: 'Items', id: 'ApiId' },
  {
    type: 'AWS::ApiGatewayV2::DomainName',
    list: ['apigatewayv2', 'get_domain_names'],
    in: 'Items',
    id: 'DomainName',
    details: (DomainName) => [['apigatewayv2', 'get_api_mappings', { DomainName }]],
  },
  { type: 'AWS::CloudWatch::Alarm', list: ['cloudwatch', 'describe_alarms'], in: 'MetricAlarms', id: 'AlarmName' },
  {
    type: 'AWS::CloudWatch::Dashboard',
    list: ['cloudwatch', 'list_dashboards'],
    in: 'DashboardEntries',
    id: 'DashboardName',
    details: (DashboardName) => [['cloudwatch', 'get_dashboard', { DashboardName }]],
  },
  {
    type: 'AWS::SNS::Topic',
    list: ['sns', 'list_topics'],
    in: 'Topics',
    id: 'TopicArn',
    details: (TopicArn) => [['sns', 'get_topic_attributes', { TopicArn }]],
  },
  { type: 'AWS::SNS::Subscription', list: ['sns', 'list_subscriptions'], in: 'Subscriptions', id: 'SubscriptionArn' },
];

/** What lies in each API. */
const IN_API: readonly Source[] = [
  { type: 'AWS::ApiGatewayV2::Route', list: ['apigatewayv2', 'get_routes'], in: 'Items', id: 'RouteId' },
  {
    type: 'AWS::ApiGatewayV2::Integration',
    list: ['apigatewayv2', 'get_integrations'],
    in: 'Items',
    id: 'IntegrationId',
  },
  { type: 'AWS::ApiGatewayV2::Stage', list: ['apigatewayv2', 'get_stages'], in: 'Items', id: 'StageName' },
];

/** Asks every service what it holds. */
export async function readInventory(emulator: Emulator): Promise<Inventory> {
  const found = new Map<string, Facts>();
  for (const source of SOURCES) await read(emulator, source, found);
  const apis = [...found].filter(([key]) => key.startsWith('AWS::ApiGatewayV2::Api '));
  for (const [, { ApiId }] of apis) {
    for (const source of IN_API) {
      const [service, operation] = source.list;
      await read(emulator, { ...source, list: [service, operation, { ApiId }] }, found);
    }
  }
  return found;
}

async function read(emulator: Emulator, source: Source, found: Map<string, Facts>): Promise<void> {
  const [service, operation, parameters] = source.list;
  const answer = await emulator.call(Json, service, operation, parameters);
  const entries = z.array(z.unknown()).parse(answer[source.in] ?? []);
  for (const entry of entries) {
    const facts = source.id === undefined ? {} : Json.parse(entry);
    const id = String(source.id === undefined ? entry : facts[source.id]);
    const further: Record<string, unknown> = {};
    for (const [service, operation, parameters] of source.details?.(id, facts) ?? []) {
      further[operation] = await orAbsent(emulator.call(Json, service, operation, parameters));
    }
    found.set(keyOf(source.type, physicalId(source.type, id)), Json.parse(lasting({ ...facts, ...further })));
  }
}

/** The address of a queue has the port of the emulator; templates get the one of the service. */
const physicalId = (type: string, id: string): string =>
  type === 'AWS::SQS::Queue' ? `https://sqs.${REGION}.amazonaws.com/${id.split('/').slice(-2).join('/')}` : id;

async function orAbsent(call: Promise<Facts>): Promise<Facts | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ServiceError && ABSENT.test(error.code)) return null;
    throw error;
  }
}

/** Leaves out what changes by itself, and reads documents that are texts. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value === 'string' && /^[{[]/.test(value)) return parsedDocument(value);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !VOLATILE.test(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, lasting(inner)]));
}

function parsedDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A filter pattern begins with a brace too.
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
