import { commitment } from '#shared/base/digests.ts';
import { storedId } from '#shared/base/ids.ts';
import { entryHash } from '#shared/base/proofs/hash-chain.ts';
import { inlineText } from '#shared/bodies/bodies.ts';
import { snapshotEntry } from '#shared/environments/records/chain.ts';
import { SnapshotContentItem } from '#shared/environments/records/environment-records.ts';
import { readSubjectPartition } from '#shared/environments/records/keys.ts';
import { storedSnapshot } from '#shared/environments/records/snapshots.ts';
import { summaryText } from '#shared/environments/rules/summary.ts';
import { ArtifactRecord } from '#shared/evidence/records/artifact-records.ts';
import { AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { readMomentPartition, trailPartition } from '#shared/evidence/records/keys.ts';
import { momentEntry, storedMoment } from '#shared/evidence/records/moments.ts';
import { provedText, type Seals } from '#shared/evidence/records/sealed-records.ts';
import { FieldsItem, isFields } from '#shared/evidence/records/trail-items.ts';
import { findingsText } from '#shared/evidence/rules/record-text.ts';
import type { AuditRecord } from '#shared/organizations/records/audit.ts';
import { entryText, valuesText } from '#shared/organizations/rules/audit-text.ts';
import { type Item, type Key, keyText } from '#shared/table/table.ts';
import { testName } from '#test/support/ids.ts';

const RECORDS = { ATTESTATION: AttestationRecord, ARTIFACT: ArtifactRecord };
const familyOf = ({ pk }: Key): string => pk.split('#')[1] ?? '';
const isRecord = (family: string): family is keyof typeof RECORDS => family in RECORDS;
const isAudit = (item: Key): boolean => familyOf(item) === 'AUDIT';
const isSnapshot = ({ pk, sk }: Key): boolean => familyOf({ pk, sk }) === 'SNAPSHOT' && sk.startsWith('S#');
const isContent = ({ pk, sk }: Key): boolean => familyOf({ pk, sk }) === 'SNAPSHOT' && sk.startsWith('C#');
const isHead = (item: Key): boolean => familyOf(item) === 'TRAIL' && item.sk === 'H';

/** Commitments to other items: by the id of a record, by trail and number, or by the key of the content of a snapshot. */
type Pledges = Map<string, Record<string, Uint8Array>>;

/** A buffer would become an object in JSON. */
const bytes = (buffer: Buffer): Uint8Array => new Uint8Array(buffer);

/** Whether an item has commitments or a hash that cover its other attributes. */
export const isSealed = (item: Key): boolean =>
  isRecord(familyOf(item)) ||
  readMomentPartition(item.pk) !== null ||
  isHead(item) ||
  isAudit(item) ||
  isSnapshot(item) ||
  isContent(item);

/**
 * Makes the commitments and hashes of copied moments, records, heads of trails, snapshots and audit entries again, for tests that
 * change copies of what the service stored. Readers refuse items that do not fit them
 * (rules/trails.md#reading-what-was-accepted). A moment or a snapshot links to the one before, if that is among the items.
 */
export function resealed(items: readonly Item[]): Item[] {
  const pledges: Pledges = new Map();
  const hashes = new Map<string, Uint8Array>();
  for (const item of items) {
    addFields(item, pledges);
    if (isContent(item)) addContent(item, pledges);
  }
  const records = items.filter((item) => isRecord(familyOf(item))).map((item) => sealedRecord(item, pledges));
  const moments = items
    .filter(({ pk }) => readMomentPartition(pk))
    .toSorted((a, b) => (a.sk < b.sk ? -1 : 1))
    .map((item) => sealedMoment(item, pledges, hashes));
  const snapshots = items
    .filter(isSnapshot)
    .toSorted((a, b) => (a.sk < b.sk ? -1 : 1))
    .map((item) => sealedSnapshot(item, pledges, hashes));
  const audit = items.filter(isAudit).map(sealedAudit);
  const made = new Map([...records, ...moments, ...snapshots, ...audit].map((item) => [keyText(item), item]));
  return items.map((item) => made.get(keyText(item)) ?? (isHead(item) ? headOf(item, hashes) : item));
}

/** Adds the commitment to own fields of a trail, by the number of the moment that brought them. */
function addFields(item: Item, pledges: Pledges): void {
  if (familyOf(item) !== 'TRAIL' || !isFields(item)) return;
  const { number, body } = FieldsItem.parse(item);
  const place = item.pk.split('#').toSpliced(1, 1).join(' ');
  if (body.store === 'inline')
    pledges.set(`${place} ${number}`, { fields: bytes(commitment(body.salt, inlineText(body))) });
}

const contentPlace = (pk: string, number: string): string => `${pk} C#${number}`;

/** Adds the commitment to the content of a snapshot. */
function addContent({ pk, sk, ...item }: Item, pledges: Pledges): void {
  const { body } = SnapshotContentItem.parse(item);
  if (body.store === 'inline') {
    const own = { content: bytes(commitment(body.salt, inlineText(body))) };
    pledges.set(contentPlace(pk, sk.slice('C#'.length)), own);
  }
}

function sealedSnapshot(item: Item, pledges: Pledges, hashes: Map<string, Uint8Array>): Item {
  const place = readSubjectPartition(item.pk);
  if (!place) throw new Error(`${item.pk} is no snapshot`);
  const snapshot = storedSnapshot(item);
  const own = {
    pledges: {
      ...snapshot.pledges,
      ...pledges.get(contentPlace(item.pk, item.sk.slice('S#'.length))),
      summary: bytes(commitment(snapshot.salt, summaryText(snapshot))),
    },
    previous: hashes.get(`${item.pk} ${snapshot.index - 1}`) ?? snapshot.previous,
  };
  const hash = bytes(entryHash(snapshotEntry(place.org, storedId(place.subject), { ...snapshot, ...own })));
  hashes.set(`${item.pk} ${snapshot.index}`, hash);
  return { ...item, ...own, hash };
}

/** The item is not parsed as a record: reading one fails if its commitments do not fit. */
function sealedAudit(item: Item): Item {
  const { salts, pledges, ...stored } = item as Item & AuditRecord;
  const valuesOf = (name: 'before' | 'after'): unknown => JSON.parse((item[name] as string | null) ?? 'null');
  const values = valuesText({ before: valuesOf('before'), after: valuesOf('after') });
  const own = {
    entry: bytes(commitment(salts.entry, entryText(stored))),
    values: salts.values ? bytes(commitment(salts.values, values)) : pledges.values,
  };
  return { ...item, pledges: own };
}

function sealedRecord(item: Item, pledges: Pledges): Item {
  const family = familyOf(item);
  if (!isRecord(family)) throw new Error(`${item.pk} is no record`);
  const record = RECORDS[family].parse(item);
  const { salt, findingsSalt, pledges: before, facts } = record;
  const ofFacts = facts.store === 'inline' ? { facts: bytes(commitment(facts.salt, inlineText(facts))) } : {};
  const found = findingsText('derived' in record ? record.derived : {});
  const findings = findingsSalt && found !== undefined ? { findings: bytes(commitment(findingsSalt, found)) } : {};
  const seals: Seals = { salt, pledges: { ...before, ...ofFacts, ...findings } };
  const own = bytes(commitment(salt, provedText({ ...record, ...seals })));
  pledges.set(`${item.pk.split('#')[0]} ${record.id}`, { record: own, facts: seals.pledges.facts });
  return { ...item, pledges: { ...seals.pledges, record: own } };
}

function sealedMoment(item: Item, pledges: Pledges, hashes: Map<string, Uint8Array>): Item {
  const moment = storedMoment(item);
  const [org = ''] = item.pk.split('#');
  const place = item.pk.split('#').toSpliced(1, 1).join(' ');
  const others = { ...pledges.get(`${org} ${moment.record}`), ...pledges.get(`${place} ${moment.number}`) };
  const own = {
    pledges: { ...moment.pledges, ...others },
    previous: hashes.get(`${item.pk} ${moment.number - 1}`) ?? moment.previous,
  };
  const hash = bytes(entryHash(momentEntry(org as never, { ...moment, ...own })));
  hashes.set(`${item.pk} ${moment.number}`, hash);
  return { ...item, ...own, hash };
}

function headOf(item: Item, hashes: ReadonlyMap<string, Uint8Array>): Item {
  const [org = '', , ...place] = item.pk.split('#');
  const [flow = '', trail = ''] = place;
  if (item.pk !== trailPartition(org as never, flow as never, testName(trail)))
    throw new Error(`${item.pk} is no trail`);
  const hash = hashes.get(`${[org, 'MOMENT', ...place].join('#')} ${Number(item['number'])}`);
  return hash ? { ...item, hash } : item;
}
