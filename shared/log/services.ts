import type { OrganizationId } from '#shared/base/ids.ts';
import type { Duration } from '#shared/base/time.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import type { AddressGuard } from '#shared/outgoing/address-guard.ts';
import type { Ed25519Key } from '#shared/tlog/ed25519.ts';
import type { Policy } from '#shared/tlog/policy.ts';
import type { GuardedLogs } from './guarded-logs.ts';
import type { SignatureTurns } from './signature-turns.ts';

export interface LogNames {
  /** Returns the origin that the log of an organization gets with its first entry (rules/log.md#origin). */
  origin: (org: OrganizationId) => string;
}

export interface AppendServices extends Stores, LogNames {
  /** The logs that were compared with the bucket and with the witnesses. One memory per container. */
  guarded: GuardedLogs;
  /** The key of logs. Absent for those who append only. */
  logSigner?: () => Promise<Ed25519Key>;
  /** The witnesses that cosign the logs. Absent where the stage has none, and for those who append only. */
  witnesses?: Witnesses | undefined;
}

export interface LogServices extends AppendServices {
  /**
   * Returns the key that signs the checkpoints of all logs. The signed text names its log. The key is asked for only after
   * entries were appended, so that a failure of the key service does not keep them from the log.
   */
  logSigner: () => Promise<Ed25519Key>;
  /** The shortest time between two checkpoints of a log (rules/log.md#pace-of-checkpoints). Absent: none. */
  checkpointEvery?: Duration;
  /** The signatures of the region. One memory per container. Absent: they are not limited. */
  turns?: SignatureTurns;
}

export interface RecoverServices extends Stores, LogNames {
  /** The key of logs. Recovery uses its public half only. */
  logKey: () => Promise<Pick<Ed25519Key, 'publicKey'>>;
}

/** Witnesses and how they are asked (rules/log.md#asking-witnesses). */
export interface Witnesses {
  policy: Policy;
  /** How long no witness is asked again for the same log. */
  every: Duration;
  guard: AddressGuard;
}
