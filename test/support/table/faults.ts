import {
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { localDatabase } from '#infra/local/clients.ts';
import { Table } from '#shared/table/table.ts';
import { databaseAddress } from '../table.ts';
import { recordWrites } from './written-keys.ts';

/**
 * Faults of the real services that the local ones never show (rules/storage.md#dynamodb-local), injected into the
 * client of the SDK:
 * - `conflict`: the call is refused because a transaction of another writer changes one of its items
 * - `busy`: a transaction is cancelled because the partition of an item is busy
 * - `throttle`: the call is refused because the table is busy
 * - `timeout-before`: no answer arrives, and nothing was done
 * - `timeout-after`: no answer arrives, but everything was done
 */
export type Fault = 'conflict' | 'busy' | 'throttle' | 'timeout-before' | 'timeout-after';

export interface Call {
  /** `TransactWrite`, `Update`, `Query`, `PutObject` and so on. */
  command: string;
  /** The command's own parameters. */
  input: Record<string, unknown>;
  /** How many calls of this command came before, through this client. */
  before: number;
}

type Decide = (call: Call) => Fault | undefined;

/** The same table through a client of its own that fails where `decide` says so. */
export const faultyTable = (table: Table, decide: Decide): Table =>
  new Table(withFaults(recordWrites(localDatabase(databaseAddress())), decide), table.name);

const WRITES: readonly string[] = ['TransactWrite', 'Update', 'Put', 'BatchWrite'];

/**
 * The same table for a process that is killed at its `at`-th write: this write and the later ones get no answer. They were done
 * if the number is odd.
 */
export function killedAtWrite(table: Table, at: number): Table {
  let writes = 0;
  return faultyTable(table, ({ command }) => {
    if (!WRITES.includes(command)) return undefined;
    writes += 1;
    if (writes < at) return undefined;
    return at % 2 === 0 ? 'timeout-before' : 'timeout-after';
  });
}

/** What work of a process gave that can be killed by {@link killedAtWrite}; undefined if it was. Other errors are errors of the test. */
export async function unlessKilled<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Injected: timeout-')) return undefined;
    throw error;
  }
}

type Next = (args: { input: Record<string, unknown> }) => Promise<unknown>;

interface Client {
  middlewareStack: {
    add(
      middleware: (next: never, context: { commandName?: string }) => (args: never) => Promise<never>,
      options: { step: 'initialize'; name: string; priority: 'high' },
    ): void;
  };
}

/** What is done around each call: it may wait before or after, or throw instead. */
export type Around = (call: Call, send: () => Promise<unknown>) => Promise<unknown>;

/** The same table through a client of its own, with something done around its calls. */
export const tableAround = (table: Table, around: Around): Table =>
  new Table(withAround(recordWrites(localDatabase(databaseAddress())), around), table.name);

/** The hook lies outside the SDK's own retries. */
function withAround<C>(client: C, around: Around): C {
  const seen = new Map<string, number>();
  const middleware = (next: Next, context: { commandName?: string }) => (args: Parameters<Next>[0]) => {
    const command = (context.commandName ?? '').replace(/(Items?)?Command$/, '');
    const before = seen.get(command) ?? 0;
    seen.set(command, before + 1);
    return around({ command, input: args.input, before }, () => next(args));
  };
  (client as Client).middlewareStack.add(middleware as unknown as Parameters<Client['middlewareStack']['add']>[0], {
    step: 'initialize',
    name: 'around',
    priority: 'high',
  });
  return client;
}

/**
 * Makes a client fail where `decide` says so. The faults lie outside the SDK's own retries: they stand for what is left
 * after those.
 */
export const withFaults = <C>(client: C, decide: Decide): C =>
  withAround(client, async (call, send) => {
    const fault = decide(call);
    if (fault === undefined) return send();
    if (fault === 'timeout-after') await send();
    throw errorOf(fault, call.input);
  });

function errorOf(fault: Fault, input: Record<string, unknown>): Error {
  const message = `Injected: ${fault}`;
  switch (fault) {
    case 'conflict':
      if (!('TransactItems' in input)) return new TransactionConflictException({ message, $metadata: {} });
      return cancelled('TransactionConflict', input);
    case 'busy':
      return cancelled('ThrottlingError', input);
    case 'throttle':
      return new ThrottlingException({ message, $metadata: {} });
    case 'timeout-before':
    case 'timeout-after':
      return Object.assign(new Error(message), { name: 'TimeoutError' });
  }
}

/** A cancelled transaction gives a reason per item; here the last one is the cause. */
function cancelled(code: string, input: Record<string, unknown>): TransactionCanceledException {
  const items = (input['TransactItems'] ?? []) as unknown[];
  return new TransactionCanceledException({
    message: `Injected: ${code}`,
    $metadata: {},
    CancellationReasons: items.map((_, i) => ({ Code: i === items.length - 1 ? code : 'None' })),
  });
}
