import type { OrganizationId } from '#shared/base/ids.ts';
import { isDictionary } from '#shared/base/validation.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { readFacts } from '#shared/evidence/attestation-facts.ts';
import { readTar, unzipped } from '#shared/evidence/attestations/archived-files.ts';
import type { AttachmentFile, AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { isGzip, isTar } from '#shared/evidence/rules/preview/file-kind.ts';
import { isNamedLikeSbom } from '#shared/evidence/rules/sbom/may-have-sbom.ts';
import { SbomUnreadable } from '#shared/evidence/rules/sbom/summary.ts';
import { looksLikeSbom, predicateOf, SNIFFED_BYTES } from './rules/attached-sbom.ts';
import type { ComponentsRead, ComponentsReading } from './rules/component.ts';
import { joinSboms } from './rules/component-list.ts';
import { isSbomErased } from './rules/erased-sbom.ts';
import { readComponents, readComponentsOf } from './rules/read/read-components.ts';

/** What the files of an attestation say: the components of its SBOM, or why there are none. */
export type AttachedSbom =
  | { state: 'read'; read: ComponentsRead }
  | { state: 'unreadable'; why: string }
  | { state: 'erased' }
  /** None of its files is an SBOM. */
  | { state: 'none' };

/** Most bytes of an archive after unpacking. A small file can unpack to gigabytes. */
const UNPACKED_BYTES = 32 * 1024 * 1024;

/**
 * Reads the SBOM of an attestation (rules/components.md#which-files-are-read). Several SBOMs of one attestation are one set. If one of
 * them cannot be read, the set cannot.
 */
export async function readAttachedSbom(
  objects: Objects,
  org: OrganizationId,
  record: AttestationRecord,
): Promise<AttachedSbom> {
  if (isSbomErased(record)) return { state: 'erased' };
  const { files, type, derived } = record;
  if (type !== 'sbom') return joined(await readFiles(objects, org, files));
  if ('verification' in derived) return joined(await Promise.all(files.map((file) => readBundle(objects, org, file))));
  const named = await namedFile(objects, org, record);
  return named === undefined ? { state: 'none' } : joined([await readNamed(objects, org, named)]);
}

function joined(readings: readonly ComponentsReading[]): AttachedSbom {
  const unreadable = readings.find(({ read }) => read === null)?.unreadable;
  if (unreadable != null) return { state: 'unreadable', why: unreadable };
  const [first, ...others] = readings.flatMap(({ read }) => read ?? []);
  if (!first) return { state: 'none' };
  try {
    return { state: 'read', read: joinSboms([first, ...others]) };
  } catch (error) {
    if (error instanceof SbomUnreadable) return { state: 'unreadable', why: error.message };
    throw error;
  }
}

/** The file of the client's SBOM: `original_fingerprint` is its digest, as the report was checked. */
async function namedFile(objects: Objects, org: OrganizationId, { facts, files }: AttestationRecord) {
  const data = (await readFacts(objects, org, facts))?.attestation_data;
  const stated: unknown = data === undefined ? undefined : JSON.parse(data.text);
  return files.find(({ sha256 }) => isDictionary(stated) && sha256 === stated['original_fingerprint']);
}

const MISSING = 'The file is not in the store';

async function readNamed(objects: Objects, org: OrganizationId, file: AttachmentFile): Promise<ComponentsReading> {
  const bytes = await wholeFile(objects, org, file);
  return typeof bytes === 'string' ? { read: null, unreadable: bytes } : readComponents(bytes);
}

async function readBundle(objects: Objects, org: OrganizationId, file: AttachmentFile): Promise<ComponentsReading> {
  const bytes = await wholeFile(objects, org, file);
  if (typeof bytes === 'string') return { read: null, unreadable: bytes };
  return readComponentsOf(predicateOf(bytes.toString('utf8')));
}

/** @returns a sentence if the file cannot be had as it was attached */
async function wholeFile(
  objects: Objects,
  org: OrganizationId,
  { sha256, version }: AttachmentFile,
): Promise<Buffer | string> {
  const bytes = await objects.findFile(org, sha256, version);
  if (bytes === null) return MISSING;
  return sha256Hex(bytes) === sha256 ? bytes : 'The file in the store is not the one that was attached';
}

/** Reads those of the files that are SBOMs by their content, one after another: each can have 10 MB. */
async function readFiles(
  objects: Objects,
  org: OrganizationId,
  files: readonly AttachmentFile[],
): Promise<ComponentsReading[]> {
  const readings: ComponentsReading[] = [];
  const distinct = new Map(
    files.filter(({ filename }) => isNamedLikeSbom(filename)).map((file) => [file.sha256, file]),
  );
  for (const file of distinct.values()) {
    // The store has no part of an empty file to read, and it is no SBOM.
    if (file.size === 0) continue;
    const start = await objects.findFile(org, file.sha256, file.version, SNIFFED_BYTES);
    // A file that is missing may be anything. That it is missing, the reader of the attachment is told.
    if (start === null) continue;
    if (looksLikeSbom(start)) readings.push(await readNamed(objects, org, file));
    else if (isGzip(start)) readings.push(...(await readArchive(objects, org, file)));
  }
  return readings;
}

/** Reads the SBOMs in an archive, or in a single file that is packed. A damaged archive has none. */
async function readArchive(objects: Objects, org: OrganizationId, file: AttachmentFile): Promise<ComponentsReading[]> {
  const packed = await wholeFile(objects, org, file);
  if (typeof packed === 'string') return [];
  const bytes = await unzipped(packed, UNPACKED_BYTES);
  if (typeof bytes === 'string') return [];
  if (!isTar(bytes)) return looksLikeSbom(bytes) ? [readComponents(bytes)] : [];
  const readings: ComponentsReading[] = [];
  const outcome = await readTar(bytes, ({ name, bytes: content }) => {
    if (isNamedLikeSbom(name) && looksLikeSbom(content)) readings.push(readComponents(content));
  });
  return outcome === 'damaged' ? [] : readings;
}
