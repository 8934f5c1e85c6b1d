import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import { type RegionTemplates, stageTemplates, synthesizeTemplates } from '#infra/templates.ts';
import { temporaryFolder } from './synthesized.ts';

/** Two stages of one account and region, with every setting that adds resources. */
const region = 'eu-central-1';
const own = { region, domainName: undefined, certificateArn: undefined };
const templates = synthesizeTemplates(temporaryFolder('several-'), groups, {
  'eu-one': { ...OPTIONAL_SETTINGS.eu, ...own },
  two: { ...OPTIONAL_SETTINGS.eu, ...own },
});
const [one, two] = ['eu-one', 'two'].map((name) => stageTemplates(templates, name)) as [
  RegionTemplates,
  RegionTemplates,
];

/** The properties that name a resource in its account and region. Names inside of a resource are no such names. */
const NAMES: Readonly<Record<string, string>> = {
  'AWS::Backup::BackupVault': 'BackupVaultName',
  'AWS::CloudTrail::Trail': 'TrailName',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::CompositeAlarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::CloudWatch::InsightRule': 'RuleName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Events::Rule': 'Name',
  'AWS::IAM::Role': 'RoleName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::Logs::MetricFilter': 'FilterName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SSM::Parameter': 'Name',
};

/** Types whose resources have no name that they could share: CloudFormation or the service chooses their ids. */
const WITHOUT_NAME: readonly string[] = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::Backup::BackupPlan',
  'AWS::Backup::BackupSelection',
  'AWS::IAM::Policy',
  'AWS::KMS::Key',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Permission',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
];

interface Written {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
  Outputs?: Record<string, { Export?: { Name: string } }>;
}

const written = (stacks: RegionTemplates): Written[] =>
  // The CDK does not type the templates that it writes.
  Object.values<Template>({ ...stacks }).map((template) => template.toJSON() as Written);

/** Returns every name that the stacks of a stage take in their account and region, with the type that has it. */
function takenNames(stacks: RegionTemplates): string[] {
  return written(stacks).flatMap(({ Resources, Outputs = {} }) => [
    ...Object.values(Resources).flatMap(({ Type, Properties = {} }) => {
      const name = Properties[NAMES[Type] ?? ''];
      return name === undefined ? [] : [`${Type} ${JSON.stringify(name)}`];
    }),
    ...Object.values(Outputs).flatMap(({ Export }) => (Export ? [`export ${Export.Name}`] : [])),
  ]);
}

describe('two stages in one account and region', () => {
  test('share no name', () => {
    const [names, others] = [takenNames(one), takenNames(two)];
    expect(names.length).toBeGreaterThan(100);
    expect(others).toHaveLength(names.length);
    expect(names.filter((name) => others.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  test('have only resources whose names the test knows', () => {
    const types = new Set(written(one).flatMap(({ Resources }) => Object.values(Resources).map(({ Type }) => Type)));
    const known = [...Object.keys(NAMES), ...WITHOUT_NAME];
    expect([...types].filter((type) => !known.includes(type))).toEqual([]);
  });

  test('count lines of logs apart', () => {
    const namespaces = (stacks: RegionTemplates) => [
      ...new Set(
        [...JSON.stringify(stacks.watch.toJSON()).matchAll(/"MetricNamespace":"([^"]+)"/g)].map(([, name]) => name),
      ),
    ];
    expect([namespaces(one), namespaces(two)]).toEqual([['DeliveryEvidence/eu-one'], ['DeliveryEvidence/two']]);
  });
});
