import * as z from 'zod';
import { firstIdAt, type Id, isId, type OrganizationId } from '#shared/base/ids.ts';
import { EPOCH, type Micros, StoredMicros } from '#shared/base/time.ts';
import { Erasure } from '#shared/bodies/erasure.ts';
import { AuditActor, type AuditStamp } from '#shared/organizations/records/audit.ts';
import type { Key } from '#shared/table/items.ts';
import type { Table } from '#shared/table/table.ts';
import { PackageScope } from '../rules/package-scope.ts';
import { type ArchiveKind, archiveKey, archivePartition } from './archive-keys.ts';
import { exportPartition, latestExportKey, latestPackageKey } from './keys.ts';

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** How far the archive of an export is made. A step stores it as its last write (rules/exports.md#steps). */
export const ExportProgress = z.object({
  steps: z.number(),
  /** Id of the multipart upload; null before the first step. */
  upload: z.string().nullable(),
  stage: z.enum(['content', 'manifest', 'complete']),
  /** Name of the section of the archive, and the place in it as JSON; null stands for the beginning. */
  section: z.string().nullable(),
  place: z.string().nullable(),
  /** Parts and bytes that were uploaded. */
  parts: z.number(),
  bytes: z.number(),
  /** Files below `data/`, and the sum of their bytes. */
  files: z.number(),
  payload: z.number(),
  manifest: z.number(),
  /** State of the SHA-256 over the part of the manifest that is written; null before the first part. */
  manifestHash: Bytes.nullable().default(null),
  /** How many files of records were made, by the name of the family. */
  pieces: z.record(z.string(), z.number()),
  /** State of the SHA-256 over the uploaded bytes; null before the first part. */
  hash: Bytes.nullable(),
  /** Name of the object with the notes of the last step; null before the first step. */
  note: z.string().nullable(),
});
export type ExportProgress = z.infer<typeof ExportProgress>;

export const PinnedLog = z.object({
  origin: z.string(),
  size: z.number(),
  /** Root of the tree, in hex. */
  root: z.string(),
  /** The signed checkpoint. */
  checkpoint: z.string(),
  /** Names of the witnesses of the policy that cosigned the checkpoint. */
  witnesses: z.array(z.string()),
  /** Whether the checkpoint covers the audit entry of the export's own start. */
  coversStart: z.boolean(),
});
export type PinnedLog = z.infer<typeof PinnedLog>;

/** A statement by its id, and by the digest that the log has. */
const NamedStatement = z.object({ id: z.string(), digest: z.string() });
export type NamedStatement = z.infer<typeof NamedStatement>;

export const ExportRecord = z.object({
  id: z.string(),
  state: z.enum(['running', 'done', 'failed', 'erased']),
  name: z.string(),
  started: StoredMicros,
  by: AuditActor,
  /** Id of the audit entry of the start, which the checkpoint of the export has to cover. Null for a package. */
  entry: z.string().nullable(),
  /** What a package is about; absent in an export of the whole organization (rules/exports.md#packages). */
  scope: PackageScope.optional(),
  /** The signed statements of a package, which were made at its start. */
  statements: z.array(NamedStatement).optional(),
  /** Null while the export waits for its checkpoint (rules/exports.md#checkpoint-of-an-export). */
  log: PinnedLog.nullable(),
  /**
   * The release that pinned the export. All of `bag-info.txt` is made from it, because another release can make the last steps.
   * Absent before, and in exports that a release without a version pinned.
   */
  release: z.object({ version: z.string(), commit: z.string(), data_format: z.int() }).optional(),
  progress: ExportProgress,
  /** The worker that makes a step, and until when no other worker may begin one. */
  owner: z.string().nullable(),
  leased: StoredMicros,
  /** How often a worker began since the last step was finished. */
  attempts: z.number(),
  finished: StoredMicros.nullable(),
  /** SHA-256 of the archive, in hex. */
  sha256: z.string().nullable(),
  /** Why the export failed, as a sentence; null in the other states. */
  problem: z.string().nullable(),
  /** Present in the state `erased` (rules/erasure.md#erased-exports). */
  erased: Erasure.optional(),
});
export type ExportRecord = z.infer<typeof ExportRecord>;

const NO_PROGRESS: ExportProgress = {
  steps: 0,
  upload: null,
  stage: 'content',
  section: null,
  place: null,
  parts: 0,
  bytes: 0,
  files: 0,
  payload: 0,
  manifest: 0,
  manifestHash: null,
  pieces: {},
  hash: null,
  note: null,
};

/**
 * Returns the record of an export or a package that starts.
 *
 * @param entry id of the audit entry of the start; null for a package
 */
export const newExportRecord = (
  id: Id,
  name: string,
  { at, actor }: AuditStamp,
  entry: string | null,
): ExportRecord => ({
  id,
  state: 'running',
  name,
  started: at,
  by: actor,
  entry,
  log: null,
  progress: NO_PROGRESS,
  owner: null,
  leased: EPOCH,
  attempts: 0,
  finished: null,
  sha256: null,
  problem: null,
});

export type PinnedExport = ExportRecord & { log: PinnedLog };

export const kindOf = ({ scope }: Pick<ExportRecord, 'scope'>): ArchiveKind => (scope ? 'package' : 'export');

/** Reads an export or a package; null if none of the kind has the id. @param id any text */
export async function readExport(
  table: Table,
  org: OrganizationId,
  id: string,
  kind: ArchiveKind = 'export',
): Promise<ExportRecord | null> {
  if (!isId<Id>(id)) return null;
  const item = await table.get(archiveKey(org, { kind, id }));
  return item ? ExportRecord.parse(item) : null;
}

/** Reads all exports and packages of an organization. */
export async function readAllExports(table: Table, org: OrganizationId): Promise<ExportRecord[]> {
  const partitions = (['export', 'package'] as const).map((kind) => archivePartition(org, kind));
  const found = await Promise.all(partitions.map((pk) => table.query({ pk })));
  return found.flat().map((item) => ExportRecord.parse(item));
}

const MOST_LISTED = 100;

/** Reads the newest exports of an organization, newest first. */
export async function readExports(table: Table, org: OrganizationId): Promise<ExportRecord[]> {
  const items = await table.query({ pk: exportPartition(org), newestFirst: true, limit: MOST_LISTED });
  return items.map((item) => ExportRecord.parse(item));
}

/** Most packages that are read to count those that run. */
const MOST_COUNTED = 100;

/** Reads the packages that were started since an instant and still run, of the newest 100. */
export async function readRunningPackages(table: Table, org: OrganizationId, since: Micros): Promise<ExportRecord[]> {
  const pk = archivePartition(org, 'package');
  const items = await table.query({ pk, from: firstIdAt(since), newestFirst: true, limit: MOST_COUNTED });
  return items.map((item) => ExportRecord.parse(item)).filter(({ state }) => state === 'running');
}

const Latest = z.object({ id: z.string() });

/** The export that was started last. Its record is null if it was removed since. */
interface LatestExport {
  id: Id;
  record: ExportRecord | null;
}

/** Reads the export of an organization that was started last; null if there was none. */
export const readLatestExport = (table: Table, org: OrganizationId): Promise<LatestExport | null> =>
  readLatest(table, org, latestExportKey(org), 'export');

/** Does the same for the packages about something. @param scope SHA-256 of what they are about, in hex */
export const readLatestPackage = (table: Table, org: OrganizationId, scope: string): Promise<LatestExport | null> =>
  readLatest(table, org, latestPackageKey(org, scope), 'package');

async function readLatest(
  table: Table,
  org: OrganizationId,
  key: Key,
  kind: ArchiveKind,
): Promise<LatestExport | null> {
  const item = await table.get(key);
  if (!item) return null;
  const { id } = Latest.parse(item);
  return { id, record: await readExport(table, org, id, kind) };
}
