import { reasonSentence } from '#shared/base/reasons/sentence.ts';
import { lastFailures, type ReasonStep } from '#shared/base/reasons/steps.ts';
import type { NoticeReason } from './records.ts';

/** Most characters of a reason. The texts of violations and overrides can be much longer. */
const LONGEST = 500;

/**
 * Makes the reason of a message from a chain of reasons: the sentence that the page of the record begins with, on one line
 * (rules/notifications.md#reason).
 *
 * @param subject name of the artifact or trail that the chain is about
 * @returns undefined if nothing in the chain failed
 */
export function noticeReason(subject: string, steps: readonly ReasonStep[], more = ''): NoticeReason | undefined {
  const sentence = reasonSentence(subject, steps);
  if (sentence === null) return undefined;
  const line = oneLine(sentence);
  const attestation = quotedAttestation(steps);
  return {
    says: `${line.length > LONGEST ? `${[...line].slice(0, LONGEST - 1).join('')}…` : line}${more}`,
    ...(attestation !== null && { attestation }),
  };
}

/** Texts of evidence can hold line breaks, with which they would imitate other lines of a message. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/**
 * Returns the id of the attestation whose texts the sentence of a chain can quote: that of the step which the sentence quotes, or of
 * the attestation above it. An erasure of the attestation finds the sentence by this id.
 */
function quotedAttestation(steps: readonly ReasonStep[]): string | null {
  const [quoted] = lastFailures(steps);
  if (!quoted || !BELOW_ATTESTATIONS.has(quoted.step)) return null;
  const place = steps.findIndex(({ step, says }) => step === quoted.step && says === quoted.says);
  const above = steps.slice(0, place + 1).findLast(({ step }) => step === 'attestation');
  return above ? new URLSearchParams(above.html_url.split('?')[1]).get('attestation_id') : null;
}

const BELOW_ATTESTATIONS: ReadonlySet<ReasonStep['step']> = new Set(['attestation', 'evaluation', 'type']);
