import { groups } from '#functions/groups.ts';
import { databaseAccesses } from '#infra/local/rights/database-calls.ts';
import { type Access, evaluate, type Statement } from '#infra/local/rights/evaluate.ts';
import { LOCAL_SETTINGS } from '#infra/local/rights/function-rights.ts';
import { functionStatements, resourceStatements } from '#infra/local/rights/template-statements.ts';
import { LOCAL } from '#infra/local/settings.ts';
import type { TemplateJson } from '#infra/role-statements.ts';
import { keyUseKey } from '#shared/organizations/records/keys.ts';
import type { Key } from '#shared/table/table.ts';
import { synthesize } from '../../synthesized.ts';

/** What the templates let functions do on one machine. */

const { stateful, service } = synthesize(groups, LOCAL_SETTINGS).eu;
export const templates = { stateful: stateful.toJSON() as TemplateJson, service: service.toJSON() as TemplateJson };
export const byFunction = functionStatements(templates);
export const forEverybody = resourceStatements(templates);

export const call = (operation: string, input: object): Access[] =>
  databaseAccesses(`DynamoDB_20120810.${operation}`, JSON.stringify({ TableName: LOCAL.tableName, ...input }));
export const attributes = ({ pk, sk }: Key) => ({ pk: { S: pk }, sk: { S: sk } });

/** Every way to change an item. */
export const writesOf = (key: Key): Access[][] => [
  call('PutItem', { Item: attributes(key) }),
  call('UpdateItem', { Key: attributes(key) }),
  call('DeleteItem', { Key: attributes(key) }),
  call('BatchWriteItem', { RequestItems: { [LOCAL.tableName]: [{ PutRequest: { Item: attributes(key) } }] } }),
];

export const may = (statements: readonly Statement[], accesses: readonly Access[]): boolean =>
  accesses.every((access) => evaluate([...statements, ...forEverybody], access) === 'allowed');

/** Every way to read an item, alone and among others. */
export const readsOf = (key: Key): Access[][] => {
  const others = [attributes(keyUseKey('1')), attributes(key)];
  return [
    call('GetItem', { Key: attributes(key) }),
    call('BatchGetItem', { RequestItems: { [LOCAL.tableName]: { Keys: others } } }),
    call('Query', { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: key.pk } } }),
    call('ExecuteStatement', {
      Statement: `SELECT * FROM "${LOCAL.tableName}" WHERE "pk" IN [?, ?] AND begins_with("sk", ?)`,
      Parameters: [{ S: '@KEYUSE#1' }, { S: key.pk }, { S: 'x' }],
    }),
  ];
};
