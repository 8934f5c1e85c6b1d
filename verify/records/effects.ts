import { hash } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { snapshotEvents } from '#shared/environments/rules/compare.ts';
import { environmentEvent, runtimeEvents } from '#shared/environments/rules/effects.ts';
import { Fault } from '../fault.ts';
import { CommitTimes } from './commit-times.ts';
import { Deployments } from './deployments.ts';
import { type OpenedSnapshot, openContents, type Snapshots } from './environments.ts';
import { recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const EVENTS = 'environment-events/environment_event';
const RUNTIME = 'runtime-events/runtime_event';

const ExpansionLine = z.strictObject({
  item: z.literal('expansion'),
  environment: z.string(),
  index: z.int(),
  done: z.int(),
});
/** Up to where the effects of an environment were stored when the export began. */
type Progress = Pick<z.infer<typeof ExpansionLine>, 'index' | 'done'>;
const NOTHING: Progress = { index: 0, done: 0 };

/**
 * Computes what follows from the contents of snapshots, and compares it with the lines of events, of runtime events and of
 * deployments (rules/verification.md#effects-of-snapshots). Verifies the contents on the way.
 */
export async function verifyEffects(state: ProofState, snapshots: Snapshots): Promise<void> {
  const progress = await readProgress(state, snapshots);
  const effects = new Effects(state, snapshots, progress);
  for await (const opened of openContents(state, snapshots)) await effects.add(opened);
  await effects.finish();
}

async function readProgress(state: ProofState, snapshots: Snapshots): Promise<Map<string, Progress>> {
  const progress = new Map<string, Progress>();
  for await (const [place, { environment, index, done }] of recordsOf(state, 'expansions', ExpansionLine)) {
    if (progress.has(environment)) throw new Fault(place, `an earlier line is about environment ${environment}`);
    progress.set(environment, { index, done });
    const newest = snapshots.get(environment)?.[index - 1];
    if (!newest && index > 0) throw new Fault(place, `the export does not have snapshot ${index} of ${environment}`);
    const isLast = done === 0 && !snapshots.get(environment)?.[index]?.isLogged;
    if (newest && !newest.isLogged) state.scope.stands('expansions/expansion', 'later');
    else if (isLast) state.scope.stands('expansions/expansion', 'follows');
  }
  const silent = [...snapshots].find(([id, of]) => !progress.has(id) && of.some(({ events }) => events > 0));
  if (silent)
    throw new Fault('data/records', `no line says how far the effects of environment ${silent[0]} are stored`);
  state.scope.note(
    'expansions/expansion',
    'the effects of the newest snapshots of some environments were not stored yet',
  );
  return progress;
}

const EventLine = z.looseObject({
  environment: z.string(),
  number: z.int(),
  index: z.int(),
  committed: z.number().nullable(),
});
const RuntimeLine = z.looseObject({
  id: z.string(),
  flow: z.string(),
  trail_name: z.string(),
  environment: z.string(),
  index: z.int(),
});

type NextLine = [place: string, line: z.infer<typeof EventLine>];

/** A line that must be there, or may be there. */
interface Expected {
  digest: string;
  isRequired: boolean;
  isLogged: boolean;
}

class Effects {
  readonly #state: ProofState;
  readonly #snapshots: Snapshots;
  readonly #progress: ReadonlyMap<string, Progress>;
  readonly #lines: AsyncGenerator<NextLine, undefined>;
  readonly #runtime = new Map<string, Expected>();
  readonly #deployments: Deployments;
  readonly #commits = new CommitTimes();
  readonly #logical = new Set<string>();
  #next: NextLine | undefined;

  constructor(state: ProofState, snapshots: Snapshots, progress: ReadonlyMap<string, Progress>) {
    this.#state = state;
    this.#snapshots = snapshots;
    this.#progress = progress;
    this.#lines = recordsOf(state, 'environment-events', EventLine);
    this.#deployments = new Deployments(state, snapshots);
  }

  async add({ snapshot, place, rows }: OpenedSnapshot): Promise<void> {
    const { environment, number, eventsBefore, events: count } = snapshot;
    if (number === 1) await this.#skipTo(environment);
    if (rows === null) {
      this.#logical.add(environment);
      return;
    }
    const events = snapshotEvents(rows.map((row) => ({ row, annotation: row.annotation })));
    if (events.length !== count)
      throw new Fault(place, `the content has ${events.length} events, its snapshot ${count}`);
    const { index, done } = this.#progress.get(environment) ?? NOTHING;
    const of = { ...snapshot, index: number };
    for (const [i, event] of events.entries()) {
      const isRequired = number <= index || (number === index + 1 && i < done);
      const expected = { item: 'environment_event', environment, ...environmentEvent(of, event) };
      await this.#event({ ...expected, number: eventsBefore + 1 + i }, { isRequired, isLogged: snapshot.isLogged });
      for (const { id, place: trail, event: runtime } of runtimeEvents(environment, of, event)) {
        const line = { item: 'runtime_event', id, flow: trail.flow, trail_name: trail.trail, ...runtime };
        const digest = hash('sha256', canonicalJson(line), 'base64');
        this.#runtime.set(`${trail.flow} ${id} ${trail.trail}`, { digest, isRequired, isLogged: snapshot.isLogged });
      }
    }
    const starts = events.filter(({ type }) => type === 'started').map(({ row }) => row.flows.map(({ flow }) => flow));
    this.#deployments.add(snapshot, starts, number <= index);
  }

  async #event(
    expected: { environment: string; number: number; report: string | null; type: string },
    { isRequired, isLogged }: Omit<Expected, 'digest'>,
  ): Promise<void> {
    const { environment, number } = expected;
    const [place = 'data/records', next] = (await this.#peek()) ?? [];
    if (next?.environment !== environment || next.number !== number) {
      if (!isRequired) return;
      throw new Fault(place, `no line has event ${number} of environment ${environment}`);
    }
    this.#next = undefined;
    const { committed, ...line } = next;
    if (canonicalJson(line) !== canonicalJson(expected)) {
      throw new Fault(place, `event ${number} of environment ${environment} does not follow from its snapshot`);
    }
    const report = expected.type === 'started' ? expected.report : null;
    if (report === null && committed !== null) throw new Fault(place, 'the event has a time of a commit');
    if (!isLogged) this.#state.scope.stands(EVENTS, 'later');
    else if (report === null) this.#state.scope.stands(EVENTS, 'follows');
    else this.#commits.add(place, report, committed);
  }

  async #peek(): Promise<NextLine | undefined> {
    this.#next ??= (await this.#lines.next()).value;
    return this.#next;
  }

  /** Goes over the lines that follow from no snapshot before those of an environment. */
  async #skipTo(environment: string | null): Promise<void> {
    for (;;) {
      const next = await this.#peek();
      if (!next) return;
      const [place, line] = next;
      if (line.environment === environment) return;
      if (environment !== null && line.environment > environment) return;
      this.#next = undefined;
      if (this.#logical.has(line.environment)) continue;
      this.#requireNewer(place, line);
      this.#state.scope.stands(EVENTS, 'later');
    }
  }

  /** Verifies that a line belongs to a snapshot that was stored after the snapshots were exported. */
  #requireNewer(place: string, { environment, index }: { environment: string; index: number }): void {
    const newest = this.#snapshots.get(environment)?.length ?? 0;
    if (index > newest) return;
    throw new Fault(place, `the line follows from no snapshot of environment ${environment}`);
  }

  async finish(): Promise<void> {
    await this.#skipTo(null);
    const { scope } = this.#state;
    if (this.#logical.size > 0) scope.note(EVENTS, 'events of logical environments are not compared');
    const unknown = await this.#commits.verify(this.#state, EVENTS);
    if (unknown)
      scope.note(EVENTS, 'the time of the commit is not compared where the report of the artifact was erased');
    await this.#verifyRuntime();
    await this.#deployments.verify();
  }

  async #verifyRuntime(): Promise<void> {
    for await (const [place, line] of recordsOf(this.#state, 'runtime-events', RuntimeLine)) {
      const key = `${line.flow} ${line.id} ${line.trail_name}`;
      const expected = this.#runtime.get(key);
      if (!expected) {
        this.#requireNewer(place, line);
        this.#state.scope.stands(RUNTIME, 'later');
        continue;
      }
      if (hash('sha256', canonicalJson(line), 'base64') !== expected.digest) {
        throw new Fault(
          place,
          `the line does not follow from snapshot ${line.index} of environment ${line.environment}`,
        );
      }
      this.#runtime.delete(key);
      this.#state.scope.stands(RUNTIME, expected.isLogged ? 'follows' : 'later');
    }
    for (const [key, { isRequired }] of this.#runtime) {
      if (!isRequired) continue;
      const [flow, id] = key.split(' ');
      throw new Fault('data/records', `no line has the runtime event ${id} of a trail of flow ${flow}`);
    }
  }
}
