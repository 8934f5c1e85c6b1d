import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { groups } from '#functions/groups.ts';
import { partitionPatterns } from '#infra/constructs/evidence-access.ts';
import { constructId } from '#infra/constructs/service-function.ts';
import { OPTIONAL_SETTINGS } from '#infra/optional-settings.ts';
import type { Endpoint } from '#shared/http/endpoint.ts';
import type { Family } from '#shared/table/uses.ts';
import { statementsByRole, statementsOf } from './statements.ts';
import { aRoute, resourcesOf, serviceTemplates, synthesize } from './synthesized.ts';

const { eu } = serviceTemplates();
const template = eu.service;
const optional = serviceTemplates(OPTIONAL_SETTINGS);

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

describe('rights', () => {
  const [group] = groups;
  const withEndpoints = (...endpoints: Endpoint[]) => synthesize([{ name: group?.name ?? '', endpoints }]).eu.service;
  const groupId = constructId(group?.name ?? '');
  const writesOf = (service: Template) =>
    statementsOf(service, groupId).filter(({ Action }) => [Action].flat().some((action) => WRITES.includes(action)));
  const keyUse = expect.objectContaining({
    Action: 'dynamodb:UpdateItem',
    Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['@KEYUSE#*', '@LIMIT#*'] } },
  });

  test('rights of a group that only reads contain one write: the last uses of API keys and the counters of requests', () => {
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

  test('rights of strangers reach the items of the witness only, and the state of the table', () => {
    const statements = statementsOf(template, 'Witness').filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith('dynamodb:')),
    );
    expect(statements.map(({ Action }) => [Action].flat())).toEqual([
      ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'],
      ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
    ]);
    const of = (...families: string[]) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': families.flatMap((name) => [name, `${name}#*`]) },
    });
    expect(statements.map(({ Condition }) => Condition)).toEqual([of('@STATE', '@WITNESS'), of('@WITNESS')]);
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
    const knowing = ['Exporter', 'Integrator', 'Log', 'Mcp', 'Statements', 'Witness'];
    expect(withSetting('WITNESS_POLICY').toSorted()).toEqual(knowing);
    expect(withSetting('WITNESS_SECONDS')).toEqual(['Integrator']);
    expect(withSetting('WITNESS_LOGS')).toEqual(['Witness']);
  });

  test('rights to sign belong to the roles that the policies of the keys name, and to no others', () => {
    const roles = resourcesOf<{ RoleName?: string }>(template, 'AWS::IAM::Role');
    const signers = [...statementsByRole(template)]
      .filter(([, statements]) => statements.some(({ Action }) => [Action].flat().includes('kms:Sign')))
      .map(([id]) => roles[id]?.RoleName);
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
    const senders = [...statementsByRole(optional.eu.service)].filter(([, statements]) =>
      JSON.stringify(statements).includes('ses:'),
    );
    expect(senders.map(([id]) => id)).toEqual([expect.stringMatching(/^NotifierRole/)]);
    expect(JSON.stringify(senders)).toContain('"StringEquals":{"ses:FromAddress":"evidence@example.com"}');
    expect(JSON.stringify(optional.us.service.toJSON())).not.toContain('ses:');
  });

  test('name single actions and our own resources, without wildcards', () => {
    for (const statements of statementsByRole(template).values()) {
      for (const { Action, Resource } of statements) {
        const actions = [Action].flat();
        expect(actions.filter((action) => /^(?:\*|\w+:\*)$/.test(action))).toEqual([]);
        if (!actions.every((action) => WITHOUT_RESOURCE.test(action))) expect(Resource).not.toBe('*');
      }
    }
  });
});
