import * as z from 'zod';
import type { FlowId } from '#shared/base/ids.ts';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { countDeployment, type DeploymentCounts, dayOf } from '#shared/environments/rules/effects.ts';
import { Fault } from '../fault.ts';
import type { ProvedSnapshot, Snapshots } from './environments.ts';
import { fitting, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const NAME = 'deployments/deployments';

const DeploymentsLine = z.strictObject({
  item: z.literal('deployments'),
  environment: z.string(),
  day: z.string(),
  counts: z.record(z.string(), z.int()),
  all: z.int(),
});
type DeploymentsLine = z.infer<typeof DeploymentsLine> & { place: string };

/** What started with a snapshot: the flows of each artifact. */
interface Starts {
  day: string;
  flows: (readonly FlowId[])[];
  isLogged: boolean;
}

interface Counted {
  days: Map<string, DeploymentCounts>;
  /** Days that count snapshots after the checkpoint. */
  later: Set<string>;
  /** Starts that were not counted yet when the export began. They may have been counted since, in this order. */
  waiting: Starts[];
}

const nothingCounted = (): Counted => ({ days: new Map(), later: new Set(), waiting: [] });

/** Counts the deployments of environments again, and compares them with their lines. */
export class Deployments {
  readonly #state: ProofState;
  readonly #snapshots: Snapshots;
  readonly #environments = new Map<string, Counted>();

  constructor(state: ProofState, snapshots: Snapshots) {
    this.#state = state;
    this.#snapshots = snapshots;
  }

  /** @param isCounted whether the starts were counted when the export began */
  add({ environment, at, isLogged }: ProvedSnapshot, flows: (readonly FlowId[])[], isCounted: boolean): void {
    if (flows.length === 0) return;
    const counted = this.#environments.get(environment) ?? nothingCounted();
    this.#environments.set(environment, counted);
    const starts = { day: dayOf(at), flows, isLogged };
    if (isCounted) count(counted, starts);
    else counted.waiting.push(starts);
  }

  async verify(): Promise<void> {
    const lines = new Map<string, DeploymentsLine[]>();
    for await (const { place, record } of linesOf(this.#state, 'deployments')) {
      const line = { ...fitting(place, DeploymentsLine, record), place };
      lines.set(line.environment, [...(lines.get(line.environment) ?? []), line]);
    }
    for (const environment of new Set([...lines.keys(), ...this.#environments.keys()])) {
      this.#verify(environment, lines.get(environment) ?? []);
    }
  }

  #verify(environment: string, lines: readonly DeploymentsLine[]): void {
    const counted = this.#environments.get(environment) ?? nothingCounted();
    let difference = differenceOf(environment, counted.days, lines);
    for (let next = counted.waiting.shift(); difference && next; next = counted.waiting.shift()) {
      count(counted, next);
      difference = differenceOf(environment, counted.days, lines) && difference;
    }
    const newest = this.#snapshots.get(environment)?.at(-1);
    const lastDay = newest ? dayOf(newest.at) : '';
    if (difference && !mayBeNewer(counted.days, lines, lastDay)) throw difference;
    for (const { day, all } of lines) {
      const isProved = counted.days.get(day)?.all === all && !counted.later.has(day);
      this.#state.scope.stands(NAME, isProved ? 'follows' : 'later');
    }
  }
}

function count({ days, later }: Counted, { day, flows, isLogged }: Starts): void {
  days.set(
    day,
    flows.reduce<DeploymentCounts>(
      (counts, of) => countDeployment(counts, of),
      days.get(day) ?? { counts: {}, all: 0 },
    ),
  );
  if (!isLogged) later.add(day);
}

/** @returns the fault of the first day with other counts; undefined if all are equal */
function differenceOf(
  environment: string,
  days: ReadonlyMap<string, DeploymentCounts>,
  lines: readonly DeploymentsLine[],
): Fault | undefined {
  for (const { place, day, counts, all } of lines) {
    if (canonicalJson({ counts, all }) === canonicalJson(days.get(day) ?? null)) continue;
    return new Fault(place, `the deployments of environment ${environment} on ${day} do not follow from its snapshots`);
  }
  const missing = [...days.keys()].find((day) => !lines.some((line) => line.day === day));
  if (missing === undefined && lines.length === days.size) return undefined;
  const what = missing === undefined ? 'an export has one line for a day' : `no line has the deployments on ${missing}`;
  return new Fault('data/records', `${what} of environment ${environment}`);
}

/**
 * Whether the lines can be those of the counted snapshots and of snapshots that were stored while the export was made: then
 * only the last days have more.
 */
const mayBeNewer = (
  days: ReadonlyMap<string, DeploymentCounts>,
  lines: readonly DeploymentsLine[],
  lastDay: string,
): boolean =>
  new Set(lines.map(({ day }) => day)).size === lines.length &&
  [...days.keys()].every((day) => lines.some((line) => line.day === day)) &&
  lines.every(({ day, counts, all }) => {
    const known = days.get(day) ?? { counts: {}, all: 0 };
    if (day < lastDay || all === known.all) return canonicalJson({ counts, all }) === canonicalJson(known);
    return all > known.all && Object.entries(known.counts).every(([flow, number]) => (counts[flow] ?? 0) >= number);
  });
