import type { OrganizationId } from '#shared/base/ids.ts';
import { isDictionary } from '#shared/base/validation.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import { readFacts } from '#shared/evidence/attestation-facts.ts';
import { readTar, unzipped } from '#shared/evidence/attestations/archived-files.ts';
import type { AttachmentFile, AttestationRecord } from '#shared/evidence/records/attestation-records.ts';
import { isGzip, isTar } from '#shared/evidence/rules/preview/file-kind.ts';
import { isNamedLikeSbom, isNamedLikeVex, mayHaveSbom, mayHaveVex } from '#shared/evidence/rules/sbom/may-have-sbom.ts';
import { SbomUnreadable } from '#shared/evidence/rules/sbom/summary.ts';
import { verificationOf } from '#shared/evidence/rules/verification.ts';
import { kindOfFile, predicateOf, SNIFFED_BYTES } from './rules/attached-files.ts';
import type { ComponentsRead, ComponentsReading } from './rules/component.ts';
import { joinSboms } from './rules/component-list.ts';
import { isSbomErased } from './rules/erased-sbom.ts';
import { readComponents, readComponentsOf } from './rules/read/read-components.ts';
import { readVex, readVexDocument, type VexRead, type VexReading } from './rules/vex.ts';

/** What the files of an attestation say of one kind: what was read, or why nothing was. */
type Attached<T> =
  | { state: 'read'; read: T }
  | { state: 'unreadable'; why: string }
  | { state: 'erased' }
  /** None of its files is of the kind. */
  | { state: 'none' };

export type AttachedSbom = Attached<ComponentsRead>;
export type AttachedVex = Attached<VexRead>;

interface AttachedFiles {
  sbom: AttachedSbom;
  vex: AttachedVex;
}

/** What single files say. */
interface Readings {
  sboms: ComponentsReading[];
  vexes: VexReading[];
}

const NONE = { state: 'none' } as const;
const ERASED = { state: 'erased' } as const;

/** Most bytes of an archive after unpacking. A small file can unpack to gigabytes. */
const UNPACKED_BYTES = 32 * 1024 * 1024;

/**
 * Reads the SBOM and the OpenVEX of an attestation (rules/components.md#which-files-are-read). Several SBOMs of one attestation are one set,
 * and several documents in OpenVEX are one list of statements. If one of them cannot be read, none of its kind can.
 */
export async function readAttached(
  objects: Objects,
  org: OrganizationId,
  record: AttestationRecord,
): Promise<AttachedFiles> {
  const { files, type, derived } = record;
  if (isSbomErased(record)) {
    return { sbom: mayHaveSbom(record) ? ERASED : NONE, vex: mayHaveVex(record) ? ERASED : NONE };
  }
  if (type === 'vex') {
    const { predicate_type: format } = verificationOf(record);
    const vexes = await readBundles(objects, org, files, (predicate) => readVexDocument(predicate, format));
    return { sbom: NONE, vex: joinedVex(vexes) };
  }
  if (type !== 'sbom') {
    const { sboms, vexes } = await readFiles(objects, org, files);
    return { sbom: joined(sboms), vex: joinedVex(vexes) };
  }
  if ('verification' in derived)
    return { sbom: joined(await readBundles(objects, org, files, readComponentsOf)), vex: NONE };
  const named = await namedFile(objects, org, record);
  return {
    sbom: named === undefined ? NONE : joined([await readNamed(objects, org, named, readComponents)]),
    vex: NONE,
  };
}

function joined(readings: readonly ComponentsReading[]): AttachedSbom {
  const unreadable = readings.find(({ read }) => read === null)?.unreadable;
  if (unreadable != null) return { state: 'unreadable', why: unreadable };
  const [first, ...others] = readings.flatMap(({ read }) => read ?? []);
  if (!first) return NONE;
  try {
    return { state: 'read', read: joinSboms([first, ...others]) };
  } catch (error) {
    if (error instanceof SbomUnreadable) return { state: 'unreadable', why: error.message };
    throw error;
  }
}

function joinedVex(readings: readonly VexReading[]): AttachedVex {
  const unreadable = readings.find(({ read }) => read === null)?.unreadable;
  if (unreadable != null) return { state: 'unreadable', why: unreadable };
  const read = readings.flatMap((one) => one.read ?? []);
  if (read.length === 0) return NONE;
  const statements = read.flatMap((one) => one.statements);
  return { state: 'read', read: { statements, leftOut: read.reduce((sum, { leftOut }) => sum + leftOut, 0) } };
}

/** The file of the client's SBOM: `original_fingerprint` is its digest, as the report was checked. */
async function namedFile(objects: Objects, org: OrganizationId, { facts, files }: AttestationRecord) {
  const data = (await readFacts(objects, org, facts))?.attestation_data;
  const stated: unknown = data === undefined ? undefined : JSON.parse(data.text);
  return files.find(({ sha256 }) => isDictionary(stated) && sha256 === stated['original_fingerprint']);
}

const MISSING = 'The file is not in the store';

type Unreadable = { read: null; unreadable: string };

async function readNamed<R>(
  objects: Objects,
  org: OrganizationId,
  file: AttachmentFile,
  read: (bytes: Buffer) => R,
): Promise<R | Unreadable> {
  const bytes = await wholeFile(objects, org, file);
  return typeof bytes === 'string' ? { read: null, unreadable: bytes } : read(bytes);
}

const readBundles = <R>(
  objects: Objects,
  org: OrganizationId,
  files: readonly AttachmentFile[],
  read: (predicate: unknown) => R,
): Promise<(R | Unreadable)[]> =>
  Promise.all(files.map((file) => readNamed(objects, org, file, (bytes) => read(predicateOf(bytes.toString('utf8'))))));

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

/** Reads those of the files that are SBOMs or OpenVEX by their content, one after another: each can have 10 MB. */
async function readFiles(objects: Objects, org: OrganizationId, files: readonly AttachmentFile[]): Promise<Readings> {
  const readings: Readings = { sboms: [], vexes: [] };
  const distinct = new Map(
    files.filter(({ filename }) => isNamedLikeSbom(filename)).map((file) => [file.sha256, file]),
  );
  for (const file of distinct.values()) {
    // The store has no part of an empty file to read, and it is no SBOM.
    if (file.size === 0) continue;
    const start = await objects.findFile(org, file.sha256, file.version, SNIFFED_BYTES);
    // A file that is missing may be anything. That it is missing, the reader of the attachment is told.
    if (start === null) continue;
    const kind = kindIn(file.filename, start);
    if (kind === 'sbom') readings.sboms.push(await readNamed(objects, org, file, readComponents));
    else if (kind === 'vex') readings.vexes.push(await readNamed(objects, org, file, readVex));
    else if (isGzip(start)) await readArchive(objects, org, file, readings);
  }
  return readings;
}

/** Reads the SBOMs and OpenVEX in an archive, or in a single file that is packed. A damaged archive has none. */
async function readArchive(
  objects: Objects,
  org: OrganizationId,
  file: AttachmentFile,
  { sboms, vexes }: Readings,
): Promise<void> {
  const packed = await wholeFile(objects, org, file);
  if (typeof packed === 'string') return;
  const bytes = await unzipped(packed, UNPACKED_BYTES);
  if (typeof bytes === 'string') return;
  const found: Readings = { sboms: [], vexes: [] };
  const take = (name: string, content: Buffer) => {
    const kind = kindIn(name, content);
    if (kind === 'sbom') found.sboms.push(readComponents(content));
    else if (kind === 'vex') found.vexes.push(readVex(content));
  };
  if (!isTar(bytes)) take(file.filename, bytes);
  else if ((await readTar(bytes, ({ name, bytes: content }) => take(name, content))) === 'damaged') return;
  sboms.push(...found.sboms);
  vexes.push(...found.vexes);
}

/** What a file is by its name and its beginning. */
function kindIn(name: string, start: Uint8Array): 'sbom' | 'vex' | null {
  if (!isNamedLikeSbom(name)) return null;
  const kind = kindOfFile(start);
  return kind === 'vex' && !isNamedLikeVex(name) ? null : kind;
}
