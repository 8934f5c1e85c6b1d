import { errorFacts } from '#shared/base/error-facts.ts';
import type { OrganizationId } from '#shared/base/ids.ts';
import type { WorkerLog } from '#shared/base/log-lines.ts';
import { type Micros, plus, secondsOf } from '#shared/base/time.ts';
import { send } from '#shared/outgoing/post.ts';
import { listActive } from '#shared/sweeps/active-organizations.ts';
import { formatVerifierKey } from '#shared/tlog/keys.ts';
import { addSignatures, formatNote, type NoteSignature, parseNote } from '#shared/tlog/notes.ts';
import type { Party } from '#shared/tlog/policy.ts';
import { consistencyProof } from '#shared/tlog/proofs.ts';
import { formatAddCheckpoint, parseSize, SIZE_TYPE } from '#shared/tlog/witness-request.ts';
import { requireSigned } from './checks/continuity.ts';
import { pauseAsking, reserveAsking, storeAnswers } from './records/cosigners.ts';
import {
  type LogState,
  type PublishedCheckpoint,
  readCheckpoint,
  readLogState,
  storeCosigned,
} from './records/log-state.ts';
import { cosignatureOf, isCosignedBy } from './rules/cosignature.ts';
import type { LogServices, Witnesses } from './services.ts';
import { logTiles } from './tiles.ts';

const WITNESSES_MILLIS = 1_500;

type AskState = Pick<LogState, 'checkpoint' | 'cosigned' | 'cosigners'>;

/**
 * Whether a log that asked witnesses before has a checkpoint that is larger than the one that they cosigned, and their turn has
 * come. Does not know the policy: the integrator, which does, visits every log once an hour.
 */
export const mayBeCosigned = ({ checkpoint, cosigned, cosigners }: AskState, now: Micros): boolean =>
  cosigners !== null &&
  !cosigners.paused &&
  checkpoint !== null &&
  checkpoint.range.size > (cosigned?.range.size ?? 0) &&
  cosigners.next <= now;

/**
 * Asks the witnesses of the policy to cosign a published checkpoint, at most once per interval, and stores the checkpoint
 * with their cosignatures if the quorum is met (rules/log.md#asking-witnesses). The checkpoint is published already, so a
 * failure is only logged.
 */
export async function askWitnesses(
  services: LogServices,
  org: OrganizationId,
  state: AskState & { checkpoint: PublishedCheckpoint },
  log: WorkerLog,
): Promise<void> {
  const { table, clock, witnesses } = services;
  const now = clock.now();
  if (!witnesses) {
    if (mayBeCosigned(state, now)) await pauseAsking(table, org);
    return;
  }
  if (isCosignedBy(witnesses.policy, state.checkpoint.note)) {
    // A call that ended between its two writes stored the cosignatures in the published checkpoint only.
    const isStored = (state.cosigned?.range.size ?? 0) >= state.checkpoint.range.size;
    if (!isStored) await storeCosigned(table, org, { ...state.checkpoint, at: now });
    return;
  }
  const { next = 0 } = state.cosigners ?? {};
  if (next > now && next <= latestTurn(now, witnesses)) return;
  if (!(await reserveAsking(table, org, { now, next: plus(now, witnesses.every), latest: latestTurn(now, witnesses) })))
    return;
  const { checkpoint, cosigners } = state;
  const sizes = { ...cosigners?.sizes };
  const signatures: NoteSignature[] = [];
  const asking = { services, witnesses, org, checkpoint, signal: AbortSignal.timeout(WITNESSES_MILLIS) };
  await Promise.all(
    [...witnesses.policy.witnesses.values()].map(async (witness) => {
      const key = formatVerifierKey(witness.key);
      const facts = { organization: org, witness: witness.key.name, size: checkpoint.range.size };
      try {
        const answer = await askWitness(asking, witness, Math.min(sizes[key] ?? 0, checkpoint.range.size));
        if (answer.outcome === 'cosigned') {
          signatures.push(answer.signature);
          sizes[key] = checkpoint.range.size;
        } else if (answer.outcome === 'contradicts') {
          log('A witness cosigned a log that contradicts the published one', { ...facts, ...answer });
        } else {
          log('A witness did not cosign a checkpoint', { ...facts, ...answer });
        }
      } catch (error) {
        log('A witness did not cosign a checkpoint', { ...facts, ...errorFacts(error) });
      }
    }),
  );
  const note = addSignatures(parseNote(checkpoint.note), signatures);
  const isCosigned = signatures.length > 0 && isCosignedBy(witnesses.policy, formatNote(note));
  if (isCosigned) await storeCosigned(table, org, { ...checkpoint, note: formatNote(note), at: now });
  const failingSince = isCosigned ? undefined : (cosigners?.failingSince ?? now);
  await storeAnswers(table, org, { sizes, failingSince });
  if (failingSince === undefined) return;
  // The sweeps look at listed organizations only. A log without new entries waits for its cosignatures too.
  await listActive(table, org, now);
  if (witnesses.policy.quorum === undefined) return;
  log('A log lacks the cosignatures of its policy', {
    organization: org,
    age_seconds: secondsOf(now - failingSince),
  });
}

/** The latest time that a turn can have, whatever the clock of the container that reserved it. A later one counts as past. */
const latestTurn = (now: Micros, { every }: Witnesses): Micros => plus(now, 2 * every);

interface Asking {
  services: LogServices;
  witnesses: Witnesses;
  org: OrganizationId;
  checkpoint: PublishedCheckpoint;
  signal: AbortSignal;
}

type Answer =
  | { outcome: 'cosigned'; signature: NoteSignature }
  /** The witness has cosigned another tree of this log. */
  | { outcome: 'contradicts'; status: number; witnessed?: number }
  | { outcome: 'refused'; status: number; problem?: string };

/**
 * Asks one witness. If it cosigned another size last than the one that was stored, it says so, and is asked once more.
 *
 * @throws Error if the witness cannot be reached or its answer is not of the standard
 */
async function askWitness(asking: Asking, witness: Party, oldSize: number, isSecond = false): Promise<Answer> {
  const { services, witnesses, org, checkpoint, signal } = asking;
  const { range, note } = checkpoint;
  const { hashes: readTile, roots: readRoots } = logTiles(services, org, range.size);
  const proof = await consistencyProof(oldSize, { size: range.size, range, readTile, readRoots });
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  const body = formatAddCheckpoint({ oldSize, proof, note });
  const {
    status,
    headers: answered,
    bytes,
  } = await send(
    `${witness.url?.replace(/\/$/, '')}/add-checkpoint`,
    { headers, body, guard: witnesses.guard },
    signal,
  );
  if (status === 200) {
    const signature = cosignatureOf(bytes, parseNote(note).text, witness.key);
    return signature
      ? { outcome: 'cosigned', signature }
      : { outcome: 'refused', status, problem: 'The cosignature is missing or wrong' };
  }
  if (status === 422) return { outcome: 'contradicts', status };
  const witnessed = answered['content-type'] === SIZE_TYPE ? parseSize(bytes.toString('utf8')) : undefined;
  if (status !== 409 || witnessed === undefined) return { outcome: 'refused', status };
  if (witnessed <= range.size) {
    return isSecond ? { outcome: 'refused', status } : askWitness(asking, witness, witnessed, true);
  }
  // Another integrator may have published a larger log since.
  const newest = await readCheckpoint(services.table, org);
  const isOvertaken = newest !== null && newest.range.size >= witnessed;
  return isOvertaken ? { outcome: 'refused', status } : { outcome: 'contradicts', status, witnessed };
}

/** Asks witnesses for cosignatures that the newest checkpoint lacks, also of a log that no other sweep lists. */
export async function askForQuietLog(services: LogServices, org: OrganizationId, log: WorkerLog): Promise<void> {
  const { head, checkpoint, ...state } = await readLogState(services.table, org);
  if (!head || !checkpoint) return;
  requireSigned(org, head.origin, checkpoint, (await services.logSigner()).publicKey);
  await askWitnesses(services, org, { ...state, checkpoint }, log);
}
