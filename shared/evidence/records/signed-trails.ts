import * as z from 'zod';
import { FlowId, firstIdAt, type OrganizationId } from '#shared/base/ids.ts';
import { AnyTrailName } from '#shared/base/names.ts';
import { EPOCH, type Micros } from '#shared/base/time.ts';
import { monthOf } from '#shared/series/series-entries.ts';
import { keyText, type Table, type Write } from '#shared/table/table.ts';
import { type SlotProof, signedOf } from '../rules/slot-proof.ts';
import type { SlotChange } from '../rules/trail-state.ts';
import type { TrailPlace } from './artifact-trails.ts';
import { type SignedBy, signedKey, signedPartition } from './keys.ts';

/**
 * Which trails have evidence that somebody signed, for recalls (rules/verified-evidence.md#impact). One item per trail and month, so a
 * trail with much evidence of one signer is found once. Readers compare what the trail has with the recall.
 */

/** Runs and bundles have few trails, so they are found without the month. */
const WITHOUT_MONTH: ReadonlySet<SignedBy> = new Set(['run', 'bundle']);
const ANY_MONTH = '-';

const SignedItem = z.object({ f: FlowId, t: AnyTrailName });

/** A partition of trails that somebody signed. */
export interface SignedList {
  by: SignedBy;
  name: string;
  /** `-` if the list has all months. */
  month: string;
}

/** Where a list lies for evidence that was reported at an instant. */
export const signedList = (by: SignedBy, name: string, month: string): SignedList => ({
  by,
  name,
  month: WITHOUT_MONTH.has(by) ? ANY_MONTH : month,
});

/** Whether a list has only the evidence of its month. */
export const isOfMonth = ({ month }: SignedList, at: Micros): boolean =>
  month === ANY_MONTH || month === monthOf(firstIdAt(at));

/** Returns what evidence is found by; empty without a signature. */
function listsOf(proof: SlotProof | undefined, at: Micros): SignedList[] {
  const signed = proof ? signedOf(proof) : null;
  if (!signed) return [];
  const { signer, root, builder, run, key, bundle } = signed;
  const names: [SignedBy, string | null][] = [
    ['signer', signer],
    ['root', root.name],
    ['builder', builder],
    ['run', run],
    ['key', key],
    ['bundle', bundle],
  ];
  const month = monthOf(firstIdAt(at));
  return names.flatMap(([by, name]) => (name === null ? [] : [signedList(by, name, month)]));
}

/** Returns what bundles of one request are found by, each name once: so many items it writes besides its records. */
export const namedBy = (proofs: readonly (SlotProof | undefined)[]): string[] => [
  ...new Set(proofs.flatMap((proof) => listsOf(proof, EPOCH)).map(({ by, name }) => `${by} ${name}`)),
];

/** Returns the writes that let recalls find a trail by the changes of a moment. Each item is the same whenever it is written. */
export function signedWrites(
  org: OrganizationId,
  { flow, trail }: TrailPlace,
  moments: readonly { at: Micros; changes: readonly SlotChange[] }[],
): Write[] {
  const lists = moments.flatMap(({ at, changes }) =>
    changes.flatMap((change) => (change.kind === 'attestation' ? listsOf(change.proof, at) : [])),
  );
  const keys = lists.map((list) => signedKey(org, list, flow, trail));
  return [...new Map(keys.map((key) => [keyText(key), key])).values()].map((key) => ({
    put: { ...key, v: 1, f: flow, t: trail },
  }));
}

/** Reads trails of a list in the order of their keys. @param after key of the last trail of the page before */
export async function readSignedTrails(
  table: Table,
  org: OrganizationId,
  { by, name, month }: SignedList,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<(TrailPlace & { key: string })[]> {
  const pk = signedPartition(org, by, name, month);
  // The zero makes the smallest sort key behind `after`.
  const items = await table.query({ pk, limit, ...(after !== undefined && { from: `${after}\0` }) });
  return items.map((item) => {
    const { f: flow, t: trail } = SignedItem.parse(item);
    return { flow, trail, key: item.sk };
  });
}
