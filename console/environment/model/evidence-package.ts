import type { Period } from '../../parts/plot/model/timeline.ts';
import type { Log } from '../history/operations.ts';
import type { ArtifactRun, EnvironmentHistory, SnapshotSummary } from '../operations.ts';

/** One file with what an auditor needs about a period: what ran, the verdicts, and the proofs of the snapshots. */

/** Receipts in a package, those of the newest snapshots. Each is a call of its own. */
export const MOST_RECEIPTS = 100;
/** Characters of all receipts. A receipt holds the whole content of its snapshot. */
export const MOST_CHARACTERS = 20_000_000;

export interface SnapshotProof {
  snapshot: number;
  /** The receipt as the API answers it as JSON. */
  receipt: unknown;
}

/** The snapshots whose receipts are fetched, the newest first. */
export const provenSnapshots = (snapshots: readonly SnapshotSummary[]): number[] =>
  snapshots
    .map(({ index }) => index)
    .toSorted((a, b) => b - a)
    .slice(0, MOST_RECEIPTS);

/** The snapshots that held in a period, as the API takes them. The first one began before the period or with it. */
export const intervalOf = ({ from, to }: Period): string =>
  `@{${new Date(from * 1000).toISOString()}}..@{${new Date(to * 1000).toISOString()}}`;

/** Whether an answer is a receipt. Until the log covers a snapshot, the service answers a message instead. */
export const isReceipt = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'proof' in answer;

const HOW_TO_CHECK = [
  'Write each `proofs[].receipt` to a file of its own and check it with the verifier, one file that needs only Node:',
  '`node verify.mjs --receipt FILE --log-key KEY`. Get it from the release of the service, or compare its SHA-256 with that of the release.',
  'The receipt proves that the snapshot is in the log of the organization. Its openings are the content and the verdict of the snapshot.',
  'Get the key of the log once from the operator, in a way that you trust. `log` repeats it only for comparison.',
  '`history` is computed from the snapshots by the service and is not part of the log.',
].join(' ');

interface Parts {
  host: string;
  org: string;
  /** When the package was made, in seconds. */
  now: number;
  history: EnvironmentHistory;
  /** The rows of all pages. */
  runs: readonly ArtifactRun[];
  snapshots: readonly SnapshotSummary[];
  proofs: readonly SnapshotProof[];
  log: Log;
}

/** The text of the package. */
export function evidencePackage({ host, org, now, history, runs, snapshots, proofs, log }: Parts): string {
  const { environment, start_ts: from, end_ts: to, totals, complete } = history;
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
  const proven = new Set(proofs.map(({ snapshot }) => snapshot));
  const package_ = {
    format: 'environment-evidence/v1',
    how_to_check: HOW_TO_CHECK,
    service: host,
    organization: org,
    environment,
    period: { from: iso(from), to: iso(to) },
    made_at: iso(now),
    history: { complete, totals, runs },
    snapshots,
    proofs,
    snapshots_without_proof: snapshots.map(({ index }) => index).filter((index) => !proven.has(index)),
    log: { origin: log.origin, verifier_keys: log.verifier_keys },
  };
  return `${JSON.stringify(package_, null, 1)}\n`;
}
