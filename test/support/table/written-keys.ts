import { storedKey } from '#shared/table/keys.ts';
import type { Key } from '#shared/table/table.ts';

/**
 * Records every key that a test writes, so that the items of one organization are found by their keys. A scan reads the
 * items of all organizations of a test file each time, which took a third of the database's work.
 */

export type Input = Record<string, unknown>;

export interface Write {
  how: 'writes' | 'removes' | 'checks';
  table: string;
  key: Key;
}

interface Client {
  middlewareStack: {
    add(
      middleware: (next: Next, context: { commandName?: string }) => Next,
      options: { step: 'initialize'; name: string; priority: 'high' },
    ): void;
  };
}
type Next = (args: { input: Input }) => Promise<unknown>;

interface RecordedKey {
  key: Key;
  /** The number of the latest write of this key. */
  number: number;
}

/** By table, then by the first part of the partition key, which is the organization's id; then by the whole key. */
const recorded = new Map<string, Map<string, Map<string, RecordedKey>>>();

/** The number of recorded writes so far. */
let count = 0;
export const recordedCount = (): number => count;

/**
 * Makes a client call `look` with each command before the command is sent. If `look` throws, the command is not sent.
 *
 * @param name name of the step in the client's stack
 */
export function beforeCommands<C>(client: C, name: string, look: (command: string, input: Input) => void): C {
  (client as Client).middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        look(commandName, args.input);
        return next(args);
      },
    { step: 'initialize', name, priority: 'high' },
  );
  return client;
}

/**
 * Makes a client of the table record the keys that it writes. It records a write before it is sent, because the answer can get lost.
 * It records the write again after the answer, because a reader may have read the item meanwhile.
 */
export function recordWrites<C>(client: C): C {
  (client as Client).middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const writes = writesOf(commandName, args.input).filter(({ how }) => how !== 'checks');
        recordAll(writes);
        try {
          return await next(args);
        } finally {
          recordAll(writes);
        }
      },
    { step: 'initialize', name: 'written-keys', priority: 'high' },
  );
  return client;
}

/** Records keys of items that are put without a client of the table. */
export const recordPuts = (table: string, keys: readonly Key[]): void =>
  recordAll(keys.map(({ pk, sk }) => ({ how: 'writes', table, key: storedKey(pk, sk) })));

function recordAll(writes: readonly Write[]): void {
  count += 1;
  for (const { table, key } of writes) {
    const organizations = recorded.get(table) ?? new Map<string, Map<string, RecordedKey>>();
    recorded.set(table, organizations);
    const org = organizationOf(key);
    const keys = organizations.get(org) ?? new Map<string, RecordedKey>();
    organizations.set(org, keys);
    keys.set(`${key.pk}\n${key.sk}`, { key, number: count });
  }
}

const organizationOf = ({ pk }: Key): string => pk.split('#', 1)[0] ?? '';

/**
 * Every key of an organization that was written so far, whether or not its item is there.
 *
 * @param after returns only keys that were written after this many recorded writes
 */
export const writtenKeysOf = (table: string, org: string, after = 0): Key[] =>
  [...(recorded.get(table)?.get(org)?.values() ?? [])].filter(({ number }) => number > after).map(({ key }) => key);

/** Whether this key was recorded. */
export const isRecorded = (table: string, key: Key): boolean =>
  recorded.get(table)?.get(organizationOf(key))?.has(`${key.pk}\n${key.sk}`) ?? false;

export const forgetKeys = (table: string): boolean => recorded.delete(table);

/** The items that a command changes, and those that a transaction only checks. */
export function writesOf(command: string, input: Input): Write[] {
  const kind = command.replace(/Command$/, '').replace(/Items?$/, '');
  const one = (how: Write['how'], table: unknown, item: unknown): Write[] => [
    { how, table: String(table), key: keyOf(item) },
  ];
  switch (kind) {
    case 'Get':
    case 'BatchGet':
    case 'Query':
    case 'ExecuteStatement':
      return [];
    case 'Put':
      return one('writes', input['TableName'], input['Item']);
    case 'Update':
      return one('writes', input['TableName'], input['Key']);
    case 'Delete':
      return one('removes', input['TableName'], input['Key']);
    case 'TransactWrite':
      return (input['TransactItems'] as Record<string, Input>[]).flatMap(({ Put, Update, Delete, ConditionCheck }) => [
        ...(Put ? one('writes', Put['TableName'], Put['Item']) : []),
        ...(Update ? one('writes', Update['TableName'], Update['Key']) : []),
        ...(Delete ? one('removes', Delete['TableName'], Delete['Key']) : []),
        ...(ConditionCheck ? one('checks', ConditionCheck['TableName'], ConditionCheck['Key']) : []),
      ]);
    case 'BatchWrite':
      return Object.entries(input['RequestItems'] as Record<string, Record<string, Input>[]>).flatMap(
        ([table, requests]) =>
          requests.flatMap(({ PutRequest, DeleteRequest }) => [
            ...(PutRequest ? one('writes', table, PutRequest['Item']) : []),
            ...(DeleteRequest ? one('removes', table, DeleteRequest['Key']) : []),
          ]),
      );
    default:
      throw new Error(`Nobody has said what ${command} changes`);
  }
}

/** The partition keys that a command reads. */
export function readPartitions(command: string, input: Input): string[] {
  switch (command) {
    case 'GetCommand':
    case 'GetItemCommand':
      return [keyOf(input['Key']).pk];
    case 'BatchGetCommand':
    case 'BatchGetItemCommand':
      return Object.values(input['RequestItems'] as Record<string, { Keys: unknown[] }>).flatMap(({ Keys }) =>
        Keys.map((key) => keyOf(key).pk),
      );
    case 'QueryCommand':
      return [textOf((input['ExpressionAttributeValues'] as Record<string, Stored>)[':pk'] ?? '')];
    case 'ExecuteStatementCommand': {
      const [partitions = ''] = /IN \[[?, ]+\]/.exec(String(input['Statement'])) ?? [];
      return (input['Parameters'] as Stored[]).slice(0, partitions.split('?').length - 1).map(textOf);
    }
    default:
      return [];
  }
}

/** A value as the client takes it: plain, or in the form of the database. */
type Stored = string | { S: string };
const textOf = (value: Stored): string => (typeof value === 'string' ? value : value.S);

/** Keys come as plain values or in the form of the database, by the client that is used. */
function keyOf(item: unknown): Key {
  const { pk, sk } = item as Record<'pk' | 'sk', Stored>;
  return storedKey(textOf(pk), textOf(sk));
}
