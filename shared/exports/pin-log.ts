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

/**
 * Finds the checkpoint for an export (rules/exports.md#checkpoint-of-an-export): the newest one that the policy file of the
 * archive accepts. It has to cover the audit entry of the start until the time to wait is over.
 *
 * @returns `wait` if there is no such checkpoint yet; `none` if the time is over and no checkpoint meets the policy
 */
export async function findCheckpoint(
  { table, clock, keys, witness }: Pick<ExporterServices, 'table' | 'clock' | 'keys' | 'witness'>,
  org: OrganizationId,
  record: Pick<ExportRecord, 'started' | 'entry'>,
): Promise<PinnedLog | 'wait' | 'none'> {
  const isOver = clock.now() >= waitsUntil(record);
  const [{ checkpoint, cosigned }, index, { publicKey }] = await Promise.all([
    readLogState(table, org),
    indexOf(table, org, { kind: 'audit', entry: record.entry }),
    keys.log(),
  ]);
  // The cosigned one first: of two checkpoints of one size it is the one with more signatures.
  const accepted = [cosigned, checkpoint].flatMap((one) => (one ? pinnedLog(one, publicKey, witness.policy) : []));
  const newest = accepted.reduce<PinnedLog | null>((best, one) => (best && best.size >= one.size ? best : one), null);
  const coversStart = newest !== null && index !== null && index < newest.size;
  if (!coversStart && !isOver) return 'wait';
  return newest ? { ...newest, coversStart } : 'none';
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
