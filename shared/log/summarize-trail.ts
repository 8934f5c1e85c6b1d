import type { Fingerprint } from '#shared/base/ids.ts';
import { encodeText } from '#shared/base/well-formed.ts';
import type { FlowHead } from '#shared/evidence/records/flows.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import type { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { bindingsOf } from '#shared/evidence/rules/binding.ts';
import type { TrailState } from '#shared/evidence/rules/trail-state.ts';
import { trailJudge } from '#shared/evidence/rules/verdict.ts';
import type { Services } from '#shared/http/services.ts';
import { addressOf, momentLinks, type StatementPlace } from './moment-links.ts';
import type { Resource, Summary } from './rules/verification-summary.ts';

type Readers = Pick<Services, 'table' | 'objects'>;

/** A trail as it was read, with its flow. */
export interface ReadTrail {
  flow: Pick<FlowHead, 'id' | 'name'>;
  head: Pick<TrailHead, 'name' | 'hash'>;
  state: TrailState;
}

/** Summarizes the verdict on a trail (rules/log.md#statement-of-a-trail). */
export async function summarizeTrail(services: Readers, place: StatementPlace, trail: ReadTrail): Promise<Summary> {
  const { head, flow, state } = trail;
  const slots = [...state.attestations.values(), ...state.artifacts.values()];
  const [template, inputs] = await judgedBy(services, place, trail, slots);
  return {
    kind: 'trail',
    subjects: [{ name: head.name, sha256: Buffer.from(head.hash).toString('hex') }],
    uri: addressOf(place, 'trails', `${flow.name}/${head.name}`),
    passed: trailJudge(state, template).status().is_compliant,
    policy: policyOf(place, trail),
    inputs,
    at: state.at,
  };
}

/**
 * Summarizes the effective verdict on an artifact in a trail (rules/log.md#statement-of-an-artifact).
 *
 * @returns null if the artifact was not reported in the trail
 */
export function summarizeArtifact(
  services: Readers,
  place: StatementPlace,
  trail: ReadTrail,
  fingerprint: Fingerprint,
): (() => Promise<Summary>) | null {
  const { head, flow, state } = trail;
  const bindings = bindingsOf(state);
  const reports = bindings.reports.get(fingerprint);
  const latest = reports?.at(-1);
  if (!reports || !latest) return null;
  return async () => {
    const slots = [...reports, ...bindings.bound(fingerprint), ...bindings.trail];
    const [template, inputs] = await judgedBy(services, place, trail, slots);
    const address = addressOf(place, 'artifacts', `${flow.name}/fingerprint/${fingerprint}`);
    return {
      kind: 'artifact',
      subjects: [{ name: latest.name, sha256: fingerprint }],
      uri: `${address}?trail=${encodeText(head.name)}`,
      passed: trailJudge(state, template).effective(fingerprint)?.is_compliant === true,
      policy: policyOf(place, trail),
      inputs,
      at: state.at,
    };
  };
}

/** The template is the policy. A trail without a template has a policy without a text: nothing is required. */
const policyOf = (place: StatementPlace, { flow, state }: ReadTrail): Resource => ({
  uri: addressOf(place, 'flows', flow.name),
  ...(state.template !== null && { sha256: state.template }),
});

/** Reads the template and the links of the moments that brought the slots, and of the trail's last moment. */
function judgedBy(
  { table, objects }: Readers,
  place: StatementPlace,
  { flow, head, state }: ReadTrail,
  slots: readonly { number: number }[],
) {
  const numbers = [...new Set([...slots.map(({ number }) => number), state.number])].sort((a, b) => a - b);
  return Promise.all([
    loadTemplate(table, objects, place.org.id, state.template),
    momentLinks(
      table,
      place,
      numbers.map((number) => ({ flow, trail: head.name, number })),
    ),
  ]);
}
