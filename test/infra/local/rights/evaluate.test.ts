import { describe, expect, it } from 'vitest';
import {
  type Access,
  type Condition,
  evaluate,
  type Statement,
  UnknownCondition,
} from '#infra/local/rights/evaluate.ts';

const TABLE = 'arn:aws:dynamodb:eu-central-1:000000000000:table/evidence';

const statement = (change: Partial<Statement> = {}): Statement => ({
  effect: 'Allow',
  actions: ['dynamodb:PutItem'],
  resources: [TABLE],
  conditions: [],
  ...change,
});

const access = (context: Record<string, string[]> = {}, change: Partial<Access> = {}): Access => ({
  action: 'dynamodb:PutItem',
  resource: TABLE,
  context: Object.fromEntries(Object.entries(context).map(([key, values]) => [key, () => values])),
  ...change,
});

const under = (operator: string, key: string, ...values: string[]): Statement =>
  statement({ conditions: [{ operator, key, values }] });

describe('a call', () => {
  it('is not allowed without a statement that names its action and its resource', () => {
    expect(evaluate([], access())).toBe('not allowed');
    expect(evaluate([statement()], access())).toBe('allowed');
    expect(evaluate([statement({ actions: ['dynamodb:GetItem'] })], access())).toBe('not allowed');
    expect(evaluate([statement({ resources: [`${TABLE}2`] })], access())).toBe('not allowed');
  });

  it('is denied by a matching denial, whatever else allows it', () => {
    const denial = statement({ effect: 'Deny', actions: ['dynamodb:*'] });
    expect(evaluate([statement(), denial], access())).toBe('explicitly denied');
    expect(evaluate([denial], access())).toBe('explicitly denied');
    expect(evaluate([statement(), { ...denial, actions: ['s3:*'] }], access())).toBe('allowed');
  });

  it.each<[Partial<Statement>, boolean]>([
    [{ actions: ['dynamodb:*'] }, true],
    [{ actions: ['DynamoDB:putitem'] }, true],
    [{ actions: ['*'] }, true],
    [{ actions: ['dynamodb:Put?tem'] }, true],
    [{ actions: ['dynamodb:Put'] }, false],
    [{ actions: ['s3:*'] }, false],
    [{ resources: ['*'] }, true],
    [{ resources: [TABLE.replace('eu-central-1', '*')] }, true],
    [{ resources: [TABLE.replace('evidence', 'evidenc?')] }, true],
    [{ resources: [TABLE.replace('evidence', 'Evidence')] }, false],
    [{ resources: [TABLE.replace('.', '')] }, true],
    [{ resources: [`${TABLE}/index/*`] }, false],
  ])('is compared with the patterns of %j: %s', (change, allowed) => {
    expect(evaluate([statement(change)], access())).toBe(allowed ? 'allowed' : 'not allowed');
  });
});

describe('a condition', () => {
  const KEYS = 'dynamodb:LeadingKeys';

  it.each<[string, Statement, Record<string, string[]>, boolean]>([
    [
      'all values match',
      under('ForAllValues:StringLike', KEYS, '@KEY#*', '????#FLOW'),
      { [KEYS]: ['@KEY#1', 'acme#FLOW'] },
      true,
    ],
    [
      'one value does not match',
      under('ForAllValues:StringLike', KEYS, '@KEY#*'),
      { [KEYS]: ['@KEY#1', '@ORG#1'] },
      false,
    ],
    ['ForAllValues without a value', under('ForAllValues:StringLike', KEYS, '@KEY#*'), { [KEYS]: [] }, true],
    ['ForAnyValue without a value', under('ForAnyValue:StringLike', KEYS, '@KEY#*'), { [KEYS]: [] }, false],
    ['one of several values', under('ForAnyValue:StringEquals', KEYS, 'a', 'b'), { [KEYS]: ['c', 'b'] }, true],
    [
      'a pattern that would need another length',
      under('ForAllValues:StringLike', KEYS, '????#FLOW'),
      { [KEYS]: ['acmes#FLOW'] },
      false,
    ],
    [
      'characters with a meaning in expressions',
      under('ForAllValues:StringLike', KEYS, 'a.c'),
      { [KEYS]: ['abc'] },
      false,
    ],
    [
      'StringEquals takes wildcards as they are',
      under('StringEquals', 'kms:ViaService', 's3.*'),
      { 'kms:ViaService': ['s3.eu'] },
      false,
    ],
    [
      'one of the values of StringEquals',
      under('StringEquals', 'kms:ViaService', 'a', 'b'),
      { 'kms:ViaService': ['b'] },
      true,
    ],
    ['StringEquals without a value', under('StringEquals', 'kms:ViaService', 'a'), { 'kms:ViaService': [] }, false],
    ['Bool', under('Bool', 'aws:SecureTransport', 'false'), { 'aws:SecureTransport': ['true'] }, false],
    ['NumericLessThan', under('NumericLessThan', 's3:TlsVersion', '1.2'), { 's3:TlsVersion': ['1.3'] }, false],
  ])('is checked: %s', (_, rule, context, allowed) => {
    expect(evaluate([rule], access(context))).toBe(allowed ? 'allowed' : 'not allowed');
  });

  it('must hold together with all others of its statement', () => {
    const both: Condition[] = [
      { operator: 'Bool', key: 'aws:SecureTransport', values: ['true'] },
      { operator: 'StringEquals', key: 'kms:ViaService', values: ['a'] },
    ];
    const context = { 'aws:SecureTransport': ['true'], 'kms:ViaService': ['a'] };
    expect(evaluate([statement({ conditions: both })], access(context))).toBe('allowed');
    expect(evaluate([statement({ conditions: both })], access({ ...context, 'kms:ViaService': ['b'] }))).toBe(
      'not allowed',
    );
  });

  it.each<[string, Statement]>([
    ['operator', under('DateLessThan', KEYS, '2026-11-22')],
    ['set operator', under('ForMostValues:StringLike', KEYS, 'a')],
    ['key', under('StringEquals', 'ses:FromAddress', 'a')],
    ['key that is a property of every object', under('StringEquals', 'constructor', 'a')],
    ['variable', under('ForAllValues:StringLike', KEYS, `user/${'$'}{aws:username}`)],
    ['operator for a list', under('StringLike', KEYS, 'a')],
  ])('a condition with an unknown %s is an error, but only if action and resource match', (_, rule) => {
    const called = access({ [KEYS]: ['a'] });
    expect(() => evaluate([rule, statement()], called)).toThrow(UnknownCondition);
    expect(evaluate([{ ...rule, actions: ['s3:*'] }, statement()], called)).toBe('allowed');
  });
});
