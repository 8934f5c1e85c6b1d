import * as z from 'zod';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { Expectation } from '#shared/expectations/rules/expectation.ts';
import { wrongInGap } from '#shared/expectations/rules/gaps/follows.ts';
import { Gap, subjectKey } from '#shared/expectations/rules/gaps/gap.ts';
import { Fault } from '../fault.ts';
import { fitting, linesOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';

const Versioned = z.looseObject({ id: z.string(), version: z.int() });

/** Names a version among those of all expectations. */
const versionKey = (id: string, version: number): string => `${id} ${version}`;

/**
 * Computes again what gaps say, from the versions of expectations (rules/verification.md#scope). That a line is the one that the
 * service wrote follows from its cover.
 *
 * @throws Fault that names expectation, subject and interval of the first gap that does not follow
 */
export async function verifyGaps(state: ProofState): Promise<void> {
  const versions = new Map<string, Expectation>();
  for await (const { place, item, record } of linesOf(state, 'expectations')) {
    if (item !== 'version') continue;
    const { id, version } = fitting(place, Versioned, record);
    versions.set(versionKey(id, version), fitting(place, Expectation, record));
  }
  for await (const { place, record } of linesOf(state, 'gaps')) {
    const gap = fitting(place, Gap, record);
    const wrong = wrongInGap(gap, versions.get(versionKey(gap.expectation.id, gap.expectation.version)));
    if (wrong) throw new Fault(place, `${nameOf(gap)} does not follow: ${wrong}`);
  }
}

function nameOf({ expectation, subject, from, until }: Gap): string {
  const named = 'name' in subject ? `'${subject.name}'` : canonicalJson(subjectKey(subject));
  const instant = (at: number) => new Date(at / 1000).toISOString();
  const end = until === null ? 'on' : `to ${instant(until)}`;
  return `the gap of expectation '${expectation.name}' about ${subject.type} ${named} from ${instant(from)} ${end}`;
}
