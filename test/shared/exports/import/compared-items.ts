import type { OrganizationId } from '#shared/base/ids.ts';
import type { Item } from '#shared/table/table.ts';
import { familyOf } from '#shared/table/uses.ts';
import type { TestApi } from '#test/support/api.ts';
import { itemsOf } from '#test/support/relay.ts';

/** Which items of an organization are the same in the region of an export and in the region that imported it. */

/** Families of the organization that are not compared item by item, with the reason. */
const NOT_COMPARED: Readonly<Record<string, string>> = {
  ACTION: 'no export has their addresses',
  ACTIONS: 'counters, and copies of actions',
  ACTIONNAME: 'follows from actions',
  ACTIONSECRET: 'no export has secrets',
  DELIVERY: 'what was sent for actions',
  DELIVERIES: 'follows from deliveries',
  HEALTH: 'what targets answered',
  LOG: 'the region signs and publishes its own checkpoints',
  EXPORT: 'exports are made again',
  ERASURE: 'work of exports',
  UPLOAD: 'uploads that no attestation names',
  IDEMPOTENCY: 'for a day',
  RELAYED: 'positions of sweeps',
  SERIESLIST: 'work of the relay',
  MILESTONES: 'follows from series, when the relay settles them',
};

/** Attributes that a region gives anew. */
const OF_THE_REGION: Readonly<Record<string, readonly string[]>> = {
  STATEMENT: ['sent'],
  ACCOUNT: ['rev'],
  // No export has the times of unchanged reports, so the region learns anew how often an environment reports.
  // It counts the reports of a day anew too.
  CATALOGUE: ['r1', 'r2', 'r3', 'r4', 'd', 'h', 'e', 'g', 'b', 't', 'l'],
  // The expander of the region raises marks again, and says when it worked.
  ENV: ['mark'],
  EXPANDED: ['at'],
};

/** Texts that have a salt which nothing names, so that no export has it: templates and commits. */
const isNamedByDigest = ({ sk }: Item): boolean => sk === 'BODY' || sk.startsWith('C#');

/** The sort key of an entry of a list, without its random end. The entry of an evaluation has the time of its transaction. */
function placeOf({ pk, sk }: Item): string {
  if (pk.includes('#SERIES#evaluations#')) return '';
  return ['SERIES', 'DECISION'].includes(familyOf(pk)) ? sk.slice(0, 18) : sk;
}

/** An item as text, whatever the order of its members. */
function comparable(item: Item): string {
  const left = OF_THE_REGION[familyOf(item.pk)] ?? [];
  return JSON.stringify({ ...item, sk: placeOf(item) }, (name, value: unknown) => {
    // No export has the request that wrote an item.
    if (left.includes(name) || name === 'version' || name === 'request') return undefined;
    if (name === 'salt' && isNamedByDigest(item)) return undefined;
    if (name === 'rev' && item.sk === 'TAGS') return undefined;
    if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
    const isText = familyOf(item.pk) === 'AUDIT' && ['before', 'after'].includes(name) && typeof value === 'string';
    const shown: unknown = isText ? JSON.parse(value) : value;
    if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return shown;
    return Object.fromEntries(Object.entries(shown).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** Entries of the audit log that only one of both regions has, and what the log has of them. */
const ONLY_OF_ONE = ['organization.imported', 'export.started'];

/** Returns the items of an organization that both regions have, as texts. */
export async function comparableItems({ services }: TestApi, org: OrganizationId): Promise<string[]> {
  const items = await itemsOf(services.table.name, org);
  const left = new Set(items.filter(({ kind }) => ONLY_OF_ONE.includes(String(kind))).map(({ sk }) => sk));
  return items
    .filter(({ pk, sk }) => !(familyOf(pk) in NOT_COMPARED) && !left.has(sk))
    .map(comparable)
    .toSorted();
}
