import * as z from 'zod';
import { Fault } from '../fault.ts';
import type { Snapshots } from './environments.ts';
import { fitting, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const AuditLine = z.looseObject({
  at: z.int(),
  kind: z.string(),
  subject: z.looseObject({ type: z.string(), id: z.string().nullable(), name: z.string() }),
});

const NAMING = ['environment.created', 'environment.renamed'];

/** A change of name is dated with the begin of its request, which can wait for other writers. The time is in microseconds. */
const LONGEST_REQUEST = 60_000_000;

interface Named {
  at: number;
  name: string;
}

/**
 * The names of environments, by the entries of the audit log that gave them and by the snapshots that were taken under them.
 * Both are verified by then.
 */
export class EnvironmentNames {
  readonly #names = new Map<string, Named[]>();

  static async read(state: ProofState, snapshots: Snapshots): Promise<EnvironmentNames> {
    const names = new EnvironmentNames();
    for await (const { place, record } of linesOf(state, 'audit')) {
      const { at, kind, subject } = fitting(place, AuditLine, record);
      if (NAMING.includes(kind) && subject.id !== null) names.#add(subject.id, { at, name: subject.name });
    }
    for (const [environment, of] of snapshots) for (const snapshot of of) names.#add(environment, snapshot);
    for (const list of names.#names.values()) list.sort((one, other) => one.at - other.at);
    return names;
  }

  #add(environment: string, { at, name }: Named): void {
    const known = this.#names.get(environment) ?? [];
    known.push({ at, name });
    this.#names.set(environment, known);
  }

  /**
   * Verifies that an environment had a name when its line was read, or got it later: the time of reading is not exact.
   * @throws Fault
   */
  require(place: string, environment: string, name: string, readAt: number): void {
    const named = this.#names.get(environment) ?? [];
    const current = named.findLast(({ at }) => at <= readAt) ?? named[0];
    const from = (current?.at ?? 0) - LONGEST_REQUEST;
    if (named.some((one) => one.at >= from && one.name === name)) return;
    const known = current?.name;
    const logged = known === undefined ? 'no entry of the log names it' : `the log names it '${known}'`;
    throw new Fault(place, `the environment ${environment} has the name '${name}', ${logged}`);
  }
}
