import * as z from 'zod';
import { EnvironmentId } from '#shared/base/ids.ts';
import { EffectRow } from '#shared/environments/rules/effects.ts';
import { summaryText } from '#shared/environments/rules/summary.ts';
import { Fault } from '../fault.ts';
import { standingAt } from '../scope.ts';
import { Body, openBody } from './bodies.ts';
import { Commitments, fitting, Hex32, Instant, LogIndex, linesOf, parsed, recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const SnapshotLine = z.strictObject({
  item: z.literal('snapshot'),
  environment: EnvironmentId,
  number: z.int().min(1),
  at: Instant,
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
type SnapshotLine = z.infer<typeof SnapshotLine>;

const ContentLine = z.strictObject({
  item: z.literal('content'),
  environment: EnvironmentId,
  number: z.int().min(1),
  body: Body,
});

/** The parts of a content from which its effects follow. */
const Content = z.object({
  rows: z.array(EffectRow),
  members: z.record(z.string(), z.number()).optional(),
});

export interface ProvedSnapshot extends Omit<SnapshotLine, 'item' | 'salt' | 'commitments' | 'log_index'> {
  /** Whether the log of the export has it. */
  isLogged: boolean;
  /** Commitment to the content, in hex. */
  content: string;
}

export type Snapshots = ReadonlyMap<string, readonly ProvedSnapshot[]>;

/** A snapshot with what it shows. `rows` is null for a logical environment. */
export interface OpenedSnapshot {
  snapshot: ProvedSnapshot;
  place: string;
  rows: EffectRow[] | null;
}

/** Verifies snapshots with their contents, and heads of environments. @returns the snapshots @throws Fault */
export async function verifyEnvironments(state: ProofState): Promise<Snapshots> {
  const snapshots = await verifySnapshots(state);
  await verifyHeads(state, snapshots);
  return snapshots;
}

async function verifySnapshots(state: ProofState): Promise<Snapshots> {
  const found = new Map<string, ProvedSnapshot[]>();
  for await (const { place, item, record } of linesOf(state, 'snapshots')) {
    if (item === 'content') continue;
    if (item !== 'snapshot') throw new Fault(place, `a line of snapshots is '${item}'`);
    const line = fitting(place, SnapshotLine, record);
    const earlier = found.get(line.environment) ?? [];
    found.set(line.environment, earlier);
    earlier.push(verifySnapshot(state, place, line, earlier.at(-1)));
  }
  return found;
}

function verifySnapshot(
  state: ProofState,
  place: string,
  line: SnapshotLine,
  before: ProvedSnapshot | undefined,
): ProvedSnapshot {
  const { environment, number, at, commitments, previous, hash } = line;
  if (number !== (before?.number ?? 0) + 1) {
    throw new Fault(
      place,
      `snapshot ${number} of environment ${environment} comes after snapshot ${before?.number ?? 0}`,
    );
  }
  if (previous !== (before?.hash ?? '0'.repeat(64))) {
    throw new Fault(place, `the snapshot does not name the hash of snapshot ${number - 1}`);
  }
  const index = state.link({
    place,
    subject: { kind: 'environment', environment, number },
    domain: 'delivery-evidence/environment',
    header: { subject: { environment }, number, kind: 'snapshot', at, commitments },
    previous,
    hash,
    index: line.log_index,
  });
  state.open(place, 'summary', { salt: line.salt, text: summaryText(line) }, commitments['summary']);
  const content = commitments['content'];
  if (content === undefined) throw new Fault(place, 'the snapshot does not commit to a content');
  state.scope.stands('snapshots/snapshot', standingAt(index));
  const { item: _, salt: __, commitments: ___, log_index: ____, ...facts } = line;
  // Most snapshots have the name of the one before: one text for all of them.
  const name = before?.name === line.name ? before.name : line.name;
  return { ...facts, name, content, isLogged: index !== undefined };
}

/** Reads the contents of snapshots in the order of the export, and verifies each. No command erases a content. */
export async function* openContents(state: ProofState, snapshots: Snapshots): AsyncGenerator<OpenedSnapshot> {
  const opened = new Map<string, number>();
  for await (const [place, { environment, number, body }] of recordsOf(state, 'snapshots', ContentLine, 'content')) {
    if (number !== (opened.get(environment) ?? 0) + 1) {
      throw new Fault(place, `content ${number} of environment ${environment} comes after content ${number - 1}`);
    }
    opened.set(environment, number);
    const snapshot = snapshots.get(environment)?.[number - 1];
    const text = await openBody(state.files, place, body);
    if (!text) throw new Fault(place, 'the content is gone, and no command erases contents');
    // A snapshot that was stored while the export was made can be missing beside its content.
    if (!snapshot) continue;
    state.open(place, 'content', text, snapshot.content);
    state.scope.stands('snapshots/content', snapshot.isLogged ? 'proved' : 'later');
    const content = fitting(place, Content, parsed(place, text.text.toString('utf8'), 'text of the body'));
    yield { snapshot, place, rows: content.members ? null : content.rows };
  }
  for (const [environment, of] of snapshots) {
    const next = of[opened.get(environment) ?? 0];
    // The contents of an environment are exported before its snapshots.
    if (next?.isLogged) {
      throw new Fault(
        'data/records',
        `no line has the content of snapshot ${next.number} of environment ${environment}`,
      );
    }
  }
}

const HeadLine = z.looseObject({
  id: EnvironmentId,
  environment: EnvironmentId,
  name: z.string(),
  index: z.int(),
  at: Instant,
  hash: z.string(),
  state: z.boolean().nullable(),
  known: z.boolean().nullable(),
  since: z.int(),
  events: z.int(),
});
type HeadLine = z.infer<typeof HeadLine>;
const TimesLine = z.looseObject({ environment: EnvironmentId, c: z.int() });

async function verifyHeads(state: ProofState, snapshots: Snapshots): Promise<void> {
  for await (const { place, item, record } of linesOf(state, 'environments')) {
    if (item === 'environment') {
      const head = fitting(place, HeadLine, record);
      if (head.id !== head.environment) throw new Fault(place, 'the line names two environments');
      verifyHead(place, head, snapshots.get(head.id) ?? []);
    } else if (item === 'times') {
      const { environment, c } = fitting(place, TimesLine, record);
      if (c !== 0 && !snapshots.get(environment)?.some(({ at }) => at === c)) {
        throw new Fault(place, `environment ${environment} has no snapshot of the time ${c}`);
      }
    }
  }
}

/** Compares a head with the snapshot that was the newest when the head was read. */
function verifyHead(place: string, head: HeadLine, snapshots: readonly ProvedSnapshot[]): void {
  const { id, index } = head;
  const newest = snapshots[index - 1];
  if (index === 0) return;
  if (!newest) throw new Fault(place, `the export does not have snapshot ${index} of environment ${id}`);
  const { at, hash, state, known, events, eventsBefore } = newest;
  const since = firstOfState(snapshots, index);
  const expected = { at, hash, state, known: state ?? known, events: eventsBefore + events, since };
  for (const [member, value] of Object.entries(expected)) {
    if (head[member] !== value) {
      throw new Fault(place, `the head of the environment has another '${member}' than snapshot ${index}`);
    }
  }
}

/** Returns the time of the snapshot with which the state of a snapshot began. */
function firstOfState(snapshots: readonly ProvedSnapshot[], index: number): number {
  let first = index - 1;
  while (first > 0 && snapshots[first - 1]?.state === snapshots[first]?.state) first -= 1;
  return snapshots[first]?.at ?? 0;
}
