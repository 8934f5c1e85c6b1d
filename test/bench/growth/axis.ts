import { createHash } from 'node:crypto';
import type { OrganizationId } from '#shared/base/ids.ts';
import { applySeed } from '#shared/organizations/seed.ts';
import { sequence, storedKey } from '#shared/table/keys.ts';
import type { Item } from '#shared/table/table.ts';
import { Copier, type Copy, fillCopies, instantOf, type Original } from '#test/support/copies/copies.ts';
import { testId } from '#test/support/ids.ts';
import type { BenchStack } from '../bench-stack.ts';
import { type BenchRequest, type Client, clientOf, formOf } from '../client.ts';

/** One thing of which an organization gets more and more. */
export interface Axis {
  /** What grows, in the plural. */
  name: string;
  /** Other sizes than those of the run, where a rule bounds the axis. */
  sizes?: { small: number; large: number };
  /** The rule that bounds the axis, and what happens at the bound. */
  bound?: string;
  /** Makes what the axis needs and returns how to fill it, and the requests that could grow. */
  prepare(place: Place): Promise<Growing>;
}

export interface Growing {
  /** Stores the things from number `from` up to `to`, without `to`. */
  fill(from: number, to: number): Promise<void>;
  requests: readonly GrowingRequest[];
}

export interface GrowingRequest {
  name: string;
  /** @param n a number that no earlier request had */
  build(n: number): BenchRequest;
  expected: number;
  /**
   * Why the request uses more where there is more. Such a request is counted at two small sizes, and the page says what
   * further things add.
   */
  grows?: string;
}

/** The bound of kinds of which lists search and sort all entries (rules/lists.md#limit-of-catalogues). */
export const CATALOGUE_BOUND =
  'lists are made for up to 30,000 of them, at most 6 MB, and then make at most eight calls; nothing refuses more, and lists get slower';
export const WHOLE_CATALOGUE = 'the service reads all names, to search and sort them';

/** An organization of its own, in which one axis grows. */
export interface Place {
  stack: BenchStack;
  name: string;
  org: OrganizationId;
  client: Client;
}

export async function placeOf(stack: BenchStack, name: string): Promise<Place> {
  const key = `key-of-${name}`;
  const members = [{ user: `ann-of-${name}`, role: 'admin', api_key: key }];
  // Lists that are read month by month begin with the month in which the organization was made.
  const clock = { now: () => instantOf(stack.services.clock.now(), -1, 1) };
  const services = { ...stack.services, clock };
  await applySeed(services, { organizations: [{ name, features: ['controls', 'evaluations'], members }] });
  const organization = await stack.services.table.get(storedKey(`@ORG#${name}`, 'ORG'));
  return { stack, name, org: testId<OrganizationId>(String(organization?.['id'])), client: clientOf(stack, key) };
}

/** Requests that show everything are counted up to this size, so that all records up to it are complete. */
const COMPLETE = 1_024;
/** The newest copies are complete, because lists show them first. */
const NEWEST = 256;

/**
 * Returns a fill that copies an original under other texts and times. Of the copies in the middle only the items are stored
 * that share a partition with others: a record with a partition of its own does not change what reads of other records cost.
 */
export function copies(
  { stack, org }: Place,
  original: Original,
  copy: (n: number) => Omit<Copy, 'at'>,
): Growing['fill'] {
  const copier = new Copier(original, Object.keys(copy(0).texts ?? {}));
  return (from, to) => {
    const now = stack.services.clock.now();
    return fillCopies(stack, org, [from, to], (n) =>
      copier.copy({ at: instantOf(now, n, to), ...copy(n) }, n >= COMPLETE && n < to - NEWEST),
    );
  };
}

export const read = (name: string, path: string, query?: string): GrowingRequest => ({
  name,
  expected: 200,
  build: () => ({ method: 'GET', path, ...(query !== undefined && { query }) }),
});

/** A read that uses more where there is more. */
export const growing = (why: string, request: GrowingRequest): GrowingRequest => ({ ...request, grows: why });

export const write = (name: string, expected: number, build: (n: number) => BenchRequest): GrowingRequest => ({
  name,
  expected,
  build,
});

export const put = (path: string, json: unknown): BenchRequest => ({ method: 'PUT', path, json });
export const post = (path: string, json: unknown): BenchRequest => ({ method: 'POST', path, json });

export const putPolicy = (org: string, policy: string, text: string): BenchRequest => ({
  method: 'PUT',
  path: `/policies/${org}`,
  form: formOf({ payload: JSON.stringify({ name: policy }) }, { policy_file: text }),
});

/** The name of the n-th copy. */
export const copyName = (n: number): string => `copy-${String(n).padStart(7, '0')}`;
/** The name of the record that is copied. No other stored text contains it. */
export const ORIGINAL = 'the-original-record';
/** The n-th copy of the record, which differs by its name alone. */
export const named = (n: number) => ({ texts: { [ORIGINAL]: copyName(n) } });

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The item that a fill changes, such as the head that holds the newest number. @throws Error if there is none */
export function theItem({ items }: Original, isIt: (item: Item) => boolean): Item {
  const item = items.find(isIt);
  if (!item) throw new Error('The requests did not write the expected item');
  return item;
}

/** Returns the head of a trail with the number and the hash of a stored moment. @throws Error if the moment is not stored */
export async function headAt({ stack }: Place, head: Item, number: number): Promise<Item> {
  const moment = await stack.services.table.get(storedKey(head.pk.replace('#TRAIL#', '#MOMENT#'), sequence(number)));
  if (!moment) throw new Error(`The moment ${number} of ${head.pk} was not stored`);
  return { ...head, number, hash: moment['hash'] };
}

export const only = (original: Original, isKept: (item: Item) => boolean): Original => ({
  ...original,
  items: original.items.filter(isKept),
});
