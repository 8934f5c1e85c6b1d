import { lastFailures, type ReasonStep } from './steps.ts';

/** What `saw` of a slot says if nothing was reported for it. */
export const MISSING = 'missing';

/**
 * Turns a chain of reasons into the sentence that a page begins with: what is wrong, quoted from the last step
 * (rules/reasons.md#the-sentence). It has no full stop at its end.
 *
 * @param subject name of the artifact or trail that the chain is about
 * @returns null if nothing in the chain failed
 */
export function reasonSentence(subject: string, steps: readonly ReasonStep[]): string | null {
  const failures = distinct(lastFailures(steps).map((step) => sentenceOf(subject, step)));
  const [first, ...others] = failures;
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'reason' : 'reasons'})`;
  return `${first}${more}`;
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

function sentenceOf(subject: string, { step, name, says, saw }: ReasonStep): string {
  if (says.startsWith(`${subject} `)) return says;
  switch (step) {
    case 'slot':
      return saw === MISSING ? `${subject} has no ${name}: ${says}` : says;
    case 'attestation':
      return `${subject} fails ${name}: ${says}`;
    case 'type':
      return `${subject}: ${says}`;
    default:
      return says;
  }
}
