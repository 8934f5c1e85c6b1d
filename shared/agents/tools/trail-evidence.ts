import { AnyFlowName, AnyTrailName } from '#shared/base/names.ts';
import { lastFailures } from '#shared/base/reasons/steps.ts';
import { timeText } from '#shared/base/texts/instants.ts';
import { pageUrl } from '#shared/console/pages.ts';
import { reasonReading } from '#shared/evaluations/explain-decisions.ts';
import { readOverrides } from '#shared/evidence/overrides.ts';
import { type AttestationStatus, judgeTrail } from '#shared/evidence/rules/verdict.ts';
import { getTrail } from '#shared/evidence/trails/get-trail.ts';
import { explainTrail } from '#shared/reasons/explain-trail.ts';
import { quote } from '../rules/quote.ts';
import { LONGEST_REASON, stepRow } from '../rules/step-row.ts';
import type { AnswerRow } from '../rules/tool-answer.ts';
import { stateWord } from '../rules/words.ts';
import { tool } from '../tool.ts';
import { receiptAt } from './fields.ts';

/** Lists the evidence of a trail with its verdict (rules/agents.md#tools). */
export const trailEvidence = tool({
  name: 'trail_evidence',
  title: 'What is the evidence of a trail?',
  description:
    'Lists the attestations of a trail and of its artifacts, who overrode which and why, what its template misses, and the verdict with its reasons. A trail is one change or release in a flow, often named by a commit or a build.',
  input: {
    flow: AnyFlowName.min(1).max(200).describe('Name of the flow'),
    trail: AnyTrailName.min(1).max(200).describe('Name of the trail'),
  },
  access: 'reader',
  run: async ({ services, org, host }, { flow, trail: name }) => {
    const { trail, template } = await getTrail(services, org, { flow, trail: name }, undefined);
    const place = { host, org };
    const judged = judgeTrail(trail.state, template);
    const found = [
      ...judged.attestations_statuses.map((entry) => ({ entry, slot: null })),
      ...Object.entries(judged.artifacts_statuses).flatMap(([slot, { attestations_statuses }]) =>
        attestations_statuses.map((entry) => ({ entry, slot })),
      ),
    ];
    const entries = found.map(({ entry }) => entry);
    const [{ steps, leftOut }, overrides] = await Promise.all([
      explainTrail(reasonReading(services), place, trail, template),
      readOverrides(services, org, [{ flow: trail.flow, entries }]),
    ]);
    const overrideOf = new Map(overrides.map((one) => [one.attestation_id, one]));
    const { number } = trail.head;
    return {
      verdict: `The trail ${quote(name)} of the flow ${quote(flow)} is ${judged.status}, by moment ${number} of ${timeText(trail.state.at)}.`,
      facts: { flow: quote(flow), trail: quote(name), status: judged.status, moment: number },
      rows: [
        ...lastFailures(steps).map(stepRow),
        ...found.map(({ entry, slot }) => evidenceRow(entry, slot, overrideOf.get(entry.attestation_id ?? ''))),
      ],
      more: leftOut,
      ask: 'Open the page of the trail.',
      citations: [
        { what: 'the trail', url: pageUrl(place, '/{org}/flows/{flow}/trails/{trail}', { flow, trail: name }) },
        { what: 'the receipt of the moment', url: receiptAt(place, `trails/${flow}/${name}/${number}`) },
      ],
    };
  },
});

function evidenceRow(
  { attestation_name: name, attestation_type: type, status, is_compliant }: AttestationStatus,
  slot: string | null,
  override: Awaited<ReturnType<typeof readOverrides>>[number] | undefined,
): AnswerRow {
  const of = slot === null ? 'the trail' : `the artifact ${quote(slot)}`;
  const word = status === 'MISSING' ? 'missing' : stateWord(is_compliant);
  const overridden = override && {
    overridden_by: quote(override.created_by),
    reason: override.reason === null ? null : quote(override.reason, LONGEST_REASON),
  };
  const by = overridden
    ? `, by an override of ${overridden.overridden_by}: ${overridden.reason ?? 'its text was erased'}`
    : '';
  return {
    sentence: `${quote(name)} (${quote(type)}) of ${of}: ${word}${by}`,
    facts: {
      attestation: quote(name),
      type: quote(type),
      artifact: slot === null ? null : quote(slot),
      found: word,
      ...overridden,
    },
  };
}
