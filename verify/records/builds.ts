import * as z from 'zod';
import { canonicalJson } from '#shared/base/proofs/hash-chain.ts';
import { Fault } from '../fault.ts';
import { recordsOf } from './lines.ts';
import type { ProofState } from './proof-state.ts';
import { recordKey } from './trail-fold.ts';

const NAME = 'builds/build';

const Reported = {
  fingerprint: z.string(),
  flow: z.string(),
  trail: z.string(),
  repo: z.string().nullable(),
  at: z.int(),
};
const ArtifactLine = z.looseObject({ id: z.string(), ...Reported });
const BuildLine = z.strictObject({ item: z.literal('build'), artifact: z.string(), ...Reported });
type Build = Omit<z.infer<typeof BuildLine>, 'item'>;

/** Clocks of different machines differ by less, in microseconds. */
const CLOCK_ERROR = 1_000_000;

interface First {
  build: Build;
  next: number;
}

/**
 * Verifies builds: the first report of each fingerprint (rules/lookups.md#builds). They follow from the reports, which are
 * verified by then.
 */
export async function verifyBuilds(state: ProofState): Promise<void> {
  const { firsts, newest } = await readFirsts(state);
  let isUnsure = false;
  for await (const [place, { item: _, ...build }] of recordsOf(state, 'builds', BuildLine)) {
    const first = firsts.get(build.fingerprint);
    if (!first) {
      // A report that came while the export was made can have its build alone.
      if (build.at <= newest) throw new Fault(place, `the export has no report of ${build.fingerprint}`);
      state.scope.stands(NAME, 'later');
      continue;
    }
    firsts.delete(build.fingerprint);
    if (first.next - first.build.at < CLOCK_ERROR) isUnsure = true;
    else if (canonicalJson(build) !== canonicalJson(first.build)) {
      throw new Fault(place, `the line is not the first report of ${build.fingerprint}, ${first.build.artifact}`);
    } else state.scope.stands(NAME, state.isLogged(recordKey(build.artifact)) ? 'follows' : 'later');
  }
  for (const fingerprint of firsts.keys()) throw new Fault('data/records', `no line has the build of ${fingerprint}`);
  if (isUnsure) state.scope.note(NAME, 'which of two reports within a second was the first is not compared');
}

async function readFirsts(state: ProofState): Promise<{ firsts: Map<string, First>; newest: number }> {
  const firsts = new Map<string, First>();
  let newest = 0;
  for await (const [, report] of recordsOf(state, 'artifacts', ArtifactLine)) {
    const { id: artifact, fingerprint, flow, trail, repo, at } = report;
    newest = Math.max(newest, at);
    const known = firsts.get(fingerprint);
    const build = { artifact, fingerprint, flow, trail, repo, at };
    if (!known) firsts.set(fingerprint, { build, next: Number.POSITIVE_INFINITY });
    else if (at < known.build.at) firsts.set(fingerprint, { build, next: known.build.at });
    else known.next = Math.min(known.next, at);
  }
  return { firsts, newest };
}
