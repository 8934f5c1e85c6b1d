import type { FlowId, OrganizationId, TrailId } from '#shared/base/ids.ts';
import { entryHash, FIRST_PREVIOUS, linkEntry } from '#shared/base/proofs/hash-chain.ts';
import { localKey, privateKeyOf } from '#shared/tlog/ed25519.ts';
import { testId } from '../ids.ts';

/** The key of the logs of tests. */
export const LOG_KEY = localKey(privateKeyOf(new Uint8Array(32)));
export const logOrigin = (org: OrganizationId): string => `${org}.test.log.localhost`;

/** Returns the links of a trail, from the first. No moments are stored for them. */
export function trailEntries(org: OrganizationId, trail: string, count: number): Buffer[] {
  const subject = { flow: testId<FlowId>('flow'), trail: testId<TrailId>(trail) };
  const entries: Buffer[] = [];
  for (let number = 1; number <= count; number += 1) {
    const last = entries.at(-1);
    const moment = entryHash(Buffer.from(`${trail} ${number}`)).toString('hex');
    const header = {
      org,
      subject,
      number,
      kind: 'trail_updated',
      at: 1_700_000_000_000_000 + number,
      commitments: { moment },
    };
    entries.push(linkEntry('delivery-evidence/trail', last ? entryHash(last) : FIRST_PREVIOUS, header));
  }
  return entries;
}
