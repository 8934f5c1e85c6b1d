import { commitment } from '#shared/base/digests.ts';
import type { EnvironmentId, OrganizationId } from '#shared/base/ids.ts';
import { randomBytes } from '#shared/base/random.ts';
import type { Micros } from '#shared/base/time.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import { type ChainHeader, canonicalJson, FIRST_PREVIOUS, linkHash } from '#shared/evidence/rules/hash-chain.ts';
import type { SnapshotItem } from './records/environment-records.ts';
import type { Snapshot } from './records/snapshots.ts';

/** Test vectors: test/shared/environments/chain.vectors.json. */
const DOMAIN = 'delivery-evidence/environment';
const KIND = 'snapshot';

interface Place {
  org: OrganizationId;
  environment: EnvironmentId;
  number: number;
  at: Micros;
}

/** What a snapshot says beside its content, as far as a header may not say it openly. */
export type Summary = Pick<SnapshotItem, 'state' | 'known' | 'compliant' | 'events' | 'eventsBefore'>;

/** The text that a snapshot's `summary` commitment covers: RFC 8785 JSON. */
export const summaryText = ({ state, known, compliant, events, eventsBefore }: Summary): string =>
  canonicalJson({ state, known, compliant, events, eventsBefore });

/**
 * The attributes of a snapshot's item, its hash computed over the header (design §2.4).
 * @param pledge the commitment to the content
 */
export function sealLink(
  place: Place,
  summary: Summary,
  pledge: Uint8Array,
  previous: Uint8Array,
  random: (size: number) => Uint8Array = randomBytes,
): Omit<SnapshotItem, 'sk'> {
  const salt = random(32);
  const pledges = { content: pledge, summary: commitment(salt, summaryText(summary)) };
  const hash = linkHash(DOMAIN, previous, headerOf(place, pledges));
  return { at: place.at, ...summary, salt, pledges, previous, hash };
}

function headerOf(place: Place, pledges: Record<string, Uint8Array>): ChainHeader {
  const { org, environment, number, at } = place;
  const commitments = Object.fromEntries(
    Object.entries(pledges).map(([name, pledge]) => [name, Buffer.from(pledge).toString('hex')]),
  );
  return { org, subject: { environment }, number, kind: KIND, at, commitments };
}

const same = (one: Uint8Array, other: Uint8Array | undefined): boolean =>
  other !== undefined && Buffer.compare(one, other) === 0;

/**
 * Verifies the chain of an environment's snapshots from the first on.
 * @returns the number of the first snapshot that does not fit, or null when all do
 */
export function firstBrokenSnapshot(
  org: OrganizationId,
  environment: EnvironmentId,
  snapshots: readonly Snapshot[],
): number | null {
  let previous: Uint8Array = FIRST_PREVIOUS;
  for (const [i, snapshot] of snapshots.entries()) {
    const { index: number, at, pledges, salt, hash } = snapshot;
    const sound =
      number === i + 1 &&
      same(previous, snapshot.previous) &&
      same(commitment(salt, summaryText(snapshot)), pledges['summary']) &&
      same(linkHash(DOMAIN, previous, headerOf({ org, environment, number, at }, pledges)), hash);
    if (!sound) return number;
    previous = hash;
  }
  return null;
}

/** Whether a content is the one that a snapshot pledged. */
export const isContentOf = ({ pledges }: Snapshot, { salt }: StoredBody, text: string): boolean =>
  same(commitment(salt, text), pledges['content']);
