import type { ExportFiles } from '#shared/bodies/export-files.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { Queue } from '#shared/queues/queue.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';

export interface ExporterServices extends Stores {
  files: ExportFiles;
  keys: Pick<SigningKeys, 'log' | 'statement'>;
  witness: { policy?: string | undefined };
  exports: Queue;
  /** Reads the verifier as one file, which each export contains. */
  verifier: () => Promise<Buffer>;
}
