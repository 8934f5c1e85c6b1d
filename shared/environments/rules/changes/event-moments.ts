import type { Micros } from '#shared/base/time.ts';
import { type ArtifactIdentity, artifactKey } from '../running.ts';
import type { Change, ComparedRow } from './pair-rows.ts';

/** What an event of an environment says about one artifact. */
interface MomentEvent extends Pick<ArtifactIdentity, 'name' | 'fingerprint'> {
  type: string;
  at: Micros;
  /** Number of the snapshot. */
  index: number;
}

/** The snapshot in which something changed. */
export interface Moment {
  at: Micros;
  index: number;
}

/** When artifacts started, stopped and changed in a period, by the events of the period. */
export class EventMoments {
  readonly #last = new Map<string, Moment>();
  readonly #started = new Set<string>();

  /** @param events ascending */
  constructor(events: readonly MomentEvent[]) {
    for (const { type, at, index, ...artifact } of events) {
      const key = keyOf(artifact);
      this.#last.set(`${type} ${key}`, { at, index });
      if (type === 'started') this.#started.add(key);
    }
  }

  /** Returns when a change happened; null if no event says so, as for instances, which have no events. */
  of<R extends ComparedRow>({ kind, before, after }: Change<R>): Moment | null {
    const type = { replaced: 'started', started: 'started', stopped: 'exited', judged: 'changed', scaled: '' }[kind];
    const row = kind === 'stopped' ? before : after;
    return (row && this.#last.get(`${type} ${keyOf(row)}`)) ?? null;
  }

  /** Counts the artifacts that started in the period and ran neither at its begin nor at its end. */
  onlyBetween(before: readonly ComparedRow[], after: readonly ComparedRow[]): number {
    const known = new Set([...before, ...after].map(keyOf));
    return [...this.#started].filter((key) => !known.has(key)).length;
  }
}

/** Events of a logical environment do not say in which member an artifact runs. */
const keyOf = ({ name, fingerprint }: Pick<ArtifactIdentity, 'name' | 'fingerprint'>): string =>
  artifactKey({ name, fingerprint });
