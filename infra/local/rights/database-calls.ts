import { LOCAL } from '../settings.ts';
import { KEY_ARN, tableArn } from './arns.ts';
import { CALLER, UnknownCall, viaService } from './calls.ts';
import type { Access } from './evaluate.ts';
import { type Attributes, namedAttributes, type Operation } from './named-attributes.ts';

type Batch = { PutRequest?: { Item: Attributes }; DeleteRequest?: { Key: Attributes } }[];

/**
 * Returns the rights that a call of the database needs. The parts of a transaction need the right of their own operation; a
 * batch needs one right for all its items. Each call also uses the table's key through the database.
 *
 * @param target value of the header `X-Amz-Target`: `DynamoDB_20120810.PutItem`
 * @throws UnknownCall for an operation that no function makes
 */
export function databaseAccesses(target: string, body: string): Access[] {
  // The SDK sent the body.
  const input = JSON.parse(body) as Operation;
  const key: Access = {
    action: 'kms:Decrypt',
    resource: KEY_ARN,
    context: { ...CALLER, ...viaService('dynamodb') },
  };
  return [...operationAccesses(target.replace(/^DynamoDB_\d+\./, ''), input), key];
}

function operationAccesses(operation: string, input: Operation): Access[] {
  switch (operation) {
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [access(operation, input, () => [partitionOf(input.Key ?? input.Item)])];
    case 'Query':
      return [access(operation, input, () => [queriedPartition(input)])];
    case 'BatchGetItem':
      // The API of DynamoDB says the type of the field.
      return Object.entries(input['RequestItems'] as Record<string, Operation>).map(([table, { Keys = [], ...rest }]) =>
        access(operation, { ...rest, Keys, TableName: table }, () => Keys.map(partitionOf)),
      );
    case 'BatchWriteItem':
      // The API of DynamoDB says the type of the field.
      return Object.entries(input['RequestItems'] as Record<string, Batch>).map(([table, requests]) => {
        const items = requests.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {});
        return access(operation, { TableName: table, Keys: items }, () => items.map(partitionOf));
      });
    case 'TransactWriteItems':
      // The API of DynamoDB says the type of the field.
      return (input['TransactItems'] as Record<string, Operation>[]).flatMap((item) =>
        Object.entries(item).map(([kind, part]) => {
          const name = TRANSACTION_PARTS[kind];
          if (!name) throw new UnknownCall(`part ${kind} of a transaction`);
          return access(name, part, () => [partitionOf(part.Key ?? part.Item)]);
        }),
      );
    case 'ExecuteStatement':
      // The API of DynamoDB says the type of the field.
      return [selectAccess(String(input['Statement']), (input['Parameters'] ?? []) as { S?: string }[])];
    default:
      throw new UnknownCall(`operation ${operation} of the database`);
  }
}

/**
 * Returns the right that a statement needs. A condition on the partition key keeps the database from scanning the table.
 *
 * @param parameters values of the statement; those of the partition keys come first
 * @throws UnknownCall for a statement that does not read
 */
function selectAccess(statement: string, parameters: readonly { S?: string }[]): Access {
  const [, table, condition = ''] = /^SELECT \* FROM "([^"]+)"(?: WHERE (.+))?$/.exec(statement) ?? [];
  if (table === undefined) throw new UnknownCall(`statement ${statement}`);
  const scans = !/^"pk" IN \[[?, ]+\](?: AND (?:begins_with\("sk", \?\)|"sk" (?:[<>]= \?|BETWEEN \? AND \?)))?$/.test(
    condition,
  );
  const [partitions = ''] = /^"pk" IN \[[?, ]+\]/.exec(condition) ?? [];
  return {
    action: 'dynamodb:PartiQLSelect',
    resource: tableArn(table),
    context: {
      ...CALLER,
      'dynamodb:FullTableScan': () => [String(scans)],
      'dynamodb:LeadingKeys': () => parameters.slice(0, partitions.split('?').length - 1).map(({ S = '' }) => S),
    },
  };
}

const TRANSACTION_PARTS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

function access(operation: string, input: Operation, leadingKeys: () => string[]): Access {
  const { TableName = '', IndexName } = input;
  const table = tableArn(TableName);
  return {
    action: `dynamodb:${operation}`,
    resource: IndexName === undefined ? table : `${table}/index/${IndexName}`,
    context: {
      ...CALLER,
      'dynamodb:LeadingKeys': leadingKeys,
      'dynamodb:Attributes': () => namedAttributes(input),
    },
  };
}

const partitionOf = (item: Attributes | undefined): string => item?.['pk']?.S ?? '';

/** @throws UnknownCall if the condition does not compare the partition key with one value */
function queriedPartition(input: Operation): string {
  // The API of DynamoDB says the type of the field.
  const names = (input['ExpressionAttributeNames'] ?? {}) as Record<string, string>;
  // The API of DynamoDB says the type of the field.
  const values = (input['ExpressionAttributeValues'] ?? {}) as Attributes;
  for (const [, name = '', value = ''] of String(input['KeyConditionExpression']).matchAll(/([\w#]+)\s*=\s*(:\w+)/g)) {
    if ((names[name] ?? name) === 'pk') return values[value]?.S ?? '';
  }
  throw new UnknownCall(`query of ${LOCAL.tableName} without a partition key`);
}
