import * as z from 'zod';
import { Expectation } from '#shared/expectations/rules/expectation.ts';
import { wrongInGap } from '#shared/expectations/rules/gaps/follows.ts';
import { Gap } from '#shared/expectations/rules/gaps/gap.ts';
import { Fault } from '../fault.ts';
import { GapArrivals, nameOfGap } from './gap-arrivals.ts';
import { fitting, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

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
    const gap = fitting(place, Gap, record);
    const wrong = wrongInGap(gap, versions.get(versionKey(gap.expectation.id, gap.expectation.version)));
    if (wrong) throw new Fault(place, `${nameOfGap(gap)} does not follow: ${wrong}`);
    arrivals.add(place, gap);
  }
  return arrivals;
}
