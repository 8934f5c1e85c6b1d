import { type Fingerprint, isFingerprint } from '#shared/base/ids.ts';
import { encodeText } from '#shared/base/well-formed.ts';
import type { Stores } from '#shared/bodies/stores.ts';
import { readFlowPresence } from '#shared/evidence/records/artifact-records.ts';
import type { FlowHead } from '#shared/evidence/records/flows.ts';
import type { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { readBesideFlow, readTrailState } from '#shared/evidence/records/trails.ts';
import { bindingsOf } from '#shared/evidence/rules/binding.ts';
import { artifactNotInFlow, unknownFlow, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import type { TrailState } from '#shared/evidence/rules/trail-state.ts';
import { trailJudge } from '#shared/evidence/rules/verdict.ts';
import type { Resource, Summary } from '../rules/verification-summary.ts';
import { addressOf, momentLink, type StatementPlace } from './moment-links.ts';
import { type ProvedTrail, proveTrail } from './proved-trail.ts';
import { type Stated, type StatementFormat, type StatementServices, stateAbout } from './statements.ts';

type Readers = Pick<Stores, 'table' | 'objects'>;

interface ReadTrail {
  flow: Pick<FlowHead, 'id' | 'name'>;
  head: Pick<TrailHead, 'id' | 'name' | 'hash' | 'word'>;
  state: TrailState;
}

/**
 * States the verdict on a trail (rules/log.md#statement-of-a-trail).
 *
 * @throws ServiceError `not-found` for an unknown trail; RecordGone, ServiceError as {@link proveTrail}
 */
export async function stateTrail(
  services: StatementServices,
  place: StatementPlace,
  { flow: flowName, trail: trailName }: { flow: string; trail: string },
  format: StatementFormat,
): Promise<Stated> {
  const { table } = services;
  const { org } = place;
  const { flow, beside: trail } = await readBesideFlow(table, org.id, flowName, (id) =>
    readTrailState(table, org.id, id, trailName),
  );
  if (!flow || !trail) throw unknownTrail({ trail: trailName, org: org.name, flow: flowName });
  const about = ['trail', flow.id, trail.head.id, trail.state.number];
  return stateAbout(services, place, format, about, () => summarizeTrail(services, place, { flow, ...trail }));
}

/**
 * States the effective verdict on an artifact in a trail (rules/log.md#statement-of-an-artifact).
 *
 * @param named `fingerprint` is any text. `trail` absent: the trail of the latest report
 * @throws ServiceError `not-found` if the flow is unknown or the artifact was not reported there; RecordGone, ServiceError as
 *   {@link proveTrail}
 */
export async function stateArtifact(
  services: StatementServices,
  place: StatementPlace,
  named: { flow: string; fingerprint: string; trail?: string | undefined },
  format: StatementFormat,
): Promise<Stated> {
  const { table } = services;
  const { org } = place;
  const { fingerprint } = named;
  const missing = () => artifactNotInFlow({ fingerprint, flow: named.flow, org: org.name });
  const { flow, beside: trail } = await readBesideFlow(table, org.id, named.flow, async (id) => {
    if (!isFingerprint(fingerprint)) return null;
    const name = named.trail ?? (await readFlowPresence(table, org.id, fingerprint, id))?.trail;
    return name === undefined ? null : readTrailState(table, org.id, id, name);
  });
  if (!flow) throw unknownFlow({ flow: named.flow, org: org.name });
  if (!trail || !isFingerprint(fingerprint)) throw missing();
  const summarize = summarizeArtifact(services, place, { flow, ...trail }, fingerprint);
  if (!summarize) throw missing();
  const about = ['artifact', flow.id, trail.head.id, fingerprint, trail.state.number];
  return stateAbout(services, place, format, about, summarize);
}

/**
 * Summarizes the verdict on a trail (rules/log.md#statement-of-a-trail), by moments that the log has. Names of flow and trail are
 * those of the last moment, because the log has them.
 *
 * @returns null if the log does not have the last moment yet
 * @throws RecordGone, ServiceError as {@link proveTrail}
 */
async function summarizeTrail(services: Readers, place: StatementPlace, read: ReadTrail): Promise<Summary | null> {
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
function summarizeArtifact(
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
