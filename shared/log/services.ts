import type { OrganizationId } from '#shared/base/ids.ts';
import type { Services } from '#shared/http/services.ts';
import type { Ed25519Key } from '#shared/tlog/ed25519.ts';
import type { PublishedCheckpoint } from './records/log-state.ts';

/** Services of those who append to the logs of organizations and publish checkpoints. */
export interface LogServices extends Pick<Services, 'table' | 'objects' | 'clock'> {
  /**
   * Returns the key that signs the checkpoints of all logs. The signed text names its log. The key is asked for only after
   * entries were appended, so that a failure of the key service does not keep them from the log.
   */
  logSigner: () => Promise<Ed25519Key>;
  /** Returns the name of an organization's log, for a log that begins. */
  origin: (org: OrganizationId) => string;
  /**
   * Asks witnesses to cosign a checkpoint that was published. Absent where the stage has no witnesses.
   * @param signal ends the wait for witnesses
   */
  cosign?: (org: OrganizationId, checkpoint: PublishedCheckpoint, signal: AbortSignal) => Promise<void>;
}
