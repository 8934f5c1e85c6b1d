import type { OrganizationId } from '#shared/base/ids.ts';
import type { Services } from '#shared/http/services.ts';
import type { Ed25519Key } from '#shared/tlog/ed25519.ts';
import type { GuardedLogs } from './guard.ts';
import type { PublishedCheckpoint } from './records/log-state.ts';

/** Services of those who append to the logs of organizations. */
export interface AppendServices extends Pick<Services, 'table' | 'objects' | 'clock' | 'origin'> {
  /** The logs that were compared with the bucket. One memory per container. */
  guarded: GuardedLogs;
}

/** Services of those who also publish checkpoints. */
export interface LogServices extends AppendServices {
  /**
   * Returns the key that signs the checkpoints of all logs. The signed text names its log. The key is asked for only after
   * entries were appended, so that a failure of the key service does not keep them from the log.
   */
  logSigner: () => Promise<Ed25519Key>;
  /**
   * Asks witnesses to cosign a checkpoint that was published. Absent where the stage has no witnesses.
   * @param signal ends the wait for witnesses
   */
  cosign?: (org: OrganizationId, checkpoint: PublishedCheckpoint, signal: AbortSignal) => Promise<void>;
}
