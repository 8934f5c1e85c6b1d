import type { Fingerprint } from '#shared/base/ids.ts';
import { encodeText } from '#shared/base/well-formed.ts';
import type { FlowHead } from '#shared/evidence/records/flows.ts';
import type { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { bindingsOf } from '#shared/evidence/rules/binding.ts';
import type { TrailState } from '#shared/evidence/rules/trail-state.ts';
import { trailJudge } from '#shared/evidence/rules/verdict.ts';
import type { Services } from '#shared/http/services.ts';
import type { Resource, Summary } from '../rules/verification-summary.ts';
import { addressOf, momentLink, type StatementPlace } from './moment-links.ts';
import { type ProvedTrail, proveTrail } from './proved-trail.ts';

type Readers = Pick<Services, 'table' | 'objects'>;

/** A trail as it was read, with its flow. */
export interface ReadTrail {
  flow: Pick<FlowHead, 'id' | 'name'>;
  head: Pick<TrailHead, 'id' | 'name' | 'hash' | 'word'>;
  state: TrailState;
}

/**
 * Summarizes the verdict on a trail (rules/log.md#statement-of-a-trail), by moments that the log has. Names of flow and trail are
 * those of the last moment, because the log has them.
 *
 * @returns null if the log does not have the last moment yet
 * @throws RecordGone, ServiceError as {@link proveTrail}
 */
export async function summarizeTrail(
  services: Readers,
  place: StatementPlace,
  read: ReadTrail,
): Promise<Summary | null> {
  const proved = await proveTrail(services, place.org.id, { ...read, flow: read.flow.id });
  if (!proved) return null;
  const { last, state, template } = proved;
  const { flow, trail } = last.content.names;
  const slots = [...state.attestations.values(), ...state.artifacts.values()];
  return {
    kind: 'trail',
    subjects: [{ name: trail, sha256: Buffer.from(last.hash).toString('hex') }],
    uri: addressOf(place, 'trails', `${flow}/${trail}`),
    passed: trailJudge(state, template).status().is_compliant,
    policy: policyOf(place, proved),
    inputs: linksOf(place, proved, slots),
    at: state.at,
  };
}

/**
 * Summarizes the effective verdict on an artifact in a trail (rules/log.md#statement-of-an-artifact).
 *
 * @returns null if the artifact was not reported in the trail; else a function that returns what {@link summarizeTrail} does
 */
export function summarizeArtifact(
  services: Readers,
  place: StatementPlace,
  read: ReadTrail,
  fingerprint: Fingerprint,
): (() => Promise<Summary | null>) | null {
  if (!bindingsOf(read.state).reports.has(fingerprint)) return null;
  return async () => {
    const proved = await proveTrail(services, place.org.id, { ...read, flow: read.flow.id });
    if (!proved) return null;
    const { last, state, template } = proved;
    const { flow, trail } = last.content.names;
    const bindings = bindingsOf(state);
    const reports = bindings.reports.get(fingerprint) ?? [];
    const latest = reports.at(-1);
    if (!latest) throw new Error(`Trail ${last.trail} has lost the report of an artifact`);
    const slots = [...reports, ...bindings.bound(fingerprint), ...bindings.trail];
    const address = addressOf(place, 'artifacts', `${flow}/fingerprint/${fingerprint}`);
    return {
      kind: 'artifact',
      subjects: [{ name: latest.name, sha256: fingerprint }],
      uri: `${address}?trail=${encodeText(trail)}`,
      passed: trailJudge(state, template).effective(fingerprint)?.is_compliant === true,
      policy: policyOf(place, proved),
      inputs: linksOf(place, proved, slots),
      at: state.at,
    };
  };
}

/** The template is the policy. A trail without a template has a policy without a text: nothing is required. */
const policyOf = (place: StatementPlace, { last, state }: ProvedTrail): Resource => ({
  uri: addressOf(place, 'flows', last.content.names.flow),
  ...(state.template !== null && { sha256: state.template }),
});

/** The links of the moments that brought the slots, and of the trail's last moment. */
function linksOf(
  place: StatementPlace,
  { moments, state }: ProvedTrail,
  slots: readonly { number: number }[],
): Resource[] {
  const counted = new Set([...slots.map(({ number }) => number), state.number]);
  return moments.filter(({ number }) => counted.has(number)).map((moment) => momentLink(place, moment));
}
