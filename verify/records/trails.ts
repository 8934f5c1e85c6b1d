import { Fault } from '../fault.ts';
import { linesOf } from './lines.ts';
import { type MomentLine, readMomentLine } from './moment-lines.ts';
import type { ProofState } from './proof-state.ts';
import { verifyRecords } from './record-lines.ts';
import { readTemplates, verifyTemplateLines } from './template-lines.ts';
import { TrailFold } from './trail-fold.ts';
import { TrailsOfExport, verifyTrailLines } from './trail-lines.ts';

/**
 * Verifies moments, everything that they commit to, and the verdicts of trails (rules/verification.md#trails).
 *
 * @param see called with each moment, before it is verified
 * @returns the trails, as their moments give them
 */
export async function verifyTrails(state: ProofState, see: (moment: MomentLine) => void): Promise<TrailsOfExport> {
  const templates = await readTemplates(state);
  const trails = new TrailsOfExport();
  let fold: TrailFold | undefined;
  for await (const { place, item, record } of linesOf(state, 'moments')) {
    if (item !== 'moment') throw new Fault(place, `a line of moments is '${item}'`);
    const moment = readMomentLine(place, record);
    see(moment);
    if (fold?.trail.id !== moment.trail) {
      fold?.finish();
      fold = new TrailFold(state, templates, moment);
      trails.add(place, fold.trail);
    }
    fold.add(place, moment);
  }
  fold?.finish();
  await verifyTrailLines(state, trails);
  await verifyRecords(state);
  await verifyTemplateLines(state, templates);
  return trails;
}
