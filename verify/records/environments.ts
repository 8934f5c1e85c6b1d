import * as z from 'zod';
import { EnvironmentId } from '#shared/base/ids.ts';
import { summaryText } from '#shared/environments/rules/summary.ts';
import { Fault } from '../fault.ts';
import { Body } from './bodies.ts';
import { Commitments, fitting, Hex32, LogIndex, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const SnapshotLine = z.object({
  environment: EnvironmentId,
  number: z.int().min(1),
  at: z.int(),
  name: z.string(),
  state: z.boolean().nullable(),
  known: z.boolean().nullable(),
  compliant: z.boolean(),
  events: z.int(),
  eventsBefore: z.int(),
  salt: Hex32,
  commitments: Commitments,
  previous: z.string(),
  hash: z.string(),
  log_index: LogIndex,
});

const ContentLine = z.looseObject({ environment: EnvironmentId, number: z.int(), body: Body });
const HeadLine = z.object({ id: EnvironmentId, index: z.int(), hash: z.string(), state: z.boolean().nullable() });

const contentKey = (environment: string, number: number): string => `content ${environment} ${number}`;

/** The newest snapshot of an environment that the export has. */
interface LastSnapshot {
  number: number;
  hash: string;
  state: boolean | null;
}

/** Verifies snapshots with their contents, and heads of environments. @throws Fault */
export async function verifyEnvironments(state: ProofState): Promise<void> {
  const last = await verifySnapshots(state);
  // The contents of an environment come before its snapshots, so they are read again.
  for await (const { place, item, record } of linesOf(state, 'snapshots')) {
    if (item !== 'content') continue;
    const content = fitting(place, ContentLine, record);
    await state.openPledged(place, contentKey(content.environment, content.number), content.body);
  }
  for await (const { place, item, record } of linesOf(state, 'environments')) {
    if (item !== 'environment') continue;
    const head = fitting(place, HeadLine, record);
    const newest = last.get(head.id);
    if ((newest?.number ?? 0) < head.index) {
      throw new Fault(place, `the export does not have snapshot ${head.index} of environment ${head.id}`);
    }
    // A head that was read before the newest snapshot was taken says nothing about that snapshot.
    if (newest?.number !== head.index) continue;
    if (head.hash !== newest.hash || head.state !== newest.state) {
      throw new Fault(place, `the head of the environment is not that of snapshot ${head.index}`);
    }
  }
}

async function verifySnapshots(proofs: ProofState): Promise<Map<string, LastSnapshot>> {
  const last = new Map<string, LastSnapshot>();
  for await (const { place, item, record } of linesOf(proofs, 'snapshots')) {
    if (item === 'content') continue;
    if (item !== 'snapshot') throw new Fault(place, `a line of snapshots is '${item}'`);
    const snapshot = fitting(place, SnapshotLine, record);
    const { environment, number, at, salt, commitments, previous, hash, state } = snapshot;
    const before = last.get(environment) ?? { number: 0, hash: '0'.repeat(64) };
    if (number !== before.number + 1) {
      throw new Fault(place, `snapshot ${number} of environment ${environment} comes after snapshot ${before.number}`);
    }
    if (previous !== before.hash)
      throw new Fault(place, `the snapshot does not name the hash of snapshot ${number - 1}`);
    const index = proofs.link({
      place,
      subject: { kind: 'environment', environment, number },
      domain: 'delivery-evidence/environment',
      header: { subject: { environment }, number, kind: 'snapshot', at, commitments },
      previous,
      hash,
      index: snapshot.log_index,
    });
    proofs.open(place, 'summary', summaryText(snapshot), salt, commitments['summary']);
    const commitment = commitments['content'];
    if (commitment === undefined) throw new Fault(place, 'the snapshot does not commit to a content');
    proofs.pledge(contentKey(environment, number), { name: 'content', commitment, index });
    last.set(environment, { number, hash, state });
  }
  return last;
}
