import type { StateName } from './states.ts';

/** From the least to the most, apart from `observed`: what the service itself saw of who made evidence (rules/verified-evidence.md#grades). */
type Grade = 'stated' | 'identified' | 'signed' | 'logged' | 'observed';

/** The grade of evidence as a state. A signature that was not verified never looks like one that was, nor like none. */
export const sealOf = ({ grade, error }: { grade: Grade; error: string | null }): StateName =>
  error === null ? grade : 'not-verified';

/** What a slot says of its latest report. */
interface SlotGrade {
  proof?: { grade: Grade } | undefined;
  origin?: object | undefined;
  recalled?: object | undefined;
}

/**
 * The seals of a slot: its grade, and whether newer evidence was recalled. Of what somebody only stated there is none. A slot has a proof
 * with the grade `stated` only if a bundle was not verified.
 */
export function sealsOfSlot({ proof, origin, recalled }: SlotGrade): StateName[] {
  const seals: StateName[] = [];
  if (proof) seals.push(proof.grade === 'stated' ? 'not-verified' : proof.grade);
  else if (origin) seals.push('identified');
  if (recalled) seals.push('recalled');
  return seals;
}
