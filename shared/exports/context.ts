import type { OrganizationId } from '#shared/base/ids.ts';
import type { Micros } from '#shared/base/time.ts';
import type { ExportFiles } from '#shared/bodies/export-files.ts';
import type { Objects } from '#shared/bodies/objects.ts';
import type { Subject } from '#shared/log/rules/entry.ts';
import type { Table } from '#shared/table/table.ts';
import type { VerifierKey } from '#shared/tlog/keys.ts';
import type { ExportPlan } from './plan.ts';
import type { PinnedLog } from './records/exports.ts';

export interface ExportedFile {
  /** Below the folder of the archive. */
  path: string;
  bytes: Buffer;
}

/** What every archive is made with: exports of organizations, and packages. */
export interface ArchiveContext {
  org: OrganizationId;
  name: string;
  table: Table;
  objects: Objects;
  files: ExportFiles;
  log: PinnedLog;
  started: Micros;
  now: Micros;
  /** Reads the indexes of entries in the log, in the order of the subjects; null behind the checkpoint of the export. */
  logIndexes: (subjects: readonly Subject[]) => Promise<(number | null)[]>;
  logKey: (origin: string) => Promise<VerifierKey>;
  /** Makes the files below `data/keys/`. */
  keyFiles: () => Promise<ExportedFile[]>;
  verifier: () => Promise<Buffer>;
}

export interface ExportContext extends ArchiveContext {
  plan: ExportPlan;
  templates: Set<string>;
}
