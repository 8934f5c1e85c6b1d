import type { ExportFiles } from '#shared/bodies/export-files.ts';
import type { Services } from '#shared/http/services.ts';
import type { Queue } from '#shared/queues/queue.ts';
import type { SigningKeys } from '#shared/signing/keys.ts';

/** Services of the worker that makes exports. */
export interface ExporterServices extends Pick<Services, 'table' | 'objects' | 'clock'> {
  files: ExportFiles;
  keys: Pick<SigningKeys, 'log' | 'statement'>;
  /** The witnesses that cosign the logs of the region. */
  witness: Pick<Services['witness'], 'policy'>;
  exports: Queue;
  /** Reads the verifier as one file, which each export contains. */
  verifier: () => Promise<Buffer>;
}
