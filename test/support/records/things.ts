import * as z from 'zod';
import { lazyEngines } from '#functions/services.ts';
import type { LogEntry } from '#shared/base/log-lines.ts';
import { fromMillis, plus } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { flowNotFound } from '#shared/evidence/rules/sentences.ts';
import { type Endpoint, endpoint } from '#shared/http/endpoint.ts';
import { groupHandler } from '#shared/http/lambda.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { Directory } from '#shared/organizations/records/directory.ts';
import { addressGuard } from '#shared/outgoing/address-guard.ts';
import { claimWrites } from '#shared/table/idempotency.ts';
import { storedKey } from '#shared/table/keys.ts';
import type { Table } from '#shared/table/table.ts';
import { testPartition } from '#test/support/ids.ts';
import { call } from '../gateway.ts';

const SECOND = 1_000_000;

/** Endpoints for tests of what all endpoints have in common. */
export const getThing = endpoint({
  operation: 'getThing',
  method: 'GET',
  path: '/things/{org}/{thing}',
  summary: 'Gets a thing',
  access: 'reader',
  feature: 'controls',
  params: z.object({ org: z.string(), thing: z.string().regex(/^[a-z]+$/) }),
  query: z.object({ n: z.coerce.number().optional() }),
  body: { kind: 'none' },
  success: { 200: z.object({ thing: z.string(), caller: z.string(), role: z.string() }) },
  errors: [flowNotFound],
  handler: async ({ params, caller, role }) => {
    if (params.thing === 'missing') throw flowNotFound();
    if (params.thing === 'broken') throw new Error('table name and key');
    return { status: 200, body: { thing: params.thing, caller: caller.name, role } };
  },
});

/** Puts one item per accepted request beside its claim, as writers do. */
export const putThing = endpoint({
  operation: 'putThing',
  method: 'POST',
  path: '/things/{org}/new',
  summary: 'Makes a thing',
  access: 'member',
  params: z.object({ org: z.string() }),
  query: z.object({}),
  body: { kind: 'json', schema: z.object({ name: z.string() }) },
  success: { 201: z.object({ name: z.string(), number: z.int() }) },
  errors: [],
  handler: async ({ body, org, idempotency, receivedAt }, { table }: Pick<Stores, 'table'>) => {
    const taken = await table.query({ pk: testPartition(`${org.id}#THING`) });
    const answer = { status: 201, body: { name: body.name, number: taken.length + 1 } };
    await table.transact([
      { put: storedKey(`${org.id}#THING`, `${body.name}-${receivedAt}`) },
      ...claimWrites(idempotency, answer, receivedAt),
    ]);
    return answer;
  },
});

export const whoAmI = endpoint({
  operation: 'whoAmI',
  method: 'GET',
  path: '/user',
  summary: 'Says who asks',
  access: 'authenticated',
  params: z.object({}),
  query: z.object({}),
  body: { kind: 'none' },
  success: { 200: z.string() },
  errors: [],
  handler: async ({ caller }) => ({ status: 200, body: caller.name }),
});

/** A group of these endpoints on a table, with a clock to move and the log to look at. */
export function thingsOn(table: Table, endpoints: Endpoint[] = [getThing, putThing, whoAmI]) {
  let now = fromMillis(Date.now());
  const entries: LogEntry[] = [];
  const services = {
    table,
    clock: {
      now() {
        now = plus(now, 1);
        return now;
      },
    },
    address: 'https://api.example',
    principals: (table: Table) => new Directory(table),
    guard: addressGuard(),
    engines: lazyEngines(),
    entryIndex: indexOf,
  };
  const handler = groupHandler({ name: 'things', endpoints }, () => services, { log: (entry) => entries.push(entry) });
  const wait = (seconds: number) => {
    now = plus(now, seconds * SECOND);
  };
  return {
    handler,
    services,
    entries,
    wait,
    get: (path: string, key?: string) => call(handler, { path, ...(key && { key }) }),
  };
}
