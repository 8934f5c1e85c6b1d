import { isDeepStrictEqual } from 'node:util';
import { isFingerprint, type OrganizationId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import { RecordDiffers } from '#shared/base/proofs/record-differs.ts';
import { RecordGone } from '#shared/base/proofs/record-gone.ts';
import { encodeText } from '#shared/base/well-formed.ts';
import type { Reading, Stores } from '#shared/bodies/stores.ts';
import { countedTrail, recallsFor } from '#shared/evidence/counted-trails.ts';
import { readFlowPresence } from '#shared/evidence/records/artifact-records.ts';
import type { FlowHead } from '#shared/evidence/records/flows.ts';
import {
  hasMoment,
  type Moment,
  momentOf,
  readMoments,
  requireMoments,
  stateAsOf,
} from '#shared/evidence/records/moments.ts';
import { loadTemplate } from '#shared/evidence/records/templates.ts';
import type { TrailHead } from '#shared/evidence/records/trail-items.ts';
import { readBesideFlow, readTrailState } from '#shared/evidence/records/trails.ts';
import { bindingsOf } from '#shared/evidence/rules/binding.ts';
import { recalledSlots } from '#shared/evidence/rules/recalled.ts';
import { artifactNotInFlow, unknownFlow, unknownTrail } from '#shared/evidence/rules/sentences.ts';
import { gradeOfSlot } from '#shared/evidence/rules/slot-proof.ts';
import type { Template } from '#shared/evidence/rules/template.ts';
import type { ArtifactSlot, AttestationSlot, TrailState } from '#shared/evidence/rules/trail-state.ts';
import { trailJudge, trailWord } from '#shared/evidence/rules/verdict.ts';
import type { Recall } from '#shared/signers/rules/recalls.ts';
import { readClaimsFrom } from '../records/claims.ts';
import { recordDiffers, stateDiffers } from '../rules/sentences.ts';
import type { Resource, StatedEvidence, Summary } from '../rules/verification-summary.ts';
import { addressOf, momentLink, type StatementPlace } from './moment-links.ts';
import { type Stated, type StatementFormat, type StatementServices, stateAbout } from './statements.ts';

/** The parts of a state that decide verdicts. */
const JUDGED = ['number', 'at', 'template', 'templateAt', 'ownTemplate', 'attestations', 'artifacts'] as const;

interface ReadTrail {
  flow: Pick<FlowHead, 'id'>;
  head: Pick<TrailHead, 'id' | 'name' | 'hash' | 'word'>;
  state: TrailState;
  /** The recalls of the organization, if the state has signatures. */
  recalls: readonly Recall[];
}

/** A verdict by proved moments, with the slots that it was computed from. */
interface Verdict extends Pick<Summary, 'kind' | 'subjects' | 'uri' | 'passed'> {
  slots: readonly (AttestationSlot | ArtifactSlot)[];
}

/**
 * States the verdict on a trail (rules/log.md#statement-of-a-trail). Names of flow and trail are those of the last moment, because
 * the log has them.
 *
 * @throws ServiceError `not-found` for an unknown trail; RecordGone, ServiceError as {@link proveTrail}
 */
export async function stateTrail(
  services: StatementServices,
  place: StatementPlace,
  named: { flow: FlowName; trail: TrailName },
  format: StatementFormat,
): Promise<Stated> {
  const { table } = services;
  const { org } = place;
  const { flow, beside: trail } = await readBesideFlow(table, org.id, named.flow, (id) =>
    readTrailState(table, org.id, id, named.trail),
  );
  if (!flow || !trail) throw unknownTrail({ ...named, org: org.name });
  const { recalls, parts } = await recalledIn(table, org.id, trail.state);
  const about = ['trail', flow.id, trail.head.id, trail.state.number, ...parts];
  const verdictOf = ({ last, state, template }: ProvedTrail): Verdict => {
    const { names } = last.content;
    return {
      kind: 'trail',
      subjects: [{ name: names.trail, sha256: Buffer.from(last.hash).toString('hex') }],
      uri: addressOf(place, 'trails', `${names.flow}/${names.trail}`),
      passed: trailJudge(state, template).status().is_compliant,
      slots: [...state.attestations.values(), ...state.artifacts.values()],
    };
  };
  const read = { flow, ...trail, recalls };
  return stateAbout(services, place, format, about, () => summarize(services, place, read, verdictOf));
}

/**
 * Reads what of a state is recalled. A statement never changes, so one from before a recall is another one than the one after it.
 * @returns the recalls, and what names those that match
 */
async function recalledIn(table: Stores['table'], org: OrganizationId, state: TrailState) {
  const recalls = await recallsFor(table, org, { state });
  const names = recalledSlots(state, recalls).flatMap((slot) =>
    slot.recalls.map(({ name, version }) => `${name}.${version}`),
  );
  return { recalls, parts: names.length === 0 ? [] : ['recalled', ...new Set(names.toSorted())] };
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
  named: { flow: FlowName; fingerprint: string; trail?: TrailName | undefined },
  format: StatementFormat,
): Promise<Stated> {
  const { table } = services;
  const { org } = place;
  const { fingerprint } = named;
  const { flow, beside: trail } = await readBesideFlow(table, org.id, named.flow, async (id) => {
    if (!isFingerprint(fingerprint)) return null;
    const name = named.trail ?? (await readFlowPresence(table, org.id, fingerprint, id))?.trail;
    return name === undefined ? null : readTrailState(table, org.id, id, name);
  });
  if (!flow) throw unknownFlow({ flow: named.flow, org: org.name });
  if (!trail || !isFingerprint(fingerprint) || !bindingsOf(trail.state).reports.has(fingerprint)) {
    throw artifactNotInFlow({ fingerprint, flow: named.flow, org: org.name });
  }
  const { recalls, parts } = await recalledIn(table, org.id, trail.state);
  const about = ['artifact', flow.id, trail.head.id, fingerprint, trail.state.number, ...parts];
  const verdictOf = ({ last, state, template }: ProvedTrail): Verdict => {
    const { names } = last.content;
    const bindings = bindingsOf(state);
    const reports = bindings.reports.get(fingerprint) ?? [];
    const latest = reports.at(-1);
    if (!latest) throw new Error(`Trail ${last.trail} has lost the report of an artifact`);
    const address = addressOf(place, 'artifacts', `${names.flow}/fingerprint/${fingerprint}`);
    return {
      kind: 'artifact',
      subjects: [{ name: latest.name, sha256: fingerprint }],
      uri: `${address}?trail=${encodeText(names.trail)}`,
      passed: trailJudge(state, template).effective(fingerprint)?.is_compliant === true,
      slots: [...reports, ...bindings.bound(fingerprint), ...bindings.trail],
    };
  };
  const read = { flow, ...trail, recalls };
  return stateAbout(services, place, format, about, () => summarize(services, place, read, verdictOf));
}

/** Completes a verdict by what both statements have. @returns null if the log does not have the last moment yet */
async function summarize(
  services: Reading,
  place: StatementPlace,
  read: ReadTrail,
  verdictOf: (proved: ProvedTrail) => Verdict,
): Promise<Summary | null> {
  const proved = await proveTrail(services, place.org.id, read);
  if (!proved) return null;
  const { slots, ...verdict } = verdictOf(proved);
  return {
    ...verdict,
    policy: policyOf(place, proved),
    inputs: linksOf(place, proved, slots),
    evidence: slots.flatMap((slot) => ('scope' in slot ? [evidenceOf(slot)] : [])),
    at: proved.state.at,
  };
}

function evidenceOf(slot: AttestationSlot): StatedEvidence {
  const { name, type, id, proof } = slot;
  return { name, type, attestation: id, grade: gradeOfSlot(slot), ...(proof?.signer && { signer: proof.signer }) };
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

interface ProvedTrail {
  /** All moments up to the one of the state, ascending. */
  moments: Moment[];
  last: Moment;
  state: TrailState;
  template: Template;
}

/**
 * Computes the state and the word of a trail again, from its moments, and requires that the log has these moments
 * (rules/log.md#proved-records). Head and slots only cache this state.
 *
 * @returns null if the log does not have the last moment yet
 * @throws RecordGone if a moment is missing
 * @throws ServiceError `broken` if a moment, the head or a slot is not what the log has
 */
async function proveTrail(
  { table, objects }: Reading,
  org: OrganizationId,
  { flow: { id: flow }, head, state: stored, recalls }: ReadTrail,
): Promise<ProvedTrail | null> {
  const { number } = stored;
  const ids = { flow, trail: head.id };
  const subject = { kind: 'trail', ...ids, number } as const;
  const [moments, [claim, later]] = await Promise.all([
    readMoments(table, org, flow, head.name, { from: 1, to: number }),
    readClaimsFrom(table, org, subject, 2),
  ]);
  requireMoments(ids, moments, { from: 1, to: number });
  const state = stateAsOf(moments);
  const last = moments.at(-1);
  if (!last) throw new Error(`The trail ${head.id} has a head and no moment`);
  if (last.trail !== head.id) throw new RecordDiffers(`head of trail ${last.name}`, 'it has the id of another trail');
  if (claim?.number !== number) return null;
  // The chain leads from the last moment to all others, so the log has them if it has the last one.
  if (Buffer.compare(claim.hash, last.hash) !== 0) throw recordDiffers({ index: claim.index });
  // A moment can be newer than what was read of the trail. If it is missing, the end of the trail was cut off.
  if (later && !(await hasMoment(table, org, flow, head.name, later.number)))
    throw new RecordGone(momentOf(ids, later.number));
  const template = await loadTemplate(table, objects, org, state.template);
  const word = trailWord(state, template);
  const isSame =
    Buffer.compare(head.hash, last.hash) === 0 &&
    [head.word, last.content.word].every((stated) => stated === word) &&
    JUDGED.every((part) => isDeepStrictEqual(state[part], stored[part]));
  if (!isSame) throw stateDiffers({ trail: last.name, index: claim.index });
  // What the log has stays: only the verdict goes by recalls.
  return countedTrail({ moments, last, state, template }, recalls);
}
