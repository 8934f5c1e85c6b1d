import * as z from 'zod';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { Expectation } from '#shared/expectations/rules/expectation.ts';
import { wrongInGap } from '#shared/expectations/rules/gaps/follows.ts';
import { Gap, subjectKey } from '#shared/expectations/rules/gaps/gap.ts';
import { Fault } from '../fault.ts';
import { instantText } from '../instant.ts';
import { fitting, Instant, linesOf } from './lines.ts';
import type { MomentLine } from './moment-lines.ts';
import type { ProofState } from './proof-state.ts';

/** The id of a gap is computed from its beginning. */
const GapLine = Gap.extend({ from: Instant });
const Versioned = z.looseObject({ id: z.string(), version: z.int() });

/** Names a version among those of all expectations. */
const versionKey = (id: string, version: number): string => `${id} ${version}`;

/**
 * Computes again what gaps say, from the versions of expectations (rules/verification.md#scope). That a line is the one that the
 * service wrote follows from its cover.
 *
 * @returns the moments that gaps name, which are compared when the moments are read
 * @throws Fault that names expectation, subject and interval of the first gap that does not follow
 */
export async function verifyGaps(state: ProofState): Promise<GapArrivals> {
  const arrivals = new GapArrivals();
  const versions = new Map<string, Expectation>();
  for await (const { place, item, record } of linesOf(state, 'expectations')) {
    if (item !== 'version') continue;
    const { id, version } = fitting(place, Versioned, record);
    versions.set(versionKey(id, version), fitting(place, Expectation, record));
  }
  for await (const { place, record } of linesOf(state, 'gaps')) {
    const gap = fitting(place, GapLine, record);
    const wrong = wrongInGap(gap, versions.get(versionKey(gap.expectation.id, gap.expectation.version)));
    if (wrong) throw new Fault(place, `${nameOfGap(gap)} does not follow: ${wrong}`);
    arrivals.add(place, gap);
  }
  return arrivals;
}

/** A moment that a gap names as the last arrival before it, or as the first one after it. */
interface Named {
  place: string;
  gap: Gap;
  at: number;
  what: string;
}

/** Kinds to which moments of flows come again and again. */
const OF_FLOWS: readonly Gap['kind'][] = ['evidence', 'activity'];

/**
 * The moments that gaps about flows and whole scopes name. A moment may be missing: records are read one after another, and a gap can
 * end while they are.
 */
export class GapArrivals {
  readonly #named = new Map<string, Named[]>();

  /** Notes the moments around a gap. @throws Fault if a gap about activity names a moment that begins no trail */
  add(place: string, gap: Gap): void {
    if (!OF_FLOWS.includes(gap.kind)) return;
    const around = [
      { arrival: gap.lastBefore, what: 'the last arrival before it' },
      { arrival: gap.firstAfter, what: 'the first arrival after it' },
    ];
    for (const { arrival, what } of around) {
      if (arrival?.shown?.type !== 'moment') continue;
      const { flow, trail, number } = arrival.shown;
      if (gap.kind === 'activity' && number !== 1) throw wrong({ place, gap, at: arrival.at, what }, 'begins no trail');
      const key = keyOf({ flow: flow.id, name: trail, number });
      this.#named.set(key, [...(this.#named.get(key) ?? []), { place, gap, at: arrival.at, what }]);
    }
  }

  /** @throws Fault if a gap says that the moment came at another time */
  see(moment: Pick<MomentLine, 'flow' | 'name' | 'number' | 'at'>): void {
    for (const named of this.#named.get(keyOf(moment)) ?? []) {
      if (named.at !== moment.at)
        throw wrong(named, `came at ${instantText(moment.at)} and not at ${instantText(named.at)}`);
    }
  }
}

const keyOf = ({ flow, name, number }: Pick<MomentLine, 'flow' | 'name' | 'number'>): string =>
  `${flow} ${name} ${number}`;

const wrong = ({ place, gap, what }: Named, why: string): Fault =>
  new Fault(place, `${nameOfGap(gap)} does not follow: ${what} ${why}`);

/** Names a gap by expectation, subject and interval. */
export function nameOfGap({ expectation, subject, from, until }: Gap): string {
  const named = 'name' in subject ? `'${subject.name}'` : canonicalJson(subjectKey(subject));
  const end = until === null ? 'on' : `to ${instantText(until)}`;
  return `the gap of expectation '${expectation.name}' about ${subject.type} ${named} from ${instantText(from)} ${end}`;
}
