import * as z from 'zod';
import { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import { coverOf } from '#shared/base/proofs/covered-lines.ts';
import type { Cover } from '#shared/base/proofs/covers.ts';
import type { Micros } from '#shared/base/time.ts';
import { lineOf } from '#shared/bodies/covered-lines.ts';
import { type Item, readRecord, type Table, type Write } from '#shared/table/table.ts';
import { PRESETS } from '../rules/trust-presets.ts';
import { DirectoryName } from './directory-records.ts';
import { trustKey, trustList, trustOfIssuerKey, trustsOfIssuer } from './keys.ts';
import { type RecordChange, recordWrite } from './record-change.ts';

/**
 * Trusts of organizations (rules/identities.md#trusts). Each trust is two items with the same content: by its name, for
 * administrators and for authentication, and by its issuer, for the exchange of tokens.
 */

/** Maximum of trusts of an organization, and of trusts with the same issuer. An exchange tries all of the latter. */
export const MOST_TRUSTS = 100;
export const MOST_OF_ISSUER = 20;

export const TrustName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9\-_.]*$/);

export const TrustRecord = z.object({
  v: z.literal(1),
  id: z.string(),
  /**
   * Changes with everything that says whose tokens are accepted, and as whom. Keys carry this id. With another id in the
   * trust they are refused (rules/identities.md#end-of-keys).
   */
  terms: z.string(),
  name: z.string(),
  account: z.object({ id: PrincipalId, name: z.string() }),
  preset: z.enum(PRESETS),
  issuer: z.string(),
  audience: z.string(),
  claims: z.array(z.object({ name: z.string(), values: z.array(z.string()) })),
  minutes: z.int(),
  description: z.string().nullable(),
  createdAt: z.int().brand<'Micros'>(),
  changedAt: z.int().brand<'Micros'>(),
  /** First exchange under the present terms, in microseconds; 0 = none yet. */
  firstUsedAt: z.int().brand<'Micros'>(),
  /** Counts changes. Every write is conditional on the value that the writer read. */
  rev: z.int(),
});
export type TrustRecord = z.infer<typeof TrustRecord>;

/** How exports show trusts. */
export const SHOWN_TRUST = { item: 'trust', schema: TrustRecord };

/** A trust as an exchange finds it. */
const TrustOfIssuer = TrustRecord.extend({ org: z.object({ id: OrganizationId, name: z.string() }) });
export type TrustOfIssuer = z.infer<typeof TrustOfIssuer>;

type Org = TrustOfIssuer['org'];

export const readTrust = async (table: Table, org: OrganizationId, name: string): Promise<TrustRecord | undefined> =>
  TrustName.safeParse(name).success ? readRecord(table, trustKey(org, name), TrustRecord) : undefined;

/**
 * Reads the items of trusts, sorted by name. The caller parses each item, so one unreadable item does not fail the list.
 *
 * @param after name of the last trust of the page before
 */
export async function readTrustItems(
  table: Table,
  org: OrganizationId,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<Item[]> {
  // A sort key after every name that begins with another character than the space, which no name has.
  const from = after === undefined ? undefined : `${after} `;
  return table.query({ pk: trustList(org), limit, ...(from !== undefined && { from }) });
}

/** Reads the trusts of an issuer with one Query. An organization that does not exist has none. */
export async function readTrustsOfIssuer(table: Table, orgName: string, issuer: string): Promise<TrustOfIssuer[]> {
  if (!DirectoryName.safeParse(orgName).success) return [];
  const items = await table.query({ pk: trustsOfIssuer(orgName, issuer), limit: MOST_OF_ISSUER });
  return items.map((item) => TrustOfIssuer.parse(item));
}

/**
 * Returns the writes that create, change or remove a trust, and what they leave behind (rules/organizations.md#covers). They
 * are refused with `again` if the trust has changed since it was read, or if a new one has the name of another.
 */
export function trustWrites(
  org: Org,
  change: RecordChange<TrustRecord>,
): { writes: Write<'again'>[]; covers: [Cover] } {
  const { before, after } = change;
  const line = (one: TrustRecord | undefined) => one && lineOf(SHOWN_TRUST, one);
  const byIssuer = ({ issuer, name }: TrustRecord) => trustOfIssuerKey(org.name, issuer, name);
  return {
    writes: [
      recordWrite(trustKey(org.id, (change.after ?? change.before).name), change),
      ...(after ? [{ put: { ...byIssuer(after), ...after, org: { id: org.id, name: org.name } } }] : []),
      ...(before && before.issuer !== after?.issuer ? [{ remove: byIssuer(before) }] : []),
    ],
    covers: [coverOf('trusts/trust', line(before), line(after))],
  };
}

/** Like {@link trustWrites}, for the first exchange of a trust. `again`: another exchange was first, or the trust changed. */
export const firstUse = ({ org, ...before }: TrustOfIssuer, now: Micros) =>
  trustWrites(org, { before, after: { ...before, firstUsedAt: now, rev: before.rev + 1 } });
