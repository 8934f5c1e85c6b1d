import * as z from 'zod';
import { AttestationId, type Fingerprint, FlowId, type OrganizationId, StoredFingerprint } from '#shared/base/ids.ts';
import { AnyTrailName, type TrailName } from '#shared/base/names.ts';
import { batchesOf } from '#shared/base/parallel.ts';
import { StoredMicros } from '#shared/base/time.ts';
import { SlotProof } from '#shared/evidence/rules/slot-proof.ts';
import { GRADES } from '#shared/evidence/rules/verification.ts';
import type { PartitionKey } from '#shared/table/items.ts';
import type { Item, Key, Table } from '#shared/table/table.ts';
import { packageOf } from '../rules/package-url.ts';
import { vulnerabilityText } from '../rules/said.ts';
import { VEX_STATUSES } from '../rules/vex.ts';
import type { PlacedEntry } from '../rules/vex-entries.ts';
import { artifactVexPartition, trailVexPartition, vexKey, vexPlacesKey } from './keys.ts';
import { digestInKey } from './package-name.ts';
import { StoredScope } from './sboms.ts';

/** Statements of OpenVEX in the index: what attestations say of artifacts (rules/components.md#index). */

const StoredEntry = z.object({
  number: z.int(),
  vulnerabilities: z.array(z.string()),
  status: z.enum(VEX_STATUSES),
  justification: z.string().nullable(),
  statedAt: z.number().nullable(),
  part: z.string().nullable(),
});

/** The attestation that carries statements. */
const VexSource = z.object({
  /** Id of the attestation. */
  id: AttestationId,
  flow: FlowId,
  trail: AnyTrailName,
  at: StoredMicros,
  /** Who reported it. */
  by: z.string(),
  grade: z.enum(GRADES),
  /** What the attestation is about. It decides for statements that leave the product to it. */
  scopes: z.array(StoredScope),
  /** What recalls compare, as slots keep it; absent where the grade follows from the author. */
  proof: SlotProof.optional(),
});
export type VexSource = z.infer<typeof VexSource>;

/** Statements of an attestation about one artifact, or about those of its trail: about one package, or one vulnerability of the whole. */
const VexItem = VexSource.extend({ entries: z.array(StoredEntry) });
export type VexItem = z.infer<typeof VexItem>;

/** Entries of one item. An entry has less than 11 KB, and an item 400 KB at most. */
const ENTRIES_OF_ITEM = 25;
/** Places in one item. */
const PLACES_OF_ITEM = 500;

const aboutPackage = (text: string): string => `P#${digestInKey(text)}#`;
const aboutVulnerability = (name: string): string => `V#${digestInKey(vulnerabilityText(name))}#`;

/** Where statements of an attestation are stored: under an artifact or its trail, and under a package or a vulnerability. */
const VexPlace = z.object({
  /** Null for the artifacts of the trail. */
  fingerprint: StoredFingerprint.nullable(),
  about: z.string(),
  /** Number of items. */
  parts: z.int(),
});
type VexPlace = z.infer<typeof VexPlace>;
const VexPlaces = z.object({ places: z.array(VexPlace) });

type Source = Pick<VexSource, 'id' | 'flow' | 'trail'>;

function keyOf(
  org: OrganizationId,
  { id, flow, trail }: Source,
  { fingerprint, about }: Omit<VexPlace, 'parts'>,
  part: number,
) {
  const pk = fingerprint === null ? trailVexPartition(org, flow, trail) : artifactVexPartition(org, fingerprint);
  return vexKey(pk, about, id, part);
}

/** Returns entries by their places: the entries of each item of a place. */
function placed(entries: readonly PlacedEntry[]) {
  const found = entries.map(({ fingerprint, about, entry }) => ({
    fingerprint,
    about: 'package' in about ? aboutPackage(packageOf(about.package)) : aboutVulnerability(about.vulnerability),
    entry,
  }));
  return [...Map.groupBy(found, ({ fingerprint, about }) => `${fingerprint ?? ''} ${about}`).values()].flatMap((all) =>
    all.slice(0, 1).map(({ fingerprint, about }) => ({
      place: { fingerprint, about },
      items: batchesOf(
        all.map(({ entry }) => entry),
        ENTRIES_OF_ITEM,
      ),
    })),
  );
}

/**
 * Returns the items of the statements of an attestation, and those that say where they are stored, so that an erasure finds them. They are
 * the same whenever they are written.
 */
export function vexItems(
  org: OrganizationId,
  source: VexSource,
  entries: readonly PlacedEntry[],
): { statements: Item[]; places: Item[] } {
  const all = placed(entries);
  const statements = all.flatMap(({ place, items }) =>
    items.map((some, part) => ({ ...keyOf(org, source, place, part), v: 1, ...source, entries: some })),
  );
  const places = all.map(({ place, items }): VexPlace => ({ ...place, parts: items.length }));
  const pk = trailVexPartition(org, source.flow, source.trail);
  return {
    statements,
    places: batchesOf(places, PLACES_OF_ITEM).map((some, part) => ({
      ...vexPlacesKey(pk, source.id, part),
      v: 1,
      places: some,
    })),
  };
}

/** Reads where the statements of an attestation are stored. @returns the items that say it, with the keys that follow from each */
export async function readVexPlaces(
  table: Table,
  org: OrganizationId,
  source: Source,
): Promise<{ item: Key; keys: Key[] }[]> {
  const items = await table.query({ pk: trailVexPartition(org, source.flow, source.trail), prefix: `K#${source.id}#` });
  return items.map((item) => ({
    item,
    keys: VexPlaces.parse(item).places.flatMap((place) =>
      Array.from({ length: place.parts }, (_, part) => keyOf(org, source, place, part)),
    ),
  }));
}

/** What statements are asked about: a package, and with a vulnerability also the whole artifact. */
export interface AskedStatements {
  package: string;
  vulnerability: string | null;
}

interface FoundStatements {
  /** By fingerprint. */
  artifacts: ReadonlyMap<Fingerprint, VexItem[]>;
  /** By flow and trail; see {@link trailText}. */
  trails: ReadonlyMap<string, VexItem[]>;
}

export const trailText = ({ flow, trail }: { flow: FlowId; trail: TrailName }): string => `${flow}/${trail}`;

/**
 * Reads the statements about a package in artifacts and in the artifacts of trails. A call reads 50 artifacts or trails; with a
 * vulnerability, a second call reads what is said of it about the whole artifact.
 */
export async function readVexOf(
  table: Table,
  org: OrganizationId,
  {
    fingerprints,
    trails,
  }: { fingerprints: readonly Fingerprint[]; trails: readonly { flow: FlowId; trail: TrailName }[] },
  asked: AskedStatements,
): Promise<FoundStatements> {
  const prefixes = [
    aboutPackage(asked.package),
    ...(asked.vulnerability === null ? [] : [aboutVulnerability(asked.vulnerability)]),
  ];
  const partitions: PartitionKey[] = [
    ...fingerprints.map((fingerprint) => artifactVexPartition(org, fingerprint)),
    ...trails.map(({ flow, trail }) => trailVexPartition(org, flow, trail)),
  ];
  const found = await table.queryEach(prefixes.flatMap((prefix) => partitions.map((pk) => ({ pk, prefix }))));
  const itemsAt = (place: number) =>
    prefixes.flatMap((_, i) => (found[i * partitions.length + place] ?? []).map((item) => VexItem.parse(item)));
  return {
    artifacts: new Map(fingerprints.map((fingerprint, i) => [fingerprint, itemsAt(i)])),
    trails: new Map(trails.map((place, i) => [trailText(place), itemsAt(fingerprints.length + i)])),
  };
}
