import type { Fingerprint, FlowId, OrganizationId } from '#shared/base/ids.ts';
import type { TrailName } from '#shared/base/names.ts';
import { EPOCH, latestOf } from '#shared/base/time.ts';
import { readAttestationComponents } from '#shared/evidence/records/attestation-components.ts';
import type { AttestationSlot, TrailState } from '#shared/evidence/rules/trail-state.ts';
import { readRecalls } from '#shared/signers/read-recalls.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import type { CountReads } from '#shared/table/read-each.ts';
import type { Table } from '#shared/table/table.ts';
import { readPostingsOf } from './records/postings.ts';
import { readSbomsOf, type Sbom } from './records/sboms.ts';
import { type KnownComponents, knownComponents, type SbomsInTrail } from './rules/known-components.ts';
import type { PackageName } from './rules/package-name.ts';
import { type ReportedArtifact, reportedId, trailSboms } from './rules/trail-sboms.ts';

interface TrailPlace {
  flow: FlowId;
  trail: TrailName;
}

/** An artifact in the latest trail of a flow. */
interface VouchingTrail extends Pick<ReportedArtifact, 'reports'> {
  presence: TrailPlace;
  /** The state of the trail by what counts. */
  state: TrailState;
}

export interface AskedArtifacts {
  /** By fingerprint, the trails that are read. */
  presences: ReadonlyMap<Fingerprint, readonly TrailPlace[]>;
  /** The same trails with their states, as soon as they were read. */
  trails: Promise<ReadonlyMap<Fingerprint, readonly VouchingTrail[]>>;
  /** The packages whose versions are asked for. */
  packages: readonly PackageName[];
}

const placeText = ({ flow, trail }: TrailPlace): string => `${flow}#${trail}`;

/**
 * Reads what the present evidence says of the components of artifacts (rules/policies.md#sboms). Beside the states of the trails it
 * takes a call for the SBOMs of 50 trails, one for recalls if any SBOM is signed, and then the calls of {@link readPostingsOf} and one for
 * 100 attestations that may wait for the worker.
 *
 * @param count called before the reads of each step begin
 */
export async function readKnownComponents(
  table: Table,
  org: OrganizationId,
  { presences, trails, packages }: AskedArtifacts,
  count: CountReads = () => undefined,
): Promise<Map<Fingerprint, KnownComponents>> {
  const places = [...new Map([...presences.values()].flat().map((place) => [placeText(place), place])).values()];
  count(places.length);
  const sbomsReading = readSbomsOf(table, org, places);
  const [found, recalls, verdicts] = await Promise.all([
    sbomsReading,
    sbomsReading.then((all) => (all.flat().some(isSigned) ? readRecalls(table, org) : [])),
    trails,
  ]);
  const inTrail = new Map<string, (artifact: ReportedArtifact) => SbomsInTrail<Sbom>>();
  const sboms = new Map(places.map((place, i) => [placeText(place), found[i] ?? []]));
  const about = new Map<Fingerprint, SbomsInTrail<Sbom>[]>();
  for (const [fingerprint, own] of verdicts) {
    const all = own.map(({ presence, state, reports }) => {
      const key = placeText(presence);
      const read = inTrail.get(key) ?? finder(sboms.get(key) ?? [], state, recalls);
      inTrail.set(key, read);
      return read({ fingerprint, reports });
    });
    about.set(fingerprint, all);
  }
  const all = [...about.values()].flat();
  const sets = [...new Set(all.flatMap(({ counted }) => counted.flatMap(({ set }) => set ?? [])))].toSorted();
  const [versionsIn, isPending] = await Promise.all([
    readPostingsOf(table, org, { sets, packages }, count),
    readPending(
      table,
      org,
      all.flatMap(({ pending }) => pending),
    ),
  ]);
  return new Map(
    [...about].map(([fingerprint, own]) => {
      const still = own.map((one) => ({ ...one, pending: one.pending.filter(isPending) }));
      return [fingerprint, knownComponents(still, recalls, versionsIn)];
    }),
  );
}

const isSigned = ({ proof }: Sbom): boolean => proof?.signature !== undefined;

function finder(sboms: readonly Sbom[], { attestations }: TrailState, recalls: readonly Recall[]) {
  const latest = [...attestations.values()];
  const slots = new Map(latest.map((slot) => [slot.id, slot]));
  // All of it was reported before, also if the clock of the function that took a report is ahead of this one.
  const newest = [...sboms, ...latest].reduce((before, { at }) => latestOf(before, at), EPOCH);
  const find = trailSboms({ sboms, slots: latest }, newest, recalls);
  return (artifact: ReportedArtifact): SbomsInTrail<Sbom> => ({ ...find(artifact), slots });
}

/**
 * Reads which attestations of the type `sbom` without an SBOM the worker has not read yet. The others were read and have none.
 * Costs one call for 100 of them.
 */
export async function readPending(
  table: Table,
  org: OrganizationId,
  slots: readonly AttestationSlot[],
): Promise<(slot: AttestationSlot) => boolean> {
  const ids = new Set(slots.map(reportedId));
  const read = await readAttestationComponents(table, org, [...ids]);
  return (slot) => read.get(reportedId(slot))?.state !== 'none';
}
