import type { OrganizationId } from '#shared/base/ids.ts';
import { indexOf } from '#shared/log/records/claims.ts';
import { type PublishedCheckpoint, readLogState } from '#shared/log/records/log-state.ts';
import { policyText } from '#shared/log/rules/description.ts';
import { parseCheckpoint } from '#shared/tlog/checkpoint.ts';
import { TlogError } from '#shared/tlog/errors.ts';
import { verifierKey } from '#shared/tlog/keys.ts';
import { parseNote } from '#shared/tlog/notes.ts';
import { openCheckpoint, parsePolicy } from '#shared/tlog/policy.ts';
import type { ExportRecord, PinnedLog } from './records/exports.ts';
import { waitsUntil } from './rules/life-of-an-export.ts';
import type { ExporterServices } from './services.ts';

/** How long the exporter waits before it looks for a checkpoint again, in seconds. A checkpoint comes every two seconds. */
export const LOOK_AGAIN_SECONDS = 3;

type Pinning = Pick<ExporterServices, 'table' | 'clock' | 'keys' | 'witness'>;

/**
 * Finds the checkpoint for an export (rules/exports.md#checkpoint-of-an-export): the newest one that the policy file of the
 * archive accepts. It has to cover the audit entry of the start until the time to wait is over.
 *
 * @returns `wait` if there is no such checkpoint yet; `none` if the time is over and no checkpoint meets the policy
 */
export async function findCheckpoint(
  services: Pinning,
  org: OrganizationId,
  record: Pick<ExportRecord, 'started' | 'entry'>,
): Promise<PinnedLog | 'wait' | 'none'> {
  const isOver = services.clock.now() >= waitsUntil(record);
  const [newest, index] = await Promise.all([
    newestAccepted(services, org),
    record.entry === null ? null : indexOf(services.table, org, { kind: 'audit', entry: record.entry }),
  ]);
  const coversStart = newest !== null && index !== null && index < newest.size;
  if (!coversStart && !isOver) return 'wait';
  return newest ? { ...newest, coversStart } : 'none';
}

/** Reads the newest checkpoint that the policy file of an archive accepts; null if there is none. */
export async function newestAccepted(
  { table, keys, witness }: Omit<Pinning, 'clock'>,
  org: OrganizationId,
): Promise<PinnedLog | null> {
  const [{ checkpoint, cosigned }, { publicKey }] = await Promise.all([readLogState(table, org), keys.log()]);
  // The cosigned one first: of two checkpoints of one size it is the one with more signatures.
  const accepted = [cosigned, checkpoint].flatMap((one) => (one ? pinnedLog(one, publicKey, witness.policy) : []));
  return accepted.reduce<PinnedLog | null>((best, one) => (best && best.size >= one.size ? best : one), null);
}

/** @returns nothing if the policy that the archive will hold does not accept the checkpoint */
function pinnedLog({ note }: PublishedCheckpoint, publicKey: Buffer, witnessPolicy?: string): PinnedLog[] {
  const { origin } = parseCheckpoint(parseNote(note).text);
  const policy = parsePolicy(policyText(verifierKey(origin, 'ed25519', publicKey), undefined, witnessPolicy));
  try {
    const { size, root, signatures } = openCheckpoint(note, policy);
    const witnesses = signatures.filter(({ seconds }) => seconds !== undefined).map(({ key }) => key.name);
    return [{ origin, size, root: root.toString('hex'), checkpoint: note, witnesses, coversStart: false }];
  } catch (error) {
    if (error instanceof TlogError) return [];
    throw error;
  }
}
