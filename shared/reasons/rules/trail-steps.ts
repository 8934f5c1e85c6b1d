import { MISSING } from '#shared/base/reasons/sentence.ts';
import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import type { StatusWord } from '#shared/evidence/rules/verdict.ts';
import { attestationSteps, placeOfEntry } from './attestation-steps.ts';
import type { Links, SeenAttestations, SeenEntry, SeenTrail } from './seen.ts';

const WORDS: Readonly<Record<StatusWord, string>> = {
  COMPLIANT: 'compliant',
  'NON-COMPLIANT': 'not compliant',
  INCOMPLETE: 'incomplete',
};

/**
 * Returns the steps of a trail: the trail, each slot that is asked for or was filled, and what fills it
 * (rules/reasons.md#steps).
 *
 * @param about what the verdict is about: `the artifact`; null for the trail as a whole
 */
export function trailSteps(
  seen: SeenTrail,
  about: string | null,
  attestations: SeenAttestations,
  links: Links,
): ReasonStep[] {
  const { flow, trail, status, entries, missingArtifacts = [] } = seen;
  const word = WORDS[status];
  const below = [
    ...missingArtifacts.map((name) => missingArtifact(seen, name, links)),
    ...entries.flatMap((entry) => slotSteps(seen, entry, attestations, links)),
  ];
  // The report itself can state that the artifact is not compliant, with nothing in the trail that says why.
  const stated = status === 'NON-COMPLIANT' && !below.some(({ compliant }) => compliant === false);
  const subject = about === null ? trail : about;
  const where = about === null ? ` in ${flow}` : ` in ${trail} of ${flow}`;
  return [
    {
      step: 'trail',
      name: trail,
      says: stated ? `${subject} was reported as not compliant${where}` : `${subject} is ${word}${where}`,
      saw: word,
      html_url: links.trail(flow, trail),
      compliant: status === 'COMPLIANT',
    },
    ...below,
  ];
}

const missingArtifact = ({ flow, trail }: SeenTrail, name: string, links: Links): ReasonStep => ({
  step: 'slot',
  name,
  says: `${trail} lacks the artifact \`${name}\``,
  saw: MISSING,
  html_url: links.trail(flow, trail),
  compliant: false,
});

/** Returns the step of a slot, and what fills it. */
export function slotSteps(
  { flow, trail }: Pick<SeenTrail, 'flow' | 'trail'>,
  entry: SeenEntry,
  attestations: SeenAttestations,
  links: Links,
): ReasonStep[] {
  const { attestation_name: name, status, scope, is_compliant: compliant, overridden_attestation_id: original } = entry;
  const called = scope === null ? name : `${scope} / ${name}`;
  if (status === 'MISSING') {
    return [
      {
        step: 'slot',
        name,
        says: `${trail} lacks \`${called}\`${recalledText(entry)}`,
        saw: MISSING,
        html_url: links.trail(flow, trail),
        compliant: false,
      },
    ];
  }
  const place = placeOfEntry({ flow, trail }, entry);
  const overridden = original === null ? '' : ', overridden';
  const word = `${compliant === false ? 'not compliant' : 'compliant'}${overridden}`;
  return [
    {
      step: 'slot',
      name,
      says: `${compliant === false ? `\`${called}\` of ${trail} is not compliant` : `${trail} has \`${called}\`${overridden}`}${recalledText(entry)}`,
      saw: word,
      html_url: links.trail(flow, trail),
      compliant: compliant !== false,
    },
    ...(place ? attestationSteps(place, attestations.get(place.id), links) : []),
  ];
}

/** Names recalls in a sentence. */
export const namedRecalls = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(' and ');

const recallsText = ({ recalls }: NonNullable<SeenEntry['recalled']>): string =>
  namedRecalls(recalls.map(({ name }) => name));

/** Says what was recalled of a slot: the record before an older one or before nothing; of a past verdict the record itself. */
function recalledText({ attestation_id: id, recalled }: SeenEntry): string {
  if (!recalled) return '';
  const by = recallsText(recalled);
  if (recalled.attestation_id === id) return `, recalled since by ${by}`;
  return id === null ? `, which was recalled by ${by}` : `; a newer one was recalled by ${by}`;
}
